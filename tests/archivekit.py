"""A hub of three topics whose pages link one another in every form, for tests of archiving."""

import hashlib
import json
from datetime import date
from pathlib import Path

from llm_wiki.wiki.hub import new_topic

TODAY = date(2026, 1, 10)
CANARY = "quetzalwort"
"""Stands in every page of the topic `tea`, in its title, summary, tags and source."""

ARTICLE = """---
title: "{title}"
category: concept
created: 2026-01-02
updated: 2026-01-02
tags: [{tag}]
summary: "{summary}"
compiled-from: conversation
---
# {title}

{text}
"""

SOURCE = """---
title: "A note on {word}"
source: MANUAL
type: notes
ingested: 2026-01-02
tags: [{word}]
summary: "What somebody said about {word}."
---
{word} again, see [the bean](../../../coffee/wiki/concepts/bean.md).
"""

TEA = """\
[bean](../../../coffee/wiki/concepts/bean.md#roast), ![pic](<../../../coffee/wiki/assets/a b.png>),
[odd](../../../coffee/wiki/concepts/odd\\_name.md), [percent](../../../coffee/wiki/concepts/b%65an.md "t"),
<a href="../../../coffee/config.md">config</a>, [full][r], [r], [hub](../../../../README.md),
[own](leaf.md), [web](https://example.org/../x), [away](../../../.archive/milk/config.md).

[r]: <../../../coffee/_index.md>
"""

COFFEE = """\
[leaf](../../../tea/wiki/concepts/leaf.md#x), [again](.././../../tea/wiki/concepts/l%65af.md),
<a href='../../../tea/config.md'>c</a>, [other](../../../milk/config.md), [own](bean.md).
"""

README = "# Home\n\n[tea](topics/tea/_index.md) and [coffee](topics/coffee/_index.md)\n"


def article(root: Path, name: str, **words: str) -> None:
    path = root / "wiki/concepts" / f"{name}.md"
    path.write_text(ARTICLE.format(**({"tag": "x", "summary": "Of it.", "title": name} | words)))


def hub_of(where: Path, *slugs: str) -> Path:
    """Make a hub with topics that hold nothing yet."""
    for slug in slugs:
        for tx in new_topic(where, slug, TODAY).transactions:
            tx.commit()
    return where


def linked(where: Path) -> Path:
    """Make the hub: `tea` and `coffee` link one another, `milk` lies beside them."""
    hub = hub_of(where, "tea", "coffee", "milk")
    tea, coffee = hub / "topics/tea", hub / "topics/coffee"
    article(tea, "leaf", title=f"Leaf {CANARY}", tag=CANARY, summary=f"The {CANARY} leaf.", text=TEA)
    article(coffee, "bean", title="Bean", text=COFFEE)
    (tea / "raw/notes/2026-01-02-said.md").write_text(SOURCE.format(word=CANARY))
    quoted = (
        '---\ntitle: "Refs"\ntype: report\nsources: ["../../tea/wiki/concepts/leaf.md", other]\n---\n# R\n'
    )
    (coffee / "output/report-x-2026-01-02.md").write_text(quoted)
    (hub / "README.md").write_text(README)
    for root in (tea, coffee):
        for folder, name in (("wiki/concepts", "leaf" if root == tea else "bean"),):
            index = root / folder / "_index.md"
            title, summary = ("Leaf " + CANARY, f"The {CANARY} leaf.") if root == tea else ("Bean", "Of it.")
            head = "| File | Summary | Tags | Updated |\n|------|---------|------|---------|\n"
            row = f"| [{title}]({name}.md) | {summary} | {CANARY if root == tea else 'x'} | 2026-01-02 |\n"
            index.write_text(f"# Concepts Index\n\nLast updated: 2026-01-02\n\n## Contents\n\n{head}{row}")
    return hub


def files(root: Path, *but: str) -> dict[str, str]:
    """Map every file below a root to its hash; links by what they say. Names in `but` are left out."""
    found = {}
    for path in sorted(root.rglob("*")):
        rel = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[rel] = f"-> {path.readlink()}"
        elif path.is_file() and path.name not in but:
            found[rel] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def registry(hub: Path) -> dict:
    return json.loads((hub / "wikis.json").read_bytes().decode("utf-8-sig"))


def change(hub: Path, slug: str, **keys: object) -> None:
    """Set keys of a registry entry; None takes one away."""
    data = registry(hub)
    entry = data["wikis"].setdefault(slug, {})
    for key, value in keys.items():
        if value is None:
            entry.pop(key, None)
        else:
            entry[key] = value
    (hub / "wikis.json").write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n")
