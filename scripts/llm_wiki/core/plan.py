"""From what a transaction was asked to the exact steps, with every check made before the first change."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from llm_wiki.core import files
from llm_wiki.core.errors import Conflict
from llm_wiki.core.steps import Stamp, Step, stamp_of


class Op(NamedTuple):
    """One thing asked: `mkdir rmdir write move delete append cut`; see `Transaction` for the meaning."""

    kind: str
    path: str
    to: str = ""
    data: bytes | None = None
    expect: str | None = None
    lines: tuple[str, ...] = ()
    mode: int | None = None


class Changed(Conflict):
    """Files are not what the plan expects; `paths` lists them."""

    def __init__(self, problems: Sequence[tuple[str, str]]) -> None:
        shown = [f"{files.printable(path)} {what}" for path, what in problems[:20]]
        more = len(problems) - len(shown)
        super().__init__(
            "; ".join(shown) + (f"; and {more} more" if more else ""),
            path=files.printable(problems[0][0]),
            remedy="nothing was changed; run the command again to plan with what is there now",
        )
        self.paths = tuple(path for path, _ in problems)


class _Node(NamedTuple):
    """What is at a path after the steps so far.

    `source` is where it lies on the disk now and `seen` what it looked like there before its
    bytes were read; `data` are bytes that the plan itself puts there.
    """

    kind: str
    sha: str = ""
    source: str | None = None
    data: bytes | None = None
    mode: int | None = None
    seen: Stamp = (0, 0, 0)


_ABSENT = _Node("absent")


class _Mismatch(Exception):
    """A check failed at a path."""


class Plan:
    """The steps of one transaction and what they need.

    `old` holds the bytes they replace, in order, `new` those of each temporary file, `stamps`
    what each old file looked like, `done` the operations that led to a step. `token` makes the
    names of its temporary files its own. When `restoring`, bytes that somebody else put back
    already are as good as ours; else another writer's bytes are a conflict even where they are
    equal: two that count the same number up must not count once.
    """

    def __init__(self, root: Path, token: str, *, restoring: bool = False) -> None:
        self.root = root
        self.restoring = restoring
        self.token = token
        self.steps: list[Step] = []
        self.old: list[bytes] = []
        self.new: dict[str, bytes] = {}
        self.stamps: dict[str, Stamp] = {}
        self.done: list[Op] = []
        self._nodes: dict[str, _Node] = {}
        self._plain: dict[str, bool] = {}
        self._unstable: set[str] = set()
        self._length = 0

    # -- asking ------------------------------------------------------------------------

    def at(self, rel: str) -> _Node:
        """Return what will be at `rel` after the steps so far. A symbolic link on the way is refused."""
        rest = ""
        name = rel
        while name:
            node = self._nodes.get(name)
            if node is not None:
                if not rest:
                    return node
                return self._disk(node.source + rest) if node.source and node.kind == "dir" else _ABSENT
            name, _, last = name.rpartition("/")
            rest = f"/{last}{rest}"
        return self._disk(rel)

    def data(self, node: _Node) -> bytes:
        """Return the bytes of a file node."""
        return node.data if node.data is not None else files.read_bytes(self.root / (node.source or ""))

    def _disk(self, rel: str) -> _Node:
        parent = rel.rpartition("/")[0]
        if parent and not self._folder(parent):
            return _ABSENT
        try:
            found = (self.root / rel).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return _ABSENT
        except OSError as error:
            raise files.failure("read", self.root / rel, error) from error
        if stat.S_ISLNK(found.st_mode):
            raise _Mismatch(rel, "is a symbolic link")
        if stat.S_ISDIR(found.st_mode):
            return _Node("dir", source=rel, seen=stamp_of(found))
        if not stat.S_ISREG(found.st_mode):
            raise _Mismatch(rel, "is not a regular file")
        return _Node("file", source=rel, mode=stat.S_IMODE(found.st_mode), seen=stamp_of(found))

    def _folder(self, rel: str) -> bool:
        """Tell whether `rel` is a real folder on the disk, none of its parts a link. Remembered."""
        known = self._plain.get(rel)
        if known is None:
            parent = rel.rpartition("/")[0]
            known = (not parent or self._folder(parent)) and self._disk(rel).kind == "dir"
            self._plain[rel] = known
        return known

    def _hashed(self, node: _Node) -> tuple[bytes, str]:
        data = self.data(node)
        return data, node.sha or files.sha256(data)

    # -- planning ----------------------------------------------------------------------

    def build(self, ops: Sequence[Op]) -> None:
        """Turn `ops` into steps. Raises `Changed` with every path that is not what was expected."""
        count = Counter(op.path for op in ops) + Counter(op.to for op in ops if op.to)
        self._unstable = {op.path for op in ops if op.kind in ("move", "rmdir")}
        problems: list[tuple[str, str]] = []
        for op in ops:
            try:
                before = len(self.steps)
                if op.kind == "append":
                    self._append(op, alone=count[op.path] == 1)
                else:
                    getattr(self, f"_{op.kind}")(op)
                if len(self.steps) > before:
                    self.done.append(op)
            except _Mismatch as error:
                problems.append(error.args)
        if problems:
            raise Changed(problems)

    def _mkdir(self, op: Op) -> None:
        node = self.at(op.path)
        if node.kind == "dir":
            return
        if node.kind == "file":
            raise _Mismatch(op.path, "is a file, not a folder")
        self._parents(op.path)
        self._nodes[op.path] = _Node("dir")
        self.steps.append(Step("mkdir", op.path))

    def _rmdir(self, op: Op) -> None:
        """Remove a folder if nothing will be in it; else it stays, without a word."""
        node = self.at(op.path)
        if node.kind != "dir" or any(self._below(op.path, node)):
            return
        self._gone(op.path)
        self.steps.append(Step("rmdir", op.path))

    def _below(self, rel: str, node: _Node) -> Iterator[str]:
        """Yield what will be directly in a folder: what is there now and stays, and what is planned."""
        names = {name[len(rel) + 1 :].partition("/")[0] for name in self._nodes if name.startswith(f"{rel}/")}
        if node.source:
            with suppress(OSError):
                names |= {entry.name for entry in (self.root / node.source).iterdir()}
        for name in sorted(names):
            with suppress(_Mismatch):
                if self.at(f"{rel}/{name}").kind == "absent":
                    continue
            yield name

    def _parents(self, rel: str) -> None:
        parent = rel.rpartition("/")[0]
        if parent and self.at(parent).kind != "dir":
            self._mkdir(Op("mkdir", parent))

    def _write(self, op: Op) -> None:
        assert op.data is not None
        node = self.at(op.path)
        after = files.sha256(op.data)
        old, before = b"", ""
        if node.kind == "dir":
            raise _Mismatch(op.path, "is a folder")
        if node.kind == "file":
            old, before = self._hashed(node)
            if before == after and (self.restoring or before == op.expect):
                return
        if before != (op.expect or ""):
            raise _Mismatch(op.path, _difference(before, op.expect))
        self._put(op.path, node, old, op.data, Step("put", op.path, before=before, after=after, mode=op.mode))

    def _put(self, path: str, node: _Node, old: bytes, data: bytes, step: Step) -> None:
        self._parents(path)
        extra: dict[str, Any] = {"temp": self._temporary(path, "n")}
        if step.mode is None:
            extra["mode"] = node.mode
        if step.before:
            extra |= self._saved(path, node, old)
        step = step._replace(**extra)
        self.new[step.temp] = data
        self.steps.append(step)
        self._nodes[path] = _Node("file", step.after, None, data, step.mode)

    def _delete(self, op: Op) -> None:
        node = self.at(op.path)
        if node.kind != "file":
            raise _Mismatch(op.path, "is a folder" if node.kind == "dir" else "is no longer there")
        old, before = self._hashed(node)
        if op.expect is not None and before != op.expect:
            raise _Mismatch(op.path, _difference(before, op.expect))
        self._remove(op.path, node, old, Step("remove", op.path, to=op.to, before=before, removed=op.lines))

    def _remove(self, path: str, node: _Node, old: bytes, step: Step) -> None:
        self.steps.append(step._replace(mode=node.mode, **self._saved(path, node, old)))
        self._nodes[path] = _ABSENT

    def _move(self, op: Op) -> None:
        node, target = self.at(op.path), self.at(op.to)
        if node.kind == "absent":
            raise _Mismatch(op.path, "is no longer there")
        if target.kind != "absent" and not self._respelling(op, node, target):
            raise _Mismatch(op.to, "exists already")
        if node.kind == "dir":
            if op.data is not None or op.expect is not None:
                raise _Mismatch(op.path, "is a folder")
            self._parents(op.to)
            temp, backup = self._temporary(op.to, "n"), self._temporary(op.path, "o")
            self.steps.append(
                Step("move", op.path, op.to, source=node.source or "", temp=temp, backup=backup)
            )
            self._carry(op.path, op.to, node)
            return
        old, before = self._hashed(node)
        if op.expect is not None and before != op.expect:
            raise _Mismatch(op.path, _difference(before, op.expect))
        data = old if op.data is None else op.data
        if node.source and data == old:
            self._parents(op.to)
            self.steps.append(Step("move", op.path, op.to, before, before, source=node.source))
            self._nodes[op.to] = node._replace(sha=before)
            self._nodes[op.path] = _ABSENT
            return
        made = Step("put", op.to, after=files.sha256(data))
        self._put(op.to, _Node("absent", mode=node.mode), b"", data, made)
        self._remove(op.path, node, old, Step("remove", op.path, to=op.to, before=before))

    def _carry(self, path: str, to: str, node: _Node) -> None:
        """Move what is planned below a folder along with it."""
        inner = {name: self._nodes.pop(name) for name in list(self._nodes) if name.startswith(f"{path}/")}
        self._gone(to)
        self._gone(path)
        self._nodes[to] = node
        self._nodes |= {to + name[len(path) :]: inner[name] for name in inner}

    def _gone(self, rel: str) -> None:
        """Note that a folder is no longer there, and nothing below it."""
        for name in [name for name in self._nodes if name.startswith(f"{rel}/")]:
            del self._nodes[name]
        self._nodes[rel] = _ABSENT

    def _respelling(self, op: Op, node: _Node, target: _Node) -> bool:
        """Tell whether a move only changes the case of a name that the file system ignores."""
        if op.path.casefold() != op.to.casefold() or not node.source or not target.source:
            return False
        return (self.root / node.source).samefile(self.root / target.source)

    def _append(self, op: Op, *, alone: bool) -> None:
        text = "".join(f"{line}\n" for line in op.lines)
        node = self.at(op.path)
        if node.kind == "dir":
            raise _Mismatch(op.path, "is a folder")
        if node.kind == "file" and alone and node.source and self._steady(op.path):
            size, tail = self._end(node.source)
            text = files.fitted(tail, text).decode("utf-8", "surrogateescape")
            self.steps.append(
                Step("append", op.path, source=node.source, size=size, text=text, added=op.lines)
            )
            return
        old, before = self._hashed(node) if node.kind == "file" else (b"", "")
        data = old + files.fitted(old[-2:], text)
        made = Step("put", op.path, before=before, after=files.sha256(data), added=op.lines)
        self._put(op.path, node, old, data, made)

    def _cut(self, op: Op) -> None:
        """Remove whole lines, each once and the last of its kind; `expect` set: an emptied file goes.

        `data` is the line end that was added before them, which goes when they were the last lines.
        """
        node = self.at(op.path)
        if node.kind != "file":
            return
        old, before = self._hashed(node)
        data, gone = without(old, op.lines)
        if not gone:
            return
        if op.data and old.startswith(data):
            data = data.removesuffix(op.data)
        if not data and op.expect is not None:
            self._remove(op.path, node, old, Step("remove", op.path, before=before, removed=gone))
            return
        made = Step("put", op.path, before=before, after=files.sha256(data), removed=gone)
        self._put(op.path, node, old, data, made)

    def log(self, path: str, entries: Sequence[str]) -> dict[str, object] | None:
        """Return the log entry for the manifest, None when there is no log to write to.

        A log that this transaction itself writes takes the entry along.
        """
        try:
            node = self.at(path)
        except _Mismatch as error:
            raise Changed([error.args]) from None
        if node.kind != "file" or node.source is None:
            return None
        size, tail = self._end(node.source)
        text = files.fitted(tail, "".join(entries)).decode("utf-8", "surrogateescape")
        return {"path": path, "source": node.source, "size": size, "text": text}

    # -- temporary files and old bytes -------------------------------------------------

    def _saved(self, path: str, node: _Node, old: bytes) -> dict[str, Any]:
        """Keep old bytes for undo and name the link that brings the very file back."""
        span = (self._length, len(old))
        self.old.append(old)
        self._length += len(old)
        backup = self._temporary(path, "o")
        if node.source:
            self.stamps[backup] = node.seen
        return {"span": span, "source": node.source or "", "backup": backup}

    def _temporary(self, path: str, mark: str) -> str:
        """Name a temporary file in the folder of `path`, or the nearest above that is there and stays."""
        folder = path.rpartition("/")[0]
        while folder and (not self._steady(folder) or not self._folder(folder)):
            folder = folder.rpartition("/")[0]
        name = f"{files.TEMP_PREFIX}{self.token}-{mark}{len(self.steps)}"
        return f"{folder}/{name}" if folder else name

    def _steady(self, folder: str) -> bool:
        parts = folder.split("/")
        return not any("/".join(parts[:n]) in self._unstable for n in range(1, len(parts) + 1))

    def _end(self, source: str) -> tuple[int, bytes]:
        path = self.root / source
        try:
            with path.open("rb") as stream:
                size = stream.seek(0, os.SEEK_END)
                stream.seek(max(size - 2, 0))
                return size, stream.read(2)
        except OSError as error:
            raise files.failure("read", path, error) from error


def without(data: bytes, lines: Sequence[str]) -> tuple[bytes, tuple[str, ...]]:
    """Return `data` without `lines` (each once, the last of its kind) and those that were found."""
    wanted = Counter(line.encode("utf-8", "surrogateescape") for line in lines)
    kept = []
    for row in reversed(data.split(b"\n")):
        line = row.removesuffix(b"\r")
        if wanted[line] > 0:
            wanted[line] -= 1
        else:
            kept.append(row)
    gone = []
    for text in reversed(lines):  # of equal lines the first ones are those that were not found
        line = text.encode("utf-8", "surrogateescape")
        if wanted[line] > 0:
            wanted[line] -= 1
        else:
            gone.append(text)
    return b"\n".join(reversed(kept)), tuple(reversed(gone))


def _difference(found: str, expected: str | None) -> str:
    if not found:
        return "is no longer there"
    return "exists already" if expected is None else "changed since it was read"
