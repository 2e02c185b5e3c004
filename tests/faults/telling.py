"""Runs a killer of this folder as an interpreter of its own, and returns what it saw."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import llm_wiki

HERE = Path(__file__).parent
DAY = {"LLM_WIKI_TODAY": "2026-01-10"}
MOMENT = DAY | {"LLM_WIKI_NOW": "2026-01-10T12:00:00Z"}


def told(killer: str, *words: object, env: Mapping[str, str], base: Mapping[str, str] = os.environ) -> Any:
    """Return the JSON that `killer.py` prints for these words; `env` is added to the environment `base`."""
    paths = [HERE, HERE.parent, Path(llm_wiki.__file__).parents[1]]
    environment = {**base, "PYTHONPATH": os.pathsep.join(map(str, paths)), **env}
    command = [sys.executable, str(HERE / f"{killer}.py"), *map(str, words)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@contextmanager
def in_memory() -> Iterator[Path]:
    """Yield a folder in memory where that can be: a killed process is on trial, not the disk."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as work:
        yield Path(work)
