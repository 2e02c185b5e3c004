"""Transactions of many shapes, made from a seed, with a model that says what they must lead to."""

from __future__ import annotations

import random
from pathlib import Path

from llm_wiki.core import files
from llm_wiki.core.transaction import Transaction

Tree = dict[str, bytes | None]
"""Path -> bytes of a file, None for a folder."""


def build(root: Path, seed: int) -> None:
    rng = random.Random(seed)
    root.mkdir(parents=True)
    (root / "log.md").write_text("# Wiki Activity Log\n")
    for folder in rng.sample(["a", "b", "a/c", "a/c/d", "e"], 4):
        (root / folder).mkdir(parents=True, exist_ok=True)
    folders = [root, *(path for path in sorted(root.rglob("*")) if path.is_dir())]
    for number in range(7):
        # few contents on purpose: equal bytes in different places are the hard case
        (rng.choice(folders) / f"f{number}.md").write_text(rng.choice(["x\n", "y\n", f"{number}\n"]))


def look(root: Path) -> Tree:
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else None for path in root.rglob("*")
    }


class Shape:
    """Plans random changes into a transaction and into the model `tree`."""

    def __init__(self, root: Path, seed: int) -> None:
        self.rng = random.Random(seed * 7 + 1)
        self.tree = look(root)
        self.tx = Transaction(root, "test")
        self.appended: set[str] = set()
        self.created: set[str] = set()
        for _ in range(self.rng.randrange(2, 8)):
            action = self.rng.choice(
                ["create", "edit", "delete", "move", "rewrite", "append", "folder", "mkdir"]
            )
            getattr(self, f"_{action}")()
        self.tx.log("test", "x")

    def _files(self) -> list[str]:
        taken = self.appended | {"log.md"}
        return sorted(k for k, v in self.tree.items() if v is not None and k not in taken)

    def _settled(self) -> list[str]:
        """Files that were there before: what is made and taken away in one transaction leaves no folder."""
        return [path for path in self._files() if path not in self.created]

    def _folders(self) -> list[str]:
        return sorted(k for k, v in self.tree.items() if v is None)

    def _free(self) -> str:
        for _ in range(50):
            folder = self.rng.choice(["", "z", "z/y", *self._folders()])
            path = f"{folder}/n{self.rng.randrange(3)}.md".lstrip("/")
            if path not in self.tree:
                return path
        return f"free{len(self.tree)}"

    def _put(self, path: str, data: bytes | None) -> None:
        above = path.rpartition("/")[0]
        while above:
            self.tree.setdefault(above, None)
            above = above.rpartition("/")[0]
        self.tree[path] = data

    def _data(self) -> bytes:
        return self.rng.choice([b"x\n", b"y\n", b"new\n"])

    def _create(self) -> None:
        path, data = self._free(), self._data()
        self.tx.write(path, data, expect=None)
        self._put(path, data)
        self.created.add(path)

    def _edit(self) -> None:
        if self._files():
            path, data = self.rng.choice(self._files()), self._data()
            self.tx.write(path, data, expect=files.sha256(self.tree[path] or b""))
            self.tree[path] = data

    def _delete(self) -> None:
        if self._settled():
            path = self.rng.choice(self._settled())
            self.tx.delete(path, expect=files.sha256(self.tree.pop(path) or b""))

    def _move(self, data: bytes | None = None) -> None:
        if self._settled():
            path, to = self.rng.choice(self._settled()), self._free()
            old = self.tree.pop(path) or b""
            self.tx.move(path, to, expect=files.sha256(old), data=data)
            self._put(to, old if data is None else data)

    def _rewrite(self) -> None:
        self._move(self._data())

    def _append(self) -> None:
        path = self.rng.choice([*self._files(), "j.jsonl"])
        line = f'{{"n": {self.rng.randrange(99)}}}'
        self.tx.append(path, [line])
        self._put(path, (self.tree.get(path) or b"") + f"{line}\n".encode())
        self.appended.add(path)

    def _folder(self) -> None:
        if not self._folders():
            return
        path, to = self.rng.choice(self._folders()), self._free()
        if to.startswith(f"{path}/"):
            return
        self.tx.move(path, to)
        self._put(to, None)
        for name in [name for name in self.tree if name == path or name.startswith(f"{path}/")]:
            self.tree[to + name[len(path) :]] = self.tree.pop(name)
        for names in (self.appended, self.created):
            inner = {name for name in names if name.startswith(f"{path}/")}
            names.difference_update(inner)
            names.update(to + name[len(path) :] for name in inner)

    def _mkdir(self) -> None:
        path = self._free()
        self.tx.mkdir(path)
        self._put(path, None)
