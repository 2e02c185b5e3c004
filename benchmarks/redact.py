"""What the redactor finds, what it takes for a secret and is none, what it costs.

python benchmarks/redact.py [FOLDER...]     further folders of text in which nothing should be found
"""

from __future__ import annotations

import base64
import json
import os
import random
import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "scripts"), str(HERE.parent / "tests")]

from redactkit import CONTEXTS, build, leaks, places, wraps  # noqa: E402

from llm_wiki.core.redact import find, redact  # noqa: E402
from llm_wiki.core.redact.vendors import FAMILIES  # noqa: E402

SEEDS = 5
TEXT = {
    ".py",
    ".md",
    ".rst",
    ".txt",
    ".html",
    ".js",
    ".ts",
    ".json",
    ".cfg",
    ".toml",
    ".yaml",
    ".yml",
    ".sh",
    "",
}
LARGEST = 2_000_000


def recall() -> None:
    """Print the share of secrets found: families by places, and broken over lines."""
    print(f"{len(FAMILIES)} families, {SEEDS} secrets each")
    hits = total = 0
    for name, place in CONTEXTS.items():
        found = tried = 0
        for family in FAMILIES:
            for seed in range(SEEDS):
                secret, parts = build(family.example, f"bench {seed}")
                if places(name, secret):
                    tried += 1
                    found += not leaks(parts, unquote(redact(place(secret))))
        hits, total = hits + found, total + tried
        print(f"  {name:<16} {found:>5} of {tried:>5}  {found / tried:.4f}")
    print(f"  {'all':<16} {hits:>5} of {total:>5}  {hits / total:.4f}")
    broken: dict[str, list[bool]] = {}
    for family in FAMILIES:
        for seed in range(SEEDS):
            secret, parts = build(family.example, f"bench {seed}")
            for how, text in wraps(secret):
                broken.setdefault(how, []).append(not leaks(parts, redact(text)))
    for how, results in broken.items():
        print(
            f"  broken, {how:<12} {sum(results):>5} of {len(results):>5}  {sum(results) / len(results):.4f}"
        )


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in TEXT and path.is_file() and path.stat().st_size < LARGEST:
            yield path


def false_findings(folders: list[Path]) -> None:
    """Print findings per 10,000 words of text that holds no secret."""
    print("findings in text without secrets, per 10,000 words")
    for folder in folders:
        words = found = 0
        for path in _files(folder):
            data = path.read_bytes()
            if b"\0" in data[:4096]:
                continue
            text = data.decode("utf-8", "replace")
            words += len(text.split())
            found += len(find(text))
        rate = 10_000 * found / max(words, 1)
        print(f"  {folder.name:<24} {words:>10,} words  {found:>5} found  {rate:.2f}")


def _program() -> str:
    library = Path(sysconfig.get_paths()["stdlib"])
    return "".join(path.read_text("utf-8", "replace") for path in sorted(library.glob("*.py"))[:80])


def hard() -> dict[str, str]:
    """Return texts of a megabyte that make a careless pattern slow."""
    size, rng = 1_000_000, random.Random(1)
    units = {
        "A": "A",
        "-----BEGIN": "-----BEGIN",
        "a=": "a=",
        "://": "://",
        "eyJ": "eyJ",
        "blanks": " ",
        "quotes": '"',
        'password="': 'password="',
        "token |": "token |",
        "?key=": "?key=",
    }
    texts = {name: (unit * (size // len(unit) + 1))[:size] for name, unit in units.items()}
    encoded = base64.b64encode(rng.randbytes(size)).decode()[:size]
    return texts | {
        "base64": encoded,
        "base64 in rows": "\n".join(encoded[i : i + 76] for i in range(0, size, 77))[:size],
        "programs": _program()[:size],
    }


def speed() -> None:
    """Print CPU milliseconds of a megabyte, and of twice as much against it."""
    print("CPU of 1 MB; of 2 MB against it")
    for name, text in hard().items():
        cost = []
        for sample in (text, text * 2):
            best = 1e9
            for _ in range(3):
                start = time.process_time()
                find(sample)
                best = min(best, time.process_time() - start)
            cost.append(best)
        print(f"  {name:<16} {1000 * cost[0]:7.1f} ms  x {cost[1] / max(cost[0], 1e-6):.2f}")


def start() -> None:
    """Print what a clean payload of 2 KB costs in a new process whose json and re are loaded."""
    payload = json.dumps(
        {"event": "PostToolUse", "cwd": "/srv/work", "note": "The key point is the token count. " * 55}
    )
    code = (
        "import json, re, sys, time\ntext = sys.argv[1]\nbegin = time.process_time()\n"
        "from llm_wiki.core.redact import redact\nredact(text)\nprint(time.process_time() - begin)"
    )
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPATH"] = str(HERE.parent / "scripts")
    times = [
        float(
            subprocess.run(
                [sys.executable, "-c", code, payload], env=env, capture_output=True, check=True
            ).stdout
        )
        for _ in range(15)
    ]
    print(
        f"import and {len(payload)} clean characters: {1000 * statistics.median(times):.1f} ms CPU (median)"
    )


def main() -> None:
    """Print all figures."""
    start()
    speed()
    recall()
    library = Path(sysconfig.get_paths()["stdlib"])
    folders = [
        library / name for name in ("asyncio", "email", "http", "importlib", "unittest", "lib2to3", "idlelib")
    ]
    folders += [HERE.parent / name for name in ("wikis", "docs", "references", "scripts")]
    false_findings([folder for folder in [*folders, *map(Path, sys.argv[1:])] if folder.is_dir()])


if __name__ == "__main__":
    main()
