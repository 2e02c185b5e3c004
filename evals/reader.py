"""What all readers share: the verbs they may call, what was handed to them, and the record of both."""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from graders import leaks
from verbs import Done, Verbs

Trace = dict[str, Any]
TOPIC = "harbour"
ATTEMPTS = "attempts.json"
"""Name of the file of a home that tells what was tried when it was built, with exit statuses."""


class Reader:
    """One question put to one home; `without` are filters that are switched off in its child process."""

    name = ""

    def __init__(self, home: Path, wiki: Verbs) -> None:
        self.home = home
        self.wiki = wiki

    def ask(self, case: dict[str, Any]) -> tuple[str, Trace]:
        """Return the answer to a case and its trace."""
        self.case = case
        self.flags = list(case["flags"])
        self.trace: Trace = {
            "provider": self.name, "exit": 0, "intent": "", "calls": [], "given": [], "read": [],
            "files": files(self.home, self.flags), "tree": [tree(self.home)], "trap": [], "said": [],
            "held": held(self.home, case), "tried": tried(self.home),
        }  # fmt: skip
        answer = self.started(case["starts_in"]) if case["starts_in"] else self.answer(case["prompt"])
        self.trace["tree"].append(tree(self.home))
        return answer, self.trace

    def answer(self, prompt: str) -> str:
        """Return the answer; subclasses say how it is found."""
        raise NotImplementedError

    def started(self, folder: str) -> str:
        """Return what a session is told that starts in a folder."""
        done = self.call("session rehydrate", "--cwd", folder)
        self.trace["exit"] = done.exit
        return self.take(done.out) or "Nothing is told."

    def call(self, verb: str, *arguments: str) -> Done:
        """Call a verb, and note it."""
        done = self.wiki(*verb.split(), *arguments)
        self.trace["calls"].append([verb, *arguments])
        return done

    def take(self, text: str) -> str:
        """Note a text as handed to the reader."""
        self.trace["given"].append(text)
        return text

    def route(self, prompt: str) -> Done:
        """Ask what a sentence wants; the exit status and the intent are those of this call."""
        done = self.call("route", "--json", "--", prompt)
        self.trace["intent"] = done.json["intent"] or ""
        return done

    @property
    def place(self) -> list[str]:
        """The options that name the wiki."""
        return target(self.flags)

    @property
    def seed(self) -> list[str]:
        return ["--nonce", self.case["id"]]


def target(flags: list[str]) -> list[str]:
    """Return the options among flags that say which wiki is meant."""
    found = [] if "--wiki" in flags else ["--wiki", TOPIC]
    for number, flag in enumerate(flags):
        found += [flag, flags[number + 1]] if flag == "--wiki" else []
        found += [flag] if flag == "--include-archived" else []
    return found


def files(home: Path, flags: list[str]) -> list[str]:
    """Return what may be cited: the files of the wiki that is asked, those of a second one with a prefix."""
    found = []
    place = target(flags)
    asked = [("", place[place.index("--wiki") + 1])]
    asked += [(f"{flags[n + 1]}:", flags[n + 1]) for n, flag in enumerate(flags) if flag == "--with"]
    for prefix, slug in asked:
        for folder in (home / "wiki/topics" / slug, home / "wiki/topics/.archive" / slug):
            found += [prefix + path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*.md"))]
    return found


def held(home: Path, case: dict[str, Any]) -> list[str]:
    """Return the files, among those of a case's `nowhere`, whose name or bytes hold a forbidden canary."""
    found = []
    for path in sorted({path for glob in case["nowhere"] for path in home.glob(glob) if path.is_file()}):
        rel = path.relative_to(home).as_posix()
        text = f"{rel}\n{path.read_bytes().decode(errors='replace')}"
        found += [rel for canary in case["canaries"] if leaks(canary, text)]
    return found


def tried(home: Path) -> dict[str, int]:
    """Return what was tried when a home was built: name and exit status."""
    return json.loads((home / ATTEMPTS).read_text(encoding="utf-8"))


def tree(home: Path) -> str:
    """Return a hash over names and bytes of every wiki and the current folder."""
    digest = hashlib.sha256()
    for top in ("wiki", "work"):
        for folder, inner, names in os.walk(home / top):
            inner.sort()
            digest.update(f"{os.path.relpath(folder, home)}\0".encode())
            for name in sorted(names):
                digest.update(name.encode() + b"\0")
                with open(os.path.join(folder, name), "rb") as file:  # noqa: PTH118, PTH123
                    digest.update(file.read())
    return digest.hexdigest()


def call_api(reader: type[Reader], context: dict[str, Any]) -> dict[str, Any]:
    """Answer for promptfoo."""
    case = json.loads(context["vars"]["case"])
    home = Path(os.environ["LLM_WIKI_EVALS"]) / case["variant"]
    answer, trace = reader(home, _kept(home)).ask(case)
    return {"output": answer, "metadata": trace}


@cache
def _kept(home: Path) -> Verbs:
    """Return the child process of a home; promptfoo's worker keeps it until it ends itself."""
    return Verbs(home)
