"""The installed program as a black box: its own home, its own folders, real processes."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).parent.parent
SCRIPTS = CHECKOUT / "scripts"


class Done(NamedTuple):
    exit: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


class Program:
    """Runs `llm-wiki` in a home of its own; `here` is the current folder."""

    def __init__(self, base: Path) -> None:
        self.home = base / "home"
        self.here = self.home / "work"
        self.here.mkdir(parents=True)
        kept = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR")
        self.env = {name: os.environ[name] for name in kept if name in os.environ}
        self.env |= {"HOME": str(self.home), "PYTHONPATH": str(SCRIPTS), "LLM_WIKI_TODAY": "2026-01-10"}

    def __call__(self, *arguments, stdin: bytes = b"", cwd: Path | None = None, **env: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "llm_wiki", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            cwd=cwd or self.here,
            env=self.env | env,
            check=False,
            timeout=120,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def ok(self, *arguments, **more) -> Done:
        done = self(*arguments, **more)
        assert done.exit == 0, (arguments, done)
        return done

    @property
    def hub(self) -> Path:
        return self.home / "wiki"


def tree(folder: Path) -> dict[str, tuple[str, int]]:
    """Map every path below a folder to its content hash and modification time."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            found[path.relative_to(folder).as_posix()] = (digest, path.stat().st_mtime_ns)
        else:
            found[path.relative_to(folder).as_posix()] = ("", 0)
    return found


def contents(folder: Path, *but: str) -> dict[str, str]:
    """Map every file to its content hash, without the files named."""
    return {rel: digest for rel, (digest, _) in tree(folder).items() if rel.rsplit("/", 1)[-1] not in but}
