from pathlib import Path

import pytest
from program import Program


@pytest.fixture
def wiki(tmp_path: Path) -> Program:
    """The program, with no wiki yet."""
    return Program(tmp_path)


@pytest.fixture
def topic(wiki: Program) -> Path:
    """A topic wiki `tea` in the hub of the home folder."""
    wiki.begun(("init", "tea", "--title", "Tea"))
    return wiki.hub / "topics/tea"
