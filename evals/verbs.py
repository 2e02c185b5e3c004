"""The verbs of the checkout under test, run in a child process of one home; see `Verbs`.

The child also is where sabotage happens: it can replace one filter of the product by a function that lets
everything through. Only this file does that; no option of the program, no variable and no key can.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple, Self

PERSON = "person"
SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"
TODAY = "2026-12-01"


class Done(NamedTuple):
    """One finished call: exit status, result, talk."""

    exit: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out)


class Verbs:
    """`llm-wiki` in a home and a current folder of its own; a context manager that ends the child.

    `without` names filters of `FILTERS` that the child replaces before it starts; `PERSON` among them makes
    it the program of a person at a terminal.
    """

    def __init__(self, home: Path, *, without: tuple[str, ...] = ()) -> None:
        self.home = home
        kept = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR")
        env = {name: os.environ[name] for name in kept if name in os.environ}
        env |= {
            "HOME": str(home), "PYTHONPATH": str(SCRIPTS), "LLM_WIKI_TODAY": TODAY, "PYTHONUTF8": "1",
            "LLM_WIKI_NOW": f"{TODAY}T12:00:00Z",
            # what a crippled program leaves in its caches must not reach the whole one
            "XDG_CACHE_HOME": str(home / "-".join((".cache", *without))),
        }  # fmt: skip
        self.process = subprocess.Popen(
            [sys.executable, "-P", __file__, *without],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=home / "work", encoding="utf-8",
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()

    def __call__(self, *arguments: str, given: str = "") -> Done:
        """Run one verb; `given` is its standard input."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([arguments, given]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the program ended at {arguments}")
        return Done(*json.loads(line))

    def ok(self, *arguments: str) -> Done:
        done = self(*arguments)
        if done.exit:
            raise RuntimeError(f"{arguments}: {done}")
        return done


# ---- the child ----


def _archive() -> None:
    from llm_wiki.admit import visibility
    from llm_wiki.wiki import resolve as resolving
    from llm_wiki.wiki.registry import Registry

    load = Registry.load
    allowed, resolve = visibility.allowed, resolving.resolve
    visibility.allowed = lambda label, scope: allowed(label, scope._replace(include_archived=True))
    resolving.resolve = lambda *args, **more: resolve(*args, **more | {"include_archived": True})._replace(
        status="active"
    )

    def all_active(*args: Any) -> Registry:
        registry = load(*args)
        registry.entries = {slug: one._replace(status="active") for slug, one in registry.entries.items()}
        return registry

    Registry.load = all_active


def _scope() -> None:
    from llm_wiki.ops import trees
    from llm_wiki.wiki.snapshot import Snapshot

    load = trees.load

    def everything(root: Any, **more: Any) -> Snapshot:
        snapshot = load(root, **more)
        near = [root.path.parent, *Path.home().glob("work/**/.wiki")]
        pages = {
            path.relative_to(folder).as_posix().partition("/")[2] if folder.name != ".wiki"
            else path.relative_to(folder).as_posix(): path.read_bytes()
            for folder in near
            for path in sorted(folder.rglob("wiki/*/*.md"))
            if path.name != "_index.md" and ".archive" not in path.parts
        }  # fmt: skip
        return snapshot.overlay({rel: data for rel, data in pages.items() if rel not in snapshot.files})

    trees.load = everything


def _supersession() -> None:
    from llm_wiki.admit import visibility

    visibility.superseded = lambda _snapshot: frozenset()


def _retraction() -> None:
    from llm_wiki.ops import withdrawing

    def kept(stores: Any) -> Any:
        """Return a maker of stores that makes the same, but removes nothing."""

        def make(*args: Any) -> Any:
            made = stores(*args)
            for store in made:
                type(store).remove = lambda *_: 0
            return made

        return make

    withdrawing.within, withdrawing.stores = kept(withdrawing.within), kept(withdrawing.stores)


def _mask() -> None:
    from llm_wiki.admit import visibility

    visibility.mask = lambda text: text


def _marker() -> None:
    from llm_wiki.withdraw import source_page

    source_page._Body._markers = lambda _self: None
    source_page.mark_page = lambda data: data


def _source() -> None:
    from llm_wiki.ops import withdrawing_source

    run = withdrawing_source.run
    withdrawing_source.run = lambda _mode, *args, **_: run("plan", *args)


def _tombstone() -> None:
    from llm_wiki.admit import tombstones

    tombstones.stones_of = lambda *_: ()


def _planes() -> None:
    from llm_wiki.admit import visibility

    visibility.PLANES |= dict.fromkeys(("inventory", "output", "project"), "synthesis")


def _fence() -> None:
    from llm_wiki.core import fence

    fence.fence = lambda text, **_: text


def _index() -> None:
    from llm_wiki.ops import query

    row_of = query.row_of

    def typed(library: Any, rel: str, prefix: str = "") -> Any:
        folder, _, name = rel.rpartition("/")
        rows = library.snapshot.read(f"{folder}/_index.md").decode().splitlines()
        cells = [row.split(" | ") for row in rows if f"({name})" in row]
        return row_of(library, rel, prefix)._replace(**{"summary": cells[0][1]} if cells else {})

    query.row_of = typed


def _project() -> None:
    from llm_wiki.hook import rehydrate

    def all_of_them(store: Any, _wanted: Any, _most: int) -> list[dict[str, Any]]:
        rows = rehydrate._tail(store.path("registry.jsonl"), 1 << 20)
        return [row for row in reversed(rows) if row.get("event") == "digest_written"]

    rehydrate._pointers = all_of_them


def _promotion() -> None:
    from llm_wiki.ops import trees
    from llm_wiki.wiki.snapshot import Snapshot

    load = trees.load

    def with_sessions(root: Any, **more: Any) -> Snapshot:
        kept = Path.home() / "wiki/.sessions"
        pages = {f"wiki/concepts/{path.name}": path for path in sorted(kept.glob("digests/*/*/*.md"))}
        pages["wiki/concepts/feedback.md"] = kept / "feedback/candidates.jsonl"
        return load(root, **more).overlay({rel: path.read_bytes() for rel, path in pages.items()})

    trees.load = with_sessions


def _quoting() -> None:
    import re

    from llm_wiki.hook import rehydrate

    rehydrate._MARKS = re.compile("(?!)")


def _redaction() -> None:
    from llm_wiki.core import redact as package

    package.redact = lambda text, **_: text


def _person() -> None:
    from llm_wiki.core import actor

    actor.person = lambda: "Ada"


FILTERS = {
    "archive": _archive,
    "scope": _scope,
    "supersession": _supersession,
    "retraction": _retraction,
    "mask": _mask,
    "marker": _marker,
    "source": _source,
    "tombstone": _tombstone,
    "planes": _planes,
    "fence": _fence,
    "index": _index,
    "project": _project,
    "promotion": _promotion,
    "quoting": _quoting,
    "redaction": _redaction,
}
"""Filter → what puts a sieve without a bottom in its place, before anything else is imported."""


def _serve() -> None:
    for name in sys.argv[1:]:
        (FILTERS | {PERSON: _person})[name]()
    from llm_wiki.cli.main import main

    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    for line in sys.stdin:
        arguments, given = json.loads(line)
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
        status = 0
        sys.stdin = io.TextIOWrapper(io.BytesIO(given.encode()), "utf-8")
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main(arguments)
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else 1
        out.flush()
        said = out.buffer.getvalue().decode("utf-8")
        answers.write(json.dumps([status, said, err.getvalue()]) + "\n")
        answers.flush()


if __name__ == "__main__":
    _serve()
