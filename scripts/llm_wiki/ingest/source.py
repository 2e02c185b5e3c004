"""What the user names (an address, a file, standard input) as a candidate for admission."""

from __future__ import annotations

import os
import re
import ssl
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from llm_wiki.admit.candidate import MANUAL, Candidate
from llm_wiki.admit.tombstones import Keys, claimed_keys, joined, keys_of_urls
from llm_wiki.admit.urls import without_tracking
from llm_wiki.core.errors import BadUsage, Unreadable
from llm_wiki.core.files import printable, read_bytes
from llm_wiki.core.text import as_date
from llm_wiki.ingest.addresses import Resolver, system_resolver
from llm_wiki.ingest.charset import decode_text
from llm_wiki.ingest.detect import Kind, detect, detect_type
from llm_wiki.ingest.extract import Extracted, extract
from llm_wiki.ingest.fetch import LIMITS, Fetched, Limits, fetch
from llm_wiki.model.layout import RAW_FOLDERS

STDIN = "-"

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_HOSTLIKE = re.compile(r"(?:www\.)?[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}(?:/\S*)?")


class Options(NamedTuple):
    """What the user said beside the source; "" and () leave it to the source.

    `date` is the day of publication, `charset` the encoding of a text file that is not UTF-8.
    `proxy`, `resolver` and `ssl_context` are how the network is reached, `before` is told every address
    before it is (`fetch.fetch`).
    """

    title: str = ""
    type: str = ""
    tags: tuple[str, ...] = ()
    summary: str = ""
    date: str = ""
    charset: str = ""
    allow_private: bool = False
    limits: Limits = LIMITS
    proxy: str | None = None
    resolver: Resolver = system_resolver
    ssl_context: ssl.SSLContext | None = None
    before: Callable[[str], None] | None = None


class Loaded(NamedTuple):
    """A source as bytes: its `kind`, the `source` to record, the `page` it was fetched as, if it was."""

    data: bytes
    kind: Kind
    source: str
    name: str = ""
    page: Fetched | None = None


def read(
    argument: str, options: Options, *, root: Path | None = None, stdin: Callable[[], bytes] | None = None
) -> Loaded:
    """Load a URL, a file or (`-`) standard input.

    A path below `root` is recorded relative to it, one below the home folder with `~`: a wiki is shared,
    a machine is not. Raises BadUsage for what is neither or is no text, Refused and ServiceFailed as
    `fetch` does, Unreadable for a file the system does not let read.
    """
    if argument == STDIN:
        data = (stdin or standard_input)()
        _check_size(data, options.limits, "standard input")
        return Loaded(data, detect(data, path="standard input"), MANUAL)
    if not argument.strip():
        raise BadUsage("no source is named", remedy="give a URL, the path of a file, or - for standard input")
    if _SCHEME.match(argument.strip()):
        return _read_url(argument.strip(), options)
    return _read_file(argument, options, root)


def candidate(loaded: Loaded, options: Options) -> tuple[Candidate, Extracted]:
    """Return what a source would become, and what was found in it.

    Raises BadUsage for an unknown type, a date that is none, text that is not in its encoding.
    """
    page = loaded.page
    if options.type and options.type not in RAW_FOLDERS:
        raise BadUsage(f"unknown type: {options.type!r}", remedy=f"use one of: {', '.join(RAW_FOLDERS)}")
    published = as_date(options.date) if options.date else None
    if options.date and published is None:
        raise BadUsage(f"{options.date!r} is no date", remedy="write dates as YYYY-MM-DD")
    found = extract(
        loaded.data,
        loaded.kind,
        url=page.url if page else "",
        name=loaded.name,
        charset=options.charset or (page.charset if page else ""),
    )
    named = found.type if found.type in RAW_FOLDERS else ""
    fields = {
        "authors": found.authors,
        "published": published.isoformat() if published else found.date,
        "fetched": page.fetched.isoformat() if page else "",
        "content_format": "" if found.format == "markdown" else found.format,
    }
    return (
        Candidate(
            title=options.title or found.title,
            source=loaded.source,
            type=options.type or named or detect_type(loaded.source, loaded.kind, web=page is not None),
            body=found.body,
            summary=options.summary or found.summary,
            tags=options.tags or found.tags,
            fields=fields,
            aliases=(page.requested,) if page else (),
        ),
        found,
    )


def own_keys(loaded: Loaded, found: Extracted) -> Keys:
    """Return what a source says it is: its own address, and all that the front matter of a raw file holds.

    Nothing of it is recorded; a retracted source is known by it.
    """
    keys = keys_of_urls(*found.addresses)
    if loaded.kind.format != "markdown":
        return keys
    return joined(keys, claimed_keys(decode_text(loaded.data, found.charset, loaded.name or None).text))


def _read_url(url: str, options: Options) -> Loaded:
    if url.casefold().startswith("file:"):
        raise BadUsage("a file: address is not fetched", remedy="give the path of the file")
    page = fetch(
        url,
        allow_private=options.allow_private,
        limits=options.limits,
        proxy=options.proxy,
        resolver=options.resolver,
        ssl_context=options.ssl_context,
        before=options.before,
    )
    name = page.url.partition("?")[0].partition("://")[2]
    name = name.partition("/")[2]
    kind = detect(page.data, name=name, media_type=page.media_type, path=page.url)
    return Loaded(page.data, kind, without_tracking(page.url), name, page)


def _read_file(argument: str, options: Options, root: Path | None) -> Loaded:
    # Path.expanduser raises for an unknown user
    path = Path(os.path.expanduser(argument)) if argument.startswith("~") else Path(argument)  # noqa: PTH111
    shown = "".join(char if char.isprintable() else "\ufffd" for char in printable(path))
    try:
        if path.is_dir():
            raise BadUsage(f"{shown} is a folder", path=shown, remedy="name one file of it")
        if not path.exists():
            remedy = (
                f"for a page of the web write https://{argument}" if _HOSTLIKE.fullmatch(argument) else None
            )
            raise BadUsage(
                f"{shown} is neither a file nor an address",
                path=shown,
                remedy=remedy or "give a URL with https://, the path of a file, or pipe text to -",
            )
        size = path.stat().st_size
    except (OSError, ValueError) as error:
        raise Unreadable(
            f"cannot read {shown}: {getattr(error, 'strerror', None) or error}", path=shown
        ) from error
    if size > options.limits.bytes:
        raise _too_large(shown, options.limits)
    data = read_bytes(path)
    _check_size(data, options.limits, shown)
    return Loaded(
        data, detect(data, name=printable(path.name), path=shown), _recorded(path, root), printable(path.name)
    )


def _recorded(path: Path, root: Path | None) -> str:
    """Return a path as a shared wiki may hold it: below the root relative, below home with `~`."""
    full = Path(os.path.realpath(path))
    for base, prefix in ((root, ""), (_home(), "~/")):
        if base is None:
            continue
        try:
            return prefix + printable(full.relative_to(os.path.realpath(base)).as_posix())
        except ValueError:
            continue
    return printable(full.as_posix())


def _home() -> Path | None:
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home if len(home.parts) > 1 else None


def standard_input() -> bytes:
    """Return all of standard input. Raises BadUsage when the program was started without one."""
    if sys.stdin is None:
        raise BadUsage("standard input is closed", remedy="pipe the text in, or name a file")
    return sys.stdin.buffer.read()


def _check_size(data: bytes, limits: Limits, shown: str) -> None:
    if len(data) > limits.bytes:
        raise _too_large(shown, limits)


def _too_large(shown: str, limits: Limits) -> BadUsage:
    return BadUsage(
        f"{shown} is larger than {limits.bytes / 1_000_000:g} MB",
        path=shown,
        remedy="a source is one text; keep large data outside and describe it as a dataset",
    )
