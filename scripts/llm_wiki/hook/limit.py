"""The hard stop: a host never waits much longer than a second (`sessions.md` §9).

While the hook waits for its input, waits for anything else, or has used the processor for half a second,
it is gone at the first stroke. Where it is only short of processor time, as with dozens of hooks at once,
its few milliseconds of work are let through, so that no event is lost.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

FIRST_SECONDS: Final = 0.9
"""The first stroke; with the start of the interpreter it keeps below the promised second."""
_AGAIN_SECONDS: Final = 0.05
_BUSY_SECONDS: Final = 0.5
_STUCK_SECONDS: Final = 0.85
_LAST_SECONDS: Final = 10.0

_waits = False


def may_stop(now: bool) -> None:
    """Say whether nothing is lost when the process ends here."""
    global _waits  # noqa: PLW0603 - the signal handler has no other way to know
    _waits = now


def arm() -> None:
    """Arrange that the process ends with exit code 0 in time."""
    if not hasattr(os, "fork"):
        import threading  # pragma: no cover - systems without alarms

        timer = threading.Timer(FIRST_SECONDS, os._exit, (0,))  # pragma: no cover
        timer.daemon = True  # pragma: no cover
        timer.start()  # pragma: no cover
        return  # pragma: no cover
    import signal
    from time import monotonic, process_time

    started = monotonic()

    def stroke(_number: int, _frame: object) -> None:
        since = monotonic() - started
        busy = process_time()
        stuck = since - busy - _delayed() > _STUCK_SECONDS
        if _waits or busy > _BUSY_SECONDS or stuck or since > _LAST_SECONDS:
            os._exit(0)

    with suppress(ValueError, OSError):  # not in the main thread
        signal.signal(signal.SIGALRM, stroke)
        signal.setitimer(signal.ITIMER_REAL, FIRST_SECONDS, _AGAIN_SECONDS)


def _delayed() -> float:
    """Return how many seconds this process was ready and got no processor; all of them where nobody knows."""
    try:
        with open("/proc/self/schedstat", "rb") as handle:
            return int(handle.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return _LAST_SECONDS
