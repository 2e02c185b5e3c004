"""A wiki as it lies on disk, and what its links mean there: read without the product, to check the product.

Links are read by markdown-it-py and followed on the paths of the disk; wikilinks by name, as the format page
says (`wiki-format.md` §10).
"""

import os
import re
import stat
import unicodedata
from collections import defaultdict
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import NamedTuple
from urllib.parse import unquote

import yaml
from markdown_it import MarkdownIt

MARKDOWN = MarkdownIt("commonmark").enable("table")
WIKILINK = re.compile(r"\[\[([^\]\[|#\n]*)(?:#[^\]\[|\n]*)?(?:\|[^\]\[\n]*)?\]\]")
HTML_LINK = re.compile(r"""<(?:a|img)\s[^>]*?(?:href|src)\s*=\s*["']([^"']*)["']""")
SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")


class Entry(NamedTuple):
    """One file, folder or link: its bytes (None for a folder), its mode, its time, the link's target."""

    data: bytes | None
    mode: int
    mtime: int
    link: str


def state(root: Path) -> dict[str, Entry]:
    """Return everything below a root; links are not followed, nothing of `.git` is left out."""
    found = {}
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = Path(folder, name)
            status = path.lstat()
            link = str(path.readlink()) if path.is_symlink() else ""
            data = path.read_bytes() if path.is_file() and not link else None
            mode = stat.S_IMODE(status.st_mode)
            found[path.relative_to(root).as_posix()] = Entry(
                data, mode, status.st_mtime_ns if data is not None else 0, link
            )
    return found


def split(data: bytes) -> tuple[bytes, bytes]:
    """Part a file into front matter with its delimiters (b"" if there is none) and the rest."""
    lines = re.findall(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", data)
    if not lines or lines[0].removeprefix(b"\xef\xbb\xbf").rstrip() != b"---":
        return b"", data
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == b"---":
            return b"".join(lines[: number + 1]), b"".join(lines[number + 1 :])
    return b"", data


def fields(data: bytes) -> dict:
    """Return the front matter of a file with every scalar as text; {} if it has none or is broken."""
    head = split(data)[0].decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    try:
        found = yaml.load("\n".join(head.split("\n")[1:-2]), Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        return {}
    return found if isinstance(found, dict) else {}


def items(value) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def targets(data: bytes) -> tuple[list[str], list[str]]:
    """Return the targets of links by path, and the names of wikilinks, of a document, in order."""
    text = split(data)[1].decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    paths, names = [], []
    for block in MARKDOWN.parse(text):
        if block.type == "html_block":
            paths += HTML_LINK.findall(block.content)
        for token in block.children or ():
            if token.type in ("link_open", "image"):
                paths.append(token.attrs.get("href") or token.attrs.get("src") or "")
            elif token.type == "html_inline":
                paths += HTML_LINK.findall(token.content)
        if block.type == "inline":
            plain = "".join(token.content if token.type == "text" else "\0" for token in block.children or ())
            names += [name.rstrip("\\") for name in WIKILINK.findall(plain)]
    return paths, names


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def fold(text: str) -> str:
    return nfc(nfc(text).casefold())


class Paths:
    """The files of one state, by path and by name; `origin` maps a path to the one it had at first."""

    def __init__(self, entries: dict[str, Entry], origin: dict[str, str]) -> None:
        self.by_path = defaultdict(list)
        self.by_stem = defaultdict(set)
        for rel, entry in entries.items():
            self.by_path[nfc(rel)].append(origin.get(rel, rel))
            stem = fold(rel.rpartition("/")[2]).removesuffix(".md")
            if (entry.data is not None or entry.link) and not f"/{rel}".count("/.") and stem != "_index":
                self.by_stem[stem].add(rel)
        self.origin = origin
        self.aliases = defaultdict(set)
        for rel, entry in entries.items():
            if rel.endswith(".md") and entry.data and b"aliases" in entry.data:
                for alias in items(fields(entry.data).get("aliases")):
                    self.aliases[fold(alias.strip())].add(rel)

    def path(self, owner: str, target: str) -> str:
        """Return what a link by path leads to, as the path that file had at first; "" for nothing or two."""
        target = unquote(re.split(r"[#?]", target, maxsplit=1)[0])
        if not target or SCHEME.match(target):
            return ""
        rel = normpath(target.lstrip("/") if target.startswith("/") else join(dirname(owner), target))
        found = self.by_path.get(nfc(rel), [])
        return found[0] if len(found) == 1 else ""

    def name(self, name: str) -> str:
        """Return the one file a wikilink means, as the path it had at first; "" for none or several."""
        name = fold(name.strip()).removesuffix(".md")
        stem = name.rpartition("/")[2]
        found = {rel for rel in self.by_stem.get(stem, ()) if self._ends(rel, name)}
        found = found or (set() if "/" in name else self.aliases.get(name, set()))
        if len(found) != 1:
            return ""
        rel = next(iter(found))
        return self.origin.get(rel, rel)

    @staticmethod
    def _ends(rel: str, name: str) -> bool:
        path = normpath(name.lstrip("/"))
        while path.startswith("../"):
            path = path[3:]
        return "/" not in name or fold(f"/{rel}").removesuffix(".md").endswith(f"/{path}")


def meanings(data: bytes, rel: str, paths: Paths) -> tuple[list[str], list[str], list[str]]:
    """Return what every link by path, wikilink and source of a document means, in order."""
    links, names = targets(data)
    cited = [item.strip() for item in items(fields(data).get("sources"))]
    sources = [paths.path(rel if item.startswith(".") else "", item.lstrip("/")) for item in cited]
    return [paths.path(rel, link) for link in links], [paths.name(name) for name in names], sources
