"""Builds the wikis that the cases ask, into a folder: homes with a hub each, and the canaries in them.

A canary is a word that stands nowhere else and is new in every build: whoever prints one has read it
here. In texts of this file and of the cases it is written `{{canary:NAME}}`, its reverse
`{{yranac:NAME}}`. A variant is a home; `base` is the example hub with planted topics, each other
variant is `base` with one difference.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
from pathlib import Path
from typing import NamedTuple

import planted_sessions
from planted import ARCHIVED, INVISIBLE, PAGES, REGISTERED, STALE, TOPICS, VARIANTS
from verbs import PERSON, Verbs

EXAMPLE = Path(__file__).resolve().parent.parent / "wikis/example"
_PLACE = re.compile(r"\{\{(canary|yranac):([a-z0-9-]+)\}\}")
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
            text = text.replace(value, f"{{{{canary:{name}}}}}")
            text = text.replace(value[::-1], f"{{{{yranac:{name}}}}}")
        return planted_sessions.HASHES.sub("HASH", text.replace(str(self.folder), "BUILD"))


def fill(text: str, canaries: dict[str, str]) -> str:
    """Put canaries into a text; a new one for a name that has none yet."""

    def value(found: re.Match[str]) -> str:
        canary = canaries.get(found[2]) or canaries.setdefault(found[2], _new())
        return canary if found[1] == "canary" else canary[::-1]

    return _PLACE.sub(value, text)


def _new() -> str:
    """Return a word of 12 letters without vowels, so that it is no word and stems to itself."""
    return "".join(secrets.choice("bcdfghjklmnpqrtvwxz") for _ in range(12))


def build(folder: Path, *, without: tuple[str, ...] = ()) -> Built:
    """Build all variants below a folder that must not hold them yet.

    `without` are filters that the program which builds them lacks (see `Verbs`).
    """
    canaries: dict[str, str] = {}
    base = folder / "base"
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
        planted_sessions.plant(base, wiki, lambda text: fill(text, canaries))
    _local(base, canaries)
    rel, now, old = STALE
    index = base / "wiki/topics/harbour" / rel
    row = index.read_text(encoding="utf-8")
    index.write_text(row.replace(fill(now, canaries), fill(old, canaries)), encoding="utf-8")
    for name, changes in VARIANTS.items():
        shutil.copytree(base, folder / name)
        for topic, pages in changes.items():
            _write(folder / name / f"wiki/topics/{topic}", pages, canaries)
        with Verbs(folder / name) as wiki:
            for topic in changes:
                wiki.ok("index", "rebuild", "--wiki", topic)
    shutil.copytree(base, folder / "promoted")
    with Verbs(folder / "promoted", without=(*without, PERSON)) as wiki:
        planted_sessions.promote(wiki)
    for name in ("base", "promoted", *VARIANTS):
        _put_away(folder / name / "wiki")
    built = Built(folder, dict(sorted(canaries.items())))
    (folder / "canaries.json").write_text(json.dumps(built.canaries), encoding="utf-8")
    return built


def opened(folder: Path) -> Built:
    """Return a build that lies in a folder."""
    return Built(folder, json.loads((folder / "canaries.json").read_text(encoding="utf-8")))


def _write(root: Path, pages: dict[str, str], canaries: dict[str, str]) -> None:
    for rel, text in pages.items():
        path = root / rel
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


def _put_away(hub: Path) -> None:
    """Archive a topic and take another one out of the registry, as a user's hub may have them."""
    registry = hub / "wikis.json"
    data = json.loads(registry.read_text(encoding="utf-8"))
    for slug in ARCHIVED:
        (hub / "topics/.archive").mkdir(exist_ok=True)
        shutil.move(hub / "topics" / slug, hub / "topics/.archive" / slug)
        data["wikis"][slug] |= {"status": "archived", "path": f"topics/.archive/{slug}"}
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
