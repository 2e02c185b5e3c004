"""Fuzzes one target after the other, guided by coverage: `python tests/fuzz [--time S] [TARGET ...]`.

    --time S     seconds in all, shared equally (default 60)
    --work DIR   where inputs found, failures and counts go (default build/fuzz)

Each distinct failure is written once, as `failures/TARGET-…` with its traceback beside it, and the run
goes on; the exit status tells whether there was one. `counts.tsv` gets a line a run: target, executions,
seconds, failures. Needs the dependency group `fuzz`.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
LONGEST = 400
"""Bytes of the longest input: short ones find the same faults sooner."""


class Collector:
    """Runs one target, counts, and keeps the first input of every distinct failure."""

    def __init__(self, name: str, work: Path, seconds: float) -> None:
        from fuzz_targets import TARGETS

        self.name, self.target = name, TARGETS[name]
        self.folder = work / "failures"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.counts = work / "counts.tsv"
        self.started = time.monotonic()
        self.until = self.started + seconds
        self.executions = 0
        self.known: set[str] = set()

    def __call__(self, data: bytes) -> None:
        """Run the target on one input; no failure ends the run."""
        self.executions += 1
        try:
            self.target(data)
        except Exception as error:  # noqa: BLE001 - whatever is raised is what is looked for
            self.keep(data, error)
        if not self.executions % 256 and time.monotonic() > self.until:
            self.finish()

    def keep(self, data: bytes, error: Exception) -> None:
        """Write down a failure of a kind not seen before in this run."""
        frames = traceback.extract_tb(error.__traceback__)[-3:]
        kind = "|".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
        if kind in self.known:
            return
        self.known.add(kind)
        path = self.folder / f"{self.name}-{hashlib.sha256(kind.encode()).hexdigest()[:10]}"
        path.write_bytes(data)
        path.with_suffix(".txt").write_text(f"{data!r}\n\n{''.join(traceback.format_exception(error))}")

    def finish(self) -> None:
        """Note the count and end the process: the fuzzer itself never returns."""
        import os

        seconds = time.monotonic() - self.started
        with self.counts.open("a") as file:
            file.write(f"{self.name}\t{self.executions}\t{seconds:.1f}\t{len(self.known)}\n")
        os._exit(1 if self.known else 0)


def fuzz(name: str, work: Path, seconds: float) -> None:
    """Fuzz one target in this process until its time is over."""
    import atheris

    with atheris.instrument_imports(include=["llm_wiki"]):
        collector = Collector(name, work, seconds)
    found = work / "corpus" / name
    found.mkdir(parents=True, exist_ok=True)
    flags = [
        f"-max_len={LONGEST}",
        "-timeout=20",
        "-rss_limit_mb=2000",
        "-verbosity=0",
        "-print_funcs=0",
        "-reload=0",
    ]
    flags += [f"-artifact_prefix={work / 'failures' / name}-stopped-", f"-dict={HERE / 'words.dict'}"]
    atheris.Setup([sys.argv[0], *flags, str(found), str(HERE / "corpus" / name)], collector)
    atheris.Fuzz()


def main() -> int:
    """Read the arguments; a process for each target, one at a time."""
    known = sorted(path.name for path in (HERE / "corpus").iterdir())
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":", 1)[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(known))
    parser.add_argument("--time", type=float, default=60)
    parser.add_argument("--work", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    names = options.targets or known
    if options.here:
        fuzz(names[0], work, options.time)
    failed = []
    for name in names:
        share = options.time / len(names)
        command = [sys.executable, __file__, name, "--here", "--time", str(share), "--work", str(work)]
        with (work / "fuzzer.log").open("ab") as log:
            status = subprocess.run(command, check=False, stderr=log).returncode
        print(f"{name}: {_last_line(work, name)}{', FAILURES' if status else ''}", flush=True)
        failed += [name] if status else []
    if failed:
        print(f"see {work / 'failures'}")
    return 1 if failed else 0


def _last_line(work: Path, name: str) -> str:
    """Return what the last run of a target noted, in words; a run that broke off noted nothing."""
    counts = work / "counts.tsv"
    lines = counts.read_text().splitlines() if counts.exists() else []
    if not lines or not lines[-1].startswith(f"{name}\t"):
        return "broke off, see fuzzer.log"
    _, executions, seconds, _ = lines[-1].split("\t")
    return f"{int(executions):,} executions, {int(executions) / float(seconds):,.0f} a second"


if __name__ == "__main__":
    sys.exit(main())
