"""Ways to damage indexes and hubs: name → function of the root and a random choice (`Random`)."""

import json
import re
import shutil
from pathlib import Path
from random import Random

from fixkit_wild import TITLES, marker
from fixkit_wild_tree import indexes, named
from lintkit import move, read, sample, write


def index(root: Path, chance: Random) -> str:
    return chance.choice(indexes(root))


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


INDEXES = named(index_line, index_prose, index_table, index_written)
HUBS = named(
    *(hub_default, hub_path, hub_topic_path, hub_new_topic, hub_empty_topic, hub_archived, hub_entry),
    *(hub_written, hub_index, hub_stray, hub_file_gone),
)
