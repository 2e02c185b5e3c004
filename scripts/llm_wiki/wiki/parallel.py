"""Parsing many files: in this process, or shared with forked ones where that pays.

A chunk of files is a byte in a pipe; whoever reads the byte parses the chunk. Children send
their entries back as marshal bytes; what one does not deliver (killed, out of memory) the
parent parses itself. The result does not depend on who did what.
"""

from __future__ import annotations

import marshal
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

from llm_wiki.wiki.reading import Reader
from llm_wiki.wiki.rows import Entry

Progress = Callable[[int, int], None]
"""Called with the number of files parsed so far (an estimate) and their total."""

Task = tuple[str, int, Entry | None]
"""A path, its size in bytes, and an older entry whose row may still be right."""

Result = dict[str, Entry | str]
"""Per path its entry, or the text of `Reader.load` that says why there is none."""

MIN_FILES = 200
MIN_BYTES = 1_000_000
"""Below either, a second process costs more than it saves."""

MAX_JOBS = 4
"""Each process holds the parsers and its share of the rows: memory grows with their number."""
_CHUNKS = 200
_EVERY = 64


def parse_all(
    reader: Reader,
    tasks: Sequence[Task],
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """Parse every task; `jobs` bounds the processes (None: as many as pay)."""
    count = _jobs(tasks, jobs)
    if count > 1:
        return _shared(reader, tasks, count, progress)
    return _alone(reader, tasks, progress)


def _jobs(tasks: Sequence[Task], jobs: int | None) -> int:
    if jobs == 1 or not hasattr(os, "fork"):
        return 1
    threading = sys.modules.get("threading")
    if threading is not None and threading.active_count() > 1:
        return 1  # a lock held by another thread would stay locked in the child
    if jobs is not None:
        return max(1, min(jobs, len(tasks)))
    weight = sum(task[1] for task in tasks)
    if len(tasks) < MIN_FILES or weight < MIN_BYTES:
        return 1
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cpus, MAX_JOBS, weight // MIN_BYTES + 1))


def _alone(reader: Reader, tasks: Sequence[Task], progress: Progress | None) -> Result:
    found: Result = {}
    for number, (rel, _, old) in enumerate(tasks, 1):
        found[rel] = reader.load(rel, old)
        if progress is not None and (number % _EVERY == 0 or number == len(tasks)):
            progress(number, len(tasks))
    return found


def _chunks(tasks: Sequence[Task]) -> list[Sequence[Task]]:
    """Cut the tasks into runs of about equal bytes, few enough to be numbered by one byte."""
    share = sum(task[1] + 1000 for task in tasks) // _CHUNKS + 1
    found: list[Sequence[Task]] = []
    start = weight = 0
    for end, task in enumerate(tasks, 1):
        weight += task[1] + 1000
        if weight >= share:
            found.append(tasks[start:end])
            start, weight = end, 0
    if start < len(tasks):
        found.append(tasks[start:])
    return found


def _shared(reader: Reader, tasks: Sequence[Task], count: int, progress: Progress | None) -> Result:
    import llm_wiki.model.document  # noqa: F401 - loaded once, before the processes part

    chunks = _chunks(tasks)
    queue, feed = os.pipe()
    os.write(feed, bytes(range(len(chunks))))
    os.close(feed)
    children: dict[int, int] = {}
    try:
        for _ in range(count - 1):
            pid, results = _fork(reader, chunks, queue, list(children.values()))
            children[pid] = results
        found: Result = {}
        while turn := os.read(queue, 1):
            for rel, _, old in chunks[turn[0]]:
                found[rel] = reader.load(rel, old)
            if progress is not None:
                done = len(tasks) * (turn[0] + 1) // len(chunks)
                progress(min(done, len(tasks) - 1), len(tasks))
        for results in children.values():
            found.update(_receive(results))
    finally:
        os.close(queue)
        _end(children)
    left = [task for task in tasks if task[0] not in found]
    found.update(_alone(reader, left, None))
    if progress is not None:
        progress(len(tasks), len(tasks))
    return found


def _fork(reader: Reader, chunks: list[Sequence[Task]], queue: int, siblings: list[int]) -> tuple[int, int]:
    """Start a child that works on the queue; return its process id and the pipe of its results."""
    results, answer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(answer)
        return pid, results
    # the child leaves by _exit alone: nothing of the parent's clean-up may run twice
    status = 1
    try:
        for handle in (*siblings, results):
            os.close(handle)
        found: Result = {}
        while turn := os.read(queue, 1):
            for rel, _, old in chunks[turn[0]]:
                found[rel] = reader.load(rel, old)
        with os.fdopen(answer, "wb") as stream:
            stream.write(marshal.dumps(found))
        status = 0
    except BaseException:  # noqa: BLE001 - the parent does what is missing, and raises what this was
        status = 1
    finally:
        os._exit(status)


def _receive(results: int) -> Result:
    """Read what a child found; anything but a whole answer counts as nothing."""
    parts = []
    while part := os.read(results, 1 << 20):
        parts.append(part)
    try:
        return marshal.loads(b"".join(parts))  # type: ignore[no-any-return]  # noqa: S302 - from our child
    except (EOFError, ValueError, TypeError):
        return {}


def _end(children: dict[int, int]) -> None:
    for pid, results in children.items():
        os.close(results)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
