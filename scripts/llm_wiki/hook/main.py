"""`llm-wiki-hook`: takes one event of a host, keeps what may be kept, says one line or nothing, exits 0.

Hosts read other exit codes as orders: they would erase a prompt, refuse a tool or refuse to stop. So nothing
that happens here may show: errors go to `hook-errors.log`, and after a second the program is gone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, BinaryIO

from llm_wiki.hook import limit


def main(argv: Sequence[str] | None = None) -> None:
    """Run the hook on stdin and stdout and leave with exit code 0, whatever happens."""
    given = list(sys.argv[1:] if argv is None else argv)
    limit.arm()
    said = ""
    try:
        said = run(given, sys.stdin.buffer if sys.stdin is not None else None)
    except BaseException as error:  # noqa: BLE001 - nothing may reach the host
        _report(given, error)
    with suppress(BaseException):
        if said:
            os.write(1, said.encode("utf-8", "replace"))
    with suppress(BaseException):
        sys.stderr.flush()
    os._exit(0)


def run(argv: Sequence[str], stream: BinaryIO | None) -> str:
    """Handle one event; return what goes to stdout, "" or one line."""
    from llm_wiki.hook import options as flags
    from llm_wiki.hook import settings as config

    options = flags.parse(argv)
    folder = flags.sessions_folder(options)
    settings = config.read(folder)
    if settings.level == "off":
        _explain(options, settings.why)
        _drain(stream)
        return ""
    from llm_wiki.hook.event import handle
    from llm_wiki.hook.incoming import receive

    terminal = stream is None or stream.isatty()
    received = receive(stream) if stream is not None and not terminal else None
    limit.may_stop(False)
    if received is not None and received.problem:
        _explain(options, received.problem)
    return handle(options, folder, settings, received)


def _drain(stream: BinaryIO | None) -> None:
    """Take what a host has written, so that it does not meet a closed pipe; never wait for more."""
    if stream is None or not hasattr(os, "fork"):
        return
    import select

    with suppress(BaseException):
        handle = stream.fileno()
        if os.isatty(handle):
            return
        seen = 0
        while seen < 64 << 20 and select.select([handle], [], [], 0.02)[0]:
            more = len(os.read(handle, 1 << 20))
            if not more:
                return
            seen += more


def _explain(options: Any, text: str) -> None:
    if options.debug:
        with suppress(BaseException):
            sys.stderr.write(f"llm-wiki-hook: {text}\n")


def _report(argv: Sequence[str], error: BaseException) -> None:
    """Note an error in the log of the `.sessions/` folder, where there is one."""
    with suppress(BaseException):
        from llm_wiki.hook import files
        from llm_wiki.hook import options as flags

        options = flags.parse(argv)
        text = f"{type(error).__name__}: {error}"
        _explain(options, text)
        files.log_error(flags.sessions_folder(options), text)


if __name__ == "__main__":
    main()
