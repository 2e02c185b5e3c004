"""Speed of `retract`: scanning for one value in all its encodings, beside ripgrep and bare reading.

`python benchmarks/retract.py [--large]` makes its own files. Prints seconds and ratios: 5,000 files of
about 20 MB, the same tree at half and double size (growth), and with `--large` the memory that a file of
1 GB needs.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from sample import _sentence

from llm_wiki.withdraw.match import Matcher
from llm_wiki.withdraw.match_text import look_at
from llm_wiki.withdraw.scope import scan

VALUES = {
    "token": "tokZk3vR9qLm2xW8hT4",
    "password": 'p@ss/wörd"&x',
    "words": "correct horse battery 9",
    "digits": "4929131806027",
    "name": "Zoë Müller-Łukić",
    "script": "Анна Каренина",
    "pin": "4711",
}
TARGETS = {"reading": 2.0, "ripgrep": 10.0}
ROUNDS = 7


def build(top: Path, count: int) -> int:
    """Write `count` notes of about 4 KB with links, tables, code and escapes; return their bytes."""
    rng = random.Random(7)
    total = 0
    for number in range(count):
        parts = [
            f"---\ntitle: Note {number}\ntags: [a, b]\nsummary: {_sentence(rng, 12)}\n---\n\n# Note {number}\n"
        ]
        while sum(map(len, parts)) < 4000:
            kind = rng.randrange(6)
            words = _sentence(rng, rng.randrange(8, 30))
            parts.append(
                f"\n{words}\n"
                if kind < 3
                else f"\n[{words[:20]}](../notes/{rng.randrange(count)}%20{rng.randrange(99)}.md) &amp; {words}\n"
                if kind == 3
                else f"\n| {words[:30]} | `x = {rng.randrange(9**9):x}` | {rng.randrange(9**5)} |\n"
                if kind == 4
                else f'\n```\nid={rng.randrange(9**9)}; path = "a\\\\b\\u00e9"\n```\n'
            )
        path = top / f"{number % 50:02}" / f"{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        total += path.write_bytes("".join(parts).encode())
    return total


def best(action: Callable[[], object]) -> float:
    found = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        action()
        found.append(time.perf_counter() - start)
    return min(found)


def read(top: Path) -> int:
    return sum(len(Path(place, name).read_bytes()) for place, _, names in os.walk(top) for name in names)


def ripgrep(top: Path, value: str) -> None:
    command = [
        "rg",
        "--no-ignore",
        "--hidden",
        "--text",
        "--fixed-strings",
        "--file",
        "-",
    ]
    subprocess.run([*command, str(top)], input=value.encode(), stdout=subprocess.DEVNULL, check=False)


def compare(top: Path) -> None:
    """Print each kind of value beside reading and ripgrep, taken in turns so that all share the same minute."""
    matchers = {name: Matcher(value.encode()) for name, value in VALUES.items()}
    actions: dict[str, Callable[[], object]] = {"reading": lambda: read(top)}
    for name, matcher in matchers.items():
        matcher.spans(b"x")
        actions[name] = lambda matcher=matcher: scan([top], matcher)
        if shutil.which("rg"):
            actions[f"rg {name}"] = lambda value=VALUES[name]: ripgrep(top, value)
    seconds = dict.fromkeys(actions, 1e9)
    for _ in range(ROUNDS):
        for name, action in actions.items():
            start = time.perf_counter()
            action()
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    print(f"reading in Python  {seconds['reading']:.3f} s   (targets: " + _targets() + ")")
    for name in VALUES:
        ratios = {"reading": seconds[name] / seconds["reading"]}
        if f"rg {name}" in seconds:
            ratios["ripgrep"] = seconds[name] / seconds[f"rg {name}"]
        said = "   ".join(
            f"{ratio:.2f} x {other}{'' if ratio <= TARGETS[other] else ' (over)'}"
            for other, ratio in ratios.items()
        )
        print(
            f"retract, {name:<9} {seconds[name]:.3f} s   {said}{'' if len(ratios) > 1 else '   ripgrep is absent'}"
        )


def _targets() -> str:
    return ", ".join(f"at most {ratio:g} x {other}" for other, ratio in TARGETS.items())


def growth(base: Path) -> None:
    matcher = Matcher(VALUES["token"].encode())
    seconds = {}
    for count in (2500, 5000, 10000):
        top = base / f"growth-{count}"
        build(top, count)
        seconds[count] = best(lambda top=top: scan([top], matcher))
        shutil.rmtree(top)
    print("growth             " + ", ".join(f"{count} files {each:.3f} s" for count, each in seconds.items()))


def large(base: Path) -> None:
    path = base / "large.txt"
    block = (b"a line of text that is repeated, with a number 12345 and a Name\n" * 16384)[: 1 << 20]
    with path.open("wb") as stream:
        for number in range(1024):
            stream.write(block)
            if number == 700:
                stream.write(VALUES["token"].encode())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    found = look_at(Matcher(VALUES["token"].encode()), path)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert found is not None
    print(
        f"1 GB file          {seconds:.1f} s, {len(found.spans)} found, {(after - before) / 1024:.0f} MB of memory more"
    )


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="also a file of 1 GB")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        if arguments.large:
            large(base)
        top = base / "notes"
        size = build(top, 5000)
        print(f"5,000 files, {size / 1e6:.1f} MB")
        compare(top)
        growth(base)


if __name__ == "__main__":
    main()
