"""Runs commands as whole processes and reports wall time, CPU time and peak memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Run(NamedTuple):
    """One finished process: seconds of wall clock, seconds of CPU with children, peak MB of the tree."""

    wall: float
    cpu: float
    peak_mb: float
    status: int


def _tree_rss(pid: int) -> int:
    """Return the proportional resident bytes of a process and its children (Linux only, else 0)."""
    total = 0
    pending = [pid]
    while pending:
        current = pending.pop()
        try:
            for line in Path(f"/proc/{current}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
            for task in os.listdir(f"/proc/{current}/task"):
                pending += map(int, Path(f"/proc/{current}/task/{task}/children").read_text().split())
        except (OSError, ValueError):
            continue
    return total


def run(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    memory: bool = False,
) -> Run:
    """Run a command with its output thrown away."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | dict(env or {})
    before = os.times()
    start = time.perf_counter()
    child = subprocess.Popen(
        command, env=environment, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    peak = 0
    if memory:
        stop = threading.Event()

        def watch() -> None:
            nonlocal peak
            while not stop.is_set():
                peak = max(peak, _tree_rss(child.pid))
                time.sleep(0.01)

        watcher = threading.Thread(target=watch)
        watcher.start()
    status = child.wait()
    wall = time.perf_counter() - start
    if memory:
        stop.set()
        watcher.join()
    after = os.times()
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return Run(wall, cpu, peak / 1e6, status)


def median(runs: Sequence[Run]) -> float:
    """Return the median wall time in seconds."""
    return statistics.median(r.wall for r in runs)


PYTHON = sys.executable
