"""One page from the network as Markdown, without a wiki."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from llm_wiki.core import config
from llm_wiki.core.errors import Refused
from llm_wiki.core.files import write_atomic
from llm_wiki.ingest.source import Options, candidate, read
from llm_wiki.model.document import body_hash
from llm_wiki.wiki.resolve import classify


class Markdown(NamedTuple):
    """A fetched page; `date` is that of publication, `sha256` the body hash (`doctrine.md` §2)."""

    url: str
    title: str
    authors: tuple[str, ...]
    date: str
    markdown: str
    sha256: str
    type: str
    notes: tuple[str, ...]


def fetch_page(url: str, *, allow_private: bool = False) -> Markdown:
    """Fetch and extract one page. Raises what `ingest.source.read` and `candidate` raise."""
    proxy = config.load().get("network.proxy")
    options = Options(allow_private=allow_private, proxy=proxy if isinstance(proxy, str) else None)
    loaded = read(url, options)
    asked, found = candidate(loaded, options)
    notes = (*(loaded.page.notes if loaded.page else ()), *found.notes)
    text = asked.body if asked.body.endswith("\n") else asked.body + "\n"
    return Markdown(
        url=asked.source,
        title=asked.title,
        authors=found.authors,
        date=found.date,
        markdown=text,
        sha256=body_hash(text.encode()),
        type=asked.type,
        notes=notes,
    )


def write_aside(path: Path, text: str) -> None:
    """Write a fetched page to a file outside every wiki; raises `Refused` for one inside."""
    target = path.absolute()
    for folder in target.parents:
        if classify(folder) in ("topic", "hub"):
            raise Refused(
                f"{path} lies in the wiki {folder}",
                path=path,
                remedy="`llm-wiki ingest URL` takes a page into a wiki",
            )
    write_atomic(target, text.encode())
