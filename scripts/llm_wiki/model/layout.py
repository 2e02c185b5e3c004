"""Where things lie in a wiki: names, required folders and allow-lists (`wiki-format.md` §2, §3).

All of it is data with pure predicates over names; nothing here touches a file system. Paths are
relative to the root, with `/`; the root itself is the empty string.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Literal

INDEX = "_index.md"
CONFIG = "config.md"
SCHEMA = "schema.md"
LOG = "log.md"
MANIFEST = "MANIFEST.md"
WHY = "WHY.md"
REGISTRY = "wikis.json"
SESSIONS = ".sessions"

RAW_FOLDERS = ("articles", "papers", "repos", "notes", "data")
WIKI_FOLDERS = ("concepts", "topics", "references", "theses")
RECORD_FOLDERS = ("items", "ideas", "candidates", "entities", "corpora")
INVENTORY_FOLDERS = (*RECORD_FOLDERS, "views")
DATASET_FOLDERS = ("samples", "profiles", "queries")

SUBFOLDERS: dict[str, tuple[str, ...]] = {
    "raw": RAW_FOLDERS,
    "wiki": WIKI_FOLDERS,
    "inventory": INVENTORY_FOLDERS,
}
"""Planes with a fixed set of folders, in the order every list of them has."""

CHECKED_PLANES = ("raw", "wiki", "inventory", "datasets")
"""Folders below which every Markdown file needs front matter."""

CONTENT_PLANES = (*CHECKED_PLANES, "output")
"""Folders that hold content and, where they exist, an index."""

REQUIRED_FOLDERS = (
    "raw",
    *(f"raw/{name}" for name in RAW_FOLDERS),
    "wiki",
    *(f"wiki/{name}" for name in WIKI_FOLDERS),
    "output",
)
"""The twelve folders of every topic wiki; each needs an `_index.md`."""

INBOX = "inbox"
PROCESSED = "inbox/.processed"
QUARANTINE = "inbox/.unknown"
COVERAGE_PAGE = "wiki/references/uncompiled-source-coverage.md"
PROJECTS = "output/projects"
ASSETS = "output/assets"
ASSET_LIST = "assets-manifest.md"
TOPICS = "topics"
TOPIC_ARCHIVE = "topics/.archive"

TOPIC_FILES = frozenset(
    {
        INDEX,
        CONFIG,
        SCHEMA,
        LOG,
        "README.md",
        ".research-session.json",
        ".thesis-session.json",
        ".session-events.jsonl",
        ".session-checkpoint.json",
    }
)
TOPIC_FOLDERS = frozenset(
    {
        "raw",
        "wiki",
        "output",
        "inbox",
        "inventory",
        "datasets",
        ".obsidian",
        ".librarian",
        ".audit",
        ".sessions",
    }
)
HUB_FILES = frozenset({REGISTRY, INDEX, LOG, "README.md"})
HUB_FOLDERS = frozenset({TOPICS, ".sessions", ".skills", ".obsidian"})

GIT_NAMES = frozenset(
    {
        ".git",
        ".github",
        ".gitignore",
        ".gitattributes",
        ".gitmodules",
        "AGENTS.md",
        "CLAUDE.md",
        "CHANGELOG.md",
        "CODE_OF_CONDUCT.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "LICENSE.md",
        "SECURITY.md",
    }
)
"""Allowed at a root that contains `.git`, besides the names every root may have."""

GIT_TOLERATED = frozenset({"mkdocs.yml", "mkdocs.yaml"})
"""Left alone at a Git root although no part of the format: a site built from the wiki needs them."""

SYSTEM_NAMES = frozenset(
    {".DS_Store", "Icon\r", "Thumbs.db", "desktop.ini", ".gitkeep", ".stfolder", ".trash"}
)
_SYSTEM_PATTERN = re.compile(r"\._.*|.*\.icloud|.*~|\..*\.sw.|\.#.*", re.DOTALL)
LEAF_TOLERATED = frozenset({"assets", "attachments"})

Place = Literal["root", "plane", "datasets", "dataset", "leaf", "exempt", "unknown"]
Verdict = Literal["expected", "tolerated", "unexpected"]

_DATASET_PLACES: tuple[Place, ...] = ("datasets", "dataset", "leaf")

PROJECT_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
TOPIC_SLUG = re.compile(r"[a-z0-9][a-z0-9-]*")
PROJECT_DEPTH = 3
"""Levels of folders allowed below a project folder."""

GITATTRIBUTES = ("log.md merge=union", "_index.md merge=union", "*.jsonl merge=union")


def is_markdown(name: str) -> bool:
    """Tell whether a name is that of a Markdown file; the ending counts in any case."""
    return name[-3:].lower() == ".md"


def is_index(rel: str) -> bool:
    """Tell whether a path is that of an index; its name counts in any case."""
    return rel.rpartition("/")[2].casefold() == INDEX


def is_hidden(rel: str) -> bool:
    """Tell whether any component of a path starts with a dot."""
    return rel.startswith(".") or "/." in rel


def is_ignored(name: str, rel: str = "", *, git_root: bool = False, ignore: Iterable[str] = ()) -> bool:
    """Tell whether a name is never reported and never moved, wherever it lies (§3).

    `ignore` is the list of `config.md`: a pattern with `/` is matched against the whole relative
    path, any other against the name. `git_root` says that the name lies at a root with `.git`.
    """
    if name in SYSTEM_NAMES or _SYSTEM_PATTERN.fullmatch(name):
        return True
    if git_root and (name.startswith(".") or name in GIT_TOLERATED):
        return True
    path = rel or name
    return any(fnmatchcase(path if "/" in pattern else name, pattern.rstrip("/")) for pattern in ignore)


def place_of(folder: str) -> Place:
    """Return which allow-list holds for the names directly in a folder of a topic wiki.

    `unknown` is a folder that is itself unexpected, so that its content is not judged again;
    `exempt` holds anything (`output/`, `inbox/`, hidden folders).
    """
    if not folder:
        return "root"
    plane, *below = folder.split("/")
    if plane in ("output", INBOX) or is_hidden(folder):
        return "exempt"
    if plane == "datasets":
        known = len(below) < 2 or (len(below) == 2 and below[1] in DATASET_FOLDERS)
        return _DATASET_PLACES[len(below)] if known else "unknown"
    if plane not in SUBFOLDERS:
        return "unknown"
    if not below:
        return "plane"
    return "leaf" if len(below) == 1 and below[0] in SUBFOLDERS[plane] else "unknown"


def judge(
    folder: str,
    name: str,
    *,
    is_folder: bool,
    git_root: bool = False,
    ignore: Iterable[str] = (),
) -> Verdict:
    """Say whether a topic wiki expects a name in a folder (allow-list of §3).

    `tolerated` names are no part of the format but never reported and never moved. Names in
    exempt folders are expected; names in an unexpected folder are tolerated, because the folder
    is the finding.
    """
    place = place_of(folder)
    if place == "exempt":
        return "expected"
    if place == "unknown":
        return "tolerated"
    if _is_expected(place, folder, name, is_folder=is_folder, git_root=git_root):
        return "expected"
    rel = f"{folder}/{name}" if folder else name
    if is_ignored(name, rel, git_root=git_root and place == "root", ignore=ignore):
        return "tolerated"
    if place == "leaf" and is_folder and name in LEAF_TOLERATED and folder.startswith(("wiki/", "raw/")):
        return "tolerated"
    return "unexpected"


def _is_expected(place: Place, folder: str, name: str, *, is_folder: bool, git_root: bool) -> bool:
    if place == "root":
        if git_root and name in GIT_NAMES:
            return True
        return name in (TOPIC_FOLDERS if is_folder else TOPIC_FILES)
    if place == "plane":
        return name in SUBFOLDERS[folder] if is_folder else name == INDEX
    if place == "datasets":
        return not name.startswith(".") if is_folder else name == INDEX
    if place == "dataset":
        return name in DATASET_FOLDERS if is_folder else name in (INDEX, MANIFEST)
    return not is_folder and not name.startswith(".") and is_markdown(name)


def judge_hub(name: str, *, is_folder: bool, git_root: bool = False) -> Verdict:
    """Say whether a hub expects a name at its top level (§2); nothing is ever moved there."""
    if name in (HUB_FOLDERS if is_folder else HUB_FILES) or (git_root and name in GIT_NAMES):
        return "expected"
    return "tolerated" if is_ignored(name, git_root=git_root) else "unexpected"


def required_indexes(dirs: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Yield, in order, every existing folder that must hold an `_index.md` (W106).

    `dirs` maps each folder to the names in it. The root is not among them: it has a rule of its
    own. A dataset folder counts once it holds a manifest.
    """
    for folder in REQUIRED_FOLDERS:
        if folder in dirs:
            yield folder
    if "inventory" in dirs:
        yield "inventory"
        yield from (f"inventory/{name}" for name in INVENTORY_FOLDERS if f"inventory/{name}" in dirs)
    if "datasets" in dirs:
        yield "datasets"
        for name in sorted(dirs["datasets"]):
            folder = f"datasets/{name}"
            if not name.startswith(".") and MANIFEST in dirs.get(folder, ()):
                yield folder
                yield from (f"{folder}/{sub}" for sub in DATASET_FOLDERS if f"{folder}/{sub}" in dirs)
