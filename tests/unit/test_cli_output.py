"""Work that lasts says so on a terminal, and nowhere else."""

import os
import pty
import subprocess
import sys

from program import SCRIPTS

CODE = """
import time
from llm_wiki.cli.output import progress, waiting
with waiting('fetching'):
    time.sleep(SECONDS)
with progress('reading') as advance:
    if advance:
        advance(1, 10)
        time.sleep(SECONDS)
        advance(5, 10)
"""


def _on_a_terminal(seconds):
    main, other = pty.openpty()
    env = os.environ | {"PYTHONPATH": str(SCRIPTS), "TERM": "xterm", "COLUMNS": "80"}
    code = CODE.replace("SECONDS", str(seconds))
    child = subprocess.Popen([sys.executable, "-c", code], stderr=other, stdout=subprocess.PIPE, env=env)
    os.close(other)
    shown = b""
    try:
        while chunk := os.read(main, 4096):
            shown += chunk
    except OSError:  # the terminal closes with its last writer
        pass
    os.close(main)
    assert child.stdout is not None
    assert child.stdout.read() == b""
    child.stdout.close()
    assert child.wait() == 0
    return shown


def test_a_terminal_sees_what_lasts_longer_than_a_second():
    shown = _on_a_terminal(1.4)
    assert b"fetching" in shown
    assert b"reading" in shown


def test_a_terminal_sees_nothing_of_what_is_quick():
    assert _on_a_terminal(0.05) == b""


def test_a_pipe_sees_nothing():
    code = CODE.replace("SECONDS", "1.2")
    env = os.environ | {"PYTHONPATH": str(SCRIPTS)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=env, check=True)
    assert done.stdout + done.stderr == b""
