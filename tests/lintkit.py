"""A small clean topic wiki, ways to damage it, and one call to lint it.

`sample` writes the wiki of the format page with every index in place: linted at `TODAY`
it gives no finding, not even an info. `full` adds inventory, a data set, an output and a
project. A test changes one thing (`write`, `edit`, `field`, `drop`, …), calls `reindex`
when the change is not about an index, and asks `one(root, "W201")` for the single finding.

The indexes here are written by hand from `wiki-format.md` §6, not by the product.
"""

import hashlib
import os
import shutil
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import yaml

TODAY = date(2026, 1, 10)
TYPES = ("articles", "papers", "repos", "notes", "data")
CATEGORIES = ("concepts", "topics", "references", "theses")
RECORDS = ("items", "ideas", "candidates", "entities", "corpora")
NOTES = ("samples", "profiles", "queries")

HARVEST = "raw/articles/2026-01-02-tea-harvest.md"
STUDY = "raw/papers/2026-01-03-leaf-oxidation-study.md"
TASTING = "raw/notes/2026-01-04-tasting-session.md"
OXIDATION = "wiki/concepts/oxidation.md"
GREEN = "wiki/topics/green-tea.md"
GRADES = "wiki/references/tea-grades.md"
THESIS = "wiki/theses/shade-growing.md"
IDEA = "inventory/ideas/tea-almanac.md"
ITEM = "inventory/items/cast-iron-kettle.md"
MANIFEST = "datasets/auction-prices/MANIFEST.md"
REPORT = "output/report-harvest-calendar-2026-01-08.md"
WHY = "output/projects/tea-almanac/WHY.md"


# --- files ---------------------------------------------------------------------------------


def write(root: Path, rel: str, content: str | bytes = "") -> Path:
    """Write a file below root (folders are made) and return its path."""
    path = root / rel
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(root: Path, rel: str) -> str:
    return (root / rel).read_bytes().decode()


def edit(root: Path, rel: str, old: str, new: str) -> None:
    """Replace text that occurs exactly once."""
    text = read(root, rel)
    assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {rel}"
    write(root, rel, text.replace(old, new))


def field(root: Path, rel: str, key: str, value: str) -> None:
    """Set a front matter key to raw YAML text (a block starts with a newline); add it at the end if new."""
    lines = read(root, rel).split("\n")
    end = lines.index("---", 1)
    found = [number for number in range(1, end) if lines[number].startswith(key + ":")]
    text = f"{key}: {value}" if value and not value.startswith("\n") else f"{key}:{value}"
    if not found:
        lines.insert(end, text)
    else:
        stop = found[0] + 1
        while stop < end and lines[stop][:1] in (" ", "-"):
            stop += 1
        lines[found[0] : stop] = [text]
    write(root, rel, "\n".join(lines))


def drop(root: Path, rel: str, key: str) -> None:
    """Remove a front matter key with its block."""
    field(root, rel, key, "")
    edit(root, rel, f"\n{key}:\n", "\n")


def move(root: Path, rel: str, to: str) -> None:
    (root / to).parent.mkdir(parents=True, exist_ok=True)
    (root / rel).rename(root / to)


def tree(root: Path) -> dict[str, str]:
    """Every file's digest, every link's target, every folder: equal trees are equal dicts."""
    result = {}
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = Path(folder, name)
            rel = path.relative_to(root).as_posix()
            if path.is_symlink():
                result[rel] = "-> " + str(path.readlink())
            elif path.is_file():
                result[rel] = hashlib.sha256(path.read_bytes()).hexdigest()
            else:
                result[rel] = "folder"
    return result


# --- documents -----------------------------------------------------------------------------


def document(fields: dict[str, str | list[str]], body: str) -> str:
    lines = ["---"]
    for key, value in fields.items():
        if isinstance(value, str):
            lines.append(f"{key}: {value}")
        elif key in ("sources", "locations"):
            lines += [f"{key}:", *(f"  - {item}" for item in value)]
        else:
            lines.append(f"{key}: [{', '.join(value)}]")
    return "\n".join([*lines, "---", "", body.strip(), ""])


def raw(root: Path, rel: str, title: str, **more: str | list[str]) -> None:
    """Write a valid source. Cite it from an article, or W611 reports it."""
    fields: dict[str, str | list[str]] = {
        "title": title,
        "source": "https://example.org/" + Path(rel).stem,
        "type": rel.split("/")[1],
        "ingested": "2026-01-05",
        "tags": ["tea"],
        "summary": f"What {title} says.",
    }
    write(root, rel, document(fields | more, f"# {title}\n\nThe text of {title}, as it was found."))


def article(
    root: Path, rel: str, title: str, *, sources: Iterable[str], see: Iterable[str], **more: str | list[str]
) -> None:
    """Write a valid article or thesis; `see` are articles it points to (they must point back: W508, W613)."""
    folder = rel.split("/")[1]
    fields: dict[str, str | list[str]] = {"title": title}
    fields |= {"type": "thesis"} if folder == "theses" else {"category": folder.removesuffix("s")}
    fields |= {
        "summary": f"What is known about {title}.",
        "tags": [Path(rel).stem],
        "created": "2026-01-06",
        "updated": "2026-01-08",
        "verified": "2026-01-08",
        "volatility": "warm",
        "confidence": "medium",
        "sources": list(sources),
    }
    also = "\n".join(dual(rel, other) for other in see)
    used = "\n".join(f"- [{Path(source).stem}](../../{source})" for source in sources)
    abstract = f"> {title} in one sentence, as the abstract of the article says it."
    body = f"# {title}\n\n{abstract}\n\n## Findings\n\nProse."
    write(root, rel, document(fields | more, f"{body}\n\n## See Also\n\n{also}\n\n## Sources\n\n{used}"))


def dual(rel: str, other: str) -> str:
    """One See Also line in both link forms."""
    name = Path(other).stem.replace("-", " ").title()
    to = os.path.relpath(other, os.path.dirname(rel)).replace(os.sep, "/")  # noqa: PTH120
    return f"- [[{Path(other).stem}|{name}]] ([{name}]({to}))"


def record(root: Path, rel: str, title: str, kind: str, **more: str | list[str]) -> None:
    """Write a valid inventory record."""
    fields: dict[str, str | list[str]] = {
        "title": title,
        "kind": kind,
        "status": "active",
        "priority": "p2",
        "created": "2026-01-06",
        "updated": "2026-01-08",
        "tags": ["kit"],
        "summary": f"Why {title} is tracked.",
        "next_action": "Ask the shop",
    }
    write(root, rel, document(fields | more, f"# {title}\n\n## Why Track This\n\nIt matters."))


def manifest(root: Path, rel: str = MANIFEST, title: str = "Auction Prices", **more: str | list[str]) -> None:
    """Write a valid data set manifest."""
    fields: dict[str, str | list[str]] = {
        "title": title,
        "dataset_id": rel.split("/")[1],
        "status": "active",
        "storage": "remote",
        "locations": ["https://example.org/prices.csv"],
        "formats": ["csv"],
        "tags": ["prices"],
        "schema_status": "inferred",
        "created": "2026-01-06",
        "updated": "2026-01-08",
        "summary": "Prices paid at tea auctions.",
        "size_bytes": "12345",
        "record_count": "200",
    }
    write(root, rel, document(fields | more, f"# {title}\n\nWhere the table lies and how to read it."))


# --- roots ---------------------------------------------------------------------------------


def sample(where: Path, name: str = "tea") -> Path:
    """Write a clean topic wiki to where/name: three sources, four articles."""
    root = where / name
    for folder in [*(f"raw/{kind}" for kind in TYPES), *(f"wiki/{kind}" for kind in CATEGORIES)]:
        (root / folder).mkdir(parents=True)
    for folder in ("output", "inbox/.processed"):
        (root / folder).mkdir(parents=True)
    head = {"title": '"Tea"', "description": "Growing and brewing tea", "created": "2026-01-01"}
    write(root, "config.md", document(head, "# Tea\n\n## Scope\n\nTea.\n\n## Conventions\n\nNone."))
    guide = {"title": "Tea Topic Guide", "schema_state": "advisory", "created": "2026-01-01"}
    guide |= {"updated": "2026-01-01", "summary": "How articles of this wiki are planned."}
    rule = "It does not exempt raw sources from C6 coverage."
    write(root, "schema.md", document(guide, f"# Tea Topic Guide\n\n## Compile Guidance\n\n{rule}"))
    write(root, "log.md", "# Wiki Activity Log\n\n## [2026-01-01] init | Tea\n")
    raw(root, HARVEST, "Tea Harvest")
    raw(root, STUDY, "Leaf Oxidation Study")
    raw(root, TASTING, "Tasting Session", source="MANUAL")
    article(root, OXIDATION, "Oxidation", sources=[STUDY], see=[GREEN])
    article(root, GREEN, "Green Tea", sources=[HARVEST, STUDY], see=[OXIDATION, GRADES, THESIS])
    article(root, GRADES, "Tea Grades", sources=[HARVEST], see=[GREEN])
    article(root, THESIS, "Shade Growing", sources=[TASTING], see=[GREEN], status="investigating")
    reindex(root)
    return root


def full(where: Path, name: str = "tea") -> Path:
    """Write `sample` with inventory, a data set, one output and one project; still clean."""
    root = sample(where, name)
    record(root, ITEM, "Cast Iron Kettle", "item")
    record(root, IDEA, "Tea Almanac", "idea", project="output/projects/tea-almanac")
    manifest(root)
    (root / "datasets/auction-prices/samples").mkdir()
    head: dict[str, str | list[str]] = {
        "title": "Harvest Calendar",
        "type": "report",
        "generated": "2026-01-08",
    }
    write(
        root, REPORT, document(head | {"sources": [GREEN]}, "# Harvest Calendar\n\nWhen leaves are picked.")
    )
    write(root, WHY, "# Tea Almanac\n\nA yearly almanac for people who grow tea at home.\n")
    reindex(root)
    return root


def hub(where: Path, name: str = "wiki") -> Path:
    """Write a clean hub with one active topic (`tea`)."""
    root = where / name
    sample(root / "topics", "tea")
    write(
        root,
        "wikis.json",
        '{\n  "default": "<HUB>",\n  "wikis": {\n    "hub": {\n      "path": "<HUB>"\n    },\n    "tea": {\n'
        '      "path": "topics/tea",\n      "description": "Growing and brewing tea",\n'
        '      "status": "active"\n    }\n  },\n  "local_wikis": []\n}\n',
    )
    write(root, "log.md", "# Wiki Activity Log\n\n## [2026-01-01] init | hub\n")
    write(
        root,
        "_index.md",
        "# Wiki Hub Index\n\nLast updated: 2026-01-09\n\n## Statistics\n\n- Active topics: 1\n"
        "- Archived topics: 0\n\n## Topic Wikis\n\n"
        "| Wiki | Title | Description |\n|------|-------|-------------|\n"
        "| [tea](topics/tea/_index.md) | Tea | Growing and brewing tea |\n\n"
        "## Archive\n\nArchived topics: 0\n",
    )
    return root


def archived(where: Path) -> Path:
    """Write a hub whose topic `tea` is archived; returns the topic's folder."""
    root = hub(where)
    (root / "topics/.archive").mkdir()
    shutil.move(root / "topics/tea", root / "topics/.archive/tea")
    edit(root, "wikis.json", '"topics/tea"', '"topics/.archive/tea"')
    edit(root, "wikis.json", '"active"', '"archived"')
    return root / "topics/.archive/tea"


# --- indexes -------------------------------------------------------------------------------


def reindex(root: Path) -> None:
    """Write every index that the folders on disk require, from scratch."""
    from lintkit_indexes import write_indexes

    write_indexes(root)


def front(path: Path) -> dict:
    """Front matter of a file with every scalar as text; {} if there is none or it is broken."""
    text = path.read_bytes().decode("utf-8-sig", "replace").replace("\r\n", "\n")
    if not text.startswith("---"):
        return {}
    try:
        value = yaml.load(text.split("\n---", 1)[0][3:], Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        return {}
    return value if isinstance(value, dict) else {}


# --- linting -------------------------------------------------------------------------------


def snapshot(root: Path, kind: str | None = None):
    """Load the snapshot a lint run sees, without a cache and in this process."""
    from llm_wiki.lint.engine import RULES_KEY, check_file
    from llm_wiki.wiki.snapshot import Snapshot

    kind = kind or ("hub" if (root / "wikis.json").exists() else "topic")
    return Snapshot.load(root, kind, per_file=check_file, per_file_key=RULES_KEY, use_cache=False, jobs=1)


def findings(root: Path, kind: str | None = None, *, today: date = TODAY, **options):
    """Findings of a run without fixes, in report order. Options: only, skip, strict."""
    from llm_wiki.lint.engine import evaluate

    return evaluate(snapshot(root, kind), today, **options)


def ids(root: Path, kind: str | None = None, **options) -> list[str]:
    """Return rule ids of the findings, sorted."""
    return sorted(finding.rule for finding in findings(root, kind, **options))


def one(root: Path, rule: str, kind: str | None = None, *, besides: Iterable[str] = (), **options):
    """Return the single finding, which must be of this rule; rules named in `besides` are not looked at."""
    found = [finding for finding in findings(root, kind, **options) if finding.rule not in besides]
    assert [finding.rule for finding in found] == [rule], "\n".join(map(str, found)) or "no finding"
    return found[0]
