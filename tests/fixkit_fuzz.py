"""Wikis damaged at random, each by its number alone: `built(where, seed)` makes the same one every time.

`python tests/fixkit_fuzz.py FIRST COUNT` tries numbers one after the other and prints what fails.
"""

import os
import shutil
import sys
import tempfile
import traceback
from pathlib import Path
from random import Random
from typing import NamedTuple

import fixkit_damages
import fixkit_wild
import fixkit_wild_index
import fixkit_wild_tree
from lintkit import archived, full, hub

PLAIN = {name: lambda root, chance, way=way: way(root) for name, way in fixkit_damages.DAMAGES.items()}
WAYS = PLAIN | fixkit_wild.WRITING | fixkit_wild_tree.PLACING | fixkit_wild_index.INDEXES
THEMES = (
    WAYS,
    WAYS,
    fixkit_wild.WRITING,
    fixkit_wild_tree.PLACING | fixkit_wild.WRITING,
    fixkit_wild_index.INDEXES | fixkit_wild_tree.PLACING,
    {
        name: WAYS[name]
        for name in WAYS
        if "link" in name or "misplaced" in name or "source" in name or "stray" in name
    },
)
ASKED = (
    *({},) * 12,
    {"strict": True},
    {"only": ("W508",)},
    {"only": ("W804",)},
    {"only": ("W508", "W804", "W3")},
    {"only": ("W3",)},
    {"only": ("W301",)},
    {"only": ("W2",)},
    {"only": ("W4",)},
    {"only": ("W5", "W6")},
    {"only": ("W1",)},
    {"skip": ("W4",)},
    {"skip": ("W3",)},
    {"skip": ("W6", "W1")},
    {"skip": ("W2", "W403")},
    {"skip": ("W402", "W106")},
)


DENSE = 1_000_000
"""Wikis from this number on are full of links, in most forms there are, before the damages; some in CRLF."""

LINKED = {"misplaced and linked": fixkit_wild_tree.misplaced_and_linked}
WEB = (
    "misplaced and linked",
    "linked from everywhere",
    "misplaced and linked",
    "aliases",
    "see also",
    "project",
)


class Wiki(NamedTuple):
    """A damaged wiki: its root, its status, what is asked of the linter, the damages done."""

    root: Path
    status: str
    asked: dict
    damages: list[str]


def built(where: Path, seed: int) -> Wiki:
    """Build the wiki of a number: a topic, a local wiki, an archived topic or a hub, in 1 to 12 ways damaged."""
    chance = Random(seed)
    kind = chance.choice(["topic"] * 12 + ["local"] * 2 + ["archived"] + ["hub"] * 3)
    if kind == "hub":
        root, ways = hub(where), fixkit_wild_index.HUBS
    elif kind == "archived":
        root, ways = archived(where), chance.choice(THEMES)
    else:
        root, ways = full(where, ".wiki" if kind == "local" else "tea"), chance.choice(THEMES)
    done = []
    web = WEB if seed >= DENSE and kind != "hub" else ()
    names = [*web, *chance.choices(sorted(ways), k=chance.randint(1, 12))]
    ways = WAYS | LINKED | ways
    for name in names:
        copy = where / "copy"
        shutil.copytree(root, copy, symlinks=True)
        state = chance.getstate()
        try:
            ways[name](root, chance)
            done.append(name)
        except (AssertionError, OSError, ValueError, IndexError, KeyError, TypeError, AttributeError):
            shutil.rmtree(root)
            copy.rename(root)
            chance.setstate(state)
            chance.random()
        shutil.rmtree(copy, ignore_errors=True)
    if web and chance.random() < 0.3:
        done.append("all in CRLF")
        for path in [path for path in sorted(root.rglob("*.md")) if not path.is_symlink() and path.is_file()]:
            path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    return Wiki(root, "archived" if kind == "archived" else "active", chance.choice(ASKED), done)


def main(first: int, count: int) -> int:
    """Try `count` wikis from number `first`; print what each failing one owes, return how many failed."""
    from fixkit_owed import owed

    failed = 0
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            where = Path(folder)
            for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "LLM_WIKI_CONFIG_DIR"):
                os.environ[name] = str(where / "home" / name.lower())
            os.environ["LLM_WIKI_TODAY"], os.environ["LLM_WIKI_NOW"] = "2026-01-10", "2026-01-10T12:00:00Z"
            wiki = built(where, seed)
            try:
                owed(wiki.root, status=wiki.status, **wiki.asked)
            except Exception as error:  # noqa: BLE001 -- whatever it is, it is what we look for
                failed += 1
                print(f"--- {seed} {wiki.asked} {wiki.status} {wiki.root.name} {wiki.damages}")
                lines = traceback.format_exception(error)
                print(
                    "".join(lines[-2:])
                    if not isinstance(error, AssertionError)
                    else f"{type(error).__name__}: {error}"[:1500]
                )
    print(f"{count} wikis from {first}: {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]))))
