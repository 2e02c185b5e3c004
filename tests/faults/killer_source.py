"""Kills a source's retraction at one write point after the other, lets another command come, then a rerun.

Started as its own interpreter: `python killer_source.py WORK [LIMIT]`; with a limit at most that many points
are taken, evenly. Prints one JSON object: what an undisturbed run leaves, and for each point what the
command that came next said and left, and what the rerun of the same line said and left.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
import json
import os
import pkgutil
import shutil
import signal
import sys
from pathlib import Path

from cellarkit import BODY, CANARY, NAME, TITLE, URL, A, B, article, cellar, quoted
from killer import Points, in_child
from program import Done, Program
from scanner import holds

import llm_wiki
from llm_wiki.admit.tombstones import TOMBSTONES, read_stones
from llm_wiki.cli.main import main as program
from llm_wiki.core.files import TEMP_PREFIX
from llm_wiki.core.state import root_state
from llm_wiki.core.transaction import interrupted, recover

TRACES = (NAME, TITLE, "example.com/a/report", CANARY)
APPLY = ("retract-source", "apply", A, "--wiki", "wine", "--json")
ONLY_LIST = f"""Water is 7 [O](../../{B}). See also [a page](https://example.com/a/report?id=1&utm_medium=m).
"""
CITED = f"""Both agree [1](../../{A}), [2](../../{B}). It says so in <https://www.example.com/a/report?id=1>.
"""
NEXT = {
    "rerun": (),
    "fix": ("lint", "--fix", "--wiki", "wine", "--fail-on", "never"),
    "ingest": (
        *("raw", "add", "--wiki", "water", "--type", "articles", "--title", "Another name", "-"),
        *("--source", "https://example.com/a/report?id=1", "--dry-run"),
    ),
    "undo": ("undo", "--wiki", "wine"),
    "archive": ("archive", "topic", "wine"),
    "other": ("retract-source", "apply", B, "--wiki", "wine", "--json"),
    "doctor": ("doctor", "--json"),
    "verify": ("retract-source", "verify", A, "--wiki", "wine", "--json"),
    "hub": ("retract-source", "apply", A, "--json"),
}
"""What comes after the kill, in turn; `rerun` is nothing but the same line again."""


class Scene:
    """One home that is put back for each run."""

    def __init__(self, work: Path) -> None:
        self.work, self.home, self.master = work, work / "home", work / "master"
        self.hub, self.told = self.home / "wiki", work / "told"
        self.known: dict[tuple[bytes, tuple[str, ...]], bool] = {}

    def build(self) -> None:
        wiki = Program(self.work)
        wiki.env |= {"LLM_WIKI_NOW": os.environ["LLM_WIKI_NOW"]}
        root = cellar(wiki)
        article(root, "a", [A, B], CITED)
        article(root, "b", [B], ONLY_LIST)
        article(root, "c", [A], "Nothing here cites.")
        (root / "output/brief.md").write_text(f"---\ntitle: Brief\nsources:\n  - {A}\n---\n\nSee {URL}.\n")
        (root / ".audit").mkdir()
        (root / ".audit/run.json").write_text(json.dumps({"seen": [A, B]}, indent=1))
        (self.hub / "README.md").write_text(f"# Home\n\n[{TITLE}](topics/wine/{A})\n")
        wiki.ok("index", "rebuild", "--wiki", "wine")
        wiki("lint", "--wiki", "wine", "--fix")
        quoted(wiki)
        wiki.ok("search", "water", "--wiki", "wine")
        shutil.copytree(self.home, self.master)

    def fresh(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.copytree(self.master, self.home)

    def run(self, *words: str, point: int = -1) -> Done:
        """Run a command line in a child; return its exit and what it said. At `point` it is killed."""

        def act() -> None:
            points = Points(point)
            if point >= 0:
                points.install()
            done = here(words, BODY.encode())
            count = points.count
            os.write = REAL
            self.told.write_text(json.dumps([done, count]))

        self.told.unlink(missing_ok=True)
        ended = in_child(act)
        if ended:
            return Done(ended, "", "")
        done, self.count = json.loads(self.told.read_text())
        return Done(*done)

    def at_once(self, *calls: tuple[tuple[str, ...], bytes]) -> list[Done]:
        """Run command lines in parallel, each with its standard input; return what they said."""
        children = []
        for number, (words, given) in enumerate(calls):
            child = os.fork()
            if child == 0:
                try:
                    done = here(words, given)
                    (self.work / f"told{number}").write_text(json.dumps(done))
                finally:
                    os._exit(0)
            children.append(child)
        for child in children:
            os.waitpid(child, 0)
        return [Done(*json.loads((self.work / f"told{number}").read_text())) for number in range(len(calls))]

    @property
    def root(self) -> Path:
        active = self.hub / "topics/wine"
        return active if active.is_dir() else self.hub / "topics/.archive/wine"

    def left(self, *values: str) -> list[str]:
        """Return what of the home still holds anything of the source, by the independent scanner."""
        values = values or TRACES
        found = []
        for path in sorted(self.home.rglob("*")):
            data = path.name.encode() + (b"\n" + path.read_bytes() if path.is_file() else b"")
            if (data, values) not in self.known:
                self.known[data, values] = any(holds(data, value, 1) for value in values)
            if self.known[data, values]:
                found.append(path.relative_to(self.home).as_posix())
        return found

    def tree(self) -> dict[str, str]:
        """Return the hash of every file of the topic but its tombstones; and of the hub's own."""
        found = {}
        for top, name in ((self.root, "wine"), (self.hub, "hub")):
            for path in sorted(top.rglob("*")):
                rel = path.relative_to(top).as_posix()
                if path.is_file() and rel != TOMBSTONES and not rel.startswith(("topics/", ".sessions/")):
                    found[f"{name}:{rel}"] = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        return found

    def state(self) -> dict[str, object]:
        """Return what lies there now."""
        stones = (self.root / TOMBSTONES).read_bytes() if (self.root / TOMBSTONES).exists() else b""
        states = [root_state(place) for place in (self.root, self.hub, self.hub / "topics/wine")]
        return {
            "raw": (self.root / A).is_file(),
            "stones": len([each for each in read_stones(stones, self.root, "wine") if not each.lifted]),
            "logs": [text.count("retract | ") for text in self.logs()],
            "intents": len([*self.home.rglob("retracting.json")]),
            "open": [name for place in (self.root, self.hub) for name in interrupted(place)],
            "temps": sorted({each.name for state in states for each in state.rglob(f"{TEMP_PREFIX}*")}),
            "tree": self.tree(),
        }

    def logs(self) -> list[str]:
        return [(place / "log.md").read_text() for place in (self.root, self.hub)]


REAL = os.write


def here(words: tuple[str, ...], given: bytes) -> Done:
    """Run a command line in this process, which has no other use any more."""
    out, err = io.StringIO(), io.StringIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(given))
    code = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            program(list(words))
    except SystemExit as error:
        code = int(error.code or 0)
    return Done(code, out.getvalue(), err.getvalue())


def preload() -> None:
    """Load every module of the program once, and not in every child."""
    for module in pkgutil.walk_packages(llm_wiki.__path__, "llm_wiki."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def taken(total: int, limit: int) -> list[int]:
    """Return the points to be run, evenly over all; the first and the last are among them."""
    if not limit or limit >= total:
        return list(range(1, total + 1))
    return sorted({1 + round(number * (total - 1) / (limit - 1)) for number in range(limit)})


def one(scene: Scene, point: int, name: str) -> dict[str, object]:
    scene.fresh()
    ended, *_ = scene.run(*APPLY, point=point)
    told: dict[str, object] = {"point": point, "next": name, "killed": ended == -signal.SIGKILL}
    begun = len([*scene.home.rglob("retracting.json")])
    if name == "rerun":
        in_child(lambda: (recover(scene.hub), recover(scene.root)))
    else:
        code, out, err = scene.run(*NEXT[name])
        told |= {"exit": code, "out": out, "err": err}
    told |= {"begun": begun, "between": scene.state()}
    code, out, err = scene.run(*APPLY)
    return told | {"again": [code, out, err], "end": scene.state(), "left": scene.left()}


def main(work: Path, limit: int) -> None:
    scene = Scene(work)
    scene.build()
    os.environ["HOME"] = str(scene.home)
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "LLM_WIKI_CONFIG_DIR", "LLM_WIKI_HUB"):
        os.environ.pop(name, None)
    os.chdir(work)
    preload()
    scene.fresh()
    before = scene.state() | {"left": scene.left()}
    code, out, _ = scene.run(*APPLY, point=0)
    total = scene.count
    after = scene.state() | {"left": scene.left(), "exit": code, "out": out}
    names = list(NEXT)
    points = taken(total, limit)
    runs = [one(scene, point, names[number % len(names)]) for number, point in enumerate(points)]
    print(json.dumps({"total": total, "before": before, "after": after, "runs": runs}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
