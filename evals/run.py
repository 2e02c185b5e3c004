"""Runs promptfoo over the cases: `run.py offline|live [promptfoo options]`.

Builds the wikis into a temporary folder, keeps promptfoo's own state there too, and keeps it off the
network but for what a provider itself does. Exits with promptfoo's status: 100 when a case failed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from fixture import build
from loader import PLACE

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Run one configuration."""
    lane, *options = sys.argv[1:] or ["offline"]
    if lane == "live":
        from providers.live import endpoint

        if endpoint() is None:
            sys.stdout.write("skipped: no key\n")
            return 0
    with tempfile.TemporaryDirectory(prefix="llm-wiki-evals-") as place:
        folder = Path(place)
        build(folder / "wikis")
        env = os.environ | {
            PLACE: str(folder / "wikis"),
            "PROMPTFOO_CONFIG_DIR": str(folder / "promptfoo"),
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
            "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
            "PROMPTFOO_PYTHON": sys.executable,
            "PYTHONDONTWRITEBYTECODE": "1",
            "NPM_CONFIG_LOGLEVEL": "error",
        }
        command = [
            "npx", "--no-install", "promptfoo", "eval", "-c", f"promptfoo.{lane}.yaml",
            "--no-cache", "--no-share", "--no-progress-bar", "--no-table", *options,
        ]  # fmt: skip
        return subprocess.run(command, cwd=HERE, env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
