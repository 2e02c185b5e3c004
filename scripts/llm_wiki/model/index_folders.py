"""The contract of every folder: which entries, columns and statistics its index has.

One builder per row of the table in `wiki-format.md` §6, with the exact headings and table heads
of §6.1-6.8. Folders come in the order of §3, files by relative path in code points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from llm_wiki.core.errors import WikiError
from llm_wiki.core.text import as_date, fold, nfc
from llm_wiki.model import layout
from llm_wiki.model.index_contract import Column, Contract, Entry, Facts, Section, Statistic, entry
from llm_wiki.model.page import Page

_RAW_DATES = ("updated", "ingested", "created")
_OUTPUT_DATES = ("generated", "updated", "created")


def _field(key: str, item: Entry) -> str:
    return item.page.text(key) if item.page else ""


def _number(key: str, item: Entry) -> str:
    text = _field(key, item)
    return "" if text in ("~", "null", "Null", "NULL") else text


def _list(key: str, item: Entry) -> str:
    return ", ".join(item.page.items(key)) if item.page else ""


def _date(keys: tuple[str, ...], item: Entry) -> str:
    """Return the first date given; "" where the text in its place is none, so that nothing else is told."""
    text = next(filter(None, (_field(key, item) for key in keys)), "")
    return text[:10] if as_date(text) else ""


def _note(item: Entry) -> str:
    return item.note


def _fields(**headers: str) -> tuple[Column, ...]:
    return tuple(Column(header.replace("_", " "), partial(_field, key)) for header, key in headers.items())


FILE_COLUMNS = (
    Column("File"),
    Column("Summary", partial(_field, "summary")),
    Column("Tags", partial(_list, "tags"), several=True),
    Column("Updated", partial(_date, _RAW_DATES)),
)
RECORD_COLUMNS = (
    Column("File"),
    *_fields(Kind="kind", Status="status", Priority="priority", Next_Action="next_action"),
    Column("Updated", partial(_date, _RAW_DATES)),
)
DATASET_COLUMNS = (
    Column("Dataset"),
    *_fields(Status="status", Storage="storage"),
    Column("Formats", partial(_list, "formats"), several=True),
    Column("Size", partial(_number, "size_bytes"), "unknown"),
    Column("Records", partial(_number, "record_count"), "unknown"),
    Column("Updated", partial(_date, _RAW_DATES)),
)
OUTPUT_COLUMNS = (
    Column("Output"),
    *_fields(Type="type"),
    Column("Date", partial(_date, _OUTPUT_DATES)),
)
PROJECT_COLUMNS = (Column("Project"), Column("Goal", _note))


def folder_contract(folder: str, facts: Facts) -> Contract | None:
    """Return the contract of a folder of a topic wiki, or None when it has none.

    None: the root, a folder outside the five content folders, or one with a component that starts
    with a dot. Whether the index exists does not matter.
    """
    plane, *below = folder.split("/")
    if plane not in layout.CONTENT_PLANES or layout.is_hidden(folder):
        return None
    if not below:
        return _PLANES[plane](facts)
    if plane == "datasets" and len(below) == 1:
        return _dataset(folder, facts)
    if plane == "inventory" and len(below) == 1 and below[0] in layout.RECORD_FOLDERS:
        return _leaf(folder, facts, RECORD_COLUMNS, _name)
    return _leaf(folder, facts, FILE_COLUMNS, _title)


def indexed_folders(facts: Facts) -> list[str]:
    """Return every folder with a contract that has an `_index.md`: deepest first, the root last."""
    found = [
        folder
        for folder, names in facts.dirs.items()
        if layout.INDEX in names
        and not layout.is_hidden(folder)
        and folder.split("/", 1)[0] in ("", *layout.CONTENT_PLANES)
    ]
    return sorted(found, key=lambda folder: (-(folder.count("/") + bool(folder)), folder))


def folder_title(folder: str) -> str:
    """Return the heading of a leaf index: `inventory/my-data_set` gives `My Data Set Index`."""
    name = folder.rpartition("/")[2].replace("-", " ").replace("_", " ")
    return " ".join([*(word[:1].upper() + word[1:] for word in name.split()), "Index"])


def markdown_files(folder: str, facts: Facts) -> Iterator[str]:
    """Yield the direct Markdown files of a folder but its index, by path.

    Hidden ones are left out, and links that lead to nothing.
    """
    for name in sorted(facts.dirs.get(folder, ())):
        rel = f"{folder}/{name}" if folder else name
        if (
            layout.is_markdown(name)
            and name != layout.INDEX
            and not name.startswith(".")
            and rel not in facts.dirs
            and nfc(rel) in facts.keys
        ):
            yield rel


def _subfolders(folder: str, known: Iterable[str], facts: Facts) -> list[str]:
    return [f"{folder}/{name}" for name in known if f"{folder}/{name}" in facts.dirs]


def _title(rel: str, page: Page | None) -> str:
    return (page.text("title") if page else "") or rel.rpartition("/")[2][:-3]


def _name(rel: str, _page: Page | None) -> str:
    return rel.rpartition("/")[2]


def _files(
    folder: str, rels: Iterable[str], facts: Facts, text: Callable[[str, Page | None], str]
) -> tuple[Entry, ...]:
    """Return the entries of some files; where the text is the file's name, its title is right too."""
    found = []
    for rel in rels:
        page = facts.pages.get(rel)
        title = page.text("title") if page else ""
        made = entry(folder, rel, text(rel, page), page, also=title if text is _name else "")
        found.append(made if title else made._replace(sure=page is not None and text is _name))
    return tuple(found)


def alive_in(facts: Facts, entries: Iterable[Entry]) -> Callable[[str], bool]:
    """Return the test for link targets of an index.

    Not judged, so alive: what is no Markdown file, what lies outside the root, in hidden folders or
    in `inbox/`.
    """
    keys, exists = facts.keys, facts.exists
    required = frozenset(item.key for item in entries)

    def alive(key: str) -> bool:
        if key in keys or key in required or not layout.is_markdown(key):
            return True
        return key.startswith((".", "inbox/")) or "/." in key or exists(key)

    return alive


def near_in(facts: Facts) -> Callable[[str], bool]:
    """Return the test for link targets that exist under another spelling (W506)."""
    folded: set[str] = set()

    def near(key: str) -> bool:
        if not folded:
            folded.update(map(fold, facts.keys))
        return fold(key) in folded

    return near


def required(folder: str, facts: Facts) -> list[str]:
    """Return the paths, as on disk, of all that the index of a folder must link; [] without a contract.

    They are those of the entries of its contract, in order, for a fraction of what that takes.
    """
    if folder.split("/", 1)[0] not in layout.CONTENT_PLANES or layout.is_hidden(folder):
        return []
    below = [f"{sub}/{layout.INDEX}" for sub in _navigated(folder, facts)]
    return below + _listed(folder, facts)


def missing_message(folder: str) -> str:
    """Return the pinned text of W402 for an entry that the index of a folder lacks."""
    return f"Required {_label(folder)} entry is missing"


def _label(folder: str) -> str:
    """Return what the entries of a folder's index are called."""
    if folder.startswith("datasets/") and folder.count("/") == 1:
        return "dataset manifest or navigation"
    return _LABELS.get(folder, "file")


_LABELS = {
    "raw": "raw category pointer",
    "wiki": "wiki category pointer",
    "inventory": "inventory navigation or record rollup",
    "datasets": "dataset manifest registry",
    "output": "output artifact or project",
}


def _navigated(folder: str, facts: Facts) -> list[str]:
    """Return the folders whose indexes the index of a folder links."""
    if folder in layout.SUBFOLDERS:
        return _subfolders(folder, layout.SUBFOLDERS[folder], facts)
    if folder.startswith("datasets/") and folder.count("/") == 1:
        return _subfolders(folder, layout.DATASET_FOLDERS, facts)
    return []


def _listed(folder: str, facts: Facts) -> list[str]:
    """Return the files, other than indexes, that the index of a folder links."""
    if folder in ("raw", "wiki"):
        return []
    if folder == "inventory":
        return sorted(records(facts))
    if folder == "datasets":
        return manifests(facts)
    direct = list(markdown_files(folder, facts))
    return direct + _projects(facts) if folder == "output" else direct


def _build(folder: str, title: str, sections: list[Section], facts: Facts, *, dated: bool = True) -> Contract:
    filled = tuple(section for section in sections if section.entries or section.form != "pointer")
    entries = [item for section in filled for item in section.entries]
    alive = alive_in(facts, entries)
    return Contract(folder, _label(folder), title, filled, alive, dated=dated, near=near_in(facts))


def _leaf(
    folder: str,
    facts: Facts,
    columns: tuple[Column, ...],
    text: Callable[[str, Page | None], str],
) -> Contract:
    entries = _files(folder, _listed(folder, facts), facts, text)
    return _build(folder, folder_title(folder), [Section("Contents", "table", entries, columns)], facts)


def _pointers(plane: str, title: str, facts: Facts) -> Contract:
    sections = []
    for folder in _navigated(plane, facts):
        rel = f"{folder}/{layout.INDEX}"
        item = entry(plane, rel, rel.removeprefix(f"{plane}/"))
        sections.append(Section(_heading(folder), "pointer", (item,)))
    if plane == "raw":
        total = Statistic("Total sources", str(count_files(plane, facts)), ("Sources", "Raw sources"))
        sections.append(Section("Stats", "statistics", statistics=(total,), dated=True))
    return _build(plane, title, sections, facts, dated=False)


def _heading(folder: str) -> str:
    return folder.rpartition("/")[2].replace("-", " ").title()


def navigation(folder: str, targets: Iterable[tuple[str, str]]) -> Section:
    """Return the Quick Navigation of an index: `targets` are pairs of link text and folder."""
    entries = tuple(entry(folder, f"{target}/{layout.INDEX}", text) for text, target in targets)
    return Section("Quick Navigation", "bullets", entries)


def count_files(plane: str, facts: Facts) -> int:
    """Count `plane/*/*.md` without indexes and hidden names."""
    return sum(
        1
        for name in facts.dirs.get(plane, ())
        if not name.startswith(".")
        for _ in markdown_files(f"{plane}/{name}", facts)
    )


def records(facts: Facts) -> list[str]:
    """Return every file of the five record folders, folder by folder."""
    return [
        rel
        for folder in _subfolders("inventory", layout.RECORD_FOLDERS, facts)
        for rel in markdown_files(folder, facts)
    ]


def _with_status(entries: Iterable[Entry], status: str) -> str:
    return str(sum(1 for item in entries if _field("status", item) == status))


def _inventory(facts: Facts) -> Contract:
    rels = _listed("inventory", facts)
    entries = _files("inventory", rels, facts, _name)
    statistics = [Statistic("Total records", str(len(entries)), ("Records",))]
    for name in layout.RECORD_FOLDERS:
        inside = sum(1 for rel in rels if rel.startswith(f"inventory/{name}/"))
        statistics.append(Statistic(name.title(), str(inside)))
    statistics.extend(Statistic(word.title(), _with_status(entries, word)) for word in ("active", "blocked"))
    folders = _navigated("inventory", facts)
    sections = [
        Section("Statistics", "statistics", statistics=tuple(statistics)),
        navigation("inventory", ((_heading(folder), folder) for folder in folders)),
        Section("Contents", "table", entries, RECORD_COLUMNS),
    ]
    return _build("inventory", "Inventory Index", sections, facts)


def manifests(facts: Facts) -> list[str]:
    """Return the manifest of every dataset that has one."""
    return [
        f"datasets/{name}/{layout.MANIFEST}"
        for name in sorted(facts.dirs.get("datasets", ()))
        if not name.startswith(".") and layout.MANIFEST in facts.dirs.get(f"datasets/{name}", ())
    ]


def _dataset_name(rel: str, page: Page | None) -> str:
    return (page.text("title") if page else "") or rel.split("/")[1]


def _datasets(facts: Facts) -> Contract:
    entries = _files("datasets", _listed("datasets", facts), facts, _dataset_name)
    words = ("active", "external", "unavailable")
    statistics = (
        Statistic("Datasets", str(len(entries)), ("Total datasets",)),
        *(Statistic(word.title(), _with_status(entries, word)) for word in words),
    )
    sections = [
        Section("Statistics", "statistics", statistics=statistics),
        Section("Contents", "table", entries, DATASET_COLUMNS),
    ]
    return _build("datasets", "Dataset Registry Index", sections, facts)


def _dataset(folder: str, facts: Facts) -> Contract:
    inside = _navigated(folder, facts)
    entries = _files(folder, _listed(folder, facts), facts, _title)
    sections = [Section("Contents", "table", entries, FILE_COLUMNS)]
    if inside:
        sections.insert(0, navigation(folder, ((_heading(sub), sub) for sub in inside)))
    return _build(folder, folder_title(folder), sections, facts)


def _projects(facts: Facts) -> list[str]:
    return [
        f"{layout.PROJECTS}/{name}/{layout.WHY}"
        for name in sorted(facts.dirs.get(layout.PROJECTS, ()))
        if not name.startswith(".") and layout.WHY in facts.dirs.get(f"{layout.PROJECTS}/{name}", ())
    ]


def _project(rel: str, facts: Facts) -> Entry:
    from llm_wiki.model.prose import first_paragraph

    page = facts.pages.get(rel)
    try:
        goal = first_paragraph(facts.read(rel), 1)
    except (WikiError, KeyError):
        goal = ""
    return entry("output", rel, (page.title if page else "") or rel.split("/")[2], page, note=goal)


def _output(facts: Facts) -> Contract:
    rels = _listed("output", facts)
    reasons = [rel for rel in rels if rel.startswith(f"{layout.PROJECTS}/")]
    entries = _files("output", rels[: len(rels) - len(reasons)], facts, _title)
    sections = [Section("Outputs", "table", entries, OUTPUT_COLUMNS)]
    projects = tuple(_project(rel, facts) for rel in reasons)
    if projects:
        sections.append(Section("Projects", "table", projects, PROJECT_COLUMNS))
    return _build("output", "Output Artifacts", sections, facts)


_PLANES: dict[str, Callable[[Facts], Contract]] = {
    "raw": partial(_pointers, "raw", "Raw Sources Index"),
    "wiki": partial(_pointers, "wiki", "Wiki Articles"),
    "inventory": _inventory,
    "datasets": _datasets,
    "output": _output,
}
