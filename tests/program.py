"""The installed program as a black box: its own home, its own folders, real processes."""

import atexit
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).parent.parent
SCRIPTS = CHECKOUT / "scripts"
STATES = ".local/state/llm-wiki/roots"


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

    def begun(self, *calls: tuple[str | bytes, ...]) -> None:
        """Bring this home, still empty, to where these calls would: they run once, elsewhere, and are copied.

        Bytes at the end of a call are its standard input.
        """
        assert not self.hub.exists()
        model, roots = _begun(calls)
        shutil.copytree(model, self.home, symlinks=True, dirs_exist_ok=True)
        states = self.home / STATES
        for key, rel in roots.items():
            (states / key).rename(states / _key(self.home / rel))
        for path in states.rglob("manifest.json"):
            path.write_bytes(path.read_bytes().replace(os.fsencode(model), os.fsencode(self.home)))

    @property
    def hub(self) -> Path:
        return self.home / "wiki"


def _key(root: Path) -> str:
    """Return the name under which the state of a root lies."""
    return hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:16]


@cache
def _begun(calls: tuple[tuple[str | bytes, ...], ...]) -> tuple[Path, dict[str, Path]]:
    """Return a home in which calls were made, and the folders that have a state, by the keys of these."""
    base = tempfile.mkdtemp(prefix="begun-")
    atexit.register(shutil.rmtree, base, ignore_errors=True)
    program = Program(Path(base).resolve())
    for call in calls:
        given = [word for word in call if isinstance(word, bytes)]
        program.ok(*call[: len(call) - len(given)], stdin=b"".join(given))
    home = program.home
    shutil.rmtree(home / ".cache", ignore_errors=True)
    keys = {_key(path): path.relative_to(home) for path in home.rglob("*") if path.is_dir()}
    return home, {path.name: keys[path.name] for path in (home / STATES).iterdir()}


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
