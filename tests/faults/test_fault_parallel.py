"""Eight writers on one root: they take turns, nothing is lost, nothing is torn."""

import os
import subprocess
import sys
from pathlib import Path

import llm_wiki
from llm_wiki.core import undo
from llm_wiki.core.files import TEMP_PREFIX
from llm_wiki.core.transaction import interrupted

WRITERS, ROUNDS = 8, 6


def test_eight_parallel_writers_lose_and_tear_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "w"
    root.mkdir()
    (root / "counter.md").write_text("0\n")
    (root / "log.md").write_text("# Log\n")
    environment = os.environ | {"PYTHONPATH": str(Path(llm_wiki.__file__).parents[1])}
    program = Path(__file__).with_name("parallel.py")
    writers = [
        subprocess.Popen(
            [sys.executable, str(program), str(root), f"w{n}", str(ROUNDS)],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for n in range(WRITERS)
    ]
    for writer in writers:
        assert writer.wait() == 0, writer.stderr.read()
        writer.stderr.close()
    wanted = sorted(f"w{n} {number}" for n in range(WRITERS) for number in range(ROUNDS))
    assert (root / "counter.md").read_text() == f"{len(wanted)}\n"
    lines = (root / "lines.jsonl").read_text().splitlines()
    assert sorted(line.replace('{"', "").replace('":', "").rstrip("}") for line in lines) == wanted
    entries = (root / "log.md").read_text().removeprefix("# Log\n").split("\n\n")
    assert sorted(entry.strip().partition("| ")[2] for entry in entries) == wanted
    for name in wanted:
        path = root / "wiki" / f"{name.replace(' ', '-')}.md"
        assert path.read_text() == f"{name}\n" * 500
    assert [path for path in root.rglob("*") if path.name.startswith(TEMP_PREFIX)] == []
    assert interrupted(root) == []
    records = undo.records(root)
    assert [record.state for record in records] == ["done"] * len(wanted)
    assert len({record.id for record in records}) == len(wanted)
