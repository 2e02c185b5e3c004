"""A digest becomes a raw note of a topic: redacted again, strictly, without a path of this machine (§8)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final, NamedTuple

from llm_wiki.admit.candidate import Candidate
from llm_wiki.admit.taking import Taken, take
from llm_wiki.core import clock
from llm_wiki.core.errors import BadUsage, LockBusy, NothingFound, Refused
from llm_wiki.core.files import failure, sha256
from llm_wiki.core.redact import redact
from llm_wiki.hook import files
from llm_wiki.hook.digest import one_line
from llm_wiki.hook.rehydrate import digest_path
from llm_wiki.sessions import indexes
from llm_wiki.sessions.folder import Folder, Session, pick, stem
from llm_wiki.wiki.recognise import require_recognised
from llm_wiki.wiki.resolve import SLUG, Root, resolve

TAGS: Final = ("session-digest", "session-promotion")
_WAIT: Final = 10.0
_SEGMENT: Final = r"(?:\[REDACTED:[a-z0-9-]+\]|[^\s/\\\"'`<>|(){}\[\],;])"
_PATH: Final = re.compile(rf"(?<![\w/\\:.~])(?:~|[A-Za-z]:)?[/\\]{_SEGMENT}+(?:\\?[/\\]+{_SEGMENT}*)+")
_HOME: Final = re.compile(rf"(?<![\w/\\:.])~[/\\]{_SEGMENT}*")
_TOP: Final = re.compile(
    r"(?<![\w/\\:.~])/(?:bin|data|dev|etc|home|media|mnt|nix|opt|private|proc|root|run|srv|sys|tmp|usr|var|work"
    r"|workspace|Applications|Library|System|Users|Volumes)(?![\w/-])"
)
_ESCAPED: Final = re.compile(r"\\([\\`*_\[\]<>#~])")
_CHARS: Final = 300


class Note(NamedTuple):
    """The note a digest would become: the root of its topic, the candidate, and the source session."""

    session: Session
    root: Root
    candidate: Candidate


class Promoted(NamedTuple):
    """What became of it: the file below the topic, whether it was there already, the transaction."""

    note: Note
    path: str
    duplicate: bool
    taken: Taken


def topic_of(slug: str, hub: str | None = None) -> Root:
    """Return the topic of this slug: registered and active. Raises BadUsage, NotAWiki, Refused."""
    if not SLUG.fullmatch(slug) or slug == "hub":
        raise BadUsage(
            f"not a topic slug: {slug!r}",
            remedy="slugs have a-z, 0-9 and hyphens; `llm-wiki status` lists them",
        )
    root = resolve(wiki=slug, hub=hub)
    require_recognised(root)
    return root


def note_of(folder: Folder, wanted: str, slug: str, hub: str | None = None, *, force: bool = False) -> Note:
    """Return the note of a session's digest; writes nothing.

    Raises what `pick` and `topic_of` raise, NothingFound without a digest, Refused where the session is
    promoted to this topic already and `force` is not given.
    """
    root = topic_of(slug, hub)
    session = pick(folder, wanted)
    path = digest_path(folder.store, session.state)
    if not path or not os.path.isfile(path):
        raise NothingFound(
            f"{session.id} has no digest",
            remedy="`llm-wiki session capture --session-id ID --summary TEXT` writes one",
        )
    try:
        with open(path, "rb") as handle:
            text = handle.read().decode("utf-8", "replace")
    except OSError as error:
        raise failure("read", path, error) from error
    below = f"{os.path.basename(folder.store.root)}/{os.path.relpath(path, folder.store.root)}"
    name = f"{clock.today().isoformat()}-session-{_named(session)}.md"
    there = _note_in(session, root)
    if there and not force:
        raise Refused(
            f"{session.id} is promoted already: {there}", path=there, remedy="--force makes a further note"
        )
    if force:
        name = _free(root, name)
    places = _places(session.state)
    title = f"Session Digest Promotion: {_clean(session.id, places)}"
    summary = _clean(_summary(text, session), places)
    entry = ("session", f"promoted session digest {_clean(session.id, places)}")
    candidate = Candidate(
        title=title,
        source=_clean_source(below),
        type="notes",
        body=_clean(_body(text), places) + "\n",
        summary=one_line(summary, _CHARS) or title,
        tags=(*TAGS, slug),
        name=name,
        entry=entry,
    )
    return Note(session, root, candidate)


def promote(folder: Folder, note: Note, *, dry_run: bool = False) -> Promoted:
    """Write the note in one transaction of its topic, then what state and digest say of it.

    A promotion that was killed between the two is completed by the next one. Raises what admission and a
    transaction raise, LockBusy.
    """
    taken = take(note.root, note.candidate, dry_run=dry_run)
    path = taken.admission.path
    if not dry_run:
        try:
            _mark(folder, note, path)
        except OSError as error:
            raise failure("write", error.filename or folder.path, error) from error
        indexes.refresh(folder)
    return Promoted(note, path, taken.admission.duplicate, taken)


def shown(note: Note) -> str:
    """Return the note as it is shown before the question."""
    given = note.candidate
    head = [f"title: {given.title}", f"source: {given.source}", f"tags: {', '.join(given.tags)}"]
    return "\n".join([f"raw/notes/{given.name}", *head, f"summary: {given.summary}", "", given.body.rstrip()])


def _named(session: Session) -> str:
    """Return host and id as names of notes are: lower case; with a mark where that is not the id itself."""
    written = redact(f"{session.state['harness']}-{stem(session)}", strict=True)
    name = re.sub(r"[^a-z0-9-]+", "-", written.lower()).strip("-")
    return name if name == written else f"{name}-{sha256(redact(session.id).encode())[:8]}"


def _body(text: str) -> str:
    """Return what follows the front matter of a digest."""
    end = text.find("\n---", 4) if text.startswith("---\n") else -1
    return text[text.find("\n", end + 1) + 1 :].strip() if end > 0 else text.strip()


def _summary(text: str, session: Session) -> str:
    import json

    from llm_wiki.hook.digest import summary

    found = re.search(r"^summary: (.*)$", text[: max(text.find("\n---", 4), 0)], re.MULTILINE)
    if found:
        with suppress(ValueError, RecursionError):
            value = json.loads(found[1])
            if isinstance(value, str) and value:
                return value
    return summary(session.state, "manual")


def _places(state: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the folders a session knows, longest first, and what stands for each in the note."""
    known = {}
    for key in ("transcript_path", "cwd", "repo_root"):
        value = state.get(key)
        if isinstance(value, str) and len(value) > 1:
            for form in {value.rstrip("/"), redact(value.rstrip("/"), strict=True)}:
                known[form] = form.replace("\\", "/").rpartition("/")[2] or "."
    known[os.path.expanduser("~")] = "~home"
    return sorted(known.items(), key=lambda pair: -len(pair[0]))


def _clean(text: str, places: Iterable[tuple[str, str]]) -> str:
    """Redact strictly and cut every absolute path to its last part.

    A line of Markdown is read without its escapes, behind which an address or a path could hide; one in
    which nothing is found stays as it is written.
    """
    known = list(places)
    lines = []
    for line in redact(text, limit=0).split("\n"):  # what spans lines goes first
        bare = _ESCAPED.sub(r"\1", line)
        clean = _line(bare, known)
        lines.append(line if clean == bare else clean)
    return "\n".join(lines)


def _line(text: str, places: list[tuple[str, str]]) -> str:
    for place, name in places:
        if place in text:
            text = re.sub(rf"(?<![\w/]){re.escape(place)}(?![\w-])", lambda _, name=name: name, text)  # type: ignore[misc]
    return without_paths(redact(text, strict=True, limit=0))


def without_paths(text: str) -> str:
    """Return a text in which of every absolute path only the last part is left."""
    text = text.replace("file:///", "/")
    for pattern in (_PATH, _HOME):
        text = pattern.sub(lambda match: _last(match[0]), text)
    return _TOP.sub(lambda match: match[0][1:], text)


def _last(path: str) -> str:
    parts = [part for part in re.split(r"[/\\]+", path) if part and part != "~" and part[-1:] != ":"]
    return parts[-1] if parts else "folder"


def _clean_source(below: str) -> str:
    return redact(below.replace(os.sep, "/"), strict=True)


def _promoted(state: dict[str, Any]) -> list[Any]:
    given = state.get("promoted_to")
    return given if isinstance(given, list) else []


def _place_of(note_path: str, root: Root) -> str:
    """Return where a note lies, below the hub; a topic elsewhere is named by its slug."""
    if root.hub is not None:
        with suppress(ValueError):
            return f"{root.path.relative_to(root.hub).as_posix()}/{note_path}"
    return f"{root.name}/{note_path}"


def _note_in(session: Session, root: Root) -> str:
    """Return the note of this session in a topic, "" when none is noted or it is gone."""
    start = _place_of("", root)
    for item in _promoted(session.state):
        path = item.get("path") if isinstance(item, dict) else item
        if isinstance(path, str) and path.startswith(start) and (root.path / path[len(start) :]).is_file():
            return path
    return ""


def _free(root: Root, name: str) -> str:
    base, number, free = name[:-3], 1, name
    while (root.path / "raw/notes" / free).exists():
        number += 1
        free = f"{base}-{number}.md"
    return free


def _mark(folder: Folder, note: Note, path: str) -> None:
    """Note a promotion in state and digest, under the session's lock."""
    store, state = folder.store, note.session.state
    with store.locked(state["harness"], state["native_session_id"], timeout=_WAIT) as had:
        if not had:
            raise LockBusy(f"session {note.session.id} is being written", remedy="run it again: it goes on")
        fresh = files.read_json(note.session.path)
        state = fresh if isinstance(fresh, dict) else state
        place = _place_of(path, note.root)
        promoted = _promoted(state)
        topics = state.get("topics") if isinstance(state.get("topics"), list) else []
        state["promoted_to"] = [*promoted, *([] if place in promoted else [place])]
        state["topics"] = sorted({*(t for t in topics or () if isinstance(t, str)), note.root.name})
        files.write_json(note.session.path, state)
        _rewrite_digest(digest_path(store, state), state)


def _rewrite_digest(path: str, state: dict[str, Any]) -> None:
    """Bring topics and promotions in the front matter of a digest in line; the rest stays as it is."""
    import json

    with open(path, "rb") as handle:
        text = handle.read().decode("utf-8", "replace")
    end = text.find("\n---", 4) if text.startswith("---\n") else -1
    if end < 0:
        return
    head = text[:end]
    for key in ("topics", "promoted_to"):
        line = f"{key}: {json.dumps(state[key], ensure_ascii=False)}"
        found = re.search(rf"^{key}:.*(?:\n(?=[ -]).*)*$", head, re.MULTILINE)
        head = f"{head}\n{line}" if found is None else head[: found.start()] + line + head[found.end() :]
    if head + text[end:] != text:
        files.write_text(path, head + text[end:])
