"""Files of a wiki in memory, as the index functions ask for them, and short ways to write them."""

from __future__ import annotations

import unicodedata

from llm_wiki.model.document import page

DAY = "2026-01-10"


class Tree:
    """A wiki given as path → bytes; folders that should exist empty are given as path with `/`."""

    def __init__(self, files):
        self.files = {rel: data for rel, data in files.items() if not rel.endswith("/")}
        self.dirs = {"": set()}
        for rel in files:
            parts = rel.rstrip("/").split("/")
            for depth, name in enumerate(parts):
                self.dirs.setdefault("/".join(parts[:depth]), set()).add(name)
            if rel.endswith("/"):
                self.dirs.setdefault(rel.rstrip("/"), set())
        self.pages = {rel: page(rel, data) for rel, data in self.files.items() if rel.lower().endswith(".md")}
        self.keys = frozenset(unicodedata.normalize("NFC", rel) for rel in self.files)

    def exists(self, key):
        return key in self.keys

    def read(self, rel):
        return self.files[rel]


def document(body="", **fields):
    """Write a Markdown file; `_` in a keyword stands as it is, `compiled_from` becomes `compiled-from`."""
    lines = ["---"]
    for key, value in fields.items():
        name = key.replace("compiled_from", "compiled-from")
        shown = "[" + ", ".join(value) + "]" if isinstance(value, list) else value
        lines.append(f"{name}: {shown}")
    return "\n".join([*lines, "---", "", body]).encode()


def article(title="Title", summary="A summary.", tags="a, b", updated="2026-01-02", **more):
    return document(title=title, summary=summary, tags=f"[{tags}]", updated=updated, **more)


def leaf(*rows, head="| File | Summary | Tags | Updated |", dashes="|------|---------|------|---------|"):
    """Write a leaf index with these rows."""
    text = f"# Concepts Index\n\nLast updated: 2025-12-01\n\n## Contents\n\n{head}\n{dashes}\n"
    return (text + "".join(f"{row}\n" for row in rows)).encode()
