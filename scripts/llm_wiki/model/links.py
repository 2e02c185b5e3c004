"""Where a link leads: targets joined to paths, paths turned into targets, source references resolved.

Everything here works on POSIX paths relative to the root of one wiki (`wiki-format.md` §10); no
file is opened. A *key* is such a path in NFC; it starts with `../` when it lies outside the root.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import islice
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import quote, unquote

from llm_wiki.core.text import fold, nfc, slugify, undated

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+:|//")
_HEX_ESCAPE = re.compile(r"%(?=[0-9A-Fa-f]{2})")
_UNWRITABLE = re.compile("[\\x00-\\x1f\\x7f\ud800-\udfff]")

_FOLDERS = ("raw", "wiki", "output", "datasets", "inventory")
"""First parts of a reference that is read from the root."""

_SEVERAL = re.compile(r"\.md\b|[,;]\s|\n", re.IGNORECASE)
"""In the folder part of a reference: it names more than one file."""

_PREFIX_LETTERS = 8
_PREFIX_WORDS = 2

MAX_CANDIDATES = 20
"""Most files named for an ambiguous reference."""


def has_scheme(target: str) -> bool:
    """Tell whether a target is a URL: a scheme of two letters or more, or `//host`."""
    return (":" in target or target.startswith("//")) and _SCHEME.match(target) is not None


def is_local(target: str) -> bool:
    """Tell whether a target names a file: no scheme, no host, not empty, not only a fragment."""
    return bool(target) and target[0] != "#" and not has_scheme(target)


def normal(folder: str, path: str) -> str:
    """Return `path` seen from `folder` as a path from the root; a leading `/` means the root."""
    parts = folder.split("/") if folder and path[:1] != "/" else []
    for part in path.split("/"):
        if part == "..":
            if parts and parts[-1] != "..":
                parts.pop()
            else:
                parts.append(part)
        elif part and part != ".":
            parts.append(part)
    return "/".join(parts)


def join(owner: str, target: str) -> tuple[str, str]:
    """Return key and fragment of a local target written in the file `owner`.

    Query and fragment are cut, percent escapes decoded. A target that is only a query means
    `owner` itself. A folder's key has no trailing slash; the root's key is "".
    """
    path, _, fragment = target.partition("#")
    path = path.partition("?")[0]
    if "%" in path:
        path = unquote(path, errors="surrogateescape")
    if "%" in fragment:
        fragment = unquote(fragment, errors="surrogateescape")
    key = normal(owner.rpartition("/")[0], path) if path else owner
    return (key if key.isascii() else normalize("NFC", key)), fragment


def relative(owner: str, to: str) -> str:
    """Return the target that leads from the file `owner` to the file `to`.

    What would be read as something else (`#`, `?`, an escape, a scheme, control and undecodable
    bytes) is percent-encoded, so that `join` gives `to` back; blanks and brackets stay as they
    are: `markdown.destination` writes them.
    """
    here = owner.split("/")[:-1]
    there = to.split("/")
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    path = "/".join([".."] * (len(here) - shared) + there[shared:])
    path = _HEX_ESCAPE.sub("%25", path).replace("#", "%23").replace("?", "%3F")
    path = _UNWRITABLE.sub(lambda found: quote(found[0], errors="surrogateescape"), path)
    return f"./{path}" if has_scheme(path) else path


class Resolution(NamedTuple):
    """What a source reference leads to.

    `status`: `resolved`, `dangling`, `ambiguous`, `url`, or `outside` (leaves the root).
    `path`: the file as on disk when resolved, else "". `exact`: the reference is written exactly
    as that path. `candidates`: files between which an ambiguous reference cannot choose, at most
    `MAX_CANDIDATES`.
    `how`: for a resolved reference `exact`, `relative` (a path written in another way), `folded`
    (equal only after NFC or case folding: W506), `slug` or `prefix`.
    """

    status: str
    path: str = ""
    exact: bool = False
    candidates: tuple[str, ...] = ()
    how: str = ""


_DANGLING = Resolution("dangling")


class SourceIndex:
    """Resolves `sources:` entries against the files of one wiki (`wiki-format.md` §10).

    `files` are all files, `raw` the raw sources among them, both as on disk. `root` is the
    machine path of the root, for absolute references. Every lookup costs the same however many
    files there are; the tables behind the rarer forms are built when first needed.
    """

    def __init__(self, files: Iterable[str], raw: Iterable[str], root: str = "") -> None:
        self._files = files if isinstance(files, AbstractSet) else frozenset(files)
        self._raw = raw if isinstance(raw, AbstractSet) else tuple(raw)
        self._root = root.rstrip("/")

    def resolve(self, owner: str, reference: str) -> Resolution:
        """Resolve one reference written in the file `owner`.

        Slugs are matched for owners below `wiki/` only, and never an empty one.
        """
        reference = reference.strip()
        if reference in self._files:
            return Resolution("resolved", reference, exact=True, how="exact")
        if has_scheme(reference):
            return Resolution("url")
        if not reference:
            return _DANGLING
        found = self._by_path(owner, reference)
        if found is not None:
            return found
        return self._by_slug(owner, reference) if owner.startswith("wiki/") else _DANGLING

    def _by_path(self, owner: str, reference: str) -> Resolution | None:
        """Try the reference as a path: from the root, from its owner, then folded."""
        if reference.startswith("/"):
            if self._root and reference.startswith(self._root + "/"):
                reference = reference[len(self._root) :]
            paths = [normal("", reference)]
        elif reference.startswith(("./", "../")):
            paths = [normal(owner.rpartition("/")[0], reference)]
        else:
            paths = [normal("", reference), normal(owner.rpartition("/")[0], reference)]
        for path in paths:
            if path in self._files:
                return Resolution("resolved", path, how="relative")
        for table, name in ((self._by_key, nfc), (self._by_fold, fold)):
            for path in paths:
                hits = table.get(name(path), ())
                if hits:
                    return _one(hits, "folded")
        outside = paths[0].startswith("../") or paths[0] == ".."
        if outside or (reference.startswith("/") and paths[0].partition("/")[0] not in _FOLDERS):
            return Resolution("outside")
        return None

    def _by_slug(self, owner: str, reference: str) -> Resolution:
        """Try rules 2 and 3: an equal slug, then a word-aligned prefix.

        A path into another part of the wiki means no source, and of several paths in one reference
        none may stand for all.
        """
        folder, _, stem = reference.rpartition("/")
        here = owner.rpartition("/")[0] if reference.startswith(("./", "../")) else ""
        plane = normal(here, reference).partition("/")[0] if folder else ""
        if (plane in _FOLDERS and plane != "raw") or _SEVERAL.search(folder):
            return _DANGLING
        stem = stem[:-3] if stem[-3:].lower() == ".md" else stem
        slug = slugify(stem)
        if not slug:
            return _DANGLING
        hits = (self._undated if undated(slug) == slug else self._slugs).get(slug, ())
        if hits:
            return _one(hits, "slug")
        bare = stem == reference and len(slug) >= _PREFIX_LETTERS and slug.count("-") + 1 >= _PREFIX_WORDS
        return _one(self._starting(slug), "prefix") if bare else _DANGLING

    def _starting(self, slug: str) -> tuple[str, ...]:
        """Return the raw files whose undated slug continues `slug` with a further word."""
        start = f"{slug}-"
        place = bisect_left(self._sorted_slugs, start)
        hits: list[str] = []
        for candidate in islice(self._sorted_slugs, place, place + MAX_CANDIDATES):
            if not candidate.startswith(start):
                break
            hits.extend(self._undated[candidate])
        return tuple(hits)

    @cached_property
    def _by_key(self) -> dict[str, tuple[str, ...]]:
        return _grouped((nfc(path), path) for path in self._files)

    @cached_property
    def _by_fold(self) -> dict[str, tuple[str, ...]]:
        return _grouped((fold(path), path) for path in self._files)

    @cached_property
    def _raw_slugs(self) -> list[tuple[str, str]]:
        return [(slugify(_stem(path)), path) for path in self._raw]

    @cached_property
    def _slugs(self) -> dict[str, tuple[str, ...]]:
        return _grouped(self._raw_slugs)

    @cached_property
    def _undated(self) -> dict[str, tuple[str, ...]]:
        return _grouped((undated(slug), path) for slug, path in self._raw_slugs)

    @cached_property
    def _sorted_slugs(self) -> list[str]:
        return sorted(self._undated)


def _stem(path: str) -> str:
    """Return the file name without `.md`."""
    name = path.rpartition("/")[2]
    return name[:-3] if name[-3:].lower() == ".md" else name


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Group paths by name, sorted; an empty name matches nothing and is left out."""
    groups: dict[str, list[str]] = {}
    for name, path in pairs:
        if name:
            groups.setdefault(name, []).append(path)
    return {name: tuple(sorted(paths)) for name, paths in groups.items()}


def _one(hits: tuple[str, ...], how: str) -> Resolution:
    """Turn hits into a resolution: none dangles, several are ambiguous."""
    if not hits:
        return _DANGLING
    if len(hits) > 1:
        return Resolution("ambiguous", candidates=hits[:MAX_CANDIDATES])
    return Resolution("resolved", hits[0], how=how)
