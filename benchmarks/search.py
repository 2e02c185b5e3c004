"""Search: does it find the page, does it refuse, does it stay in its scope, and how fast is it.

Quality is measured with `questions.jsonl` over the two example topics, eight German and Chinese pages
(`pages/`) and thousands of generated neighbours in each (`near.py`); traps in a sibling topic, in an
archived topic and in superseded sources must never be found, and what only the other topic knows is a gap. Speed is measured on larger generated topics,
with ripgrep and tantivy in the same run where they are installed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measure import PYTHON, Run, run
from near import generate

HERE = Path(__file__).parent
SCRIPTS = HERE.parent / "scripts"
EXAMPLE = HERE.parent / "wikis/example"
TOPICS = ("agent-memory", "durable-files")
TRAPS = ("2020-01-01-trap", "/trap-", "rfc2279")
KINDS = ("single", "several", "alias", "typo", "paraphrase", "german", "chinese", "raw")
TARGETS = {"recall@5": 0.95, "MRR": 0.85, "refused": 0.9}


def questions() -> list[dict[str, Any]]:
    """Return the hand-written questions; one without a topic is asked of the first."""
    lines = (HERE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [{"topic": TOPICS[0]} | json.loads(line) for line in lines]


def fixture(base: Path, count: int) -> Path:
    """Make a hub with the example topics among `count` neighbours each, and the traps; return the hub."""
    hub = base / "hub"
    shutil.copytree(EXAMPLE, hub)
    topic = hub / "topics" / TOPICS[0]
    for page in sorted((HERE / "pages").glob("*.md")):
        folder, _, name = page.name.partition("--")
        shutil.copy(page, topic / "wiki" / folder / name)
    registry = json.loads((hub / "wikis.json").read_text())
    for place, slug, status in (
        ("topics/sibling", "sibling", "active"),
        ("topics/.archive/old", "old", "archived"),
    ):
        shutil.copytree(topic, hub / place)
        registry["wikis"][slug] = {"path": place, "description": slug, "status": status}
    (hub / "wikis.json").write_text(json.dumps(registry, indent=2) + "\n")
    for slug in TOPICS:
        topic = hub / "topics" / slug
        known = sorted((topic / "wiki").glob("*/[!_]*.md"))
        generate(topic, count)
        for page in known:
            if "-" in page.name and page.stat().st_size:
                _trap(topic, page)
    return hub


def _trap(topic: Path, page: Path) -> None:
    """Put an article's text into a source that a newer one supersedes and into an archived record."""
    body = page.read_text().split("\n---\n", 1)[1]
    old = f"raw/notes/2020-01-01-trap-{page.stem}.md"
    front = "type: notes\ningested: 2020-01-01\ntags: [trap]\nsummary: Old.\nsource: MANUAL\n"
    (topic / old).write_text(f"---\ntitle: Trap {page.stem}\n{front}---\n{body}")
    new = topic / f"raw/notes/2020-01-02-trap-{page.stem}.md"
    new.write_text(f"---\ntitle: Newer\n{front}supersedes: {old}\n---\n\n# Newer\n\nNothing.\n")
    (topic / "inventory/items").mkdir(parents=True, exist_ok=True)
    record = topic / f"inventory/items/trap-{page.stem}.md"
    record.write_text(f"---\ntitle: Trap {page.stem}\nkind: item\nstatus: archived\n---\n{body}")


class Tally:
    """Counts over a set of questions."""

    def __init__(self) -> None:
        self.recall: dict[int, list[float]] = {1: [], 5: [], 10: []}
        self.reciprocal: list[float] = []
        self.refused: list[bool] = []
        self.answered: list[bool] = []

    def add(self, expected: list[str], paths: list[str], *, answered: bool) -> None:
        """Count one question."""
        if not expected:
            self.refused.append(not answered)
            return
        self.answered.append(answered)
        for k, values in self.recall.items():
            values.append(len({*expected} & {*paths[:k]}) / min(k, len(expected)))
        ranks = [paths.index(one) + 1 for one in expected if one in paths]
        self.reciprocal.append(1 / min(ranks) if ranks else 0.0)

    def line(self) -> str:
        """Return the figures in words."""
        parts = []
        if self.reciprocal:
            parts += [f"recall@{k} {statistics.mean(v):.3f}" for k, v in self.recall.items()]
            parts.append(f"MRR {statistics.mean(self.reciprocal):.3f}")
            parts.append(f"answered {statistics.mean(self.answered):.3f}")
        if self.refused:
            parts.append(f"refused {statistics.mean(self.refused):.3f}")
        return "  ".join(parts) + f"  (n={len(self.reciprocal) + len(self.refused)})"


def quality(base: Path, count: int, *, verbose: bool) -> bool:
    """Print how well questions are answered; return whether the targets are met and no trap was found."""
    from llm_wiki.admit.visibility import Scope
    from llm_wiki.search.engine import search
    from llm_wiki.wiki.resolve import resolve
    from llm_wiki.wiki.snapshot import Snapshot

    hub = fixture(base, count)
    roots = {slug: resolve(hub / "topics" / slug, hub=str(hub)) for slug in TOPICS}
    snapshots = {slug: Snapshot.load(root.path, root.kind) for slug, root in roots.items()}
    names = ("first", "second", "all", *TOPICS, *KINDS)
    tallies: dict[str, Tally] = {name: Tally() for name in names}
    traps = 0
    for one in questions():
        scope = Scope(raw=one["kind"] == "raw")
        slug = one["topic"]
        results = search(snapshots[slug], roots[slug], one["question"], limit=10, scope=scope)
        paths = [hit.path for hit in results.hits]
        traps += sum(any(mark in path for mark in TRAPS) for path in paths)
        traps += sum(hit.kind == "raw" for hit in results.hits) if not scope.raw else 0
        for name in (one["half"], "all", slug, one["kind"]):
            if name in tallies:
                tallies[name].add(one["expect"], paths, answered=results.answered)
        wrong = (
            results.answered
            if not one["expect"]
            else not set(one["expect"]) <= set(paths[: len(one["expect"])])
        )
        unsure = bool(one["expect"]) and not results.answered
        if verbose and (wrong or unsure):
            best = [f"{hit.score:.2f} {hit.path}" for hit in results.hits[:3]]
            print(
                f"  {one['id']} {one['kind']}: {one['question']} {'WRONG' if wrong else 'UNSURE'}",
                *best,
                sep="\n      ",
            )
    pages = sum(len(snapshot.pages) for snapshot in snapshots.values())
    print(f"quality: {pages} pages in {len(TOPICS)} topics, {len(questions())} questions")
    for name, tally in tallies.items():
        if tally.reciprocal or tally.refused:
            print(f"  {name:<13} {tally.line()}")
    print(f"  hits out of scope: {traps}  (0)")
    peer_quality(snapshots)
    whole = tallies["all"]
    met = {
        "recall@5": statistics.mean(whole.recall[5]),
        "MRR": statistics.mean(whole.reciprocal),
        "refused": statistics.mean(whole.refused),
    }
    return not traps and all(met[name] >= least for name, least in TARGETS.items())


def peer_quality(snapshots: dict[str, Any]) -> None:
    """Print how tantivy's own ranking does on the same questions; it refuses nothing."""
    try:
        import tantivy
    except ImportError:
        return
    indexes = {
        (slug, raw): tantivy_of(tantivy, snapshot, raw=raw)
        for slug, snapshot in snapshots.items()
        for raw in (False, True)
    }
    tally = Tally()
    for one in questions():
        index = indexes[one["topic"], one["kind"] == "raw"]
        query, _ = index.parse_query_lenient(one["question"], ["title", "body"])
        found = index.searcher().search(query, 10).hits
        paths = [index.searcher().doc(address)["path"][0] for _, address in found]
        tally.add(one["expect"], paths, answered=bool(paths))
    print(f"  tantivy       {tally.line()}")


class Speed:
    """One generated local wiki of a size, and the figures taken on it."""

    def __init__(self, base: Path, size: int) -> None:
        from llm_wiki.wiki.resolve import resolve
        from llm_wiki.wiki.snapshot import Snapshot

        self.project = base / f"speed-{size}"
        self.project.mkdir()
        run([*LLM_WIKI, "init", "speed", "--local"], env=environment(), cwd=self.project)
        self.path = self.project / ".wiki"
        self.bytes = generate(self.path, size)
        time.sleep(2.1)  # let the files grow older than any clock tick, as files of a real wiki are
        self.root = resolve(self.path)
        self.snapshot = Snapshot.load(self.root.path, self.root.kind)
        rng = random.Random(5)
        self.queries = [one["question"] for one in questions()]
        self.queries += [sentence_of(self.path, rng) for _ in range(len(self.queries))]

    def ask(self, text: str, snapshot: Any = None, clock: Callable[[], float] = time.perf_counter) -> float:
        """Return the seconds of one search in this process."""
        from llm_wiki.search.engine import search

        start = clock()
        search(snapshot or self.snapshot, self.root, text)
        return clock() - start

    def build(self) -> float:
        """Return the seconds of the first search, which makes the index."""
        return self.ask("context budget")

    def update(self, rounds: int) -> float:
        """Return the median seconds of the first search after one page has changed."""
        rel = next(rel for rel in self.snapshot.pages if rel.startswith("wiki/concepts/"))
        data = self.snapshot.read(rel)
        found = []
        for number in range(rounds):
            changed = self.snapshot.overlay({rel: data + f"\nChange {number}.\n".encode()})
            found.append(self.ask("context budget", changed))
        self.ask("context budget")
        return statistics.median(found)

    def latency(self, clock: Callable[[], float]) -> list[float]:
        """Return the seconds of each query in this process, the best of three, sorted."""
        return sorted(min(self.ask(text, clock=clock) for _ in range(3)) for text in self.queries)

    def command(self, rounds: int) -> tuple[float, float, float]:
        """Return what a process costs above the bare interpreter, in seconds.

        Median and 95th percentile of the wall clock, and the median of the processor, which does not
        depend on what else the machine does.
        """
        walls, cpus = [], []
        self.cli("warm")
        self.cli("warm")
        for number in range(rounds):
            bare = run([PYTHON, "-c", "pass"], env=environment())
            ours = self.cli(self.queries[number * 7 % len(self.queries)])
            walls.append(ours.wall - bare.wall)
            cpus.append(ours.cpu - bare.cpu)
        return statistics.median(walls), percentile(sorted(walls), 0.95), statistics.median(cpus)

    def cli(self, text: str) -> Run:
        """Run one search as a process."""
        return run([*LLM_WIKI, "search", "--local", "--", text], env=environment(), cwd=self.project)


LLM_WIKI = [PYTHON, "-P", "-m", "llm_wiki"]


def environment() -> dict[str, str]:
    """Return the variables that whole processes run with."""
    return {name: os.environ[name] for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")} | {
        "PYTHONPATH": str(SCRIPTS)
    }


def percentile(values: list[float], share: float) -> float:
    """Return a percentile of sorted values."""
    return values[min(len(values) - 1, int(len(values) * share))]


def sentence_of(path: Path, rng: random.Random) -> str:
    """Return some neighbouring words of a random article, as a query."""
    folder = path / "wiki/concepts"
    page = folder / rng.choice(sorted(name for name in os.listdir(folder) if name[0] != "_"))
    words = page.read_text().rpartition("---")[2].split()
    start = rng.randrange(len(words) - 6)
    return " ".join(words[start : start + rng.randint(2, 6)])


def speed(base: Path, sizes: list[int], rounds: int) -> None:
    """Print build, update, query and process times for each size, with the peers that are installed."""
    for size in sizes:
        here = Speed(base, size)
        print(f"speed: {size} pages, {here.bytes / 1e6:.0f} MB")
        print(f"  index built        {here.build():.2f} s")
        print(f"  one page changed   {1000 * here.update(rounds):.0f} ms, search included  (at most 100)")
        for name, clock in (("", time.perf_counter), ("processor", time.process_time)):
            times = here.latency(clock)
            low, high = (1000 * percentile(times, share) for share in (0.5, 0.95))
            print(f"  query in process   {name:<9} median {low:.1f} ms, p95 {high:.1f} ms  (at most 10)")
        most = 150 if size <= 2000 else 300
        middle, late, cpu = here.command(rounds * 3)
        print(
            f"  `search` process   bare interpreter {1000 * middle:+.0f} ms, p95 {1000 * late:+.0f} ms, "
            f"processor {1000 * cpu:+.0f} ms  (at most +{most})"
        )
        for name, peer in (("ripgrep", ripgrep), ("tantivy", tantivy_index)):
            peer(here, name)
        shutil.rmtree(here.project)


def ripgrep(here: Speed, name: str) -> None:
    """Print what it costs to look for the words of a query without an index."""
    if not shutil.which("rg"):
        print(f"  {name:<18} not installed")
        return
    pattern = "context|budget"
    found = [run(["rg", "-i", "-c", pattern, str(here.path)]).wall for _ in range(5)]
    print(f"  {name:<18} {1000 * statistics.median(found):.0f} ms for two words, unranked")


def tantivy_index(here: Speed, name: str) -> None:
    """Print build and query times of tantivy over the same pages in memory, title and body."""
    try:
        import tantivy
    except ImportError:
        print(f"  {name:<18} not installed")
        return
    start = time.perf_counter()
    index = tantivy_of(tantivy, here.snapshot)
    built = time.perf_counter() - start
    searcher = index.searcher()
    times = []
    for text in here.queries:
        start = time.perf_counter()
        query, _ = index.parse_query_lenient(text, ["title", "body"])
        for _, address in searcher.search(query, 10).hits:
            searcher.doc(address)
        times.append(time.perf_counter() - start)
    times.sort()
    print(
        f"  {name:<18} built {built:.2f} s, query median {1000 * percentile(times, 0.5):.1f} ms, "
        f"p95 {1000 * percentile(times, 0.95):.1f} ms  (no snippets, no freshness)"
    )


def tantivy_of(tantivy: Any, snapshot: Any, *, raw: bool = True) -> Any:
    """Return a tantivy index of the articles, and of the sources with `raw`."""
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("path", stored=True)
    schema.add_text_field("title", stored=True, tokenizer_name="en_stem")
    schema.add_text_field("body", stored=True, tokenizer_name="en_stem")
    index = tantivy.Index(schema.build())
    writer = index.writer()
    for rel, page in snapshot.pages.items():
        if rel.startswith("wiki/") or (raw and rel.startswith("raw/")):
            text = snapshot.read(rel).decode(errors="replace")
            title = page.text("title") or page.title
            writer.add_document(tantivy.Document(path=rel, title=title, body=text))
    writer.commit()
    index.reload()
    return index


def main() -> None:
    """Run everything; exit 1 when a target of quality is missed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--near", type=int, default=2000, help="generated neighbours for quality")
    options.add_argument("--large", type=int, default=20000, help="pages for speed; 0 leaves it out")
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--verbose", action="store_true", help="show the questions that went wrong")
    args = options.parse_args()
    sys.path.insert(0, str(SCRIPTS))
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        os.environ |= {
            "HOME": folder,
            "XDG_CACHE_HOME": f"{folder}/cache",
            "XDG_STATE_HOME": f"{folder}/state",
        }
        good = quality(base, args.near, verbose=args.verbose)
        if args.large:
            speed(base, [2000, args.large], args.rounds)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
