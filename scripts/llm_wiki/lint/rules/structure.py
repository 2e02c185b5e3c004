"""1xx: the root, its folders and files, and whether their text can be read at all.

A fault here hides others on purpose: a missing folder is not also a missing index, a file that
is not UTF-8 has no further finding.
"""

from __future__ import annotations

from collections.abc import Iterator

from llm_wiki.core.errors import WikiError
from llm_wiki.core.text import nfc
from llm_wiki.lint.finding import Finding, Hit, Severity
from llm_wiki.lint.rules.text import contract, faults
from llm_wiki.lint.view import View
from llm_wiki.model import layout
from llm_wiki.model.page import Page, Problem

_HIDES_FRONT = frozenset({"encoding", "conflict"})
_INBOX = f"{layout.INBOX}/"
"""What people drop there is not judged, whatever it is."""
_ODD = ("bom", "mixed-eol", "control")


def hub_file_missing(view: View) -> Iterator[Hit]:
    """W101: without index and log a hub can be neither read nor followed."""
    names = view.snapshot.dirs[""]
    for name in (layout.INDEX, layout.LOG):
        if name not in names:
            yield Hit(name, f"Hub file is missing: {name}")


def master_index_missing(view: View) -> Iterator[Hit]:
    """W102: the master index is where every reader starts and what marks a topic as initialised."""
    if layout.INDEX not in view.snapshot.dirs[""]:
        yield Hit(layout.INDEX, "Master _index.md is missing")


def config_missing(view: View) -> Iterator[Hit]:
    """W103: title and scope of a topic are stated in `config.md`; they cannot be guessed."""
    if layout.CONFIG not in view.snapshot.dirs[""]:
        yield Hit(layout.CONFIG, "config.md is missing: it holds title and scope")


def guide_missing(view: View) -> Iterator[Hit]:
    """W104: the topic guide is optional; a starter costs nothing and rules nothing."""
    if layout.SCHEMA not in view.snapshot.dirs[""]:
        yield Hit(layout.SCHEMA, "Topic guide schema.md is missing")


def folder_missing(view: View) -> Iterator[Hit]:
    """W105: the twelve folders of a topic exist even when empty; of nested ones the outer is named."""
    dirs = view.snapshot.dirs
    files = view.snapshot.files
    for folder in layout.REQUIRED_FOLDERS:
        parent, _, name = folder.rpartition("/")
        if parent in dirs and parent not in view.closed and name not in dirs[parent]:
            yield Hit(folder, f"Required folder is missing: {folder}/")
        elif folder in files and not files[folder].link:
            yield Hit(folder, f"A file stands where the required folder {folder}/ belongs")


def index_missing(view: View) -> Iterator[Hit]:
    """W106: each managed folder that exists is entered through its `_index.md`."""
    dirs = view.snapshot.dirs
    for folder in layout.required_indexes(dirs):
        if layout.INDEX not in dirs[folder] and folder not in view.closed:
            yield Hit(f"{folder}/{layout.INDEX}", "Required _index.md is missing")


def inbox_missing(view: View) -> Iterator[Hit]:
    """W107: people drop files into `inbox/`; without it they drop them anywhere."""
    if layout.INBOX not in view.snapshot.dirs[""]:
        yield Hit(layout.INBOX, "inbox/ is missing")


def symlink_leaves(view: View) -> Iterator[Hit]:
    """W108: what a link outside the root points to is no part of the wiki and is never written."""
    for rel, code, text in view.snapshot.problems:
        if code == "outside" and not rel.startswith(_INBOX):
            link = view.snapshot.files[rel].link
            yield Hit(rel, f"{text[:1].upper()}{text[1:]}; its content is not checked", target=link)


def not_utf8(page: Page) -> Iterator[Hit]:
    """W110: a byte that is not UTF-8 is shown differently by every program (an index: W401)."""
    problem = faults(page).get("encoding")
    if problem and not _is_index(page):
        yield Hit(page.rel, _said("File is not UTF-8", problem), problem.line)


def front_missing(page: Page) -> Iterator[Hit]:
    """W111: without front matter a document has no title, date or tags to be found by."""
    if page.front == "missing" and _front_expected(page):
        yield Hit(page.rel, "Front matter is missing: the file must begin with a --- line", 1)


def front_unclosed(page: Page) -> Iterator[Hit]:
    """W112: without the closing line nobody knows where the text begins."""
    if page.front == "unclosed" and _front_expected(page):
        yield Hit(page.rel, "Front matter is not closed: no second --- line", 1)


def unreadable(view: View) -> Iterator[Hit]:
    """W113: what cannot be read cannot be checked, and must not be taken for absent (an index: W401)."""
    for rel, code, text in view.snapshot.problems:
        if code == "unreadable" and rel.rpartition("/")[2] != layout.INDEX and not rel.startswith(_INBOX):
            yield Hit(rel, f"Cannot read {rel}: {text}")


def front_invalid(page: Page) -> Iterator[Hit]:
    """W114: every reader must see the same fields; what is not YAML is read by luck."""
    if page.front == "invalid" and _front_expected(page):
        problem = faults(page).get("yaml")
        text = (
            _said("Front matter is not valid YAML", problem) if problem else "Front matter is not valid YAML"
        )
        yield Hit(page.rel, text, problem.line if problem else 1)


def key_twice(page: Page) -> Iterator[Hit]:
    """W115: of a key written twice one value is silently lost."""
    if page.front == "ok" and page.row[12] and _front_expected(page):
        for problem in page.problems:
            if problem.code == "duplicate":
                yield Hit(
                    page.rel, f"Key is written twice: {problem.detail}", problem.line, target=problem.detail
                )


def odd_bytes(page: Page) -> Iterator[Hit]:
    """W116: harmless here, but other tools show, compare or merge such files wrongly."""
    found = faults(page)
    if "encoding" in found:
        return
    odd = [found[code] for code in _ODD if code in found]
    if odd:
        words = {"bom": "a byte order mark", "mixed-eol": "mixed line endings", "control": "control bytes"}
        text = ", ".join(words[problem.code] for problem in odd)
        yield Hit(page.rel, f"File holds {text}", min(problem.line for problem in odd))


def oversize(page: Page) -> Iterator[Hit]:
    """W117: links in there are not read, so broken ones are not seen; a source's links never are."""
    problem = faults(page).get("oversize")
    if problem:
        severity: Severity | None = "info" if page.rel.startswith("raw/") else None
        text = _said("Too large to scan for links", problem)
        yield Hit(page.rel, text, problem.line, severity=severity)


def conflict_markers(page: Page) -> Iterator[Hit]:
    """W118: an unfinished Git merge holds two versions; one of them is wrong."""
    problem = faults(page).get("conflict")
    if problem:
        yield Hit(page.rel, "Git conflict markers: finish the merge", problem.line)


def conflict_in_source(view: View, finding: Finding) -> Finding:
    """Second look at W118: a source captured with such lines has its locked hash and is only noted."""
    rel = finding.path or ""
    if rel.startswith("raw/") and _is_locked(view, rel):
        return finding._replace(severity="info", message="Git conflict markers in the captured text")
    return finding


def _is_locked(view: View, rel: str) -> bool:
    """Tell whether the newest lock line of a source has the hash of its present body."""
    from llm_wiki.admit.rawlock import load_lock
    from llm_wiki.model.document import body_hash

    try:
        entry = load_lock(view.snapshot.root).entries.get(nfc(rel))
        return entry is not None and entry.content_sha256 == body_hash(view.snapshot.read(rel))
    except WikiError:
        return False


def _front_expected(page: Page) -> bool:
    """Tell whether a front matter fault of this page is a finding of its own."""
    return contract(page) is not None and _HIDES_FRONT.isdisjoint(faults(page))


def _is_index(page: Page) -> bool:
    return page.rel.rpartition("/")[2] == layout.INDEX


def _said(text: str, problem: Problem) -> str:
    return f"{text}: {problem.detail}" if problem.detail else text
