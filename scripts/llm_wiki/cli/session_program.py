"""The program `llm-wiki-session`: upstream's spelling of `llm-wiki session …` and `llm-wiki feedback …`.

It says yes for the two verbs upstream never asked at, `enable` and `promote`, and for none of the new ones.
"""

from __future__ import annotations

import sys

_IMPLIED = frozenset({"enable", "promote"})


def main(argv: list[str] | None = None) -> None:
    """Run the verb and exit with its status."""
    from llm_wiki.cli.main import main as run

    run(translated(list(sys.argv[1:] if argv is None else argv)))


def translated(given: list[str]) -> list[str]:
    """Return the arguments for `llm-wiki`: `[--hub P] [--local] VERB …` with the options behind the verb."""
    front: list[str] = []
    outer: list[str] = []
    at = 0
    while at < len(given) and given[at].startswith("-"):
        word = given[at]
        at += 1
        if word == "--hub" and at < len(given):
            front += [word, given[at]]
            at += 1
        elif word.startswith("--hub=") or word == "--local":
            front.append(word)
        else:
            outer.append(word)
    if at == len(given):
        return ["session", *outer] if "--debug" not in outer else ["--debug", "session", *outer[1:]]
    verb, rest = given[at], given[at + 1 :]
    debug = [word for word in outer if word == "--debug"]
    inner = [word for word in outer if word != "--debug"]
    if verb == "feedback":
        head = [*debug, "feedback", *rest[:1]]
        return [*head, *front, *inner, *rest[1:]]
    yes = ["--yes"] if verb in _IMPLIED and "--yes" not in rest else []
    return [*debug, "session", verb, *front, *inner, *yes, *rest]


if __name__ == "__main__":
    main()
