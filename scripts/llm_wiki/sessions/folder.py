"""One `.sessions/` folder: where it lies, what is stored in it, and which session an id means."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from llm_wiki.core.errors import Ambiguous, BadUsage, NothingFound, Refused
from llm_wiki.core.files import failure
from llm_wiki.hook import files
from llm_wiki.hook.secret import secret_key
from llm_wiki.hook.store import Store

IGNORE = ".gitignore"
SHOWN = 10
"""Sessions that a refusal of an ambiguous id lists."""


class Folder(NamedTuple):
    """One `.sessions/` folder and what it lies in: a hub, or with `local` a `.wiki` folder."""

    store: Store
    hub: Path
    local: bool

    @property
    def path(self) -> Path:
        """The folder itself; it need not exist."""
        return Path(self.store.root)


class Session(NamedTuple):
    """One stored session: the path of its state and what that holds."""

    path: str
    state: dict[str, Any]

    @property
    def id(self) -> str:
        """`harness:native id`."""
        return str(self.state["llm_wiki_session_id"])

    @property
    def seen(self) -> str:
        """When its last event was, as stored."""
        return str(self.state.get("last_seen_at") or "")


def find(hub: str | None = None, *, local: bool = False) -> Folder:
    """Return the `.sessions/` folder of the hub, with `local` that of `.wiki/` here; it need not exist.

    Raises what `wiki.resolve.find_hub` raises, and BadUsage when both are named.
    """
    if local and hub is not None:
        raise BadUsage("--local and --hub name two folders", remedy="give one of them")
    if local:
        place = Path.cwd() / ".wiki"
    else:
        from llm_wiki.wiki.resolve import find_hub

        place = find_hub(hub)
    return Folder(Store(str(place / ".sessions")), place, local)


def prepare(folder: Folder) -> None:
    """Make the folder, private, with its key, and hidden from Git; what is there stays.

    Raises Refused where a file or a link is in the way, Unreadable when the system refuses.
    """
    path = folder.path
    if path.is_symlink() or (os.path.lexists(path) and not path.is_dir()):
        raise Refused(f"{path} is no folder", path=path, remedy="move it away, or name another --hub")
    try:
        folder.hub.mkdir(parents=True, exist_ok=True)
        files.private_folder(folder.store.root)
        if not os.path.lexists(path / IGNORE):
            files.write_text(str(path / IGNORE), "*\n", shared=True)
        secret_key(folder.store)
    except OSError as error:
        raise failure("write", error.filename or path, error) from error


def require(folder: Folder) -> None:
    """Raise NothingFound where nothing was ever stored."""
    if not folder.path.is_dir():
        raise NothingFound(
            f"nothing is stored: {folder.path} does not exist",
            remedy="`llm-wiki capture notes` switches capture on",
        )


def sessions(folder: Folder) -> Iterator[Session]:
    """Yield every session whose state can be read, in no order."""
    for path in state_files(folder):
        state = files.read_json(path)
        if sound(state):
            yield Session(path, state)


def state_files(folder: Folder) -> Iterator[str]:
    """Yield the paths of all states."""
    for harness in _entries(folder.store.path("state"), folders=True):
        for entry in _entries(harness.path, folders=False):
            if entry.name.endswith(".json"):
                yield entry.path


def _entries(path: str, *, folders: bool) -> Iterator[os.DirEntry[str]]:
    with suppress(OSError), os.scandir(path) as found:
        for entry in sorted(found, key=lambda entry: entry.name):
            if entry.is_dir(follow_symlinks=False) if folders else entry.is_file(follow_symlinks=False):
                yield entry


def sound(state: Any) -> bool:
    """Tell whether a value is the state of a session: it names host and id."""
    return isinstance(state, dict) and all(
        isinstance(state.get(key), str) and state[key]
        for key in ("harness", "native_session_id", "llm_wiki_session_id")
    )


def newest_first(found: Iterable[Session], now: str) -> list[Session]:
    """Return sessions by their last event; a stamp far ahead of now counts as now (`sessions.md` §5)."""
    from llm_wiki.hook.rows import capped

    ordered = sorted(found, key=lambda session: (session.seen, session.id), reverse=True)
    return sorted(ordered, key=lambda session: capped(session.seen, now), reverse=True)


def pick(folder: Folder, wanted: str) -> Session:
    """Return the session that an id means: whole, without the host, or a prefix that fits one only.

    Raises NothingFound, and Ambiguous with the sessions that fit.
    """
    if not wanted.strip():
        raise BadUsage("the id of a session is empty", remedy="`llm-wiki session list` shows them")
    harness, colon, native = wanted.partition(":")
    if colon and (state := folder.store.state(harness, native)) is not None and sound(state):
        return Session(folder.store.state_path(harness, native), state)
    found = list(sessions(folder))
    whole = [each for each in found if wanted in (each.id, each.state["native_session_id"], stem(each))]
    fits = whole or [
        each
        for each in found
        if any(name.startswith(wanted) for name in (each.id, each.state["native_session_id"], stem(each)))
    ]
    if not fits:
        raise NothingFound(f"no session {wanted!r}", remedy="`llm-wiki session list` shows them")
    if len(fits) > 1:
        names = sorted(each.id for each in fits)
        more = f", the first {SHOWN} are" if len(names) > SHOWN else ""
        raise Ambiguous(
            f"{wanted!r} fits {len(names)} sessions{more}",
            tuple(names[:SHOWN]),
            remedy="give more of the id",
        )
    return fits[0]


def stem(session: Session) -> str:
    """Return the name that the files of a session have."""
    return os.path.basename(session.path)[: -len(".json")]


def digests_of(folder: Folder, session: Session) -> list[str]:
    """Return the digests of a session on disk: the one its state names, and twins in other months."""
    from llm_wiki.hook.rehydrate import digest_path

    found = {path for path in (digest_path(folder.store, session.state),) if path and os.path.isfile(path)}
    name = f"{session.state['harness']}-{stem(session)}.md"
    for year in _entries(folder.store.path("digests"), folders=True):
        for month in _entries(year.path, folders=True):
            path = os.path.join(month.path, name)
            if os.path.isfile(path):
                found.add(path)
    return sorted(found)


def as_json(value: Any) -> str:
    """Return a value as the JSON files of the folder hold it."""
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
