"""`session status`: is anything captured, why not, where does it lie, how much of it is there."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any, Final, NamedTuple

from llm_wiki.hook import files
from llm_wiki.hook.digest import one_line
from llm_wiki.hook.settings import Settings, off_here, read
from llm_wiki.sessions import traces
from llm_wiki.sessions.folder import Folder, state_files

TAIL: Final = 5
_TAIL_BYTES: Final = 4_096


class Overview(NamedTuple):
    """The switch and what is stored. `here` says why nothing is captured from the current folder, or "".

    `bytes` counts everything below the folder, `errors` are the newest lines of the hook's log.
    """

    folder: Folder
    settings: Settings
    here: str
    sessions: int
    digests: int
    candidates: int
    bytes: int
    errors: tuple[str, ...]


def overview(folder: Folder) -> Overview:
    """Look at a `.sessions/` folder; writes nothing, also where there is none."""
    settings = read(folder.store.root)
    store = folder.store
    size = 0
    for path in traces.below(store.root):
        with suppress(OSError):
            size += os.stat(path, follow_symlinks=False).st_size
    return Overview(
        folder,
        settings,
        "" if settings.why else off_here(settings, os.getcwd()),
        sum(1 for _ in state_files(folder)),
        sum(path.endswith(".md") for path in traces.below(store.path("digests"))),
        len(traces.candidate_ids(store, traces.Who(frozenset(), everyone=True))),
        size,
        _errors(store.path(files.ERROR_LOG)),
    )


def _errors(path: str) -> tuple[str, ...]:
    with suppress(OSError), open(path, "rb") as handle:
        size = handle.seek(0, os.SEEK_END)
        handle.seek(max(size - _TAIL_BYTES, 0))
        found = [line for line in handle.read().decode("utf-8", "replace").split("\n") if line.strip()]
        return tuple(one_line(line, 300) for line in found[-TAIL:])
    return ()


def notes(seen: Overview) -> list[str]:
    """Return what a user should know besides: data of an older tool, keys that are refused."""
    found = []
    settings = seen.settings
    if settings.level == "off" and seen.sessions:
        found.append(
            "data stored earlier is kept and listed; nothing is added to it until you switch capture on"
        )
    if settings.values.get("raw_transcripts") not in (None, False):
        found.append("raw_transcripts in config.json is refused: raw transcripts are never stored")
    if settings.level == "words":
        found.append("the event journal of the fact memory is not there yet: words stores no more than notes")
    return found


def as_data(seen: Overview) -> dict[str, Any]:
    """Return the keys that programs know, and those of this tool."""
    return {
        "hub": str(seen.folder.hub),
        "sessions_root": seen.folder.store.root,
        "enabled": seen.settings.level != "off",
        "mode": "off" if seen.settings.level == "off" else seen.settings.mode,
        "session_count": seen.sessions,
        "config": seen.settings.values,
        "level": seen.settings.level,
        "why_off": seen.settings.why or seen.here,
        "bytes": seen.bytes,
        "errors": list(seen.errors),
    }
