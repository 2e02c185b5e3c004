"""Lint of generated clean wikis against the floor: read, parse headers, one Markdown pass.

Prints, all in one run: cold and warm lint as a multiple of the floor, peak memory of the process
tree, the price of 500 dangling references, one hostile line, and the peers that are installed; of a
large wiki the growth of time a file, and after one change lint of the file that changed and of the
whole, as multiples of the floor of the small wiki. A ratio is the median of the ratios of runs made
one after the other, so that a busy machine spoils it less than it spoils seconds.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from measure import PYTHON, Run, run
from sample import generate

HERE = Path(__file__).parent
LLM_WIKI = [PYTHON, "-P", "-m", "llm_wiki"]
TODAY = {"LLM_WIKI_TODAY": "2026-01-10"}


class Bench:
    """One scratch folder with its own home, so that nothing of the user's is touched."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.env = TODAY | {
            "HOME": str(base / "home"),
            "XDG_CACHE_HOME": str(base / "cache"),
            "XDG_STATE_HOME": str(base / "state"),
            "PYTHONPATH": str(HERE.parent / "scripts"),
        }
        (base / "home").mkdir()

    def wiki(self, name: str, articles: int, *, dangling: int = 0) -> tuple[Path, int]:
        """Make an initialised wiki and fill it; return its folder and its bytes of articles and sources."""
        project = self.base / name
        project.mkdir()
        self.check(run([*LLM_WIKI, "init", name, "--local"], env=self.env, cwd=project))
        root = project / ".wiki"
        size = generate(root, articles, dangling=dangling)
        self.check(run([*LLM_WIKI, "index", "rebuild", "--force", str(root)], env=self.env))
        time.sleep(2.1)  # let the files grow older than any clock tick, as files of a real wiki are
        return root, size

    def check(self, done: Run, *allowed: int) -> Run:
        """Stop the benchmark when a command failed."""
        if done.status not in (0, *allowed):
            sys.exit(f"a command of the benchmark ended with status {done.status}")
        return done

    def lint(self, path: Path, *, cold: bool = False, status: int = 0, memory: bool = False) -> Run:
        """Lint a root or a file once, after forgetting the parse cache when `cold`."""
        if cold:
            shutil.rmtree(self.base / "cache", ignore_errors=True)
        return self.check(run([*LLM_WIKI, "lint", str(path)], env=self.env, memory=memory), status)

    def floor(self, root: Path) -> Run:
        """Do the least any linter must."""
        return self.check(run([PYTHON, str(HERE / "floor.py"), str(root)], env=self.env))


def med(runs: list[float]) -> float:
    """Return the median."""
    return statistics.median(runs)


def small(bench: Bench, root: Path, rounds: int) -> tuple[list[float], list[float], list[float]]:
    """Return floor, cold and warm seconds of each round."""
    floors, colds, warms = [], [], []
    bench.floor(root)
    for _ in range(rounds):
        floors.append(bench.floor(root).wall)
        colds.append(bench.lint(root, cold=True).wall)
        warms.append(bench.lint(root).wall)
    return floors, colds, warms


def changed(bench: Bench, root: Path, large: Path, rounds: int) -> None:
    """Print what one change costs in the large wiki, against the floor of the small one."""
    file = large / "wiki/concepts/article-number-0.md"
    floors, files, wholes, news = [], [], [], []
    bench.lint(large)
    for number in range(rounds):
        floors.append(bench.floor(root).wall)
        file.write_text(file.read_text() + "\nMore.\n")
        files.append(bench.lint(file).wall)
        wholes.append(bench.lint(large).wall)
        new = file.with_name(f"new-article-{number}.md")
        new.write_text(file.read_text())
        news.append(bench.lint(new, status=1).wall)
        new.unlink()
    for name, seconds, limit in (
        ("changed file", files, "  (at most 0.5)"),
        ("new file", news, "  not in its index yet"),
        ("whole, one change", wholes, ""),
    ):
        print(
            f"{name:<18} {med(seconds):.3f} s  {ratio(seconds, floors):.2f} x floor of the small wiki{limit}"
        )


def ratio(seconds: list[float], others: list[float]) -> float:
    """Return the median of the ratios of runs that belong together."""
    return med([one / other for one, other in zip(seconds, others, strict=True)])


def peers(root: Path) -> list[tuple[str, list[str]]]:
    """Return the Markdown linters that are installed."""
    found = []
    if shutil.which("rumdl"):
        found.append(("rumdl", ["rumdl", "check", "--no-cache", "--silent", str(root)]))
    if shutil.which("markdownlint-cli2"):
        found.append(("markdownlint-cli2", ["markdownlint-cli2", f"{root}/**/*.md"]))
    return found


def hostile(bench: Bench) -> tuple[float, float]:
    """Return seconds of linting a tiny wiki without and with one line of 160 KB of `](`."""
    root, _ = bench.wiki("hostile", 6)
    plain = med([bench.lint(root, cold=True).wall for _ in range(5)])
    article = root / "wiki/concepts/article-number-0.md"
    article.write_text(article.read_text() + "\n" + "](" * 80_000 + "\n")
    return plain, med([bench.lint(root, cold=True, status=1).wall for _ in range(5)])


def main() -> None:
    """Run everything and print one line a figure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--articles", type=int, default=2000)
    options.add_argument("--large", type=int, default=16000, help="0 leaves the growth out")
    options.add_argument("--rounds", type=int, default=7)
    args = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        root, size = bench.wiki("small", args.articles)
        floors, colds, warms = small(bench, root, args.rounds)
        cold, warm = med(colds), med(warms)
        memory = bench.lint(root, cold=True, memory=True).peak_mb
        files = 2 * args.articles
        print(f"wiki: {args.articles} articles and as many sources, {size / 1e6:.1f} MB")
        print(f"floor              {med(floors):.3f} s")
        print(f"cold lint          {cold:.3f} s  {ratio(colds, floors):.2f} x floor  (at most 1.6)")
        print(f"warm lint          {warm:.3f} s  {ratio(warms, floors):.2f} x floor  (at most 0.4)")
        print(f"peak memory        {memory:.0f} MB, process tree  (under 300)")
        broken, _ = bench.wiki("dangling", args.articles, dangling=500)
        pairs = [
            (bench.lint(root, cold=True).wall, bench.lint(broken, cold=True, status=1).wall)
            for _ in range(args.rounds)
        ]
        print(f"500 dangling       {med([b / a for a, b in pairs]):.2f} x the clean wiki  (at most 1.10)")
        plain, line = hostile(bench)
        print(f"160 KB of ](       {1000 * (line - plain):+.0f} ms over a tiny wiki  (at most 100)")
        for name, command in peers(root):
            seconds = med([run(command, env=bench.env).wall for _ in range(3)])
            print(f"{name:<18} {seconds:.3f} s  cold lint is {cold / seconds:.2f} x of it")
        if args.large:
            large, large_size = bench.wiki("large", args.large)
            big = med([bench.lint(large, cold=True).wall for _ in range(3)])
            big_warm = med([bench.lint(large).wall for _ in range(3)])
            per, per_big = cold / files, big / (2 * args.large)
            print(f"large wiki: {args.large} articles, {large_size / 1e6:.0f} MB")
            growth = 100 * (per_big / per - 1)
            growth_warm = 100 * (big_warm / (2 * args.large) / (warm / files) - 1)
            print(f"cold lint          {big:.2f} s, time a file {growth:+.0f} %  (under +20 %)")
            print(f"warm lint          {big_warm:.2f} s, time a file {growth_warm:+.0f} %")
            changed(bench, root, large, args.rounds)


if __name__ == "__main__":
    main()
