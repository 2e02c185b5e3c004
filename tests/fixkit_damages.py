"""Ways to damage the wiki of `lintkit.full`: name → function of the root. Indexes stay as they were."""

import unicodedata
from pathlib import Path

from lintkit import (
    GRADES,
    GREEN,
    HARVEST,
    IDEA,
    ITEM,
    MANIFEST,
    OXIDATION,
    REPORT,
    STUDY,
    TASTING,
    THESIS,
    WHY,
    drop,
    edit,
    field,
    move,
    raw,
    read,
    record,
    write,
)

PROSE = "Green tea is made from leaves that are heated soon after they are picked, which keeps them green."


def crlf(root: Path, rel: str) -> None:
    write(root, rel, read(root, rel).replace("\n", "\r\n"))


def bom(root: Path, rel: str) -> None:
    write(root, rel, "\ufeff" + read(root, rel))


def no_summary(root: Path) -> None:
    edit(root, GREEN, "Prose.", PROSE)
    drop(root, GREEN, "summary")


def misplaced_twins(root: Path) -> None:
    text = read(root, GRADES).replace("category: reference", "category: concept")
    write(root, "wiki/topics/infusion.md", text)
    write(root, "wiki/references/infusion.md", text)


def chain(root: Path) -> None:
    """A file wants a place that another misplaced file still holds."""
    text = read(root, GRADES)
    write(root, "wiki/concepts/steep.md", text.replace("category: reference", "category: topic"))
    write(root, "wiki/topics/steep.md", text)


def decomposed(root: Path) -> None:
    name = "wiki/concepts/thé-vert.md"
    write(root, unicodedata.normalize("NFD", name), read(root, OXIDATION))
    edit(root, GREEN, "Prose.", "See [thé](../concepts/thé-vert.md).")


def symlink_out(root: Path) -> None:
    other = root.parent / "elsewhere"
    other.mkdir(exist_ok=True)
    write(other, "page.md", "# Elsewhere\n")
    (root / "wiki/concepts/outside.md").symlink_to(other / "page.md")


def index_symlink(root: Path) -> None:
    other = root.parent / "elsewhere.md"
    other.write_text("# Not ours\n")
    (root / "wiki/concepts/_index.md").unlink()
    (root / "wiki/concepts/_index.md").symlink_to(other)


def stale_backlog(root: Path) -> None:
    text = read(root, GRADES).replace("Tea Grades", "Uncompiled Source Coverage")
    text += "\n| [gone](../../raw/papers/2020-01-01-gone.md) | Gone | 2020 |\n"
    write(root, "wiki/references/uncompiled-source-coverage.md", text)


def doubled_rows(root: Path) -> None:
    text = read(root, "raw/articles/_index.md")
    rows = [line for line in text.split("\n") if "tea-harvest" in line]
    write(root, "raw/articles/_index.md", text.rstrip("\n") + "\n" + rows[0] + "\n")


def curated(root: Path) -> None:
    write(
        root,
        "raw/papers/_index.md",
        "# Papers\n\nHand-picked.\n\nLast updated: 2025-12-01\n\n"
        "| Date | Title | Quality | Tags |\n|---|---|---|---|\n"
        "| 2026-01-03 | [Leaf](2026-01-03-leaf-oxidation-study.md) | ★★★ | tea |\n\n"
        "## Categories\n\n- leaves\n\n"
        "## Recent Changes\n\n- 2026-01-03 added\n",
    )
    raw(root, "raw/papers/2026-01-09-polyphenols.md", "Polyphenols")
    edit(root, OXIDATION, f"  - {STUDY}\n", f"  - {STUDY}\n  - raw/papers/2026-01-09-polyphenols.md\n")


def bad_byte(root: Path, rel: str) -> None:
    (root / rel).write_bytes((root / rel).read_bytes() + b"\xe9\n")


def conflict(root: Path, rel: str) -> None:
    write(root, rel, read(root, rel) + "\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n")


def one_sided(root: Path) -> None:
    text = read(root, THESIS)
    write(root, THESIS, "\n".join(line for line in text.split("\n") if "[[green-tea" not in line))


DAMAGES = {
    "no log": lambda root: (root / "log.md").unlink(),
    "no master index": lambda root: (root / "_index.md").unlink(),
    "no config": lambda root: (root / "config.md").unlink(),
    "no guide": lambda root: (root / "schema.md").unlink(),
    "no leaf index": lambda root: (root / "wiki/topics/_index.md").unlink(),
    "no plane index": lambda root: (root / "inventory/_index.md").unlink(),
    "no dataset index": lambda root: (root / "datasets/auction-prices/samples/_index.md").unlink(),
    "folder lost": lambda root: ((root / "raw/data/_index.md").unlink(), (root / "raw/data").rmdir()),
    "plane lost": lambda root: __import__("shutil").rmtree(root / "output"),
    "inbox lost": lambda root: __import__("shutil").rmtree(root / "inbox"),
    "folder is a file": lambda root: (
        (root / "raw/data/_index.md").unlink(),
        (root / "raw/data").rmdir(),
        write(root, "raw/data", "x"),
    ),
    "folder is a symlink": lambda root: (
        (root / "raw/data/_index.md").unlink(),
        (root / "raw/data").rmdir(),
        (root / "raw/data").symlink_to(root.parent),
    ),
    "no summary": no_summary,
    "empty summary": lambda root: (edit(root, GREEN, "Prose.", PROSE), field(root, GREEN, "summary", '""')),
    "no summary, no prose": lambda root: (
        edit(root, GRADES, "> Tea Grades in one sentence, as the abstract of the article says it.", "Short."),
        drop(root, GRADES, "summary"),
    ),
    "no title": lambda root: drop(root, OXIDATION, "title"),
    "no category": lambda root: drop(root, OXIDATION, "category"),
    "no thesis type": lambda root: drop(root, THESIS, "type"),
    "no tags": lambda root: drop(root, GRADES, "tags"),
    "empty created": lambda root: field(root, OXIDATION, "created", ""),
    "no dates": lambda root: [drop(root, GREEN, key) for key in ("created", "updated", "verified")],
    "no volatility": lambda root: drop(root, GREEN, "volatility"),
    "empty volatility": lambda root: field(root, OXIDATION, "volatility", ""),
    "category in capitals": lambda root: field(root, GREEN, "category", "Topic"),
    "type in capitals": lambda root: field(root, HARVEST, "type", '"Articles"'),
    "kind in capitals": lambda root: field(root, ITEM, "kind", "Item"),
    "status wrong": lambda root: field(root, ITEM, "status", "running"),
    "priority in capitals": lambda root: field(root, IDEA, "priority", "P2"),
    "confidence in capitals": lambda root: field(root, GREEN, "confidence", "HIGH # sure"),
    "output type in capitals": lambda root: field(root, REPORT, "type", "Report"),
    "volatility wrong": lambda root: field(root, GREEN, "volatility", "tepid"),
    "tags as text": lambda root: field(root, GREEN, "tags", "green-tea, leaf"),
    "one tag as text": lambda root: field(root, HARVEST, "tags", "tea"),
    "tags empty": lambda root: field(root, GREEN, "tags", "[]"),
    "type is a list": lambda root: field(root, HARVEST, "type", "[articles]"),
    "title is a list": lambda root: field(root, HARVEST, "title", "[a, b]"),
    "date wrong": lambda root: field(root, GREEN, "created", "banana"),
    "key misspelt": lambda root: edit(root, GREEN, "volatility:", "volatilty:"),
    "sources as text": lambda root: field(root, OXIDATION, "sources", STUDY),
    "sources by slug": lambda root: field(root, OXIDATION, "sources", "\n  - leaf-oxidation-study # bare"),
    "sources relative": lambda root: field(root, GRADES, "sources", f"\n- ../../{HARVEST}"),
    "sources in capitals": lambda root: field(root, GRADES, "sources", f"[{HARVEST.upper()}]"),
    "source dangling": lambda root: edit(root, GRADES, f"  - {HARVEST}", "  - raw/papers/2026-01-01-lost.md"),
    "source is a URL": lambda root: edit(root, GRADES, f"  - {HARVEST}", "  - https://example.org/x"),
    "no sources": lambda root: drop(root, GRADES, "sources"),
    "misplaced article": lambda root: field(root, GREEN, "category", "concept"),
    "misplaced source": lambda root: field(root, HARVEST, "type", "papers"),
    "misplaced record": lambda root: field(root, IDEA, "kind", "entity"),
    "misplaced thesis": lambda root: field(root, GREEN, "type", "thesis"),
    "article in the plane": lambda root: move(root, GRADES, "wiki/tea-grades.md"),
    "source in the plane": lambda root: move(root, STUDY, "raw/2026-01-03-leaf-oxidation-study.md"),
    "misplaced twins": misplaced_twins,
    "chain of places": chain,
    "place taken": lambda root: (
        write(root, "wiki/topics/tea-grades.md", read(root, GRADES)),
        field(root, GRADES, "category", "topic"),
    ),
    "stray at the root": lambda root: write(root, "notes.txt", "x"),
    "stray in a plane": lambda root: write(root, "raw/notes.txt", "y"),
    "stray in a leaf": lambda root: write(root, "wiki/concepts/notes.txt", "z"),
    "stray page": lambda root: write(root, "wiki/loose.md", "# Loose\n\nNo front matter.\n"),
    "stray picture in use": lambda root: (
        write(root, "wiki/concepts/fig.png", b"\x89PNG"),
        edit(root, OXIDATION, "Prose.", "![leaf](fig.png)"),
    ),
    "names no wiki writes": lambda root: [
        write(root, name, "x") for name in ("back\\slash.txt", "raw/c:x.txt", "a:b", "raw/line\nend.txt")
    ],
    "inbox is a file": lambda root: (
        __import__("shutil").rmtree(root / "inbox"),
        write(root, "inbox", "x"),
        write(root, "other.txt", "x"),
    ),
    "stray folder": lambda root: write(root, "wiki/misc/a.md", "# A\n"),
    "tolerated names": lambda root: [
        write(root, name) for name in (".DS_Store", "raw/.gitkeep", "wiki/x.md~")
    ],
    "dataset renamed": lambda root: field(root, MANIFEST, "dataset_id", "other"),
    "no manifest": lambda root: (root / MANIFEST).unlink(),
    "source unused": lambda root: raw(
        root, "raw/papers/2026-01-09-polyphenols.md", "Polyphenols | and [more]"
    ),
    "source unused, odd name": lambda root: raw(root, "raw/notes/2026-01-09 my (odd) note.md", "Odd"),
    "stale backlog": stale_backlog,
    "article lost": lambda root: (root / GRADES).unlink(),
    "source lost": lambda root: (root / TASTING).unlink(),
    "record not listed": lambda root: record(root, "inventory/items/teapot.md", "Teapot", "item"),
    "output not listed": lambda root: write(
        root, "output/summary-leaves-2026-01-09.md", "---\ntitle: Leaves\ntype: summary\n---\n\n# Leaves\n"
    ),
    "project not listed": lambda root: write(
        root, "output/projects/tea-map/WHY.md", "# Tea Map\n\nA map of gardens.\n"
    ),
    "rows doubled": doubled_rows,
    "curated index": curated,
    "statistics stale": lambda root: edit(root, "_index.md", "- Articles: 4", "- Articles: 41"),
    "tags changed": lambda root: field(root, GREEN, "tags", "[green-tea, leaves]"),
    "cell stale": lambda root: field(root, HARVEST, "summary", "Something new was said about harvests."),
    "master link dead": lambda root: write(
        root, "_index.md", read(root, "_index.md") + "- [Old](wiki/old.md)\n"
    ),
    "index not UTF-8": lambda root: bad_byte(root, "wiki/concepts/_index.md"),
    "article not UTF-8": lambda root: bad_byte(root, GRADES),
    "source not UTF-8": lambda root: bad_byte(root, TASTING),
    "front matter invalid": lambda root: edit(root, GRADES, "title: Tea Grades", "title: {Tea"),
    "front matter open": lambda root: write(root, GRADES, "---\ntitle: Tea Grades\n"),
    "front matter lost": lambda root: write(root, OXIDATION, "# Oxidation\n\nNothing above.\n"),
    "key twice": lambda root: edit(root, GRADES, "title: Tea Grades", "title: Tea Grades\ntitle: Grades"),
    "conflict in an article": lambda root: conflict(root, OXIDATION),
    "conflict in an index": lambda root: conflict(root, "raw/notes/_index.md"),
    "index in CRLF": lambda root: crlf(root, "wiki/references/_index.md"),
    "article in CRLF": lambda root: (crlf(root, OXIDATION), field_crlf(root)),
    "article with BOM": lambda root: (drop(root, GRADES, "volatility"), bom(root, GRADES)),
    "link by other case": lambda root: edit(
        root, GREEN, "Prose.", "See [grades](../references/Tea-Grades.md#findings)."
    ),
    "link decomposed": decomposed,
    "link dead": lambda root: edit(root, GREEN, "Prose.", "See [x](../concepts/nowhere.md)."),
    "link dead and folder moves": lambda root: (
        edit(root, GRADES, "Prose.", "See [x](nowhere.md)."),
        field(root, GRADES, "category", "topic"),
    ),
    "see also one-sided": one_sided,
    "older project form": lambda root: (
        move(root, WHY, "output/projects/tea-almanac/_project.md"),
        write(
            root,
            "output/projects/tea-almanac/_project.md",
            "---\ntitle: Tea Almanac\ngoal: Grow better tea.\n---\n\n"
            "# Tea Almanac\n\nNotes.\n\n## Members\n\n- [a](a.md)\n",
        ),
    ),
    "symlink out": symlink_out,
    "index is a symlink": index_symlink,
    "plane is a symlink": lambda root: (
        move(root, "wiki/references", "../shelf"),
        (root / "wiki/references").symlink_to(root.parent / "shelf"),
    ),
}


def field_crlf(root: Path) -> None:
    """Take the volatility out of a file with CRLF line ends."""
    edit(root, OXIDATION, "volatility: warm\r\n", "")
