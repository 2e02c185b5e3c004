"""Builds the wiki of a rule page's example: the clean start, then its blocks (`lint/catalogue.py`)."""

import difflib
import re
import shutil
from contextlib import ExitStack
from pathlib import Path

import lintkit as kit

from llm_wiki.lint.catalogue import RESULTS, Example

HOME = "/home/ann"
_DATE = re.compile(r"-(.*Last (?:updated|lint): )\S+\n\+\1\S+\n")
STARTS = {
    "tea": kit.full,
    "hub": kit.hub,
    "member": lambda where: kit.hub(where) / "topics/tea",
    "empty": lambda where: where / "project",
}


def built(where: Path, example: Example) -> Path:
    """Build the example's wiki below `where`, which takes the place of the home folder; return its root."""
    where.mkdir(exist_ok=True)
    root = STARTS[example.start](where)
    root.mkdir(exist_ok=True)
    modes = []
    for block in example.blocks:
        if block.word == "mode":
            modes.append(block)
        elif block.word not in RESULTS:
            here = block._replace(argument=block.argument.replace(HOME, str(where)))
            _STEPS[block.word](root, here, block.text.replace(HOME, str(where)))
    if example.follow and example.start in ("tea", "member"):
        kit.reindex(root)
    for block in modes:
        (root / block.path).chmod(int(block.argument, 8))
    return root


def _edit(root, block, text):
    """Replace each group of lines, which must stand in the file once."""
    content = kit.read(root, block.path)
    for group in text.split("...\n"):
        lines = group.splitlines(keepends=True)
        assert all(line[0] in "-+ \n" for line in lines), lines
        old = "".join(line[1:] or line for line in lines if line[0] != "+")
        new = "".join(line[1:] or line for line in lines if line[0] != "-")
        if not old:
            content += new
            continue
        assert f"\n{content}".count(f"\n{old}") == 1, f"{old!r} is not in {block.path} once"
        content = f"\n{content}".replace(f"\n{old}", f"\n{new}")[1:]
    kit.write(root, block.path, content)


def _remove(root, block, text):
    path = root / block.path
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def _link(root, block, text):
    (root / block.path).symlink_to(block.argument)


def _append(root, rel, data):
    path = root / rel
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as stream:
        stream.write(data)


_STEPS = {
    "add": lambda root, block, text: kit.write(root, block.path, text),
    "edit": _edit,
    "remove": _remove,
    "folder": lambda root, block, text: (root / block.path).mkdir(parents=True),
    "move": lambda root, block, text: kit.move(root, block.path, block.argument),
    "copy": lambda root, block, text: kit.write(root, block.argument, (root / block.path).read_bytes()),
    "link": _link,
    "bytes": lambda root, block, text: _append(root, block.path, bytes.fromhex(text)),
    "repeat": lambda root, block, text: _append(
        root, block.path, text.rstrip("\n").encode() * int(block.argument) + b"\n"
    ),
}


def legible(root: Path) -> None:
    """Give back what `mode` blocks took, so that a root can be compared and removed."""
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | 0o700 if path.is_dir() else 0o644)


def contents(root: Path) -> dict[str, bytes]:
    """Map every regular file to its bytes; links and what may not be read are left out."""
    found = {}
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink():
            found[path.relative_to(root).as_posix()] = path.read_bytes()
    return found


def changed_lines(before: bytes, after: bytes) -> str:
    """Return the lines that went and came, marked, places parted by `...`."""
    old, new = (text.decode(errors="replace").splitlines() for text in (before, after))
    groups: list[list[str]] = []
    for line in list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]:
        if line.startswith("@@"):
            groups.append([])
        else:
            groups[-1].append(line + "\n")
    return "...\n".join("".join(group) for group in groups)


def edits(before: dict[str, bytes], after: dict[str, bytes]) -> dict[str, str]:
    """Return what changed in files that were there before and still are; indexes last.

    The log, and the dates that every repair brings up to date, are left out.
    """
    found = {}
    for rel in sorted(before.keys() & after.keys(), key=lambda rel: (rel.endswith("_index.md"), rel)):
        if before[rel] != after[rel] and rel not in ("log.md", "inbox/.unknown/.manifest.jsonl"):
            groups = changed_lines(before[rel], after[rel]).split("...\n")
            kept = "...\n".join(group for group in groups if not _DATE.fullmatch(group))
            if kept:
                found[rel] = kept
    return found


def said(where: Path, lines: list[str]) -> str:
    """Return lines of a report with the home folder in place of the folder above the root."""
    return "".join(line.replace(str(where), HOME) + "\n" for line in lines)


def acting(root: Path, example: Example, stack: ExitStack) -> None:
    """Lose the rights of root for as long as the stack lives, where file modes are part of the example."""
    from fixkit import unprivileged

    if any(block.word == "mode" for block in example.blocks):
        stack.enter_context(unprivileged(root))
