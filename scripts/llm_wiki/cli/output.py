"""How a verb's result and its errors reach the terminal: text for people, JSON for programs."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, TextIO

from llm_wiki.core.errors import Ambiguous, WikiError

SCHEMA_VERSION = 1

_SURROGATE = re.compile("[\ud800-\udfff]")

Progress = Callable[[int, int], None]
"""Called with work done and work in total; units are the caller's (files, bytes)."""


class Outcome(NamedTuple):
    """What a verb hands back: data for programs, text for people, the exit status.

    `raw_json` replaces the rendered data where a fixed byte form is owed.
    """

    data: Mapping[str, Any]
    text: str
    exit: int = 0
    raw_json: str | None = None


def dump(data: Mapping[str, Any]) -> str:
    """Render one JSON object with sorted keys, readable characters and a final newline.

    Undecodable bytes of file names become replacement characters, so that the output is
    always valid UTF-8.
    """
    import json

    return _sound(json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False, default=str)) + "\n"


def envelope(data: Mapping[str, Any], exit_code: int) -> dict[str, Any]:
    """Put the common keys around a verb's own (`commands.md` §1, Output)."""
    return {"schema_version": SCHEMA_VERSION, "ok": exit_code == 0, "exit": exit_code, **data}


def error_data(error: WikiError) -> dict[str, Any]:
    """Return the envelope of a failure."""
    body: dict[str, Any] = {
        "message": error.message,
        "path": error.path,
        "line": error.line,
        "remedy": error.remedy,
    }
    if isinstance(error, Ambiguous):
        body["options"] = list(error.options)
    return envelope({"error": body}, error.code)


def error_text(error: WikiError) -> str:
    """Return a failure as lines for a person: what, where, what to do."""
    where = ""
    if error.path and error.path not in error.message:
        where = f" ({error.path}:{error.line})" if error.line else f" ({error.path})"
    lines = [f"llm-wiki: {error.message}{where}"]
    if isinstance(error, Ambiguous):
        lines += [f"  {number}. {option}" for number, option in enumerate(error.options, 1)]
    if error.remedy:
        lines.append(f"  {error.remedy}")
    return "\n".join(lines)


def write_out(text: str) -> None:
    """Write result text to stdout whatever its encoding; lone surrogates are replaced."""
    if text and not text.endswith("\n"):
        text += "\n"
    sound = _sound(text)
    if sys.stdout is None:  # closed by whoever started the program
        return
    try:
        sys.stdout.flush()
        stream = getattr(sys.stdout, "buffer", None)
        if stream is None:
            sys.stdout.write(sound)
        else:
            stream.write(sound.encode())
            stream.flush()
    except BrokenPipeError:  # whoever read it has seen enough, as `head` has
        _let_go(sys.stdout)
        raise SystemExit(141) from None
    except OSError:
        _let_go(sys.stdout)
        raise


def say(text: str) -> None:
    """Talk to the person on stderr; where nobody listens, or the disk behind it is full, in vain."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(_sound(text) + "\n")
        sys.stderr.flush()
    except OSError:
        _let_go(sys.stderr)


def _let_go(stream: TextIO) -> None:
    """Drop what a stream holds back, so that it does not fail once more when the program ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _sound(text: str) -> str:
    """Replace what no terminal can show: bytes of file names that are no UTF-8, halves of characters."""
    return _SURROGATE.sub("\ufffd", text)


@contextmanager
def progress(label: str) -> Iterator[Progress | None]:
    """Offer a progress callback that draws a bar once the work has lasted a second.

    Yields None when stderr is no terminal, so that work in pipes stays silent.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    started = time.monotonic()
    bar: Any = None
    task: Any = None

    def advance(done: int, total: int) -> None:
        nonlocal bar, task
        if bar is None and time.monotonic() - started >= 1.0:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
            from rich.progress import Progress as RichProgress

            bar = RichProgress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            task = bar.add_task(label, total=total)
            bar.start()
        if bar is not None:
            bar.update(task, completed=done, total=total)

    try:
        yield advance
    finally:
        if bar is not None:
            bar.stop()


@contextmanager
def waiting(label: str) -> Iterator[None]:
    """Turn a spinner while work without a count lasts longer than a second; silent in pipes."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    import threading

    shown: list[Any] = []

    def show() -> None:
        from rich.console import Console

        status = Console(stderr=True).status(label)
        status.start()
        shown.append(status)

    timer = threading.Timer(1.0, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for status in shown:
            status.stop()
