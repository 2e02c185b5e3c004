"""Parsing many files: in this process, or shared with forked ones where that pays.

A chunk of files is a byte in a pipe; whoever reads the byte parses the chunk. Children send
the entries of each chunk back as marshal bytes, which the parent takes in between its own chunks;
what one does not deliver (killed, out of memory) the parent parses itself. The result does not
depend on who did what.
"""

from __future__ import annotations

import atexit
import io
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
_HEAD = 8
_PIPE = 1 << 20


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
    if jobs == 1 or not _may_fork():
        return 1
    if jobs is not None:
        return max(1, min(jobs, len(tasks)))
    weight = sum(task[1] for task in tasks)
    if len(tasks) < MIN_FILES or weight < MIN_BYTES:
        return 1
    return max(1, min(_cpus(), MAX_JOBS, weight // MIN_BYTES + 1))


def _may_fork() -> bool:
    if not hasattr(os, "fork"):
        return False
    threading = sys.modules.get("threading")
    # a lock held by another thread would stay locked in the child
    return threading is None or threading.active_count() == 1


def _cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
    children: list[_Child] = []
    try:
        for _ in range(count - 1):
            children.append(_fork(reader, chunks, queue, [child.results for child in children]))
        found: Result = {}
        while turn := os.read(queue, 1):
            for rel, _, old in chunks[turn[0]]:
                found[rel] = reader.load(rel, old)
            for child in children:
                child.take(found)
            if progress is not None:
                done = len(tasks) * (turn[0] + 1) // len(chunks)
                progress(min(done, len(tasks) - 1), len(tasks))
        for child in children:
            os.set_blocking(child.results, True)
            child.take(found)
            child.leave()
    finally:
        os.close(queue)
        for child in children:
            child.end()
    left = [task for task in tasks if task[0] not in found]
    found.update(_alone(reader, left, None))
    if progress is not None:
        progress(len(tasks), len(tasks))
    return found


class _Child:
    """A process that works on the queue, and the pipe of its results: lengths and chunks as marshal bytes."""

    def __init__(self, pid: int, results: int) -> None:
        self.pid = pid
        self.results = results
        self.buffer = bytearray()
        os.set_blocking(results, False)

    def take(self, found: Result) -> None:
        """Take in what has come; where the pipe blocks, all there will be. Half a chunk counts as nothing."""
        with suppress(BlockingIOError):
            while part := os.read(self.results, _PIPE):
                self.buffer += part
        with suppress(EOFError, ValueError, TypeError):
            while (
                len(self.buffer) >= _HEAD + (length := int.from_bytes(self.buffer[:_HEAD], "little")) > _HEAD
            ):
                found.update(marshal.loads(self.buffer[_HEAD : _HEAD + length]))  # noqa: S302 - from our child
                del self.buffer[: _HEAD + length]

    def leave(self) -> None:
        """Let go of a child that has said all it has to say; giving back its memory takes it a while."""
        _leave(self.pid)
        self.pid = 0

    def end(self) -> None:
        """Close the pipe and stop the child, unless it was let go of."""
        os.close(self.results)
        if self.pid:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(self.pid, 0)


def _fork(reader: Reader, chunks: list[Sequence[Task]], queue: int, siblings: list[int]) -> _Child:
    """Start a child that works on the queue."""
    results, answer = os.pipe()
    _widen(answer)
    pid = os.fork()
    if pid:
        os.close(answer)
        return _Child(pid, results)
    # the child leaves by _exit alone: nothing of the parent's clean-up may run twice
    status = 1
    try:
        for handle in (*siblings, results):
            os.close(handle)
        with os.fdopen(answer, "wb", 0) as stream:
            while turn := os.read(queue, 1):
                data = marshal.dumps({rel: reader.load(rel, old) for rel, _, old in chunks[turn[0]]})
                _write(stream, len(data).to_bytes(_HEAD, "little") + data)
        status = 0
    except BaseException:  # noqa: BLE001 - the parent does what is missing, and raises what this was
        status = 1
    finally:
        os._exit(status)


def _write(stream: io.FileIO, data: bytes) -> None:
    """Write everything, in as many steps as the pipe takes."""
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) :]


def _widen(pipe: int) -> None:
    """Let a pipe hold some chunks, so that a child need not wait for the parent; only Linux can."""
    import fcntl

    with suppress(OSError, AttributeError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


# --- work nobody waits for -----------------------------------------------------------------

_ASIDE: list[int] = []


def aside(work: Callable[[], None]) -> None:
    """Do something that takes nothing from this process but time, beside what it does next.

    It is done when `join` returns, at the latest when the program ends; here and now where there is
    no second process to do it.
    """
    try:
        pid = os.fork() if _may_fork() and _cpus() > 1 else -1
    except OSError:
        pid = -1
    if pid < 0:
        work()
    elif pid:
        _leave(pid)
    else:
        try:
            work()
        finally:
            os._exit(0)


def _leave(pid: int) -> None:
    """Have `join` wait for a child."""
    if not _ASIDE:
        atexit.register(join)
    _ASIDE.append(pid)


def join() -> None:
    """Wait for the children that are left, and so for what was done aside."""
    atexit.unregister(join)
    while _ASIDE:
        with suppress(ChildProcessError):
            os.waitpid(_ASIDE.pop(), 0)
