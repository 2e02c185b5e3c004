"""What is a wiki beyond doubt, and may be written to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from llm_wiki.core.errors import NotAWiki
from llm_wiki.core.files import failure
from llm_wiki.model.layout import RAW_FOLDERS, WIKI_FOLDERS
from llm_wiki.wiki.resolve import ABSENT, is_dir, is_file

if TYPE_CHECKING:
    from llm_wiki.wiki.resolve import Root

_HUB_TITLE = b"# Wiki Hub Index"


def require_recognised(root: Root) -> None:
    """Refuse to write into a folder that only resembles a topic wiki.

    A code project may well have a folder `raw` or `wiki`. Beyond doubt is what has `_index.md`, a
    `config.md` with front matter, or categories in both `raw/` and `wiki/`. An `_index.md` that
    stands alone and is of another make proves nothing. Raises NotAWiki.
    """
    path = root.path
    if root.kind == "hub" or _has_header(path / "config.md"):
        return
    if is_file(path / "_index.md"):
        alone = not (is_file(path / "config.md") or is_dir(path / "raw") or is_dir(path / "wiki"))
        if not alone or not _is_foreign(path / "_index.md"):
            return
        raise NotAWiki(
            f"{path} has nothing of a wiki but an _index.md of another make; nothing was changed",
            path=path,
            remedy="is it a hub? wait for its sync to bring wikis.json and topics/ back",
        )
    planes = {"raw": RAW_FOLDERS, "wiki": WIKI_FOLDERS}
    if all(any(is_dir(path / plane / name) for name in names) for plane, names in planes.items()):
        return
    raise NotAWiki(
        f"{path} resembles a wiki but has neither _index.md nor config.md; nothing was changed",
        path=path,
        remedy="if it is one that lost them, restore _index.md; `llm-wiki init NAME` makes a new wiki",
    )


def _has_header(path: Path) -> bool:
    return _head(path).startswith(b"---")


def _is_foreign(index: Path) -> bool:
    """Tell whether an index is that of a site, which has a header, or that of a hub."""
    head = _head(index)
    return head.startswith((b"---", b"+++", _HUB_TITLE))


def _head(path: Path) -> bytes:
    """Return the first bytes of a file, b"" where there is none."""
    try:
        with path.open("rb") as file:
            return file.read(64).removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        if error.errno in ABSENT:
            return b""
        raise failure("read", path, error) from error
