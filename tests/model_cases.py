"""Reads case tables: title, input and expected text between lines of a single dot."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent / "unit" / "data"


def cases(name: str) -> list[tuple[str, str, str]]:
    """Return (title, input, expected) of every case in a table; `⇥` stands for a tab, `␣` for a blank."""
    blocks: list[list[str]] = [[]]
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        if line == ".":
            blocks.append([])
        else:
            blocks[-1].append(line)
    found = []
    for place in range(0, len(blocks) - 2, 3):
        title = " ".join(line for line in blocks[place] if line and not line.startswith("%")).strip()
        text = "\n".join(blocks[place + 1]) + "\n"
        found.append((title, text.replace("⇥", "\t").replace("␣", " "), "\n".join(blocks[place + 2])))
    assert found, name
    return found
