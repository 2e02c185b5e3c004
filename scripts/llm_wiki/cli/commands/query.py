"""`llm-wiki query`."""

from __future__ import annotations

from typing import Any

import click

from llm_wiki.cli.mark import Target, json_option, target_options, verb
from llm_wiki.cli.output import Outcome, progress

_CATEGORIES = ("concepts", "topics", "references", "theses")


@click.command()
@click.argument("question", nargs=-1)
@target_options(path=False)
@click.option("--quick", is_flag=True, help="Index rows only; open no file.")
@click.option(
    "--deep", is_flag=True, help="Also linked pages, sources, and index hits of the hub's other topics."
)
@click.option("--raw", is_flag=True, help="Let sources answer beside articles.")
@click.option("--extract", is_flag=True, help="Print the sentences that answer, with path and line.")
@click.option("--list", "listing", is_flag=True, help="List the articles instead; no question needed.")
@click.option("--resume", is_flag=True, help="Say where this wiki stands instead; no question needed.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only articles with this tag.")
@click.option("--category", type=click.Choice(_CATEGORIES), help="Only articles of this category.")
@click.option("--with", "others", multiple=True, metavar="NAME", help="Ask this topic too, cited apart.")
@click.option("--nonce", "seed", default="", metavar="TEXT", help="Derive the fence's nonce from TEXT.")
@json_option
@verb("R0", name="query")
def command(
    question: tuple[str, ...],
    target: Target,
    quick: bool,
    deep: bool,
    raw: bool,
    extract: bool,
    listing: bool,
    resume: bool,
    tags: tuple[str, ...],
    category: str | None,
    others: tuple[str, ...],
    seed: str,
) -> Outcome:
    """Collect what answers QUESTION: index rows and the fewest exact files, quoted as data.

    At most 12 files and 60,000 characters at every depth; what was left out is said. When nothing
    clears the floor the answer is a gap, with what to ingest, and exit 1: nothing is guessed.
    """
    from llm_wiki.core.errors import BadUsage

    asked = " ".join(" ".join(question).split())
    chosen = [name for name, on in (("--quick", quick), ("--deep", deep)) if on]
    modes = [name for name, on in (("--list", listing), ("--resume", resume)) if on]
    if len(chosen) > 1 or len(modes) > 1:
        raise BadUsage(f"{' and '.join(chosen if len(chosen) > 1 else modes)} exclude each other")
    if modes and (others or extract or chosen):
        other = "--with" if others else "--extract" if extract else chosen[0]
        raise BadUsage(f"{modes[0]} answers no question, so {other} says nothing")
    if extract and quick:
        raise BadUsage("--extract reads files, --quick opens none")
    if not asked and not modes:
        raise BadUsage("ask a question", remedy="llm-wiki query QUESTION; --list lists the articles")
    from llm_wiki.ops.query import Question

    wanted = Question(
        asked,
        "quick" if quick else "deep" if deep else "standard",
        raw=raw,
        tags=tags,
        category=category or "",
        include_archived=target.include_archived,
        sentences=extract,
    )
    if modes:
        return _instead(target, wanted, seed, resume=resume)
    return _answered(target, wanted, others, seed)


def _answered(target: Target, wanted: Any, others: tuple[str, ...], seed: str) -> Outcome:
    from llm_wiki.core import clock
    from llm_wiki.core.errors import BadUsage
    from llm_wiki.core.fence import new_nonce
    from llm_wiki.ops.pack import data, text
    from llm_wiki.ops.query import gather
    from llm_wiki.wiki.resolve import resolve

    root = target.resolve()
    hub = None if root.hub is None else str(root.hub)
    secondary = [
        resolve(wiki=name, hub=hub, include_archived=target.include_archived)
        for name in dict.fromkeys(others)
        if name != root.name
    ]
    if any(other.kind == "hub" for other in secondary):
        raise BadUsage("a hub holds no articles", remedy="--with names a topic")
    wanted = wanted._replace(secondary=tuple(secondary))
    with progress("reading") as advance:
        pack = gather(root, wanted, clock.today(), new_nonce(seed), advance)
    rendered = text(pack)
    return Outcome(
        data(pack, rendered), rendered, 0 if pack.answered or (root.kind == "hub" and pack.hints) else 1
    )


def _instead(target: Target, wanted: Any, seed: str, *, resume: bool) -> Outcome:
    """Return the list of articles, or the briefing."""
    from llm_wiki.admit.visibility import Scope
    from llm_wiki.core import clock
    from llm_wiki.core.errors import BadUsage
    from llm_wiki.core.fence import new_nonce
    from llm_wiki.ops.briefing import briefing
    from llm_wiki.ops.pack import listed
    from llm_wiki.ops.query import listing
    from llm_wiki.ops.reading import Library
    from llm_wiki.ops.trees import load

    root = target.resolve()
    if root.kind == "hub":
        raise BadUsage(
            "a hub holds no articles", remedy="name a topic with --wiki; `llm-wiki status` lists them"
        )
    scope = Scope(include_archived=wanted.include_archived, raw=wanted.raw)
    with progress("reading") as advance:
        library = Library(load(root, progress=advance), root, scope, clock.today(), new_nonce(seed))
    if resume:
        data, text = briefing(library)
        return Outcome(data, text)
    rows = listing(library, wanted)
    data, text = listed(library, rows)
    return Outcome(data, text, 0 if rows else 1)
