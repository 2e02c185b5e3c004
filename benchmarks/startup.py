"""What it costs to start the program, against the bare interpreter."""

from __future__ import annotations

import os
import statistics
import tempfile
from pathlib import Path

from measure import PYTHON, run

HERE = Path(__file__).parent


def main() -> None:
    """Print medians of paired runs."""
    with tempfile.TemporaryDirectory() as home:
        env = {"HOME": home, "PYTHONPATH": str(HERE.parent / "scripts"), "PATH": os.environ["PATH"]}
        cases = {"llm-wiki --help": ["--help"], "llm-wiki --version": ["--version"], "llm-wiki (status)": []}
        for name, arguments in cases.items():
            extra = []
            for _ in range(15):
                bare = run([PYTHON, "-c", "pass"], env=env).wall
                ours = run([PYTHON, "-P", "-m", "llm_wiki", *arguments], env=env).wall
                extra.append(1000 * (ours - bare))
            print(f"{name:<20} bare interpreter {statistics.median(extra):+.0f} ms")


if __name__ == "__main__":
    main()
