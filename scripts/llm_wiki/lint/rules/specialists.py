"""Rule W920: the library of review methods in a hub's `.skills/` (`adapters-specialists.md` §2).

A method instructs whoever loads it, so a package must be exactly what it says: Markdown in the
known sections, no tools, nothing that runs. The snapshot does not enter hidden folders; the
library is read here, file by file, when there is one.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llm_wiki.core.errors import WikiError
from llm_wiki.core.files import read_bytes
from llm_wiki.core.text import is_date
from llm_wiki.lint.finding import Hit
from llm_wiki.model import document, layout
from llm_wiki.model.page import Page
from llm_wiki.wiki.listing import reason

if TYPE_CHECKING:
    from llm_wiki.lint.view import View

LIBRARY = ".skills"
REGISTRY = "registry.json"
SKILL = "SKILL.md"
REFERENCES = "references"

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
MAX_NAME = 64
MAX_DESCRIPTION = 1024
MAX_BYTES = 256 * 1024
"""Largest file of a package."""

KEYS = frozenset({"name", "description", "license", "compatibility", "metadata"})
"""Front matter a package may have; whatever grants tools, hooks or models is not among it."""

METADATA = ("llm-wiki-kind", "version", "risk-tier", "reviewed")
GRANTS = frozenset({"allowed-tools", "allowed_tools", "tools", "hooks", "model"})
"""Keys that would grant a package something, forbidden in its metadata as well."""

RISK_TIERS = ("low", "medium", "high")

SECTIONS = (
    "Mandate",
    "Non-claims",
    "Use when",
    "Do not use when",
    "Required inputs",
    "Method",
    "Output contract",
    "Stop and escalation rules",
    "Tool posture",
    "Evaluation cases",
    "Provenance and maintenance",
)
"""Level-one headings of `SKILL.md`."""

_SEMVER = re.compile(
    r"(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)"
    r"(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)
_RUNNABLE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH


def library_faulty(view: View) -> Iterator[Hit]:
    """W920: every fault of the specialist library; a hub without one is fine."""
    hub = view.snapshot.root
    folder = hub / LIBRARY
    if LIBRARY not in view.snapshot.dirs.get("", ()):
        return
    if folder.is_symlink() or not folder.is_dir():
        yield Hit(LIBRARY, "Specialist library is no folder of the hub")
        return
    packages = []
    for name in _names(folder):
        path = folder / name
        if name in (layout.INDEX, REGISTRY) or layout.is_ignored(name) or name == ".git":
            continue
        if path.is_dir() and not path.is_symlink() and NAME.fullmatch(name):
            packages.append(name)
            yield from _package(path, f"{LIBRARY}/{name}")
        else:
            yield Hit(f"{LIBRARY}/{name}", f"Unexpected entry in the specialist library: {name}")
    if layout.INDEX not in _names(folder):
        yield Hit(f"{LIBRARY}/{layout.INDEX}", "Specialist library has no _index.md")
    yield from _registry(view, folder / REGISTRY, packages)


def _names(folder: Path) -> list[str]:
    """Return the sorted names in a folder, nothing of one that may not be listed."""
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return []


# --- registry ------------------------------------------------------------------------------


def _registry(view: View, path: Path, packages: list[str]) -> Iterator[Hit]:
    """Check `registry.json`: which topic has enabled which package."""
    rel = f"{LIBRARY}/{REGISTRY}"
    try:
        value = json.loads(read_bytes(path).decode("utf-8-sig"))
    except UnicodeDecodeError:
        yield Hit(rel, "Specialist registry is not UTF-8")
        return
    except (ValueError, RecursionError) as error:
        yield Hit(rel, f"Specialist registry is not valid JSON: {error}")
        return
    except WikiError as error:
        yield Hit(rel, f"Specialist registry cannot be read: {_reason(error, path, rel)}")
        return
    if not isinstance(value, dict) or value.get("schema_version") != 1:
        yield Hit(rel, "Specialist registry must be an object with schema_version 1")
        return
    topics = value.get("topics")
    if not isinstance(topics, dict):
        yield Hit(rel, "Specialist registry must hold an object called topics")
        return
    for topic, names in topics.items():
        yield from _enabled(view, topic, names, packages)


def _enabled(view: View, topic: str, names: Any, packages: list[str]) -> Iterator[Hit]:
    """Check the packages one topic has enabled; an archived topic keeps its list in silence."""
    rel = f"{LIBRARY}/{REGISTRY}"
    registry = view.snapshot.registry
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        yield Hit(rel, f"Specialists of topic {topic} must be a list of names", target=topic)
        return
    if registry is not None and topic not in registry.entries:
        folders = (f"{layout.TOPICS}/{topic}", f"{layout.TOPIC_ARCHIVE}/{topic}")
        if not any(folder in view.snapshot.dirs for folder in folders):
            yield Hit(rel, f"Specialists are enabled for an unknown topic: {topic}", target=topic)
    for name in dict.fromkeys(names):
        if name not in packages:
            yield Hit(rel, f"Topic {topic} enables a specialist that does not exist: {name}", target=name)


# --- packages ------------------------------------------------------------------------------


def _package(folder: Path, rel: str) -> Iterator[Hit]:
    """Check one package: its files, then what `SKILL.md` says."""
    if len(folder.name) > MAX_NAME:
        yield Hit(rel, f"Specialist name is longer than {MAX_NAME} characters")
    for name in _names(folder):
        path, inner = folder / name, f"{rel}/{name}"
        if layout.is_ignored(name):
            continue
        if name == REFERENCES and path.is_dir() and not path.is_symlink():
            yield from _references(path, inner)
        elif name == SKILL:
            yield from _skill(path, inner, folder.name)
        else:
            yield Hit(inner, f"A specialist holds {SKILL} and {REFERENCES}/*.md only: {name}")
    if SKILL not in _names(folder):
        yield Hit(f"{rel}/{SKILL}", f"Specialist has no {SKILL}")


def _references(folder: Path, rel: str) -> Iterator[Hit]:
    for name in _names(folder):
        path, inner = folder / name, f"{rel}/{name}"
        if layout.is_ignored(name):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _references(path, inner)
        elif layout.is_markdown(name):
            _, faults = _text(path, inner)
            yield from faults
        else:
            yield Hit(inner, f"A specialist's references are Markdown files: {name}")


def _reason(error: OSError | WikiError, path: Path, rel: str) -> str:
    """Say why a file cannot be read, without the place of the hub on this machine."""
    text = reason(error) if isinstance(error, OSError) else error.message
    return text.replace(str(path), rel)


def _text(path: Path, rel: str) -> tuple[bytes | None, list[Hit]]:
    """Read one file of a package; None when it may not be used, with the reasons."""
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            return None, [Hit(rel, "A specialist holds no symbolic links")]
        if status.st_size > MAX_BYTES:
            return None, [Hit(rel, f"File is larger than {MAX_BYTES // 1024} KiB")]
        data = read_bytes(path)
        data.decode()
    except UnicodeDecodeError:
        return None, [Hit(rel, "File is not UTF-8")]
    except (OSError, WikiError) as error:
        return None, [Hit(rel, f"File cannot be read: {_reason(error, path, rel)}")]
    runnable = os.name == "posix" and status.st_mode & _RUNNABLE
    return data, [Hit(rel, "A specialist's files are not executable")] if runnable else []


def _skill(path: Path, rel: str, name: str) -> Iterator[Hit]:
    """Check front matter and sections of one `SKILL.md`."""
    data, faults = _text(path, rel)
    yield from faults
    if data is None:
        return
    page = document.page(rel, data)
    if page.front != "ok":
        yield Hit(rel, "Front matter is missing or not valid", 1)
        return
    for problem in page.problems:
        if problem.code == "duplicate":
            yield Hit(rel, f"Key is written twice: {problem.detail}", problem.line)
    yield from _front(page, name)
    yield from _metadata(page)
    yield from _sections(page, data)


def _front(page: Page, name: str) -> Iterator[Hit]:
    for key in page.meta.keys() - KEYS:
        text = "grants something" if key in GRANTS else "is not known"
        yield Hit(page.rel, f"Key {key} {text} and is not allowed", page.lines.get(key, 1), target=key)
    if page.text("name") != name:
        yield Hit(page.rel, f"name must be the folder's: {name}", page.lines.get("name", 1), target="name")
    if not 1 <= len(page.text("description")) <= MAX_DESCRIPTION:
        message = f"description must have 1 to {MAX_DESCRIPTION} characters"
        yield Hit(page.rel, message, page.lines.get("description", 1), target="description")


def _metadata(page: Page) -> Iterator[Hit]:
    value = page.meta.get("metadata")
    line = page.lines.get("metadata", 1)
    if not isinstance(value, dict):
        yield Hit(page.rel, f"metadata must hold {', '.join(METADATA)}", line, target="metadata")
        return
    for key in sorted(value.keys() & GRANTS):
        yield Hit(page.rel, f"Key {key} grants something and is not allowed", line, target=key)
    if value.get("llm-wiki-kind") != "specialist":
        yield Hit(page.rel, "llm-wiki-kind must be specialist", line, target="llm-wiki-kind")
    if not _SEMVER.fullmatch(str(value.get("version"))):
        yield Hit(page.rel, "version must be a semantic version such as 1.0.0", line, target="version")
    if value.get("risk-tier") not in RISK_TIERS:
        yield Hit(page.rel, f"risk-tier must be one of {', '.join(RISK_TIERS)}", line, target="risk-tier")
    reviewed = str(value.get("reviewed"))
    if len(reviewed) != len("YYYY-MM-DD") or not is_date(reviewed):
        yield Hit(page.rel, "reviewed must be a date YYYY-MM-DD", line, target="reviewed")


def _sections(page: Page, data: bytes) -> Iterator[Hit]:
    """Check that each required section is there once and says something."""
    tops = [heading for heading in page.headings if heading.level == 1]
    lines = data.decode().splitlines()
    for section in SECTIONS:
        found = [place for place, heading in enumerate(tops) if heading.text == section]
        if len(found) != 1:
            state = "missing" if not found else "repeated"
            yield Hit(page.rel, f"Section is {state}: {section}", target=section)
            continue
        start = tops[found[0]].line
        end = tops[found[0] + 1].line - 1 if found[0] + 1 < len(tops) else len(lines)
        if not any(line.strip(" \t#=-") for line in lines[start:end]):
            yield Hit(page.rel, f"Section is empty: {section}", start, target=section)
