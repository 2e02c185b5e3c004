"""A person at a terminal: the program on a pseudo-terminal, with keys typed beforehand."""

import os
import pty
import subprocess
import sys
from typing import NamedTuple

from program import Program


class Seen(NamedTuple):
    exit: int
    screen: str


def at_terminal(program: Program, *arguments: str, keys: str = "", **env: str) -> Seen:
    """Run a verb with a terminal on stdin and stdout; return its exit code and what the screen showed."""
    ours, theirs = pty.openpty()
    try:
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "llm_wiki", *map(str, arguments)],
            stdin=theirs, stdout=theirs, stderr=theirs, cwd=program.here,
            env=program.env | {"TERM": "dumb", "COLUMNS": "200"} | env,
        )  # fmt: skip
    finally:
        os.close(theirs)
    screen = b""
    try:
        os.write(ours, keys.encode())
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            screen += part
    finally:
        os.close(ours)
    return Seen(child.wait(timeout=60), screen.decode("utf-8", "replace").replace("\r\n", "\n"))


NAMED = ("config", "person.name", "Ada")
"""The call that gives the person a name, as deciding needs one."""


def named(program: Program) -> None:
    program.ok(*NAMED)
