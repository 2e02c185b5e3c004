"""Reads case tables: title, input and expected text between lines of a single dot."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent / "unit" / "data"


def cases(name: str) -> list[tuple[str, str, str]]:
    """Return (title, input, expected) of every case in a table, texts with their last line end.

    Lines that start with `%` in a title are remarks; `⇥` stands for a tab, `␣` for a blank.
    """
    blocks: list[list[str]] = [[]]
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        if line == ".":
            blocks.append([])
        else:
            blocks[-1].append(line)
    found = []
    for place in range(0, len(blocks) - 2, 3):
        title = "\n".join(line for line in blocks[place] if not line.startswith("%"))
        text, expected = (
            _shown("".join(f"{line}\n" for line in block)) for block in blocks[place + 1 : place + 3]
        )
        found.append((title, text, expected))
    assert found, name
    return found


def _shown(text: str) -> str:
    return text.replace("⇥", "\t").replace("␣", " ")
