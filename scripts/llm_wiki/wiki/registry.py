"""The hub's registry `wikis.json` (`wiki-format.md` §8.1): tolerant to read, faithful to write."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from math import isinf
from pathlib import Path
from typing import Any, NamedTuple

from llm_wiki.core.errors import NotAWiki, Refused
from llm_wiki.core.files import sha256
from llm_wiki.wiki.listing import reason

NAME = "wikis.json"
HUB_TOKEN = "<HUB>"  # noqa: S105 - a path token, no secret
TOKENS = (HUB_TOKEN, "HUB", ".")
"""Ways to write the hub itself; the first is the portable one."""

ARCHIVE = "topics/.archive/"
BOM = b"\xef\xbb\xbf"

MAX_DEPTH = 100
"""Deepest nesting that is read: what is read can then always be written."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_UNUSABLE = re.compile("[\0\ud800-\udfff]")


class RegistryProblem(NamedTuple):
    """One thing wrong with the registry file.

    `code` is `unreadable`, `encoding`, `json`, `duplicate` or `shape`; `line` is 1-based, 0 when
    unknown; `slug` names the entry it belongs to, or is "".
    """

    code: str
    text: str
    line: int = 0
    slug: str = ""


class RegistryEntry(NamedTuple):
    """One topic in the registry. `path` is as written, "" when it is missing or no text.

    `status` is `active` or `archived`; archived also when the path lies in `topics/.archive/`.
    `data` is the entry as it stands in the file.
    """

    slug: str
    path: str
    description: str
    status: str
    archived: str
    archive_reason: str
    restored: str
    data: dict[str, Any]

    def location(self, hub: Path) -> Path:
        """Return the folder meant, absolute; links are not resolved."""
        return locate(hub, self.path)

    def inside(self, hub: Path) -> str | None:
        """Return the path relative to the hub ("" is the hub itself), None outside it."""
        if self.foreign:
            return None
        relative = os.path.relpath(self.location(hub), hub).replace(os.sep, "/")
        if relative == ".":
            return ""
        return None if relative == ".." or relative.startswith("../") else relative

    @property
    def absolute(self) -> bool:
        """Tell whether the path is written for this machine alone (absolute or with `~`)."""
        return self.path.startswith(("/", "~")) or _DRIVE.match(self.path) is not None

    @property
    def foreign(self) -> bool:
        """Tell whether the path is one of another system: a drive where there are none."""
        return os.sep == "/" and _DRIVE.match(self.path) is not None


_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def locate(hub: Path, written: str) -> Path:
    """Resolve a registry path: a hub token, below a hub token, `~/…`, absolute or hub-relative."""
    if written in TOKENS or not written:
        return Path(os.path.normpath(hub))
    for token in ("<HUB>/", "HUB/"):
        if written.startswith(token):
            return Path(os.path.normpath(hub / written[len(token) :].lstrip("/")))
    if written == "~" or written.startswith("~/"):
        return Path(os.path.normpath(os.path.expanduser("~") + written[1:]))  # noqa: PTH111 - `~user` stays literal
    return Path(os.path.normpath(hub / written))


class Registry:
    """The registry of one hub.

    `exists` tells whether the file is there; `data` is its object ({} when there is none) and
    `usable` whether it may be written back without losing anything; `digest` is the SHA-256 of its
    bytes, None without a file; `entries` leaves out what is no object, and the synthetic `hub`;
    `problems` is everything wrong with it.
    """

    def __init__(self, hub: Path, data: bytes | None, problem: RegistryProblem | None = None) -> None:
        self.hub = hub
        self.exists = data is not None or problem is not None
        self.digest = None if data is None else sha256(data)
        self.data: dict[str, Any] = {}
        self._bom = (data or b"").startswith(BOM)
        self._crlf = b"\r\n" in (data or b"") and b"\n" not in (data or b"").replace(b"\r\n", b"")
        self._faults = [] if problem is None else [problem]
        if data is not None:
            self._parse(data.removeprefix(BOM))
        self._check()

    @classmethod
    def load(cls, hub: Path) -> Registry:
        """Read `wikis.json` of a hub; whatever is wrong becomes a problem, nothing is raised."""
        try:
            return cls(hub, (hub / NAME).read_bytes())
        except FileNotFoundError:
            return cls(hub, None)
        except OSError as error:
            return cls(hub, None, RegistryProblem("unreadable", f"{NAME} cannot be read: {reason(error)}"))

    def require_usable(self) -> None:
        """Raise NotAWiki when the file as a whole cannot be used: its topics are then not known."""
        if not self.usable:
            problem = self.problems[0]
            raise NotAWiki(
                problem.text,
                path=self.hub / NAME,
                line=problem.line or None,
                remedy=f"repair {NAME} first; `llm-wiki lint` names what is wrong with it",
            )

    def _fail(self, code: str, text: str, line: int = 0) -> None:
        self._faults.append(RegistryProblem(code, text, line))

    def _parse(self, data: bytes) -> None:
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            self._fail("encoding", f"{NAME} is not UTF-8: byte 0x{data[error.start]:02x}", line)
            return
        doubled: list[str] = []
        try:
            value = json.loads(
                text, object_pairs_hook=_pairs(doubled), parse_float=_float, parse_constant=_constant
            )
        except json.JSONDecodeError as error:
            self._fail("json", f"{NAME} is not valid JSON: {error.msg} (column {error.colno})", error.lineno)
            return
        except (ValueError, RecursionError) as error:
            deep = isinstance(error, RecursionError)
            why = f"nested deeper than {MAX_DEPTH} levels" if deep else str(error).partition(";")[0]
            self._fail("json", f"{NAME} is not usable JSON: {why}")
            return
        for key in doubled:
            self._fail("duplicate", f"key is written twice: {key}")
        if not isinstance(value, dict):
            self._fail("shape", f"{NAME} must be an object, not {_named(value)}")
            return
        if _is_deep(value):
            self._fail("json", f"{NAME} is not usable JSON: nested deeper than {MAX_DEPTH} levels")
            return
        self.data = value

    def _check(self) -> None:
        self.problems: list[RegistryProblem] = list(self._faults)
        self.usable = not self._faults
        self.entries: dict[str, RegistryEntry] = {}
        wikis = self.data.get("wikis", {})
        if not isinstance(wikis, dict):
            self._shape("", f"`wikis` must be an object, not {_named(wikis)}")
            self.usable = False
            wikis = {}
        for slug, value in wikis.items():
            entry = self._entry(slug, value)
            if entry is not None and slug != "hub":
                self.entries[slug] = entry
        if not isinstance(self.data.get("default", ""), str):
            self._shape("", f"`default` must be a string, not {_named(self.data['default'])}")
        self._check_local(self.data.get("local_wikis", []))

    def _shape(self, slug: str, text: str) -> None:
        self.problems.append(RegistryProblem("shape", text, 0, slug))

    def _entry(self, slug: str, value: Any) -> RegistryEntry | None:
        if not isinstance(value, dict):
            self._shape(slug, f"entry `{slug}` must be an object, not {_named(value)}")
            return None
        if _UNUSABLE.search(slug + _text(value, "path")):
            self._shape("", f"entry {slug!a} holds a character that no path can have")
            return None
        if value.get("path", "") == "":
            self._shape(slug, f"entry `{slug}` has no path")
        for key in ("path", "description", "status", "archived", "archive_reason", "restored"):
            if not isinstance(value.get(key, ""), str):
                self._shape(slug, f"`{key}` of entry `{slug}` must be a string, not {_named(value[key])}")
        path, status = _text(value, "path"), _text(value, "status")
        if status not in ("", "active", "archived"):
            self._shape(slug, f"`status` of entry `{slug}` must be active or archived, not {status!r}")
        plain = path.removeprefix("<HUB>/").removeprefix("HUB/").removeprefix("./")
        # a misspelt state is reported above; until it is repaired, what says it is put away stays away
        archived = status.strip().casefold() == "archived" or plain.startswith(ARCHIVE)
        return RegistryEntry(
            slug,
            path,
            _SURROGATE.sub("\ufffd", _text(value, "description")),
            "archived" if archived else "active",
            _text(value, "archived"),
            _text(value, "archive_reason"),
            _text(value, "restored"),
            value,
        )

    def _check_local(self, value: Any) -> None:
        if not isinstance(value, list):
            self._shape("", f"`local_wikis` must be a list, not {_named(value)}")
            return
        for number, item in enumerate(value, 1):
            path = item.get("path") if isinstance(item, dict) else item
            if not isinstance(path, str):
                self._shape("", f"item {number} of `local_wikis` has no path")

    @property
    def default(self) -> str:
        """The default target as written, "" when there is none."""
        return _text(self.data, "default")

    @property
    def hub_entry(self) -> dict[str, Any] | None:
        """The synthetic entry of the hub itself, None when it is missing or no object."""
        wikis = self.data.get("wikis")
        value = wikis.get("hub") if isinstance(wikis, dict) else None
        return value if isinstance(value, dict) else None

    @property
    def local_wikis(self) -> list[tuple[str, str]]:
        """Path as written and description of each local wiki of this machine."""
        value = self.data.get("local_wikis")
        found = []
        for item in value if isinstance(value, list) else ():
            path = item.get("path") if isinstance(item, dict) else item
            if isinstance(path, str):
                found.append((path, _text(item, "description") if isinstance(item, dict) else ""))
        return found

    def set_topic(self, slug: str, path: str, description: str, *, status: str = "") -> None:
        """Add an entry at the end, or set these keys of an existing one; its other keys stay.

        Raises Refused when what stands under this name is no entry.
        """
        wikis = self.data.setdefault("wikis", {})
        entry = wikis.setdefault(slug, {})
        if not isinstance(entry, dict):
            raise Refused(
                f"{slug} stands in the registry, but not as an entry",
                path=self.hub / NAME,
                remedy=f"correct {NAME}",
            )
        entry["path"] = path
        entry["description"] = description
        if status:
            entry["status"] = status
        self._check()

    def to_bytes(self) -> bytes:
        """Return the file for the present `data`: key order, BOM and line ending as they were."""
        text = json.dumps(self.data, indent=2, ensure_ascii=False) + "\n"
        # a lone surrogate can only stand inside a string, where its escape means the same
        text = _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
        if self._crlf:
            text = text.replace("\n", "\r\n")
        return (BOM if self._bom else b"") + text.encode()


def _is_deep(value: Any) -> bool:
    """Tell whether lists and objects are nested deeper than `MAX_DEPTH`."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            part
            for outer in level
            if isinstance(outer, dict | list)
            for part in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return any(isinstance(inner, dict | list) for inner in level)


def _float(text: str) -> float:
    """Read a number; one that would be written back as infinite is none."""
    value = float(text)
    if isinf(value):
        raise ValueError(f"the number {text} is too large")
    return value


def _constant(name: str) -> None:
    """Refuse what only Python takes for a number, as every other reader does."""
    raise ValueError(f"{name} is no number")


def _pairs(doubled: list[str]) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                doubled.append(key)
            found[key] = value
        return found

    return build


def _named(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _text(value: dict[str, Any], key: str) -> str:
    found = value.get(key, "")
    return found if isinstance(found, str) else ""
