"""Rules W801-W810: projects below `output/projects/`, and loose outputs that want to be one.

Archived projects (`.archive/`) and other hidden folders are out of use and not looked at.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING

from llm_wiki.core.errors import WikiError
from llm_wiki.core.text import as_date
from llm_wiki.lint.finding import Hit
from llm_wiki.lint.rules.copies import copies
from llm_wiki.lint.rules.graph import spread
from llm_wiki.lint.rules.text import entries
from llm_wiki.model import assets, layout
from llm_wiki.model.kinds import KIND_FOLDERS, OUTPUT_TYPES

if TYPE_CHECKING:
    from llm_wiki.lint.view import View

LEGACY = "_project.md"
"""Older form of `WHY.md`."""

BINARIES = frozenset({"png", "jpg", "jpeg", "pdf", "csv", "svg", "zip"})
"""Endings of files that belong into a project, not loose into `output/` (W805)."""

CANDIDATE_SIZE = 3
"""Loose outputs with one prefix from which a project is suggested (W807)."""

_SHORTEST_PREFIX = 4
_SUSPECT_BYTES = 256
"""A `WHY.md` with no more than this beside its headings is looked into."""

_DATED_SLUG = re.compile(r"(?:^|-)\d{4}-\d{2}(?:-\d{2})?(?:-|$)")
_NO_TEXT = re.compile(r"\s*(?:=+|-+|\*+|#+)?\s*")
_VERSION = re.compile(r"-(?:v\d+|final|release|draft)(?=-|$)")
_DATE = re.compile(r"-?\d{4}-\d{2}-\d{2}-?")


def _projects(view: View) -> list[str]:
    """Return the names of the project folders, hidden ones left out."""
    dirs = view.snapshot.dirs
    names = dirs.get(layout.PROJECTS, ())
    return [name for name in names if not name.startswith(".") and f"{layout.PROJECTS}/{name}" in dirs]


# --- projects ------------------------------------------------------------------------------


def reason_missing(view: View) -> Iterator[Hit]:
    """W801: a project without a stated reason cannot be judged, continued or ended."""
    dirs = view.snapshot.dirs
    for name in _projects(view):
        folder = f"{layout.PROJECTS}/{name}"
        if LEGACY in dirs[folder] or folder in view.closed:
            continue
        if layout.WHY not in dirs[folder] or f"{folder}/{layout.WHY}" in dirs:
            yield Hit(folder, f"Project has no {layout.WHY}: {name}", target=f"{folder}/{layout.WHY}")
        elif _is_hollow(view, f"{folder}/{layout.WHY}"):
            yield Hit(f"{folder}/{layout.WHY}", f"Project gives no reason: {layout.WHY} has no text")


def _is_hollow(view: View, rel: str) -> bool:
    """Tell whether a file holds nothing but headings and blanks.

    Size and headings tell for all but the smallest files; only those are read.
    """
    page = view.snapshot.pages.get(rel)
    if page is None:
        return False
    size = view.snapshot.files[rel].size
    if size > sum(len(heading.text.encode()) for heading in page.headings) + _SUSPECT_BYTES:
        return False
    try:
        text = view.snapshot.read(rel).decode("utf-8-sig", "replace")
    except WikiError:
        return False
    headings = {heading.line for heading in page.headings}
    lines = enumerate(text.splitlines(), 1)
    return all(
        number < page.body_line or number in headings or _NO_TEXT.fullmatch(line) for number, line in lines
    )


def slug_invalid(view: View) -> Iterator[Hit]:
    """W802: the folder name is the project's slug; it must be short, plain and undated."""
    for name in _projects(view):
        bad = not layout.PROJECT_SLUG.fullmatch(name) or _DATED_SLUG.search(name)
        if bad or "--" in name or name.endswith("-"):
            message = (
                f"Project slug must be a-z, 0-9 and single hyphens, at most 40 characters, no date: {name}"
            )
            yield Hit(f"{layout.PROJECTS}/{name}", message, target=name)


def member_stale(view: View) -> Iterator[Hit]:
    """W803: a source of a project's member came in after the member was last worked on."""
    for page in view.kind("output"):
        parts = page.rel.split("/")
        if len(parts) < 4 or parts[1] != "projects":
            continue
        done = as_date(page.text("updated")) or as_date(page.text("generated"))
        if done is None:
            continue
        newer = [rel for rel in _chain(view, page.rel) if (day := _ingested(view, rel)) and day > done]
        if newer:
            message = f"Member is older than its sources: {spread(newer)}"
            yield Hit(page.rel, message, page.lines.get("updated", 0), target=newer[0])


def _chain(view: View, rel: str) -> list[str]:
    """Return the raw files that a page rests on, directly or through what it cites, by path."""
    seen: set[str] = set()
    pending = [rel]
    while pending:
        path = pending.pop()
        page = view.snapshot.pages.get(path)
        if path in seen or page is None:
            continue
        seen.add(path)
        if path not in view.raw:
            found = (view.sources.resolve(path, item) for _, item in entries(page, "sources"))
            pending += [one.path for one in found if one.path]
    return sorted(view.raw & seen)


def _ingested(view: View, rel: str) -> date | None:
    return as_date(view.snapshot.pages[rel].text("ingested"))


def legacy_form(view: View) -> Iterator[Hit]:
    """W804: `_project.md` is the older form of `WHY.md`."""
    for name in _projects(view):
        folder = f"{layout.PROJECTS}/{name}"
        if LEGACY in view.snapshot.dirs[folder]:
            message = f"Project uses the older form {LEGACY}; {layout.WHY} takes its place"
            yield Hit(f"{folder}/{LEGACY}", message)


def nested_deep(view: View) -> Iterator[Hit]:
    """W810: below three levels nobody finds a file; one finding a project, at its deepest folder."""
    deepest: dict[str, str] = {}
    for folder in view.snapshot.dirs:
        parts = folder.split("/")
        too_deep = len(parts) > 3 + layout.PROJECT_DEPTH and not layout.is_hidden(folder)
        if too_deep and parts[:2] == ["output", "projects"]:
            deepest[parts[2]] = max(deepest.get(parts[2], ""), folder, key=lambda path: path.count("/"))
    for name, folder in sorted(deepest.items()):
        levels = folder.count("/") - 2
        message = f"Project {name} is nested {levels} levels deep, more than {layout.PROJECT_DEPTH}"
        yield Hit(folder, message)


# --- candidates ----------------------------------------------------------------------------


def _loose(view: View) -> list[str]:
    """Return the names of the files directly in `output/`."""
    dirs = view.snapshot.dirs
    return [name for name in dirs.get("output", ()) if f"output/{name}" not in dirs]


def loose_binary(view: View) -> Iterator[Hit]:
    """W805: images, tables and archives belong to the project or article they serve."""
    for name in _loose(view):
        if name.rpartition(".")[2].lower() in BINARIES and not name.startswith("."):
            yield Hit(f"output/{name}", "Loose file in output/: put it into a project")


def loose_folder(view: View) -> Iterator[Hit]:
    """W806: folders of outputs are projects; `output/assets/` holds media that a manifest lists."""
    dirs = view.snapshot.dirs
    for name in dirs.get("output", ()):
        folder = f"output/{name}"
        if folder not in dirs or name.startswith(".") or folder in (layout.PROJECTS, layout.ASSETS):
            continue
        yield Hit(folder, f"Folder in output/ is no project: {name}/")
    for folder, files in _asset_folders(view).items():
        yield from _assets(view, folder, files)


def _asset_folders(view: View) -> dict[str, list[str]]:
    """Return the files below each folder of `output/assets/`, and those directly in it, by folder."""
    found: dict[str, list[str]] = defaultdict(list)
    start = f"{layout.ASSETS}/"
    asked = view.asked is None or any(rel.startswith(start) for rel in view.asked)
    if layout.ASSETS not in view.snapshot.dirs or not asked:
        return found
    for rel, entry in view.snapshot.files.items():
        if rel.startswith(start) and not entry.link and not layout.is_hidden(rel) and rel not in copies(view):
            name = rel.rpartition("/")[2]
            special = name in (layout.ASSET_LIST, layout.INDEX)
            if not special and not layout.is_ignored(name, rel, ignore=view.snapshot.config.ignore):
                folder, slash, _ = rel[len(start) :].partition("/")
                found[start + folder if slash else layout.ASSETS].append(rel)
    return found


def _assets(view: View, folder: str, files: list[str]) -> Iterator[Hit]:
    """Compare the files of one asset folder with the manifests in it and above their folders."""
    manifests = {}
    for place in sorted({above for rel in files for above in _above(rel)}):
        if layout.ASSET_LIST in view.snapshot.dirs.get(place, ()):
            with suppress(WikiError, KeyError):
                manifests[place] = assets.listed(place, view.snapshot.read(f"{place}/{layout.ASSET_LIST}"))
    if not manifests:
        yield Hit(folder, f"Assets without {layout.ASSET_LIST}: {spread(files)}")
        return
    found = assets.check(files, manifests, view.snapshot.digests(files))
    for paths, text in (
        (found.unlisted, f"{layout.ASSET_LIST} does not list with a SHA-256"),
        (found.different, f"{layout.ASSET_LIST} has another SHA-256 for"),
        (found.unread, f"Cannot be read and compared with {layout.ASSET_LIST}"),
    ):
        if paths:
            yield Hit(folder, f"{text}: {spread(paths)}", target=paths[0])


def _above(rel: str) -> Iterator[str]:
    """Yield the folders above an asset, up to `output/assets/`."""
    while (rel := rel.rpartition("/")[0]).startswith(layout.ASSETS):
        yield rel


def project_candidate(view: View) -> Iterator[Hit]:
    """W807: several loose outputs about one thing want to be a project."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in _loose(view):
        if layout.is_markdown(name) and name != layout.INDEX and not name.startswith("schema-proposal-"):
            prefix = _prefix(name[:-3])
            if len(prefix) >= _SHORTEST_PREFIX:
                groups[prefix].append(name)
    for prefix, names in sorted(groups.items()):
        if len(names) >= CANDIDATE_SIZE:
            message = f"Outputs could be a project {prefix}: {spread(names)}"
            yield Hit("output", message, target=prefix)


def _prefix(stem: str) -> str:
    """Return what an output is about: its name without type word, dates and version words."""
    stem = stem.lower()
    for word in OUTPUT_TYPES:
        if stem.startswith(word + "-"):
            stem = stem[len(word) + 1 :]
            break
    return _VERSION.sub("", _DATE.sub("-", stem)).strip("-")


def looks_like_record(view: View) -> Iterator[Hit]:
    """W808: an output with the fields of an inventory record is tracked by nobody where it lies."""
    for page in view.kind("output"):
        if page.text("kind") in KIND_FOLDERS or {"status", "priority"} <= page.meta.keys():
            message = "Output has the fields of an inventory record: keep it in inventory/"
            yield Hit(page.rel, message, page.lines.get("kind", 0))


def looks_like_dataset(view: View) -> Iterator[Hit]:
    """W809: an output with the fields of a data set manifest is not found among the data sets."""
    for page in view.kind("output"):
        if "dataset_id" in page.meta or {"storage", "locations"} <= page.meta.keys():
            message = "Output has the fields of a data set manifest: keep it in datasets/"
            yield Hit(page.rel, message, page.lines.get("dataset_id", 0))
