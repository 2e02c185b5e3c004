"""Ways to damage what lies where: places, names, indexes, folders, projects, data sets, hubs."""

import shutil
import unicodedata
from pathlib import Path
from random import Random

from fixkit_wild import NAMES, PROSE, TITLES, body, documents, forms_of, headed, marker, one, value
from lintkit import article, field, move, raw, read, record, write

PLACES = {
    "raw": ("type", ("articles", "papers", "repos", "notes", "data")),
    "wiki": ("category", ("concept", "topic", "reference")),
    "inventory": ("kind", ("item", "idea", "entity", "corpus", "question", "watch")),
}


def indexes(root: Path) -> list[str]:
    found = (path.relative_to(root).as_posix() for path in root.rglob("_index.md") if not path.is_symlink())
    return sorted(rel for rel in found if "/." not in f"/{rel}")


# --- places and names ------------------------------------------------------------------------


def misplaced(root: Path, chance: Random) -> None:
    rel = headed(root, chance, "raw", "wiki", "inventory")
    key, words = PLACES[rel.partition("/")[0]]
    word = chance.choice(words)
    field(root, rel, key, chance.choice([word, f'"{word}"', f"{word} # {marker(chance)}"]))


def misplaced_and_linked(root: Path, chance: Random) -> None:
    """A document that will move, named in most forms there are, and naming others."""
    rel = headed(root, chance, "raw", "wiki", "inventory")
    for _ in range(6):
        owner = one(root, chance, "wiki", "inventory", "output", "datasets")
        body(root, owner, chance, chance.choice(forms_of(owner, rel, chance)))
        other = one(root, chance)
        body(root, rel, chance, chance.choice(forms_of(rel, other, chance)))
    key, words = PLACES[rel.partition("/")[0]]
    field(root, rel, key, chance.choice(words))


def misplaced_thesis(root: Path, chance: Random) -> None:
    field(root, headed(root, chance, "wiki"), "type", "thesis")


def into_plane(root: Path, chance: Random) -> None:
    rel = one(root, chance, "raw", "wiki", "inventory")
    plane, _, name = rel.partition("/")[0], "", rel.rpartition("/")[2]
    to = f"{chance.choice([plane, plane, plane + '/misc', plane + '/Topics'])}/{name}"
    assert not (root / to).exists()
    move(root, rel, to)


def swapped(root: Path, chance: Random) -> None:
    """Two documents of the same name, each in the other's place."""
    rel = headed(root, chance, "wiki")
    folder, _, name = rel.partition("/")[2].partition("/")
    other = chance.choice([each for each in ("concepts", "topics", "references") if each != folder])
    to = f"wiki/{other}/{name}"
    assert not (root / to).exists()
    word = chance.choice([folder, "concepts", "references"]).removesuffix("s")
    write(root, to, read(root, rel).replace(f"category: {value(root, rel, 'category')}", f"category: {word}"))
    if chance.random() < 0.5:
        field(root, rel, "category", other.removesuffix("s"))


def renamed(root: Path, chance: Random) -> None:
    """An odd name; the links to it are those of before."""
    rel = one(root, chance, "raw", "wiki", "inventory", "output")
    name = chance.choice(NAMES)
    to = f"{rel.rpartition('/')[0]}/{unicodedata.normalize(chance.choice(['NFC', 'NFD']), name)}.md"
    assert not (root / to).exists()
    assert rel.rpartition("/")[2] not in ("WHY.md", "MANIFEST.md")
    move(root, rel, to)


def new_article(root: Path, chance: Random) -> None:
    rel = f"wiki/{chance.choice(['concepts', 'topics', 'references'])}/{chance.choice(NAMES)}.md"
    assert not (root / rel).exists()
    article(root, rel, "X", sources=[one(root, chance, "raw")], see=[one(root, chance, "wiki")])
    field(root, rel, "title", "'" + chance.choice(TITLES).replace("'", "''") + "'")


def new_source(root: Path, chance: Random) -> None:
    folder = chance.choice(PLACES["raw"][1])
    rel = f"raw/{folder}/{chance.choice(['2026-01-09-', ''])}{chance.choice(NAMES)}.md"
    assert not (root / rel).exists()
    raw(root, rel, "X")
    field(root, rel, "title", "'" + chance.choice(TITLES).replace("'", "''") + "'")


def new_record(root: Path, chance: Random) -> None:
    kind, folder = chance.choice(
        [("item", "items"), ("entity", "entities"), ("task", "candidates"), ("idea", "items")]
    )
    rel = f"inventory/{folder}/{chance.choice(NAMES)}.md"
    assert not (root / rel).exists()
    record(root, rel, "X", kind)
    field(root, rel, "next_action", f"'{chance.choice(TITLES[:5])}'")


def twins(root: Path, chance: Random) -> None:
    """A second name that differs in case or composition."""
    rel = one(root, chance, "raw", "wiki", "inventory")
    folder, _, name = rel.rpartition("/")
    other = chance.choice([name.upper()[:-3] + ".md", name.title()[:-3] + ".md", name[:-3] + ".MD"])
    assert not (root / folder / other).exists()
    write(root, f"{folder}/{other}", (root / rel).read_bytes())


def stray(root: Path, chance: Random) -> None:
    """Files nobody expects, some of one name, some linked from a document."""
    names = (
        "notes.txt",
        "Notes.TXT",
        "fig.png",
        "my fig (1).png",
        "data.csv",
        "README",
        ".hidden",
        "a b.md",
        "x.MD",
    )
    names += (
        "日本.txt",
        "line\nend",
        "-rf",
        "résumé.pdf",
        "50%.txt",
        "Makefile",
        "tar.gz",
        "a.tar.gz",
        "#x#",
        ".x.md",
    )
    folders = (
        "",
        "raw",
        "wiki",
        "inventory",
        "wiki/concepts",
        "raw/papers",
        "datasets",
        "datasets/auction-prices",
    )
    picked = chance.choice(names)
    for folder in chance.sample(folders, chance.randint(1, 3)):
        rel = f"{folder}/{picked}" if folder else picked
        if not (root / rel).exists() and (root / folder).is_dir():
            write(root, rel, chance.choice([b"", b"\x00\xff", b"text\r\n", b"# Page\n\nSee [x](y.md).\n"]))
            if chance.random() < 0.5:
                owner = one(root, chance)
                body(root, owner, chance, chance.choice(forms_of(owner, rel, chance)))


def conflict_copy(root: Path, chance: Random) -> None:
    rel = one(root, chance)
    stem = rel.removesuffix(".md")
    name = chance.choice(
        [" 2", " (Ann's conflicted copy 2026-01-02)", ".sync-conflict-20260102-101010-ABC", " copy"]
    )
    write(root, f"{stem}{name}.md", read(root, rel) + "\nMore.\n")


def links_on_disk(root: Path, chance: Random) -> None:
    """Symbolic links: in, out, to nothing, to a folder, in a circle."""
    folder = chance.choice(["", "wiki/concepts", "raw/articles", "wiki", "raw", "inventory/items", "output"])
    path = root / folder / chance.choice(["link.md", "link.txt", "link", "_index 2.md"])
    outside = root.parent / "outside"
    write(outside, "page.md", "# Outside\n")
    target = chance.choice(
        [root / one(root, chance), outside / "page.md", outside, root / "gone.md", root, path]
    )
    assert not path.exists()
    path.symlink_to(target)


def file_is_link(root: Path, chance: Random) -> None:
    """A document or index that is a symbolic link to a file elsewhere."""
    rel = chance.choice([*documents(root), *indexes(root)])
    to = root.parent / f"kept-{chance.randrange(10**6)}.md"
    shutil.move(root / rel, to)
    (root / rel).symlink_to(to)


def git_root(root: Path, chance: Random) -> None:
    if chance.random() < 0.5:
        (root / ".git").mkdir(exist_ok=True)
    else:
        write(root, ".git", "gitdir: ../x\n")
    for name in chance.sample(
        ["LICENSE", ".gitignore", "mkdocs.yml", "AGENTS.md", ".editorconfig", "Makefile"], 3
    ):
        write(root, name, "x\n")


def configured(root: Path, chance: Random) -> None:
    ignore = chance.choice(
        ["[notes.txt]", "'*.txt, fig.png'", "[wiki/*]", "\n  - '*.csv'\n  - README", "{a: b}", "[tea*]"]
    )
    for key, text in (("ignore", ignore), ("links", chance.choice(["wikilink", "markdown", "dual", "none"]))):
        if chance.random() < 0.7:
            field(root, "config.md", key, text)


def gone(root: Path, chance: Random) -> None:
    every = [*documents(root), *indexes(root), "log.md", "schema.md", "config.md"]
    (root / chance.choice([rel for rel in every if (root / rel).exists()])).unlink()


def folder_gone(root: Path, chance: Random) -> None:
    every = [
        *(f"raw/{name}" for name in PLACES["raw"][1]),
        "wiki/theses",
        "wiki/references",
        "output",
        "inbox",
    ]
    every += ["wiki", "raw", "inventory/items", "datasets/auction-prices", "inbox/.processed"]
    shutil.rmtree(root / chance.choice([rel for rel in every if (root / rel).is_dir()]))


def folder_made(root: Path, chance: Random) -> None:
    every = ["inventory/entities", "inventory/views", "datasets/new-set", "datasets/auction-prices/queries"]
    every += [
        "wiki/concepts/assets",
        "raw/papers/attachments",
        "output/assets/x",
        "wiki/misc",
        "inbox/.unknown",
        "inbox/x",
    ]
    (root / chance.choice(every)).mkdir(parents=True, exist_ok=True)


def quarantine_taken(root: Path, chance: Random) -> None:
    for name in ("notes.txt", "NOTES-2.txt", "fig.png"):
        write(root, f"inbox/.unknown/{name}", "old\n")
    write(root, "inbox/.unknown/.manifest.jsonl", chance.choice(["", '{"from": "x"}\n', '{"from": "x"}']))
    write(root, "notes.txt", "new\n")


def project(root: Path, chance: Random) -> None:
    """A project in the older form, with links out of it and to it."""
    slug = chance.choice(["tea-map", "garden", "x"])
    folder = f"output/projects/{slug}"
    assert not (root / folder).exists()
    old = f"{folder}/_project.md"
    head = chance.choice(["", "---\ntitle: Map\ngoal: Find every garden.\n---\n\n"])
    also = chance.choice(["", "## Members\n\n- [a](a.md)\n\n", f"## Files\n\n{marker(chance)} text\n\n"])
    link = forms_of(old, one(root, chance, "wiki"), chance)[chance.choice([0, 1, 4, 6, 10, 17])]
    write(root, old, f"{head}# Map\n\n{link}\n\n{also}## Notes\n\n{marker(chance)}\n")
    write(
        root,
        f"{folder}/a.md",
        f"---\ntitle: A\ntype: report\nsources: [{one(root, chance, 'wiki')}]\n---\n\n# A\n",
    )
    body(
        root, f"{folder}/a.md", chance, forms_of(f"{folder}/a.md", old, chance)[chance.choice([0, 3, 11, 15])]
    )
    if chance.random() < 0.4:
        write(root, f"{folder}/WHY.md", chance.choice(["", "# Map\n", f"# Map\n\n{PROSE}\n"]))


def dataset(root: Path, chance: Random) -> None:
    """References between a manifest, records and sources."""
    rel = "datasets/auction-prices/MANIFEST.md"
    for key in ("origin", "inventory", "raw_sources"):
        if chance.random() < 0.7:
            found = one(root, chance, "raw", "inventory", "wiki")
            field(
                root,
                rel,
                key,
                chance.choice([found, f"[{found}]", f"\n  - {found}", f"../../{found}", "none.md"]),
            )
    write(
        root,
        f"datasets/auction-prices/samples/{chance.choice(NAMES)}.md",
        "---\ntitle: S\n---\n\n| a |\n|---|\n",
    )


def named(*functions):
    return {function.__name__.replace("_", " "): function for function in functions}


PLACING = named(
    *(misplaced, misplaced_thesis, into_plane, swapped, renamed, new_article, new_source, new_record, twins),
    *(
        stray,
        conflict_copy,
        links_on_disk,
        file_is_link,
        git_root,
        configured,
        gone,
        folder_gone,
        folder_made,
    ),
    *(quarantine_taken, project, dataset),
)
