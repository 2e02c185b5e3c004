"""`session redact`: what is stored already, held against today's rules (`sessions.md` §4, §6).

Ids that hold a secret get a new form everywhere at once, so that states, rows and digests stay together.
Rows are overwritten where they stand (`lines.py`); JSON stays JSON.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, Final, NamedTuple

from llm_wiki.core.errors import LockBusy
from llm_wiki.core.files import failure
from llm_wiki.core.redact import find, redact
from llm_wiki.hook import files
from llm_wiki.hook.known import KEYS
from llm_wiki.hook.names import file_id
from llm_wiki.hook.secret import keyed
from llm_wiki.hook.settings import CONFIG, read
from llm_wiki.sessions import indexes, lines, traces
from llm_wiki.sessions.folder import IGNORE, Folder, Session, digests_of, sessions

_IDS: Final = frozenset({"native_session_id", "llm_wiki_session_id"})
_WAIT: Final = 10.0
_SHORT: Final = 6
"""Characters below which nothing is a secret."""
_LONG: Final = 8
"""Characters from which on a secret is looked for among the bytes that undo keeps."""


class Redacted(NamedTuple):
    """Files (below `.sessions/`) and how many lines, values or parts of each change, what undo lost."""

    files: dict[str, int]
    renamed: int
    undo_records: int
    applied: bool


class _Rules:
    """Today's rules for one folder; remembers the secrets it met."""

    def __init__(self, folder: Folder, *, apply: bool) -> None:
        self.folder = folder
        self.apply = apply
        self.strict = read(folder.store.root).privacy == "strict"
        self.met: set[str] = set()
        self._clean: set[str] = set()

    def text(self, value: str) -> str:
        """Return a text as today's rules leave it; one that was looked at before costs nothing."""
        if value in self._clean or len(value) < _SHORT:
            return value
        new = redact(value, strict=self.strict, limit=0)
        if new != value:
            self.met |= {value[f.start : f.end] for f in find(value, strict=self.strict)}
        else:
            self._clean.add(value)
        return new

    def id(self, value: str, key: str) -> str:
        """Return an id in the form the hook gives it: where a secret goes, a keyed mark keeps it unique."""
        harness, colon, native = value.partition(":") if key == "llm_wiki_session_id" else ("", "", value)
        new = self.text(native)
        if new != native:
            mark = keyed(self.folder.store, native) if self.apply else "0" * 8
            new = f"{new}-{mark[:8]}"
        return f"{harness}{colon}{new}"

    def value(self, value: Any, key: str = "") -> Any:
        """Return a JSON value with every text in it redacted; keys of objects too."""
        if isinstance(value, str):
            if key == "payload_preview":
                return self.preview(value)
            return self.id(value, key) if key in _IDS else self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.text(name): self.value(item, name) for name, item in value.items()}
        return value

    def preview(self, value: str) -> str:
        """Redact the JSON inside a row's preview, so that it stays JSON."""
        with suppress(ValueError, RecursionError):
            return _same_or(value, json.loads(value), self.value)
        return self.text(value)


def _same_or(text: str, value: Any, change: Callable[[Any], Any]) -> str:
    new = change(value)
    return text if new == value else json.dumps(new, sort_keys=True)


def run(folder: Folder, *, apply: bool = False) -> Redacted:
    """Hold every stored file against today's rules; with `apply` write what they say.

    Without it nothing is written, not even a key. Raises LockBusy, Unreadable.
    """
    rules = _Rules(folder, apply=apply)
    changed: dict[str, int] = {}
    try:
        for path in _row_paths(folder):
            _note(folder, changed, path, _rows(path, rules, apply=apply))
        renamed = 0
        for each in list(sessions(folder)):
            renamed += _session(folder, each, rules, changed, apply=apply)
        for path in _documents(folder):
            _note(folder, changed, path, _document(folder, path, rules, apply=apply))
        log = folder.store.path(files.ERROR_LOG)
        _note(folder, changed, log, _log(log, rules, apply=apply))
        forgotten = 0
        if apply and changed:
            lines.unlink(folder.store.path(*KEYS))  # a cache with hashes of the rows as they were
            indexes.refresh(folder)
            forgotten = _forget(rules)
    except OSError as error:
        raise failure("write", error.filename or folder.path, error) from error
    return Redacted(changed, renamed, forgotten, apply)


def _forget(rules: _Rules) -> int:
    from llm_wiki.core.withdrawn import forget_bytes

    return forget_bytes([text.encode("utf-8", "replace") for text in rules.met if len(text) >= _LONG])


def _note(folder: Folder, changed: dict[str, int], path: str, number: int) -> None:
    if number:
        name = os.path.relpath(path, folder.store.root)
        changed[redact(name)] = changed.get(redact(name), 0) + number


def _row_paths(folder: Folder) -> Iterator[str]:
    for paths in traces.row_files(folder.store).values():
        yield from paths


def _rows(path: str, rules: _Rules, *, apply: bool) -> int:
    def change(line: bytes) -> bytes | None:
        try:
            row = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            new = rules.text(line.decode("utf-8", "replace"))
            return None if new.encode("utf-8", "replace") == line or "\ufffd" in new else b""
        clean = rules.value(row)
        return None if clean == row else _fitted(clean, len(line))

    if apply:
        return lines.edit(path, change)
    return lines.count(path, lambda line: change(line) is not None)


def _fitted(row: Any, size: int) -> bytes:
    """Return a row in at most so many bytes: without blanks, then without its preview, else nothing."""
    for drop in ("", "payload_preview", "manual_summary", "text_preview"):
        if drop and isinstance(row, dict) and drop in row:
            row = row | {drop: "{}" if drop == "payload_preview" else ""}
        text = json.dumps(row, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        if len(data := text.encode("utf-8", "replace")) <= size:
            return data
    return b""


def _session(folder: Folder, each: Session, rules: _Rules, changed: dict[str, int], *, apply: bool) -> bool:
    """Redact one state and its digests; tell whether its files get another name."""
    store = folder.store
    old = each.state["native_session_id"]
    digests = digests_of(folder, each)
    with _locked(folder, each) if apply else nullcontext():
        state = store.state(each.state["harness"], old) if apply else each.state
        state = each.state if state is None else state
        clean = rules.value(state)
        new = clean["native_session_id"]
        _note(folder, changed, each.path, int(clean != state))
        for path in digests:
            _note(folder, changed, path, _digest(path, rules, apply=apply))
        if not apply:
            return bool(new != old)
        if new == old:
            if clean != state:
                files.write_json(each.path, clean)
            return False
        stem = file_id(new)
        for path in digests:
            to = os.path.join(os.path.dirname(path), f"{clean['harness']}-{stem}.md")
            os.replace(path, to)
            clean["last_digest_path"] = f"{os.path.basename(store.root)}/{os.path.relpath(to, store.root)}"
        store.save(clean)
        lines.unlink(each.path)
        lines.unlink(traces.lock_path(store, each))
    return True


@contextmanager
def _locked(folder: Folder, each: Session) -> Iterator[None]:
    state = each.state
    with folder.store.locked(state["harness"], state["native_session_id"], timeout=_WAIT) as had:
        if not had:
            raise LockBusy(f"session {each.id} is being written", remedy="run it again")
        yield


def _digest(path: str, rules: _Rules, *, apply: bool) -> int:
    """Redact a digest: values of its front matter one by one, the body as a text."""
    with open(path, "rb") as handle:
        text = handle.read().decode("utf-8", "replace")
    end = text.find("\n---", 4) if text.startswith("---\n") else -1
    head, rest = (text[:end], text[end:]) if end > 0 else ("", text)
    new = "\n".join(_front(line, rules) for line in head.split("\n")) + rules.text(rest)
    if new == text:
        return 0
    if apply:
        files.write_text(path, new)
    return 1


def _front(line: str, rules: _Rules) -> str:
    key, colon, written = line.partition(": ")
    if not colon:
        return rules.text(line)
    try:
        value = json.loads(written)
    except (ValueError, RecursionError):
        return f"{key}: {rules.text(written)}"
    clean = rules.value(value, key)
    return line if clean == value else f"{key}: {json.dumps(clean, ensure_ascii=False)}"


def _documents(folder: Folder) -> Iterator[str]:
    """Yield the JSON files beside states and indexes; the switch is the user's own text."""
    for path in traces.below(folder.store.root):
        below = os.path.relpath(path, folder.store.root)
        top = below.partition(os.sep)[0]
        if path.endswith(".json") and top not in ("state", CONFIG, IGNORE):
            yield path


def _document(folder: Folder, path: str, rules: _Rules, *, apply: bool) -> int:
    value = files.read_json(path)
    clean = rules.value(value)
    if clean == value:
        return 0
    if apply:
        lock = traces.FEEDBACK_LOCK if os.sep + "feedback" + os.sep in path else traces.INDEXES_LOCK
        with folder.store.lock(lock, timeout=_WAIT) as had:
            if not had:
                raise LockBusy("feedback is being written", remedy="run it again")
            files.write_json(path, rules.value(files.read_json(path)))
    return 1


def _log(path: str, rules: _Rules, *, apply: bool) -> int:
    def change(line: bytes) -> bytes | None:
        text = line.decode("utf-8", "replace")
        new = rules.text(text)
        if new == text:
            return None
        data = new.encode("utf-8", "replace")
        return data if len(data) <= len(line) else b""

    return lines.edit(path, change) if apply else lines.count(path, lambda line: change(line) is not None)
