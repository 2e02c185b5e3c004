"""3xx: files in the wrong folder, names nobody expects, names that collide.

A document that says where it belongs is misplaced (W301, W302) and never also unexpected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from llm_wiki.core.text import file_slug, fold, nfc, undated
from llm_wiki.lint.finding import Hit
from llm_wiki.lint.rules.text import contract, demanded, fields_of
from llm_wiki.lint.rules.use import is_used
from llm_wiki.lint.view import View
from llm_wiki.model import layout
from llm_wiki.model.kinds import CATEGORY_OF, KIND_FOLDERS, THESIS_FOLDER, TYPE_FOLDERS, kind_of
from llm_wiki.model.page import Page

_AT_HOME: Final[dict[str, tuple[str, frozenset[str]]]] = {
    **{folder: ("category", frozenset({word})) for folder, word in CATEGORY_OF.items()},
    **{folder: ("type", frozenset({word})) for word, folder in TYPE_FOLDERS.items()},
    THESIS_FOLDER: ("type", frozenset({"thesis"})),
    **{
        folder: ("kind", frozenset(word for word, home in KIND_FOLDERS.items() if home == folder))
        for folder in KIND_FOLDERS.values()
    },
}
"""Leaf folder → the field that decides, and its values that belong there."""

_PLAIN_SLUG = re.compile(r"[a-z0-9]+(?:-+[a-z0-9]+)*")
_LONGEST = 64
"""A slug has at most 60 characters; a further few number names that would be equal."""
_RAW_NAME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}-")
_NAMED = frozenset({"raw", "article", "thesis", "inventory", "view"})


def misplaced(view: View) -> Iterator[Hit]:
    """W301: indexes, search and coverage look for a document where its type says it lies."""
    for page, to in _misplaced(view):
        if not _is_taken(view, to):
            entry = view.snapshot.files.get(page.rel)
            text = f"File is in the wrong directory: it belongs in {to.rpartition('/')[0]}/"
            yield Hit(page.rel, text, _line(page), target=to, fixable=not (entry and entry.link))


def destination_taken(view: View) -> Iterator[Hit]:
    """W302: two documents claim one place; which of them is right is no question for a program."""
    for page, to in _misplaced(view):
        if _is_taken(view, to):
            yield Hit(page.rel, f"File is in the wrong directory, and {to} exists", _line(page), target=to)


def dataset_renamed(page: Page) -> Iterator[Hit]:
    """W303: records point to a data set by its id, readers find it by its folder."""
    if not page.rel.endswith(f"/{layout.MANIFEST}") or kind_of(page.rel) != "manifest":
        return
    folder = page.rel.split("/")[1]
    name = page.text("dataset_id")
    if fields_of(page) and name and nfc(name) != nfc(folder):
        text = f"dataset_id {name} differs from its folder {folder}"
        yield Hit(page.rel, text, page.lines.get("dataset_id", 1), target=name)


def root_file(view: View) -> Iterator[Hit]:
    """W304: what lies loose at the root is in no index and found by nobody; at a hub it stays there."""
    if view.snapshot.kind == "hub":
        for name in _unexpected_at_hub(view, is_folder=False):
            yield Hit(name, f"Unexpected file at the hub: {name}", fixable=False)
        return
    for name in _unexpected_files(view, ""):
        yield _stray(view, "", name, f"Unexpected file at the root: {name}")


def stray_file(view: View) -> Iterator[Hit]:
    """W305: a file that is no document of its folder is in no index and found by nobody."""
    for folder in view.snapshot.dirs:
        if folder and folder not in view.closed:
            for name in _unexpected_files(view, folder):
                page = view.snapshot.pages.get(f"{folder}/{name}")
                if page is None or contract(page) is None:
                    yield _stray(view, folder, name, f"Unexpected file in {folder}/: {name}")


def stray_folder(view: View) -> Iterator[Hit]:
    """W306: nothing in a folder the format does not know is read, indexed or cited."""
    if view.snapshot.kind == "hub":
        for name in _unexpected_at_hub(view, is_folder=True):
            yield Hit(name, f"Unexpected folder at the hub: {name}/")
        return
    for folder, names in view.folders_in.items():
        for name in names:
            if _verdict(view, folder, name, is_folder=True) == "unexpected":
                rel = f"{folder}/{name}" if folder else name
                if rel not in view.closed:
                    yield Hit(rel, f"Unexpected folder: {rel}/")


def names_collide(view: View) -> Iterator[Hit]:
    """W307: on another system, or after syncing, one of two such names overwrites the other."""
    for folder, names in view.snapshot.dirs.items():
        if not names or folder.startswith(layout.INBOX) or not view.judged_names(folder):
            continue
        joined = "/".join(names)
        folded = joined.casefold().split("/") if joined.isascii() else [fold(name) for name in names]
        if len(set(folded)) != len(names):
            first: dict[str, str] = {}
            for name, key in zip(names, folded, strict=True):
                if key in first:
                    rel = f"{folder}/{name}" if folder else name
                    yield Hit(rel, f"Name equals {first[key]} but for case or composition", target=first[key])
                else:
                    first[key] = name


def name_unusual(page: Page) -> Iterator[Hit]:
    """W308: names of lower-case letters, digits and hyphens survive every system and every link."""
    rel = page.rel
    kind = contract(page)
    if kind is None:
        if not _is_loose_output(rel):
            return
    elif kind.name not in _NAMED:
        return
    name = rel.rpartition("/")[2]
    stem = nfc(name[:-3])
    if not name.endswith(".md") or not _is_slug(stem):
        yield Hit(rel, f"Name outside the convention (lower-case letters, digits, hyphens): {name}")
    elif kind is not None and kind.name == "raw" and not _RAW_NAME.match(stem):
        yield Hit(rel, f"Name of a source lacks its date (YYYY-MM-DD-slug.md): {name}")


def manifest_missing(view: View) -> Iterator[Hit]:
    """W309: without a manifest nobody knows what the data is and where it lies."""
    dirs = view.snapshot.dirs
    for name in view.folders_in.get("datasets", ()):
        folder = f"datasets/{name}"
        quiet = name.startswith(".") or folder in view.closed or _is_ignored(view, name, folder)
        if not quiet and layout.MANIFEST not in dirs[folder]:
            yield Hit(folder, f"Data set folder without {layout.MANIFEST}: {folder}/")


def _is_loose_output(rel: str) -> bool:
    return rel.startswith("output/") and rel.count("/") == 1 and kind_of(rel) == "output"


def _is_slug(stem: str) -> bool:
    """Tell whether a name without ending is what `file_slug` would write."""
    if len(undated(stem)) > _LONGEST:
        return False
    if stem.isascii():
        return _PLAIN_SLUG.fullmatch(stem) is not None
    return re.sub("-+", "-", stem) == file_slug(stem, 255)


def _misplaced(view: View) -> Iterator[tuple[Page, str]]:
    """Yield pages that lie elsewhere than their front matter demands, with the path demanded."""
    for folder, pages in view.by_folder.items():
        plane = folder.partition("/")[0]
        if plane not in layout.SUBFOLDERS or _is_quiet(view, folder):
            continue
        field, words = _AT_HOME.get(folder, ("", frozenset()))
        articles = field == "category"
        for page in pages:
            value = page.meta.get(field)
            if value.__class__ is str and value in words and not (articles and "type" in page.meta):
                continue
            to = demanded(page) if page.rel.rpartition("/")[2] != layout.INDEX and fields_of(page) else ""
            if to and to != folder:
                yield page, f"{to}/{page.rel.rpartition('/')[2]}"


def _is_quiet(view: View, folder: str) -> bool:
    """Tell whether a folder lies in one that is tolerated as it is (`assets/`, `ignore`)."""
    parts = folder.split("/")
    return len(parts) > 1 and any(
        _verdict(view, "/".join(parts[:depth]), parts[depth], is_folder=True) == "tolerated"
        and layout.place_of("/".join(parts[:depth])) != "unknown"
        for depth in range(1, len(parts))
    )


def _is_taken(view: View, to: str) -> bool:
    folder, _, name = to.rpartition("/")
    wanted = fold(name)
    return any(fold(other) == wanted for other in view.snapshot.dirs.get(folder, ()))


def _line(page: Page) -> int:
    """Return the line of the field that demands another folder."""
    plane = page.rel.partition("/")[0]
    field = {"wiki": "category", "raw": "type"}.get(plane, "kind")
    if plane == "wiki" and demanded(page) == THESIS_FOLDER:
        field = "type"
    return page.lines.get(field, 1)


def _verdict(view: View, folder: str, name: str, *, is_folder: bool) -> layout.Verdict:
    ignore = view.snapshot.config.ignore
    return layout.judge(folder, name, is_folder=is_folder, git_root=view.git_root, ignore=ignore)


def _is_ignored(view: View, name: str, rel: str) -> bool:
    return layout.is_ignored(name, rel, ignore=view.snapshot.config.ignore)


def _unexpected_files(view: View, folder: str) -> Iterator[str]:
    """Yield unexpected names of files; a picture or attachment that some document uses is none."""
    place = layout.place_of(folder)
    if place in ("exempt", "unknown"):
        return
    names = view.judged_names(folder)
    if place == "leaf":
        names = tuple([name for name in names if name[-3:] != ".md" or name[0] == "."])
    below = view.folders_in.get(folder, ())
    for name in names:
        if name in below or _verdict(view, folder, name, is_folder=False) != "unexpected":
            continue
        rel = f"{folder}/{name}" if folder else name
        if rel not in view.closed and (layout.is_markdown(name) or not is_used(view, rel)):
            yield name


def _unexpected_at_hub(view: View, *, is_folder: bool) -> Iterator[str]:
    below = view.folders_in.get("", ())
    for name in view.snapshot.dirs[""]:
        if (name in below) == is_folder and name not in view.closed:
            verdict = layout.judge_hub(name, is_folder=is_folder, git_root=view.git_root)
            if verdict == "unexpected":
                yield name


def _stray(view: View, folder: str, name: str, text: str) -> Hit:
    """Make the finding; a link and what documents link to stay where they are."""
    rel = f"{folder}/{name}" if folder else name
    entry = view.snapshot.files.get(rel)
    kept = (entry is not None and bool(entry.link)) or is_used(view, rel)
    return Hit(rel, text, fixable=not kept)
