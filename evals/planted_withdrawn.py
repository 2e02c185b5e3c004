"""What is planted for the cases about withdrawal, and how it is withdrawn: by the verbs a user has.

All of it lies in the topic `ledger`: a value that is retracted, a source that is, sentences under an open
marker, raw versions that later ones replace, and a page of a server on this machine that comes back in many
ways. `settle` tries to bring it in where nothing binds it, `withdraw` where its tombstone does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from planted import article, source
from planted_sessions import SESSIONS, capture
from verbs import Verbs

sys.path += [str(Path(__file__).resolve().parent.parent / "tests")]

from pageserver import serving

MARK = "<!--RETRACTED-SOURCE-->"

# ---- N1: one value, in every place and form it can stand in ----

FORMS = {
    "copper": "base64",
    "lead": "base64-inside",
    "iron": "hex",
    "tin": "percent",
    "brass": "json",
    "silver": "entities",
    "oak": "upper",
}
"""Ring of the cipher disk → form in which the value stands on it."""

_VALUE = {
    "wiki/concepts/strongbox.md": article(
        "Strongbox",
        "The strongbox opens with the password {{canary:secret}}. It stands behind the counter.",
        summary="What opens the strongbox: the password {{canary:secret}}.",
    ),
    "wiki/concepts/key-{{canary:secret}}.md": article(
        "Counter key {{canary:secret}}",
        "The counter key hangs on a brass hook beside the door.",
        summary="Where the counter key hangs.",
    ),
    "wiki/concepts/cipher-disk.md": article(
        "Cipher disk",
        "\n\n".join(
            f"The {ring} ring of the cipher disk reads {{{{{form}:secret}}}} all around."
            for ring, form in FORMS.items()
        ),
        summary="What the rings of the cipher disk read.",
    ),
    "raw/notes/2026-11-22-clerk-note.md": source(
        "Note of the clerk",
        "The clerk engraved the word {{canary:secret}} into the lid of the snuff box.",
    ),
}

# ---- N2: what only one source says, and what a second one says too ----

FIRST = "raw/notes/2026-11-14-{{canary:first-path}}.md"

_SOURCES = {
    FIRST: source(
        "Report {{canary:first-title}}",
        "The customs house was roofed with {{canary:slate}} slate.\n\n"
        "The customs house flies {{canary:pennant}} pennants.\n\n"
        "The weigh house scale came from {{canary:scale}}.\n\n"
        "The sail loft is swept by {{canary:sweeper}}.",
        ingested="2026-11-14",
    ),
    "raw/notes/2026-11-15-watchman.md": source(
        "Report of the watchman",
        "The customs house flies {{canary:pennant}} pennants.",
        ingested="2026-11-15",
    ),
    "wiki/concepts/customs-house.md": article(
        "Customs house",
        f"The customs house was roofed with {{{{canary:slate}}}} slate ([report](../../{FIRST})).\n\n"
        f"The customs house flies {{{{canary:pennant}}}} pennants ([report](../../{FIRST}), "
        "[watchman](../../raw/notes/2026-11-15-watchman.md)).\n\n"
        f"## Sources\n\n- [Report {{{{canary:first-title}}}}](../../{FIRST})\n"
        "- [Report of the watchman](../../raw/notes/2026-11-15-watchman.md)",
        summary="Roof and pennants of the customs house.",
        sources=f"[{FIRST}, raw/notes/2026-11-15-watchman.md]",
    ),
    "wiki/concepts/weigh-house.md": article(
        "Weigh house",
        f"The weigh house opens at dawn ([watchman](../../raw/notes/2026-11-15-watchman.md)). "
        f"The weigh house scale came from {{{{canary:scale}}}} ([report](../../{FIRST})).",
        summary="Hours and scale of the weigh house.",
        sources=f"[raw/notes/2026-11-15-watchman.md, {FIRST}]",
    ),
    "wiki/concepts/sail-loft.md": article(
        "Sail loft",
        "The sail loft is swept by {{canary:sweeper}}.",
        summary="Who sweeps the sail loft: {{canary:sweeper}}.",
        sources=f"[{FIRST}]",
    ),
}

# ---- N3: under an open marker ----

_PENDING = {
    "wiki/concepts/toll-barrier.md": article(
        "Toll barrier",
        "- The toll barrier is painted red.\n"
        f"- {MARK} The toll barrier was carved by {{{{canary:carver}}}}.\n"
        "- The toll barrier is closed at dusk.",
        summary="Paint and carver of the toll barrier.",
    ),
    "wiki/references/berths.md": article(
        "Berths",
        "| Vessel | Berth in the inner basin |\n|---|---|\n| cutter | fourth berth |\n"
        f"| {MARK} schooner | berth {{{{canary:berth}}}} |",
        summary="Which vessel has which berth.",
        category="reference",
    ),
    "wiki/concepts/ice-cellar.md": article(
        "Ice cellar",
        "The ice cellar lies below the fish hall.\n\n"
        f"> {MARK} The ice cellar was dug\n> by the miner {{{{canary:miner}}}} in a wet year.\n\n"
        "The ice cellar is shut in winter.",
        summary="Where the ice cellar lies.",
    ),
    "wiki/concepts/light-keeper.md": article(
        "Light keeper",
        "The light keeper lives on the mole. "
        f"{MARK} The light keeper is called {{{{canary:keeper}}}}. The light keeper has a dog.",
        summary=f"{MARK} The light keeper is {{{{canary:keeper}}}}.",
    ),
}

# ---- N10: three versions of one source ----


def _census(day: str, canary: str, before: str = "") -> dict[str, str]:
    more = {"supersedes": f"raw/notes/2026-11-{before}-boat-census.md"} if before else {}
    return {
        f"raw/notes/2026-11-{day}-boat-census.md": source(
            "Boat census",
            f"The boat census counted {{{{canary:{canary}}}}} boats in the inner basin.",
            ingested=f"2026-11-{day}",
            **more,
        )
    }


_VERSIONS = {
    **_census("05", "census-first"),
    **_census("12", "census-second", "05"),
    **_census("19", "census-third", "12"),
    "wiki/concepts/boat-census.md": article(
        "Boat census",
        "The boat census of this year counted {{canary:census-third}} boats in the inner basin.",
        summary="How many boats the boat census counted.",
        sources="[raw/notes/2026-11-19-boat-census.md]",
    ),
}

_LOG_BOOK = {
    "raw/notes/2026-11-20-log-book.md": source("Log book", "The log book of the office lists boats.")
}

PAGES = {
    "ledger": {**_LOG_BOOK, **_VALUE, **_SOURCES, **_PENDING, **_VERSIONS},
    "chronicle": _LOG_BOOK,
}
"""Topic → path → text, in every variant."""

SETTLED = {"ledger": {rel: text.replace(f"{MARK} ", "") for rel, text in _PENDING.items()}}
"""The same where every marker is resolved."""

# ---- N6: a page that comes back ----

ALMANAC = "raw/articles/2026-12-01-almanac.md"


class Attempt(NamedTuple):
    """One try to bring a text in: the verb's arguments, and what is served at a path or given on stdin."""

    arguments: tuple[str, ...]
    text: str
    path: str = "/almanac"


def _taken(path: str, topic: str = "ledger") -> tuple[str, ...]:
    return ("ingest", "{{canary:server}}" + path, "--wiki", topic, "--allow-private")


def _added(url: str, topic: str = "ledger", *more: str) -> tuple[str, ...]:
    return ("raw", "add", "-", "--wiki", topic, "--title", "Almanac", "--source", url, *more)


_BODY = "The almanac of the harbour tells that the spring tide comes with {{canary:tide}} wind."
_URL = "{{canary:server}}/almanac"
_MOON = "The almanac says of the {}: it rises over {{{{canary:{}}}}} rock."

ATTEMPTS = {
    "url": Attempt(_taken("/almanac"), _MOON.format("new moon", "moon-url")),
    "add": Attempt(_added(_URL), _MOON.format("half moon", "moon-add")),
    "sibling": Attempt(_taken("/almanac", "chronicle"), _MOON.format("full moon", "moon-sibling")),
    "sibling-add": Attempt(_added(_URL, "chronicle"), _MOON.format("blue moon", "moon-sibling-add")),
    "spelling": Attempt(
        _taken("/almanac?utm_source=letter#spring"),
        _MOON.format("red moon", "moon-spelling"),
        "/almanac?utm_source=letter",
    ),
    "spelling-add": Attempt(
        _added("{{canary:server}}/tides/../%61lmanac/#moon"), _MOON.format("pale moon", "moon-spelling-add")
    ),
    "canonical": Attempt(
        _added("{{canary:server}}/copy", "ledger", "--field", f"canonical_url={_URL}"),
        _MOON.format("low moon", "moon-canonical"),
    ),
    "body": Attempt(_taken("/elsewhere"), _BODY, "/elsewhere"),
    "sibling-body": Attempt(_taken("/elsewhere", "chronicle"), _BODY, "/elsewhere"),
    "other": Attempt(
        _taken("/pilot-book"), "The pilot book tells of the {{canary:shoal}} shoal.", "/pilot-book"
    ),
}  # fmt: skip
"""Name → what is tried in the variants `settled` and `withdrawn`, in this order."""


class Server:
    """Serves what is planted for one build."""

    def __init__(self, pages: Any, fill: Callable[[str], str]) -> None:
        self.pages = pages
        self.fill = fill

    def put(self, path: str, text: str, title: str = "Almanac") -> None:
        """Serve a text as a page."""
        html = f"<html><head><title>{title}</title></head><body><article><h1>{title}</h1><p>{text}</p>"
        self.pages[path] = self.fill(f"{html}</article></body></html>").encode()


@contextmanager
def served(canaries: dict[str, str], fill: Callable[[str], str]) -> Iterator[Server]:
    """Run the server of a build; its address is the canary `server`, as it is new in every build too."""
    with serving() as server:
        canaries["server"] = server.url("").rstrip("/")
        yield Server(server.pages, fill)


def plant(wiki: Verbs, server: Server) -> None:
    """Take in the page that comes back later."""
    server.put("/almanac", _BODY)
    wiki.ok(*map(server.fill, _taken("/almanac")))


def attempt(wiki: Verbs, server: Server) -> dict[str, int]:
    """Try to bring it back in every way; return the exit status of each."""
    found = {}
    for name, (arguments, text, path) in ATTEMPTS.items():
        server.put(path, text, "Pilot book" if name == "other" else "Almanac")
        found[name] = wiki(*map(server.fill, arguments), given=server.fill(text)).exit
    return found


def withdraw(wiki: Verbs, server: Server) -> dict[str, int]:
    """Withdraw value and sources, as a user does; return the exit status of each verb."""
    # a project is told by its place, so what one in this home shall be told of was captured in it
    capture(wiki, "strongroom-again", "strongroom", server.fill(SESSIONS["strongroom"]))
    given = ("retract", "--everywhere", "--stdin", "--case-insensitive", "--apply")
    found = {"retract": wiki(*given, given=server.fill("{{canary:secret}}\n")).exit}
    for name, rel in (("retract-source", FIRST), ("tombstone", ALMANAC)):
        done = wiki("retract-source", "apply", server.fill(rel), "--wiki", "ledger")
        found[name] = done.exit
    return found
