"""Ways to damage what lies where: places, names, indexes, folders, projects, data sets, hubs."""

import json
import re
import shutil
import unicodedata
from pathlib import Path
from random import Random

from fixkit_wild import NAMES, PROSE, TITLES, body, documents, forms_of, headed, marker, one, value
from lintkit import article, field, move, raw, read, record, sample, write

PLACES = {
    "raw": ("type", ("articles", "papers", "repos", "notes", "data")),
    "wiki": ("category", ("concept", "topic", "reference")),
    "inventory": ("kind", ("item", "idea", "entity", "corpus", "question", "watch")),
}


def indexes(root: Path) -> list[str]:
    found = (path.relative_to(root).as_posix() for path in root.rglob("_index.md") if not path.is_symlink())
    return sorted(rel for rel in found if "/." not in f"/{rel}")


def index(root: Path, chance: Random) -> str:
    return chance.choice(indexes(root))


# --- places and names ------------------------------------------------------------------------


def misplaced(root: Path, chance: Random) -> None:
    rel = headed(root, chance, "raw", "wiki", "inventory")
    key, words = PLACES[rel.partition("/")[0]]
    word = chance.choice(words)
    field(root, rel, key, chance.choice([word, f'"{word}"', f"{word} # {marker(chance)}"]))


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


# --- indexes ---------------------------------------------------------------------------------


def index_line(root: Path, chance: Random) -> None:
    """Rows lost, doubled, dead, moved, respelt; statistics and dates doubled or wrong."""
    rel = index(root, chance)
    lines = read(root, rel).split("\n")
    at = chance.randrange(len(lines))
    rows = [n for n, line in enumerate(lines) if "](" in line]
    row = chance.choice(rows) if rows else at
    way = chance.randrange(10)
    if way == 0:
        del lines[row]
    elif way == 1:
        lines.insert(chance.choice([row, at]), lines[row])
    elif way == 2:
        lines.insert(row, lines[row].replace("](", "](gone-").replace("](gone-<", "](<gone-"))
    elif way == 3:
        lines.insert(
            at,
            chance.choice(["- [Gone](gone.md)", "See [gone](gone.md).", "* [x](gone.md) and [y](_index.md)"]),
        )
    elif way == 4:
        lines.insert(
            at,
            chance.choice(
                ["Last updated: 2025-01-01", "Last updated: never", "- Total sources: 99", "- Articles: 7"]
            ),
        )
    elif way == 5:
        lines[row] = re.sub(
            r"\]\(<?([^)>]+)>?\)",
            chance.choice([r"](./\1)", r"](<\1>)", r"](\1 'T')", r"](\1#top)"]),
            lines[row],
        )
    elif way == 6:
        lines[row] = lines[row].replace("| ", "|  ").strip("|")
    elif way == 7:
        lines[row] = re.sub(r"\d{4}-\d\d-\d\d", "2020-02-02", lines[row])
    elif way == 8:
        lines.insert(at, f"{marker(chance)} prose.")
    else:
        lines[at] = re.sub(r"\d+", "77", lines[at])
    write(root, rel, "\n".join(lines))


def index_prose(root: Path, chance: Random) -> None:
    """What people write around and below tables."""
    rel = index(root, chance)
    n = marker(chance)
    text = chance.choice(
        [
            f"\n## Categories\n\n- {n}\n",
            f"\n## Recent Changes\n\n- 2026-01-03 {n} [x](gone.md)\n",
            f"\n```\n| [x](gone.md) | {n} |\n```\n",
            f"\n<!-- {n} [x](gone.md) -->\n",
            f"\n| Key | Note |\n|---|---|\n| {n} | a \\| b |\n",
            f"\n[ref]: gone.md\n\n{n} [ref]\n",
            f"\n> {n}\n\n    indented {n}\n",
        ]
    )
    whole = read(root, rel)
    write(root, rel, whole + text if chance.random() < 0.6 else whole.replace("\n\n", f"\n{text}\n", 1))


def index_table(root: Path, chance: Random) -> None:
    """A curated table: other columns, own cells, a link in text, rows without outer bars."""
    folder = chance.choice(["raw/articles", "raw/papers", "wiki/concepts", "wiki/topics", "inventory/items"])
    assert (root / folder).is_dir()
    heads = chance.choice(
        ["Date | Title | Quality | Tags", "Article | Summary | Tags", "File | Note | Updated | Tags", "Title"]
    )
    lines = [f"# Own\n\n{marker(chance)}\n\nLast updated: 2025-12-01\n\n## Contents\n", f"| {heads} |"]
    lines.append("|" + "---|" * (heads.count("|") + 1))
    for path in sorted((root / folder).glob("*.md")):
        if path.name != "_index.md" and chance.random() < 0.7 and "|" not in path.name:
            cells = [f"{marker(chance)} \\| x"] * (heads.count("|") + 1)
            names = [name.strip() for name in heads.split("|")]
            place = next((n for n, name in enumerate(names) if name in ("Title", "Article", "File")), 0)
            cells[place] = f"[T \\| {place}](<{path.name}>)"
            lines.append(chance.choice(["| {} |", "{}"]).format(" | ".join(cells)))
    text = "\n".join(lines) + chance.choice(["\n", "", "\n\nText.\n", "\n\n## More\n\n- x\n"])
    write(root, f"{folder}/_index.md", text.replace("\n", chance.choice(["\n", "\n", "\r\n"])))


def index_written(root: Path, chance: Random) -> None:
    """An index in another encoding, with other ends, or hardly there."""
    rel = index(root, chance)
    data = (root / rel).read_bytes()
    write(
        root,
        rel,
        chance.choice(
            [
                data.replace(b"\n", b"\r\n"),
                data.replace(b"\n", b"\r\n", 3),
                b"\xef\xbb\xbf" + data,
                data.rstrip(b"\n"),
                data + b"\n\n\n",
                data + b"\xe9\n",
                b"",
                b"# X\n",
                b"\n",
                b"---\ntitle: X\n---\n\n" + data,
                data.replace(b"## ", b"### "),
                data.replace(b"Last updated: ", b"**Last updated:** "),
                b"```\n" + data,
                data.replace(b"|---", b"| --- ").replace(b"| [", b"|["),
            ]
        ),
    )


# --- hubs ------------------------------------------------------------------------------------


def _registry(root: Path, change) -> None:
    data = json.loads(read(root, "wikis.json"))
    change(data)
    write(root, "wikis.json", json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def hub_default(root: Path, chance: Random) -> None:
    _registry(root, lambda data: data.update(default=chance.choice(["gone", "tea", "/home/x", "HUB", "."])))


def hub_path(root: Path, chance: Random) -> None:
    _registry(
        root,
        lambda data: data["wikis"].update(hub={"path": chance.choice([str(root), "HUB", "/x"]), "mine": 1}),
    )


def hub_topic_path(root: Path, chance: Random) -> None:
    path = chance.choice(
        [str(root / "topics/tea"), "<HUB>/topics/tea", "topics/.archive/tea", "./topics/tea", "topics/Tea"]
    )
    _registry(
        root, lambda data: data["wikis"].setdefault("tea", {}).update(path=path, note=chance.choice(TITLES))
    )


def hub_new_topic(root: Path, chance: Random) -> None:
    name = chance.choice(["coffee", "cocoa", "Mate", "schwarzer-tee"])
    folder = chance.choice(["topics", "topics/.archive"])
    assert not (root / folder / name).exists()
    sample(root / folder, name)
    if chance.random() < 0.3:
        shutil.copytree(root / folder / name, root / chance.choice(["topics", "topics/.archive"]) / name)


def hub_empty_topic(root: Path, chance: Random) -> None:
    (root / "topics/empty").mkdir()
    if chance.random() < 0.6:
        _registry(root, lambda data: data["wikis"].update(empty={"path": "topics/empty"}))


def hub_archived(root: Path, chance: Random) -> None:
    (root / "topics/.archive").mkdir(exist_ok=True)
    move(root, "topics/tea", "topics/.archive/tea")
    if chance.random() < 0.5:
        _registry(
            root,
            lambda data: data["wikis"]["tea"].update(
                path="topics/.archive/tea", status=chance.choice(["active", "archived"])
            ),
        )


def hub_entry(root: Path, chance: Random) -> None:
    path = chance.choice(["/nowhere/far", "~/far", str(root.parent), "topics/tea", 5, None])
    _registry(root, lambda data: data["wikis"].update(other={"path": path, "description": "a | b"}))


def hub_written(root: Path, chance: Random) -> None:
    data = (root / "wikis.json").read_bytes()
    write(
        root,
        "wikis.json",
        chance.choice([b"\xef\xbb\xbf" + data, data.replace(b"\n", b"\r\n"), data[:-9], b"[]", data.strip()]),
    )


def hub_index(root: Path, chance: Random) -> None:
    chance.choice([index_line, index_prose, index_written])(root, chance)


def hub_stray(root: Path, chance: Random) -> None:
    write(
        root,
        chance.choice(["notes.txt", "raw/x.md", "schema.md", "topics/x.txt", ".obsidian/app.json"]),
        "x\n",
    )


def hub_file_gone(root: Path, chance: Random) -> None:
    (root / chance.choice(["_index.md", "log.md"])).unlink()


def _named(*functions):
    return {function.__name__.replace("_", " "): function for function in functions}


PLACING = _named(
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
INDEXES = _named(index_line, index_prose, index_table, index_written)
HUBS = _named(
    *(hub_default, hub_path, hub_topic_path, hub_new_topic, hub_empty_topic, hub_archived, hub_entry),
    *(hub_written, hub_index, hub_stray, hub_file_gone),
)
