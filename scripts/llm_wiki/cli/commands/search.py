"""`llm-wiki search`."""

from __future__ import annotations

from typing import Any

import click

from llm_wiki.cli.mark import Target, json_option, target_options, verb
from llm_wiki.cli.output import Outcome, progress


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})
@click.argument("text", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(0, 1000), default=10, show_default=True, help="How many hits.")
@click.option("--raw", is_flag=True, help="Search the sources too.")
@click.option("--superseded", is_flag=True, help="Search versions of sources that newer ones replaced, too.")
@click.option("--explain", is_flag=True, help="Say of each hit why it ranks where it does.")
@click.option("--nonce", "seed", default="", metavar="TEXT", help="Derive the fence's nonce from TEXT.")
@target_options(path=False)
@json_option
@verb("R0", name="search")
def command(
    target: Target, text: tuple[str, ...], limit: int, raw: bool, superseded: bool, explain: bool, seed: str
) -> Outcome:
    """Find pages by words, best first, with the lines that match. Exit 1 when nothing fits.

    "a phrase"  -word  tag:NAME  category:NAME  type:NAME  after:DATE  before:DATE

    Articles come first. Records and deliverables are labelled and never an answer; sources are
    searched with --raw. A word that no page holds is replaced by one spelt nearly the same, and
    the result says so. At a hub the names of pages in all active topics are searched. Where no person
    looks on, what stands in the wiki is fenced as quoted data.
    """
    import gc
    import sys

    from llm_wiki.admit.visibility import Scope
    from llm_wiki.core.fence import new_nonce
    from llm_wiki.ops.searching import search
    from llm_wiki.search.engine import Ask
    from llm_wiki.search.syntax import parse

    gc.disable()  # a walk over many files makes no garbage, and the process ends with the search
    root = target.resolve()
    scope = Scope(include_archived=target.include_archived, raw=raw, superseded=superseded)
    ask = Ask(parse(" ".join(text)), limit, scope, None, explain)
    with progress("reading") as advance:
        found = search(root, ask, progress=advance)
    nonce = "" if sys.stdout.isatty() and not seed else new_nonce(seed)
    return Outcome(
        _data(root, found), _text(root, found, nonce), 0 if any(h.fits for h in found.results.hits) else 1
    )


def _data(root: Any, found: Any) -> dict[str, Any]:
    results = found.results
    hits = []
    for hit, topic in zip(results.hits, found.topics, strict=True):
        row = hit._asdict()
        row["snippets"] = [snippet._asdict() for snippet in hit.snippets]
        row["topic"] = topic or None
        if not hit.explain:
            del row["explain"]
        hits.append(row)
    query = results.query
    return {
        "root": str(root.path),
        "answered": results.answered,
        "corrected": results.corrected,
        "floor": results.floor,
        "hits": hits,
        "skipped": [{"topic": slug, "reason": reason} for slug, reason in found.skipped],
        "query": {
            "words": [term.word for term in query.terms],
            "phrases": [" ".join(run) for run in query.phrases],
            "without": [" ".join(run) for run in query.without],
            "tags": list(query.tags),
            "categories": list(query.categories),
            "types": list(query.types),
            "after": query.after or None,
            "before": query.before or None,
        },
        "total": results.total,
    }


def _text(root: Any, found: Any, nonce: str) -> str:
    from llm_wiki.core.fence import fence, notice

    results = found.results
    lines = [f"Taken for {typed}: {taken}" for typed, taken in sorted(results.corrected.items())]
    if not results.hits:
        lines.append("Nothing found.")
    elif not any(hit.fits for hit in results.hits):
        lines.append("Nothing fits the query well. Nearest:")
    elif not results.answered:
        lines.append("No article fits the query; what follows is no evidence for a fact.")
    hits = _hits(found)
    if hits and nonce:
        quoted = fence("\n".join(hits), path=f"{root.name}: search", labels={"plane": "hits"}, nonce=nonce)
        hits = [notice(nonce), quoted.rstrip("\n")]
    lines += hits
    if any(found.topics):
        lines.append("Search one of the topics in full with --wiki NAME.")
    lines += [f"Not searched: {slug}: {reason}" for slug, reason in found.skipped]
    return "\n".join(lines)


def _hits(found: Any) -> list[str]:
    """Return the hits as lines: place and labels, then the lines that match."""
    lines: list[str] = []
    for number, (hit, topic) in enumerate(zip(found.results.hits, found.topics, strict=True), 1):
        labels = f"  [{', '.join(hit.labels)}]" if hit.labels else ""
        place = f"{topic}: {hit.path}" if topic else hit.path
        lines.append(f"{number}. {hit.title}  {place}{labels}  {hit.score:.2f}")
        lines += [f"   {snippet.line}: {snippet.text}" for snippet in hit.snippets]
        if not hit.snippets and hit.summary:
            lines.append(f"   {hit.summary}")
        lines += _why(hit.explain)
    return lines


def _why(explain: dict[str, Any]) -> list[str]:
    """Return the explanation of a hit as lines."""
    if not explain:
        return []
    parts = " + ".join(
        f"{explain['shares'][name]:g} x {name} {value:.2f}" for name, value in explain["parts"].items()
    )
    plane = explain["plane"]
    factor = "" if plane["factor"] == 1 else f", all x {plane['factor']:g} as {plane['name']}"
    lines = [f"   why: {parts}{factor}"]
    for word, about in explain["words"].items():
        where = (
            ", ".join(f"{field} {count}" for field, count in about["fields"].items()) or "not on this page"
        )
        instead = f", by {about['how']}: {', '.join(about['instead'])}" if about.get("how") else ""
        rarity = f"weight {about['weight']:.2f}, pages {about['pages']}"
        lines.append(f"     {word} ({rarity}{instead}): {where}")
    return lines
