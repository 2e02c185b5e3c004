"""Generates clean topic wikis of any size for the benchmarks; same seed, same bytes."""

from __future__ import annotations

import random
from pathlib import Path

WORDS = [
    "memory",
    "cache",
    "index",
    "agent",
    "session",
    "prompt",
    "token",
    "context",
    "window",
    "recall",
    "latency",
    "store",
    "vector",
    "graph",
    "summary",
    "article",
    "source",
    "evidence",
    "citation",
    "claim",
    "review",
    "audit",
    "digest",
    "rule",
    "fact",
    "scope",
    "trust",
    "time",
    "query",
    "search",
    "rank",
    "merge",
    "lock",
    "journal",
    "commit",
    "branch",
    "schema",
    "field",
    "value",
    "link",
    "anchor",
    "heading",
    "table",
    "reader",
    "writer",
    "model",
    "tool",
    "host",
    "plugin",
    "hook",
    "event",
    "stream",
    "batch",
    "queue",
    "retry",
    "budget",
    "limit",
    "measure",
]
RAW_TYPES = ("articles", "papers", "repos", "notes", "data")
CATEGORIES = (("concept", "concepts"), ("topic", "topics"), ("reference", "references"))
DATE = "2026-01-05"


def _sentence(rng: random.Random, words: int) -> str:
    text = " ".join(rng.choice(WORDS) for _ in range(words))
    return text[0].upper() + text[1:] + "."


def _paragraphs(rng: random.Random, count: int) -> str:
    return "\n\n".join(" ".join(_sentence(rng, 14) for _ in range(5)) for _ in range(count))


def _raw(rng: random.Random, number: int) -> tuple[str, str]:
    kind = RAW_TYPES[number % len(RAW_TYPES)]
    name = f"{DATE}-source-number-{number}.md"
    text = (
        f"---\ntitle: Source number {number}\nsource: https://example.org/{number}\ntype: {kind}\n"
        f"ingested: {DATE}\ntags: [{rng.choice(WORDS)}, {rng.choice(WORDS)}]\n"
        f"summary: {_sentence(rng, 12)}\n---\n\n# Source number {number}\n\n{_paragraphs(rng, 10)}\n"
    )
    return f"raw/{kind}/{name}", text


def _article(rng: random.Random, number: int, articles: int, raws: list[str]) -> tuple[str, str]:
    category, folder = CATEGORIES[number % 3]
    tags = sorted({f"t-{number % 97}", f"u-{number % 89}", f"v-{number}"})
    chosen = sorted({raws[number % len(raws)], raws[(number * 7 + 3) % len(raws)]})
    near = [(number + step) % articles for step in (1, 2, 3)] + [
        (number - step) % articles for step in (1, 2, 3)
    ]
    see_also = "\n".join(
        f"- [[article-number-{n}|Article number {n}]] "
        f"([Article number {n}](../{CATEGORIES[n % 3][1]}/article-number-{n}.md))"
        for n in near
    )
    sources = "\n".join(f"- [{Path(raw).stem}](../../{raw})" for raw in chosen)
    sections = "\n\n".join(
        f"## {rng.choice(WORDS).title()} and {rng.choice(WORDS)} {s}\n\n{_paragraphs(rng, 2)}"
        for s in range(5)
    )
    front = (
        f"---\ntitle: Article number {number}\ncategory: {category}\nsummary: {_sentence(rng, 14)}\n"
        f"tags: [{', '.join(tags)}]\nsources:\n"
        + "".join(f"  - {raw}\n" for raw in chosen)
        + f"created: {DATE}\nupdated: {DATE}\n"
        "confidence: medium\nvolatility: cold\n---\n\n"
    )
    body = (
        f"# Article number {number}\n\n> {_sentence(rng, 20)}\n\n{sections}\n\n"
        f"## See Also\n\n{see_also}\n\n## Sources\n\n{sources}\n"
    )
    return f"wiki/{folder}/article-number-{number}.md", front + body


def generate(root: Path, articles: int, *, seed: int = 7, dangling: int = 0) -> int:
    """Write a wiki of `articles` articles and as many sources below `root`; return its bytes.

    The folder must already be an initialised topic wiki. The first `dangling` articles get one
    source that does not exist. Indexes are left to `llm-wiki index rebuild`.
    """
    rng = random.Random(seed)
    total = 0
    raws = []
    files = []
    for number in range(articles):
        rel, text = _raw(rng, number)
        raws.append(rel)
        files.append((rel, text))
    for number in range(articles):
        rel, text = _article(rng, number, articles, raws)
        if number < dangling:
            text = text.replace(
                "sources:\n", f"sources:\n  - raw/papers/2020-01-01-never-written-{number}.md\n", 1
            )
        files.append((rel, text))
    for rel, text in files:
        data = text.encode()
        total += len(data)
        (root / rel).write_bytes(data)
    return total
