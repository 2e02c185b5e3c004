"""A hub with a source that is cited, logged, indexed, quoted in sessions and kept in undo: all it leaves."""

import json
import subprocess
import sys
from pathlib import Path

from hookkit import CODE, PACKAGE
from program import Program
from scanner import holds

TITLE = "The Big Report on Wine"
URL = "https://www.example.com/a/report?utm_source=x&id=1"
CANARY = "CANARYALPHA-7731"
BODY = f"# Report\n\nWine is exactly 42 degrees, says {CANARY}.\n"
NAME = "2026-01-10-the-big-report-on-wine"
A = f"raw/articles/{NAME}.md"
B = "raw/papers/2026-01-10-other-paper-about-water.md"
OPEN = "<!--RETRACTED-SOURCE-->"

INLINE = f"""Wine is 42 ([Report](../../{A})). Water is 7 [O](../../{B}).

Both agree [1](../../{A}), [2](../../{B}). As the [{TITLE}](https://example.com/a/report?id=1) says, all is well.

| Drink | Degrees |
|-------|---------|
| red   | [42](../../{A}) |
"""


def article(
    root: Path, name: str, sources: list[str], body: str, *, bullets: bool = True, **more: str
) -> Path:
    """Write one article."""
    path = root / f"wiki/concepts/{name}.md"
    listed = "".join(f"  - {rel}\n" for rel in sources)
    fields = "".join(f"{key.replace('_', '-')}: {value}\n" for key, value in more.items())
    names = {A: TITLE, B: "Other paper about water"}
    ends = "".join(f"- [{names.get(rel, rel)}](../../{rel})\n" for rel in sources) if bullets else ""
    path.write_text(
        f"---\ntitle: Article {name}\ncategory: concept\nsources:\n{listed}created: 2026-01-01\n"
        f"updated: 2026-01-01\ntags: [drink]\nsummary: About {name}.\n{fields}---\n\n# Article {name}\n\n{body}\n"
        f"## Sources\n\n{ends}"
    )
    return path


def cellar(wiki: Program) -> Path:
    """Fill the hub; return the topic `wine`, in which the source lies."""
    wiki.begun(
        ("init", "wine", "--title", "Wine"),
        ("init", "water", "--title", "Water"),
        _adding("wine", TITLE, URL, BODY),
        _adding("wine", "Other paper about water", "https://example.org/p", "Water is 7.\n", kind="papers"),
    )
    return wiki.hub / "topics/wine"


def _adding(
    topic: str, title: str, url: str, body: str, *, kind: str = "articles"
) -> tuple[str | bytes, ...]:
    words = ("raw", "add", "--wiki", topic, "--type", kind, "--title", title, "--source", url, "-")
    return (*words, body.encode())


def add(wiki: Program, topic: str, title: str, url: str, body: str, *, kind: str = "articles"):
    """Admit a text into a topic; return what the program said."""
    *words, given = _adding(topic, title, url, body, kind=kind)
    return wiki(*words, stdin=given)


def quoted(wiki: Program) -> None:
    """Let a session read the source, with a host's own tool."""
    wiki.ok("capture", "notes", "--yes")
    path = wiki.hub / "topics/wine" / A
    for name, more in (
        ("SessionStart", {}),
        (
            "PostToolUse",
            {
                "tool_name": "Read",
                "tool_use_id": "t1",
                "tool_input": {"file_path": str(path)},
                "tool_response": {"file": {"content": BODY}},
            },
        ),
        ("Stop", {}),
    ):
        event = {"session_id": "s1", "hook_event_name": name, "cwd": str(wiki.here), **more}
        subprocess.run(
            [sys.executable, "-c", CODE, str(PACKAGE), "--harness", "claude"],
            input=json.dumps(event).encode(), env=wiki.env, cwd=wiki.here, check=True, capture_output=True, timeout=60,
        )  # fmt: skip


def holders(top: Path, *values: str) -> list[str]:
    """Return every file below a folder in whose name or bytes a value stands, in any encoding."""
    found = []
    for path in sorted(top.rglob("*")):
        data = path.name.encode() + (b"\n" + path.read_bytes() if path.is_file() else b"")
        if any(holds(data, value) for value in values):
            found.append(path.relative_to(top).as_posix())
    return found
