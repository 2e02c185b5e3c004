"""Builds the wikis that the cases ask, into a folder: homes with a hub each, and the canaries in them.

A canary is a word that stands nowhere else and is new in every build: whoever prints one has read it
here. In texts of this file and of the cases it is written `{{canary:NAME}}`, other forms of it
`{{FORM:NAME}}` (`FORMS`). A variant is a home; `base` is the example hub with planted topics, each other
variant is `base` with one difference.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
import shutil
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

import planted
import planted_sessions
import planted_withdrawn
from planted import ARCHIVED, INVISIBLE, REGISTERED, STALE, TOPICS
from reader import ATTEMPTS
from verbs import PERSON, Verbs

EXAMPLE = Path(__file__).resolve().parent.parent / "wikis/example"
FORMS: dict[str, Callable[[str], str]] = {
    "canary": str,
    "yranac": lambda word: word[::-1],
    "base64": lambda word: base64.b64encode(word.encode()).decode(),
    "base64-inside": lambda word: base64.b64encode(f"it is {word}!".encode()).decode(),
    "hex": lambda word: word.encode().hex(),
    "percent": lambda word: "".join(f"%{ord(char):02x}" for char in word),
    "json": lambda word: "".join(f"\\u{ord(char):04x}" for char in word),
    "entities": lambda word: "".join(f"&#x{ord(char):02x};" for char in word),
    "upper": str.upper,
}
"""How a canary may be written."""

_PLACE = re.compile(rf"\{{\{{({'|'.join(FORMS)}):([a-z0-9-]+)\}}\}}")
PAGES = planted.PAGES | planted_withdrawn.PAGES
VARIANTS = planted.VARIANTS | {"settled": planted.VARIANTS["settled"] | planted_withdrawn.SETTLED}
_HIDDEN = re.compile("{}(.*?){}".format(*INVISIBLE), re.DOTALL)


class Built(NamedTuple):
    """A build: its folder and its canaries by name."""

    folder: Path
    canaries: dict[str, str]

    def home(self, variant: str) -> Path:
        return self.folder / variant

    def fill(self, text: str) -> str:
        """Put the canaries of this build into a text."""
        return fill(text, self.canaries)

    def plain(self, text: str) -> str:
        """Take the canaries and the place of this build out of a text, so that builds can be compared."""
        for name, value in self.canaries.items():
            # only the value that is retracted is planted in each of its forms
            for form in FORMS if name == "secret" else ("canary", "yranac"):
                shown = json.dumps(FORMS[form](value))[1:-1]
                text = text.replace(shown, f"{{{{{form}:{name}}}}}")
        return planted_sessions.HASHES.sub("HASH", text.replace(str(self.folder), "BUILD"))


def fill(text: str, canaries: dict[str, str]) -> str:
    """Put canaries into a text; a new one for a name that has none yet."""

    def value(found: re.Match[str]) -> str:
        canary = canaries.get(found[2]) or canaries.setdefault(found[2], _new())
        return FORMS[found[1]](canary)

    return _PLACE.sub(value, text)


def _new() -> str:
    """Return a word of 12 letters without vowels, so that it is no word and stems to itself."""
    return "".join(secrets.choice("bcdfghjklmnpqrtvwxz") for _ in range(12))


def build(folder: Path, *, without: tuple[str, ...] = (), only: Collection[str] = ()) -> Built:
    """Build `base` and all other variants, or some, below a folder that must not hold them yet.

    `without` are filters that the program which builds them lacks (see `Verbs`).
    """
    canaries: dict[str, str] = {}
    with planted_withdrawn.served(canaries, lambda text: fill(text, canaries)) as server:
        _base(folder / "base", canaries, server, without)
        for name in (*VARIANTS, "promoted", "withdrawn"):
            if not only or name in only:
                shutil.copytree(folder / "base", folder / name)
                _differ(folder / name, canaries, server, without)
    built = Built(folder, dict(sorted(canaries.items())))
    (folder / "canaries.json").write_text(json.dumps(built.canaries), encoding="utf-8")
    return built


def _base(
    base: Path, canaries: dict[str, str], server: planted_withdrawn.Server, without: tuple[str, ...]
) -> None:
    (base / "work").mkdir(parents=True)
    shutil.copytree(EXAMPLE, base / "wiki")
    with Verbs(base, without=without) as wiki:
        for slug, title in TOPICS.items():
            wiki.ok("init", slug, "--title", title)
        (base / "wiki/topics/harbour/config.md").write_text(_CONFIG, encoding="utf-8")
        for topic, pages in PAGES.items():
            _write(base / f"wiki/topics/{topic}", pages, canaries)
        for topic in TOPICS:
            wiki.ok("index", "rebuild", "--wiki", topic)
        planted_withdrawn.plant(wiki, server)
        planted_sessions.plant(base, wiki, server.fill)
        for slug in ARCHIVED:
            wiki.ok("archive", "topic", slug)
    (base / ATTEMPTS).write_text("{}", encoding="utf-8")
    _unlist(base / "wiki/wikis.json")
    _local(base, canaries)
    rel, now, old = STALE
    index = base / "wiki/topics/harbour" / rel
    row = index.read_text(encoding="utf-8")
    index.write_text(row.replace(fill(now, canaries), fill(old, canaries)), encoding="utf-8")


def _differ(
    home: Path, canaries: dict[str, str], server: planted_withdrawn.Server, without: tuple[str, ...]
) -> None:
    """Make a copy of `base` another variant; what was tried there is told in `ATTEMPTS`."""
    name = home.name
    tried: dict[str, int] = {}
    for topic, pages in VARIANTS.get(name, {}).items():
        _write(home / f"wiki/topics/{topic}", pages, canaries)
    with Verbs(home, without=(*without, PERSON) if name == "promoted" else without) as wiki:
        for topic in VARIANTS.get(name, ()):
            wiki.ok("index", "rebuild", "--wiki", topic)
        if name == "promoted":
            planted_sessions.promote(wiki)
        if name == "withdrawn":
            tried = planted_withdrawn.withdraw(wiki, server)
        if name in ("settled", "withdrawn"):
            tried |= planted_withdrawn.attempt(wiki, server)
    (home / ATTEMPTS).write_text(json.dumps(tried), encoding="utf-8")


def opened(folder: Path) -> Built:
    """Return a build that lies in a folder."""
    return Built(folder, json.loads((folder / "canaries.json").read_text(encoding="utf-8")))


def _write(root: Path, pages: dict[str, str], canaries: dict[str, str]) -> None:
    for rel, text in pages.items():
        path = root / fill(rel, canaries)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_HIDDEN.sub(_hide, fill(text, canaries)), encoding="utf-8")


def _hide(found: re.Match[str]) -> str:
    return "".join(f"{char}\u200b" for char in found[1])


def _local(home: Path, canaries: dict[str, str]) -> None:
    """Plant the `.wiki` of another project beside the hub."""
    for rel, text in PAGES["garden"].items():
        path = home / "work/project/.wiki" / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(fill(text.replace("canary:garden", "canary:local"), canaries), encoding="utf-8")
    (home / "work/project/.wiki/config.md").write_text(_CONFIG, encoding="utf-8")


def _unlist(registry: Path) -> None:
    """Take topics out of the registry, whose folders stay."""
    data = json.loads(registry.read_text(encoding="utf-8"))
    for slug in [slug for slug in TOPICS if slug not in REGISTERED]:
        del data["wikis"][slug]
    registry.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


_CONFIG = """---
title: Linden harbour
description: Gates, lights, ferries and pilots of the harbour of Linden
created: 2026-11-01
freshness_threshold: 70
---

# Linden harbour
"""
