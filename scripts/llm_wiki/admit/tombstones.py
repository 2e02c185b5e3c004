"""`.librarian/tombstones.jsonl`: which sources were retracted and may not come back (`doctrine.md` §2).

A line holds no content: its own random salt, and the keyed hashes under that salt of what the source was
known by (normalised addresses, body hashes, upstream key; never a path). Without the source in hand nothing
can be read from it; with it, one look tells that it is the one. Lines are free of order and merged by union,
the newest of an id holds: one that says `lifted` ends the tombstone, a person's name with it.

Whoever asks fails closed: a file that cannot be read stops admission; only a line that is none is passed
over, and told by the list.
"""

from __future__ import annotations

import hmac
import json
import re
import secrets
import shlex
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

from llm_wiki.admit.candidate import Candidate
from llm_wiki.admit.compare import upstream_key
from llm_wiki.admit.tombroots import roots_of
from llm_wiki.admit.urls import is_web, normalise_url
from llm_wiki.core.errors import Refused, Unreadable, WikiError
from llm_wiki.core.files import inside, read_bytes
from llm_wiki.core.redact import redact
from llm_wiki.model.document import body, body_hash, page
from llm_wiki.model.page import Page
from llm_wiki.wiki.resolve import find_hub
from llm_wiki.wiki.statefiles import newest, records

TOMBSTONES: Final = ".librarian/tombstones.jsonl"
"""Its place below the root."""

_SALT_BYTES: Final = 16
_PATH_ADAPTERS: Final = frozenset({"git", "folder", "checkpoint"})
_PATH_TYPES: Final = frozenset({"git-file", "note"})
_ITEM_ADAPTERS: Final = frozenset({"mediawiki-dump", "mediawiki-api", "csv-messages", "wayback-cdx"})
_ITEM_TYPES: Final = frozenset({"mediawiki-page", "message-row", "wayback-snapshot"})
_PATHLIKE: Final = re.compile(r"[/\\]|\A[~.]|\.[A-Za-z][A-Za-z0-9]{0,9}\Z")
_PLACE: Final = re.compile(r"\A(?:[/\\~.]|[A-Za-z]:[\\/]|file:)", re.IGNORECASE)
_SESSION: Final = re.compile(
    r"\.sessions/(?:digests/(?:[^/]+/)*(?P<digest>[^/]+)\.md|feedback/candidates\.jsonl#(?P<said>[^/]+))"
)
_HASH: Final = re.compile(r"[0-9a-f]{64}")


class Keys(NamedTuple):
    """What one source is known by: normalised addresses, body hashes, upstream key or "". Never a path."""

    urls: tuple[str, ...] = ()
    bodies: tuple[str, ...] = ()
    upstream: str = ""


NO_KEYS: Final = Keys()


class Tombstone(NamedTuple):
    """One tombstone: its id, its time `at` (as written), and the root and name (slug) of its topic."""

    id: str
    at: str
    root: Path
    name: str


class Stone(NamedTuple):
    """A tombstone with what it is asked by. `lifted` names who ended it ("?" when unknown)."""

    tombstone: Tombstone
    salt: bytes
    hashes: tuple[Any, ...]
    lifted: str = ""


def keys_of(raw: Page, data: bytes, *more_bodies: str) -> Keys:
    """Return the keys of a raw file: its addresses, the hash it was admitted with, that of its bytes.

    `more_bodies` are further body hashes it is known by. A body that came in before secrets were taken out
    of sources counts as it would come in today too.
    """
    text = body(data)
    hashes = (raw.text("content_sha256").lower(), *more_bodies, *body_forms(text, redact(text, limit=0)))
    return Keys(
        _addresses((raw.text("source"), raw.text("canonical_url"))),
        _unique(digest for digest in hashes if _HASH.fullmatch(digest)),
        _item(raw.text, raw.text("source")),
    )


def stated_keys(raw: Page, digest: str) -> Keys:
    """Return the keys of a raw file as its header states them, and one body hash: enough to compare many."""
    return Keys(
        _addresses((raw.text("source"), raw.text("canonical_url"))),
        (digest,) if digest else (),
        _item(raw.text, raw.text("source")),
    )


def body_forms(*texts: str) -> tuple[str, ...]:
    """Return the body hashes of some forms of one text: each as it is, and without empty lines before it.

    What holds no text has none: it would be every other such file.
    """
    head = b"---\n---\n"
    return _unique(
        body_hash(head + form.encode("utf-8", "surrogatepass"))
        for text in texts
        if text.strip()
        for form in (text, text.lstrip("\r\n"))
    )


def keys_of_candidate(candidate: Candidate, *digests: str) -> Keys:
    """Return the keys of what asks to come in: every address it has, its body hashes, its item.

    `digests` are body hashes beside those of its text. Secrets may still be in it, or be out already.
    """
    known = {key: value for key, value in candidate.fields.items() if isinstance(value, str)}
    own = Keys(
        _addresses((candidate.source, *candidate.aliases, known.get("canonical_url", ""))),
        _unique((*digests, *body_forms(candidate.body))),
        _item(lambda key: known.get(key, "").strip(), candidate.source),
    )
    return joined(own, claimed_keys(candidate.body))


def claimed_keys(text: str) -> Keys:
    """Return the keys a text claims for itself, as a copy of a raw file does; without front matter none."""
    if not text.startswith("---"):
        return NO_KEYS
    data = text.encode("utf-8", "surrogatepass")
    found = page("source.md", data)
    return keys_of(found, data) if found.front == "ok" else NO_KEYS


def keys_of_urls(*urls: str) -> Keys:
    """Return the keys of addresses alone: what is known of a page before it is asked for."""
    return Keys(_addresses(urls))


def joined(*every: Keys) -> Keys:
    """Return the keys of one source known from several sides; the first upstream key counts."""
    return Keys(
        _unique(url for keys in every for url in keys.urls),
        _unique(digest for keys in every for digest in keys.bodies),
        next((keys.upstream for keys in every if keys.upstream), ""),
    )


def unpathed_upstream(field: Callable[[str], str]) -> str:
    """Return the upstream key of a collection's child, or "" where its item is a path: no path is hashed.

    Adapters and types that number or name their items decide (`git`, `folder`, `checkpoint`, `git-file`,
    `note`: paths; pages of a wiki, rows, snapshots: none). Of any other the look of the id does: a
    separator, a leading dot or `~`, the ending of a file. A collection that is itself a place on a disk
    is one as well.
    """
    key = upstream_key(field)
    adapter, kind, item = field("adapter"), field("upstream_type"), field("upstream_id")
    if not key or adapter in _PATH_ADAPTERS or kind in _PATH_TYPES or _PLACE.match(field("collection")):
        return ""
    if adapter in _ITEM_ADAPTERS or kind in _ITEM_TYPES or is_web(item):
        return key
    return "" if _PATHLIKE.search(item) else key


def _item(field: Callable[[str], str], source: str) -> str:
    """Return the upstream key, of a promoted note the id of its session or of what was said.

    A session's digest is written anew as it goes on, and is the same source with another text.
    """
    found = _SESSION.fullmatch(source.strip())
    if found is None:
        return unpathed_upstream(field)
    return f"session\n{found['digest']}" if found["digest"] else f"feedback\n{found['said']}"


def tombstone_line(keys: Keys, at: datetime) -> tuple[str, str]:
    """Return (id, line for `Transaction.append`) of a new tombstone, with a salt of its own."""
    salt = secrets.token_bytes(_SALT_BYTES)
    name = f"t-{secrets.token_hex(5)}"
    record = {
        "at": _stamp(at),
        "hashes": sorted({_keyed(salt, message) for message in _messages(keys)}),
        "id": name,
        "salt": salt.hex(),
    }
    return name, json.dumps(record, sort_keys=True, separators=(",", ":"))


def lift_line(stone: Stone, by: str, at: datetime) -> str:
    """Return the line that ends a tombstone: later than its own whatever the clocks say.

    Where the time of the tombstone cannot be passed, the order of the keys makes the line the later one.
    """
    written, when = stone.tombstone.at, _stamp(at)
    if when <= written:
        try:
            when = _stamp(datetime.fromisoformat(written) + timedelta(seconds=1))
        except (ValueError, OverflowError):
            when = written
        when = max(when, written)
    record = {"at": when, "id": stone.tombstone.id, "lifted": True, "by": by}
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def read_stones(data: bytes, root: Path, name: str) -> list[Stone]:
    """Return the tombstones of a file's bytes, those that are lifted too."""
    lifts: dict[str, str] = {}
    found: dict[str, Stone] = {}
    held = newest(data, _id_of)
    for id_, record in held.items():
        if record.get("lifted") is True:
            by = record.get("by")
            lifts[id_] = by if isinstance(by, str) and by.strip() else "?"
        else:
            found[id_] = _stone(record, root, name)
    if lifts:
        first = newest(data, lambda record: "" if record.get("lifted") is True else _id_of(record))
        for id_, by in lifts.items():
            record = first.get(id_, held[id_])
            found[id_] = _stone(record, root, name)._replace(lifted=by)
    return list(found.values())


def broken_lines(data: bytes) -> tuple[int, ...]:
    """Return the 1-based numbers of the lines that are no record of a tombstone."""
    found = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip() and not any(_id_of(record) for _, record in records(line)):
            found.append(number)
    return tuple(found)


def read_tombstones(root: Path) -> bytes:
    """Return the bytes of a root's file, nothing where there is none.

    Raises Unreadable, and Refused where a part of its path is a symbolic link: not to know is not to hold.
    """
    remedy = "until it can be read nobody knows what was retracted; make it a readable file inside the wiki"
    try:
        path = inside(root, TOMBSTONES)
        return read_bytes(path)
    except Unreadable as error:
        if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
            return b""
        error.remedy = error.remedy or remedy
        raise
    except Refused as error:
        raise Refused(error.message, path=root / TOMBSTONES, remedy=remedy) from error


def stones_of(root: Path, hub: Path | None) -> tuple[Stone, ...]:
    """Return everything written that binds admission into a root, lifted ones too, oldest first.

    Each file is read once. `hub` is the one the root belongs to as far as the caller knows
    (`tombroots.roots_of`). Raises Unreadable, Refused, and NotAWiki for a registry that cannot be used.
    """
    found = [
        stone
        for place, name in roots_of(root, hub)
        for stone in read_stones(read_tombstones(place), place, name)
    ]
    return tuple(sorted(found, key=_age))


def binding(root: Path, hub: Path | None) -> tuple[Tombstone, ...]:
    """Return every tombstone that holds for admission into a root, oldest first; raises as `stones_of`."""
    return tuple(stone.tombstone for stone in stones_of(root, hub) if not stone.lifted)


def held_by(keys: Keys, root: Path, hub: Path | None) -> Tombstone | None:
    """Return the oldest tombstone that holds a source, None when it may come in; raises as `stones_of`."""
    return held_among(keys, stones_of(root, hub))


def held_among(keys: Keys, stones: Iterable[Stone]) -> Tombstone | None:
    """Return the first of some tombstones that holds a source."""
    messages = _messages(keys)
    for tombstone, salt, hashes, lifted in stones if messages else ():
        if not lifted:
            for message in messages:
                if _keyed(salt, message) in hashes:
                    return tombstone
    return None


def refuse_held(keys: Keys, stones: Iterable[Stone]) -> None:
    """Raise Refused (exit 4) for a source that was retracted: its tombstone is named, never the source."""
    stone = held_among(keys, stones)
    if stone is not None:
        raise Refused(
            f"this source was retracted: tombstone {stone.id} of {stone.at[:10] or 'an unknown day'} "
            f"in {stone.name} holds it",
            remedy=f"to take it in again, a person runs: llm-wiki tombstone lift {stone.id}{_place(stone)}",
        )


def _place(stone: Tombstone) -> str:
    """Return the option that leads to a tombstone from anywhere, nothing for one of the user's hub."""
    with suppress(WikiError):
        hub = find_hub()
        if any(place == stone.root for place, _ in roots_of(hub, hub)):
            return ""
    return f" --root {shlex.quote(str(stone.root))}"


def _age(stone: Stone) -> tuple[str, str]:
    return stone.tombstone.at, stone.tombstone.id


def _stone(record: dict[str, Any], root: Path, name: str) -> Stone:
    at, hashes = record.get("at"), record.get("hashes")
    tombstone = Tombstone(record["id"], at if isinstance(at, str) else "", root, name)
    return Stone(tombstone, _salt(record) or b"", tuple(hashes) if isinstance(hashes, list) else ())


def _id_of(record: dict[str, Any]) -> str:
    """Return the id of a record that is a tombstone or lifts one, "" for any other."""
    name = record.get("id")
    if not isinstance(name, str):
        return ""
    whole = record.get("lifted") is True or (isinstance(record.get("hashes"), list) and _salt(record))
    return name if whole else ""


def _salt(record: dict[str, Any]) -> bytes | None:
    try:
        return bytes.fromhex(record.get("salt", ""))
    except (TypeError, ValueError):
        return None


def _messages(keys: Keys) -> list[bytes]:
    """Return what is hashed: kind, NUL, value."""
    pairs = [*(("url", url) for url in keys.urls), *(("body", digest) for digest in keys.bodies)]
    if keys.upstream:
        pairs.append(("upstream", keys.upstream))
    return [f"{kind}\0{value}".encode("utf-8", "surrogatepass") for kind, value in pairs]


def _keyed(salt: bytes, message: bytes) -> str:
    return hmac.digest(salt, message, "sha256").hex()


def _addresses(sources: Iterable[str]) -> tuple[str, ...]:
    """Return the forms for comparison of what are web addresses, as written and as admission writes them."""
    web = [source for source in sources if is_web(source)]
    return _unique(normalise_url(form) for source in web for form in (source, redact(source, limit=0)))


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _stamp(at: datetime) -> str:
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")
