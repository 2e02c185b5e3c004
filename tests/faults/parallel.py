"""One of several writers on one root: `python parallel.py ROOT NAME ROUNDS`."""

from __future__ import annotations

import sys
from pathlib import Path

from llm_wiki.core import files
from llm_wiki.core.errors import Conflict
from llm_wiki.core.transaction import Transaction, open_root


def once(root: Path, name: str, number: int) -> None:
    counter = (root / "counter.md").read_bytes()
    tx = Transaction(root, "count")
    tx.write("counter.md", b"%d\n" % (int(counter) + 1), expect=files.sha256(counter))
    tx.write(f"wiki/{name}-{number}.md", f"{name} {number}\n".encode() * 500, expect=None)
    tx.append("lines.jsonl", [f'{{"{name}": {number}}}'])
    tx.log("count", f"{name} {number}")
    tx.commit()


def main(root: Path, name: str, rounds: int) -> None:
    for number in range(rounds):
        if number % 2:
            with open_root(root):
                once(root, name, number)
            continue
        while True:
            try:
                once(root, name, number)
                break
            except Conflict:
                continue


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
