"""The hard stop: a host never waits much longer than a second (`sessions.md` §9).

While the hook waits for its input, or has used the processor for half a second, it is gone at the first
stroke. Where it is only short of processor time, as with dozens of hooks at once, its few milliseconds of
work are let through, so that no event is lost.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

FIRST_SECONDS: Final = 0.9
"""The first stroke; with the start of the interpreter it keeps below the promised second."""
_AGAIN_SECONDS: Final = 0.05
_BUSY_SECONDS: Final = 0.5
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
        if _waits or process_time() > _BUSY_SECONDS or monotonic() - started > _LAST_SECONDS:
            os._exit(0)

    with suppress(ValueError, OSError):  # not in the main thread
        signal.signal(signal.SIGALRM, stroke)
        signal.setitimer(signal.ITIMER_REAL, FIRST_SECONDS, _AGAIN_SECONDS)
