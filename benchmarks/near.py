"""Generates pages about the neighbourhood of the example topic that answer none of its questions.

Invented systems, real vocabulary of agents, storage, text and operations, words as unevenly
frequent as in prose; same seed, same bytes.
"""

from __future__ import annotations

import random
from pathlib import Path

DATE = "2026-01-05"

_SYLLABLES = [
    "bar",
    "bel",
    "cor",
    "dan",
    "del",
    "dor",
    "fen",
    "gal",
    "har",
    "hel",
    "jor",
    "kel",
    "lar",
    "lin",
    "mar",
    "mel",
    "nor",
    "oru",
    "pel",
    "quo",
    "ral",
    "ras",
    "sel",
    "sor",
    "tal",
    "tem",
    "tor",
    "ul",
    "ven",
    "vor",
    "wen",
    "yar",
    "zel",
    "zor",
]
_SUBJECTS = [
    "queue",
    "scheduler",
    "compiler",
    "gateway",
    "pipeline",
    "planner",
    "sandbox",
    "runtime",
    "dashboard",
    "profiler",
    "tokenizer",
    "renderer",
    "classifier",
    "crawler",
    "notebook",
    "registry",
    "proxy",
    "broker",
    "worker",
    "cluster",
    "container",
    "editor",
    "plugin",
    "connector",
    "extension",
    "deployment",
    "workflow",
    "dataset",
    "embedding",
    "ranker",
    "parser",
    "formatter",
    "importer",
    "exporter",
    "notifier",
    "console",
    "benchmark",
    "simulator",
    "controller",
    "resolver",
    "router",
    "sampler",
    "encoder",
    "decoder",
    "vector-store",
    "agent",
    "memory",
    "context",
    "prompt",
    "session",
    "cache",
    "index",
    "history",
    "transcript",
    "checkpoint",
    "ledger",
    "wiki",
    "archive",
]
_NOUNS = [
    "memory",
    "context",
    "agent",
    "file",
    "page",
    "model",
    "prompt",
    "session",
    "source",
    "article",
    "index",
    "tool",
    "answer",
    "question",
    "text",
    "name",
    "link",
    "table",
    "line",
    "record",
    "user",
    "team",
    "release",
    "version",
    "error",
    "test",
    "server",
    "client",
    "request",
    "response",
    "message",
    "queue",
    "token",
    "vector",
    "graph",
    "node",
    "edge",
    "batch",
    "stream",
    "event",
    "hook",
    "key",
    "value",
    "field",
    "schema",
    "query",
    "result",
    "rank",
    "score",
    "window",
    "budget",
    "limit",
    "cost",
    "latency",
    "throughput",
    "bandwidth",
    "disk",
    "network",
    "thread",
    "process",
    "lock",
    "journal",
    "commit",
    "branch",
    "merge",
    "review",
    "deployment",
    "rollback",
    "container",
    "image",
    "cluster",
    "region",
    "replica",
    "shard",
    "partition",
    "quota",
    "invoice",
    "licence",
    "contract",
    "meeting",
    "roadmap",
    "milestone",
    "ticket",
    "incident",
    "alert",
    "metric",
    "dashboard",
    "chart",
    "colour",
    "button",
    "menu",
    "form",
    "screen",
    "keyboard",
    "camera",
    "sensor",
    "battery",
    "motor",
    "valve",
    "pump",
    "bridge",
    "road",
    "harbour",
    "warehouse",
    "order",
    "supplier",
    "customer",
    "price",
    "discount",
    "tax",
    "budget-plan",
    "salary",
    "training",
    "course",
    "teacher",
    "student",
]
_VERBS = [
    "stores",
    "reads",
    "writes",
    "loads",
    "sends",
    "receives",
    "checks",
    "compares",
    "merges",
    "splits",
    "ranks",
    "filters",
    "drops",
    "keeps",
    "copies",
    "moves",
    "renames",
    "deletes",
    "restores",
    "archives",
    "logs",
    "counts",
    "measures",
    "limits",
    "retries",
    "queues",
    "schedules",
    "starts",
    "stops",
    "signs",
    "encrypts",
    "parses",
    "renders",
    "indexes",
    "caches",
    "replicates",
    "partitions",
    "samples",
    "trains",
    "deploys",
    "monitors",
    "reports",
    "flags",
    "approves",
    "rejects",
    "assigns",
    "updates",
    "replaces",
    "wraps",
    "extends",
    "imports",
    "exports",
]
_ADJECTIVES = [
    "large",
    "small",
    "slow",
    "fast",
    "old",
    "new",
    "local",
    "remote",
    "shared",
    "private",
    "cold",
    "warm",
    "stale",
    "fresh",
    "exact",
    "partial",
    "quiet",
    "noisy",
    "cheap",
    "expensive",
    "simple",
    "complex",
    "nightly",
    "weekly",
    "monthly",
    "manual",
    "automatic",
    "external",
    "internal",
    "primary",
    "secondary",
    "temporary",
    "permanent",
    "structured",
    "plain",
    "hidden",
    "public",
    "regional",
    "optional",
    "required",
]
_FRAMES = (
    "The {s} {v} every {a} {n} before the {n2} is opened.",
    "When a {n} grows beyond {k} entries, the {s} {v} it to a {a} {n2}.",
    "Operators of the {s} report that a {a} {n} costs about {k} milliseconds.",
    "In version {k} the {n} of the {s} became {a}.",
    "A {a} {n} is not the same as a {a2} {n2}; the {s} treats both alike.",
    "The team behind the {s} prefers a {a} {n} over a {a2} one.",
    "Each {n} carries a {n2} so that the {s} can tell them apart.",
    "After {k} days the {s} {v} the {n} unless a person says otherwise.",
    "Most problems with the {s} come from a {a} {n} in front of a {a2} {n2}.",
    "The {s} never {v} a {n} that another {n2} still needs.",
    "If the {n} is missing, the {s} falls back to a {a} {n2}.",
    "Two teams tried the {s} with a {a} {n} and kept it.",
    "Set the {n} of the {s} to {k} and watch the {n2}.",
    "It {v} the {n}, and the {n2} follows within {k} seconds.",
    "Nobody should change the {a} {n} by hand while the {s} runs.",
)
_ASPECTS = (
    "Overview of", "Operating", "Limits of", "Design of", "Notes on", "Migrating to", "Cost of", "Incidents with",
    "Configuring", "Testing", "Roadmap of", "Interfaces of",
)  # fmt: skip
_HEADINGS = (
    "Purpose",
    "How it is set up",
    "Numbers",
    "Experience",
    "What we changed",
    "Open points",
    "Ownership",
)
_PLANES = (("wiki/concepts", 500), ("wiki/topics", 500), ("wiki/references", 400), ("raw/notes", 300),
           ("raw/articles", 100), ("inventory/items", 100), ("output", 100))  # fmt: skip


class _Writer:
    """Writes one page about one invented system."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def pick(self, words: list[str] | tuple[str, ...]) -> str:
        """Choose a word, the earlier in the list the more frequent (Zipf); now and then a rare term."""
        if self.rng.random() < 0.08:
            return self.rng.choice(_SYLLABLES) + self.rng.choice(_SYLLABLES) + self.rng.choice(_SYLLABLES)
        return words[int(len(words) ** self.rng.random()) - 1]

    def system(self) -> str:
        """Invent the name of a system."""
        name = "".join(self.rng.choice(_SYLLABLES) for _ in range(3)).title()
        return f"{name} {self.rng.choice(_SUBJECTS)}"

    def sentence(self, system: str) -> str:
        """Say something about the system."""
        return self.rng.choice(_FRAMES).format(
            s=system,
            n=self.pick(_NOUNS),
            n2=self.pick(_NOUNS),
            v=self.rng.choice(_VERBS),
            a=self.rng.choice(_ADJECTIVES),
            a2=self.rng.choice(_ADJECTIVES),
            k=self.rng.randint(2, 900),
        )

    def page(self, number: int, folder: str) -> tuple[str, str]:
        """Return path and text of one page."""
        system = self.system()
        title = f"{self.rng.choice(_ASPECTS)} the {system}"
        sections = "\n\n".join(
            f"## {heading}\n\n" + " ".join(self.sentence(system) for _ in range(self.rng.randint(4, 9)))
            for heading in self.rng.sample(_HEADINGS, 4)
        )
        tags = sorted({self.pick(_NOUNS), self.pick(_NOUNS), system.split()[-1]})
        slug = f"{title.lower().replace(' ', '-')}-{number}"
        front = [f"title: {title}", f"summary: {self.sentence(system)}", f"tags: [{', '.join(tags)}]"]
        front += _fields(folder)
        text = "---\n" + "\n".join(front) + f"\n---\n\n# {title}\n\n{self.sentence(system)}\n\n{sections}\n"
        name = f"{DATE}-{slug}" if folder.startswith("raw") else slug
        return f"{folder}/{name}.md", text


def _fields(folder: str) -> list[str]:
    """Return the front matter that pages of a folder need besides title, summary and tags."""
    if folder.startswith("raw"):
        return ["source: MANUAL", f"type: {folder.rpartition('/')[2]}", f"ingested: {DATE}"]
    dates = [f"created: {DATE}", f"updated: {DATE}"]
    if folder.startswith("inventory"):
        return ["kind: item", "status: active", "priority: p2", *dates]
    if folder == "output":
        return ["type: report", f"generated: {DATE}"]
    return [f"category: {folder.rpartition('/')[2][:-1]}", "compiled-from: conversation", *dates]


def generate(root: Path, count: int = 2000, *, seed: int = 11) -> int:
    """Write `count` pages below a topic root; return their bytes."""
    writer = _Writer(random.Random(seed))
    total = sum(share for _, share in _PLANES)
    size = number = 0
    for folder, share in _PLANES:
        (root / folder).mkdir(parents=True, exist_ok=True)
        for _ in range(count * share // total):
            rel, text = writer.page(number, folder)
            number += 1
            size += (root / rel).write_text(text)
    return size
