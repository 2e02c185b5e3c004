"""What the format promises, where a second look found it wanting; each as one truth."""

import pytest

from llm_wiki.core import files
from llm_wiki.core.errors import Conflict
from llm_wiki.core.transaction import Transaction


@pytest.fixture(autouse=True)
def _fixed(tmp_path, monkeypatch):
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("LLM_WIKI_TODAY", "2026-01-10")


# --- writing -------------------------------------------------------------------------------------


def test_two_writers_that_count_from_the_same_number_do_not_count_once(tmp_path):
    root = tmp_path / "w"
    root.mkdir()
    (root / "counter.md").write_text("5\n")
    transactions = [Transaction(root, "count") for _ in range(2)]
    for number, tx in enumerate(transactions):
        tx.write("counter.md", b"6\n", expect=files.sha256(b"5\n"))
        tx.write(f"own-{number}.md", b"x\n", expect=None)
    transactions[0].commit()
    with pytest.raises(Conflict):
        transactions[1].commit()
    assert not (root / "own-1.md").exists()
