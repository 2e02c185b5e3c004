"""Indexes of the sample wiki, written from `wiki-format.md` §6 without the product."""

from pathlib import Path

from lintkit import CATEGORIES, NOTES, RECORDS, TYPES, front, write

DATE = "2026-01-09"


def write_indexes(root: Path) -> None:
    for kind in TYPES:
        _files(root, f"raw/{kind}")
    for kind in CATEGORIES:
        _files(root, f"wiki/{kind}")
    _pointers(root)
    if (root / "inventory").is_dir():
        _inventory(root)
    if (root / "datasets").is_dir():
        _datasets(root)
    _output(root)
    _master(root)


def _cell(value: object) -> str:
    items = [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
    text = ", ".join(items) if items else value if isinstance(value, str) else ""
    return " ".join(text.split()).replace("|", "\\|")


def _link(text: str, target: str) -> str:
    text = _cell(text).replace("[", "\\[").replace("]", "\\]")
    if any(letter in target for letter in " ()<>|"):
        for letter in "<>|":
            target = target.replace(letter, f"%{ord(letter):02X}")
        target = f"<{target}>"
    return f"[{text}]({target})"


def _pages(folder: Path) -> list[Path]:
    if not folder.is_dir() or folder.is_symlink():
        return []
    return sorted(
        path for path in folder.iterdir() if path.suffix.lower() == ".md" and path.name != "_index.md"
    )


def _count(root: Path, folders: list[str]) -> int:
    return sum(len(_pages(root / folder)) for folder in folders)


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + "|".join("-" * (len(head) + 2) for head in heads) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def _heading(folder: str) -> str:
    name = folder.rsplit("/", 1)[-1].replace("-", " ").replace("_", " ").title()
    return f"# {name} Index\n\nLast updated: {DATE}\n"


def _file_rows(folder: Path) -> list[list[str]]:
    rows = []
    for path in _pages(folder):
        meta = front(path)
        when = meta.get("updated") or meta.get("ingested") or meta.get("created") or ""
        title = meta.get("title") or path.stem
        rows.append(
            [_link(title, path.name), _cell(meta.get("summary")), _cell(meta.get("tags")), _cell(when)]
        )
    return rows


def _files(root: Path, folder: str) -> None:
    path = root / folder
    if not path.is_dir() or path.is_symlink():
        return
    table = _table(["File", "Summary", "Tags", "Updated"], _file_rows(path))
    write(root, f"{folder}/_index.md", f"{_heading(folder)}\n## Contents\n\n{table}")


def _pointers(root: Path) -> None:
    for folder, title, kinds in (("raw", "Raw Sources Index", TYPES), ("wiki", "Wiki Articles", CATEGORIES)):
        text = f"# {title}\n"
        for kind in kinds:
            if (root / folder / kind).is_dir():
                text += f"\n## {kind.title()}\n\nSee [{kind}/_index.md]({kind}/_index.md)\n"
        if folder == "raw":
            total = _count(root, [f"raw/{kind}" for kind in TYPES])
            text += f"\n## Stats\n\n- Total sources: {total}\n- Last updated: {DATE}\n"
        write(root, f"{folder}/_index.md", text)


def _record_cells(path: Path) -> list[str]:
    meta = front(path)
    return [_cell(meta.get(key)) for key in ("kind", "status", "priority", "next_action", "updated")]


def _inventory(root: Path) -> None:
    heads = ["File", "Kind", "Status", "Priority", "Next Action", "Updated"]
    every = []
    for kind in RECORDS:
        folder = root / "inventory" / kind
        if folder.is_dir():
            pages = _pages(folder)
            rows = [[_link(path.name, path.name), *_record_cells(path)] for path in pages]
            text = f"{_heading(kind)}\n## Contents\n\n{_table(heads, rows)}"
            write(root, f"inventory/{kind}/_index.md", text)
            every += [(kind, path) for path in pages]
    if (root / "inventory/views").is_dir():
        _files(root, "inventory/views")
    total = {kind: sum(one == kind for one, _ in every) for kind in RECORDS}
    state = [front(path).get("status") for _, path in every]
    text = f"# Inventory Index\n\nLast updated: {DATE}\n\n## Statistics\n\n- Total records: {len(every)}\n"
    text += "".join(f"- {kind.title()}: {total[kind]}\n" for kind in RECORDS)
    text += (
        f"- Active: {state.count('active')}\n- Blocked: {state.count('blocked')}\n\n## Quick Navigation\n\n"
    )
    for kind in (*RECORDS, "views"):
        if (root / "inventory" / kind).is_dir():
            text += f"- [{kind.title()}]({kind}/_index.md)\n"
    rows = [[_link(path.name, f"{kind}/{path.name}"), *_record_cells(path)] for kind, path in sorted(every)]
    write(root, "inventory/_index.md", f"{text}\n## Contents\n\n{_table(heads, rows)}")


def _datasets(root: Path) -> None:
    rows, states = [], []
    for folder in sorted(
        path for path in (root / "datasets").iterdir() if path.is_dir() and path.name[0] != "."
    ):
        source = folder / "MANIFEST.md"
        if not source.exists():
            continue
        meta = front(source)
        states.append(meta.get("status"))
        cells = [_cell(meta.get(key)) for key in ("status", "storage", "formats")]
        cells += [_cell(meta.get(key) or "unknown") for key in ("size_bytes", "record_count")]
        title = meta.get("title") or folder.name
        rows.append([_link(title, f"{folder.name}/MANIFEST.md"), *cells, _cell(meta.get("updated"))])
        rel = f"datasets/{folder.name}"
        text = f"{_heading(rel)}\n"
        existing = [name for name in NOTES if (folder / name).is_dir()]
        if existing:
            text += "## Quick Navigation\n\n"
            text += "".join(f"- [{name.title()}]({name}/_index.md)\n" for name in existing) + "\n"
        table = _table(["File", "Summary", "Tags", "Updated"], _file_rows(folder))
        write(root, f"{rel}/_index.md", f"{text}## Contents\n\n{table}")
        for name in existing:
            _files(root, f"{rel}/{name}")
    text = f"# Dataset Registry Index\n\nLast updated: {DATE}\n\n## Statistics\n\n- Datasets: {len(rows)}\n"
    text += "".join(
        f"- {name.title()}: {states.count(name)}\n" for name in ("active", "external", "unavailable")
    )
    heads = ["Dataset", "Status", "Storage", "Formats", "Size", "Records", "Updated"]
    write(root, "datasets/_index.md", f"{text}\n## Contents\n\n{_table(heads, rows)}")


def _output(root: Path) -> None:
    if not (root / "output").is_dir():
        return
    rows = []
    for path in _pages(root / "output"):
        meta = front(path)
        when = meta.get("generated") or meta.get("updated") or meta.get("created")
        title = meta.get("title") or path.stem
        rows.append([_link(title, path.name), _cell(meta.get("type")), _cell(when)])
    table = _table(["Output", "Type", "Date"], rows)
    text = f"# Output Artifacts\n\nLast updated: {DATE}\n\n## Outputs\n\n{table}"
    projects = []
    for path in sorted((root / "output").glob("projects/[!.]*/WHY.md")):
        blocks = [block.strip() for block in path.read_text().split("\n\n") if block.strip()]
        title = next((block[2:] for block in blocks if block.startswith("# ")), path.parent.name)
        goal = next((block for block in blocks if not block.startswith("#")), "")
        projects.append([_link(title, f"projects/{path.parent.name}/WHY.md"), _cell(goal)])
    if projects:
        text += f"\n## Projects\n\n{_table(['Project', 'Goal'], projects)}"
    write(root, "output/_index.md", text)


def _master(root: Path) -> None:
    sources = _count(root, [f"raw/{kind}" for kind in TYPES])
    articles = _count(root, [f"wiki/{kind}" for kind in CATEGORIES])
    records = _count(root, [f"inventory/{kind}" for kind in RECORDS])
    sets = len(list((root / "datasets").glob("[!.]*/MANIFEST.md")))
    text = "# Tea\n\nGrowing and brewing tea.\n\n## Statistics\n\n"
    text += (
        f"- Sources: {sources}\n- Articles: {articles}\n- Inventory records: {records}\n- Datasets: {sets}\n"
    )
    text += f"- Outputs: {_count(root, ['output'])}\n- Last compiled: {DATE}\n- Last lint: {DATE}\n"
    text += "\n## Quick Navigation\n\n- [Raw sources](raw/_index.md)\n"
    for folder in ("inventory", "datasets"):
        if (root / folder).is_dir():
            text += f"- [{folder.title()}]({folder}/_index.md)\n"
    for kind in CATEGORIES:
        text += f"- [{kind.title()}](wiki/{kind}/_index.md)\n"
    write(root, "_index.md", text + "- [Output](output/_index.md)\n")
