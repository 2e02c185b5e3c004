"""Looks for what is wrong with the installation, its folders and its locks; changes nothing."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from llm_wiki import __version__
from llm_wiki.core import clock, config, git, state
from llm_wiki.core.errors import WikiError
from llm_wiki.core.files import failure
from llm_wiki.core.resources import shipped
from llm_wiki.core.transaction import interrupted
from llm_wiki.wiki.hub import may_become_hub
from llm_wiki.wiki.registry import NAME, Registry
from llm_wiki.wiki.resolve import classify, find_hub, not_a_wiki

LOW_SPACE = 50_000_000
"""Bytes free below which a change may fail half-way through its preparations."""

LIBRARIES = (
    "click", "httpx", "lxml", "lxml_html_clean", "markdown-it-py", "pyromark", "python-frontmatter",
    "PyYAML", "rapidfuzz", "rich", "trafilatura",
)  # fmt: skip


class Check(NamedTuple):
    """One answer: `state` is `ok`, `note` or `fault`; a fault makes the verb exit 1."""

    name: str
    state: str
    text: str
    remedy: str = ""


def examine(hub: str | None = None) -> list[Check]:
    """Run every check; one that fails unexpectedly becomes a fault of its own."""
    found: list[Check] = []
    checks: tuple[tuple[str, Callable[[], Iterator[Check]]], ...] = (
        ("version", _python),
        ("libraries", _libraries),
        ("example hub", _data),
        ("program", _program),
        ("date", _clock),
        ("config", _config),
        ("folders", _folders),
        ("hub", lambda: _hub(hub)),
        ("transactions", lambda: _open(hub)),
        ("retractions", lambda: _retractions(hub)),
        ("capture", lambda: _capture(hub)),
        ("git", _git),
    )
    for name, check in checks:
        try:
            found += check()
        except WikiError as error:
            found.append(Check(name, "fault", error.message, error.remedy or ""))
        except OSError as error:
            refused = failure("use", error.filename or name, error)
            found.append(Check(name, "fault", refused.message, refused.remedy or ""))
    return found


def _python() -> Iterator[Check]:
    yield Check(
        "version", "ok", f"llm-wiki {__version__}, Python {platform.python_version()}, {platform.system()}"
    )
    if sys.getfilesystemencoding().lower().replace("-", "") != "utf8":
        yield Check(
            "file names", "fault", f"the file system encoding is {sys.getfilesystemencoding()}",
            "set LANG or LC_ALL to a UTF-8 locale",
        )  # fmt: skip


def _libraries() -> Iterator[Check]:
    missing = []
    for name in LIBRARIES:
        try:
            importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        yield Check("libraries", "fault", f"missing: {', '.join(missing)}", "install llm-wiki again")
        return
    import yaml

    if not yaml.__with_libyaml__:
        yield Check("libraries", "note", "PyYAML has no C parser here; reading is slower", "reinstall PyYAML")
    else:
        yield Check("libraries", "ok", "all there, with the C parser of PyYAML")


def _data() -> Iterator[Check]:
    yield Check("example hub", "ok", str(shipped("wikis")))


def _program() -> Iterator[Check]:
    first = shutil.which("llm-wiki")
    if first is None:
        yield Check(
            "program", "note", "llm-wiki is not on PATH", "pipx ensurepath, or call it by its full path"
        )
    else:
        yield Check("program", "ok", first)


def _clock() -> Iterator[Check]:
    text = clock.today().isoformat()
    forced = [name for name in ("LLM_WIKI_TODAY", "LLM_WIKI_NOW") if os.environ.get(name)]
    if forced:
        yield Check("date", "note", f"{text}, set by {', '.join(forced)}")
    else:
        yield Check("date", "ok", text)


def _config() -> Iterator[Check]:
    loaded = config.load()
    there = "read" if loaded.path.exists() else "not written yet, defaults hold"
    yield Check("config", "ok", f"{loaded.path} ({there})")


def _folders() -> Iterator[Check]:
    for name, path in (("state", state.state_dir()), ("cache", state.cache_dir())):
        place = path
        while not os.path.lexists(place) and place != place.parent:
            place = place.parent
        if not os.access(place, os.W_OK | os.X_OK):
            yield Check(name, "fault", f"{place} is not writable", f"give yourself write access to {place}")
            continue
        free = shutil.disk_usage(place).free
        if free < LOW_SPACE:
            yield Check(name, "fault", f"only {free // 1_000_000} MB free for {path}", "free some space")
        else:
            yield Check(name, "ok", f"{path}" + ("" if place == path else " (made when first needed)"))


def _hub(written: str | None) -> Iterator[Check]:
    hub = find_hub(written)
    kind = classify(hub)
    if kind == "hub":
        wrong = Registry.load(hub).problems
        if wrong:
            where = f"{hub / NAME}:{wrong[0].line}" if wrong[0].line else str(hub / NAME)
            yield Check("hub", "fault", f"{wrong[0].text} ({where})", "correct it; `llm-wiki lint` names all")
        else:
            yield Check("hub", "ok", str(hub))
    elif may_become_hub(hub):
        yield Check("hub", "note", f"no hub at {hub} yet", "llm-wiki init NAME makes one")
    else:
        error = not_a_wiki(hub, kind)
        yield Check("hub", "fault", error.message, error.remedy or "")


def _open(written: str | None) -> Iterator[Check]:
    stuck = [(root, txid) for root in _known_roots(written) for txid in interrupted(root)]
    for root, txid in stuck:
        yield Check(
            "transactions", "note", f"{txid.partition('.')[0]} in {root} is running or was interrupted",
            "if it was interrupted, the next command that writes there finishes it or takes it back",
        )  # fmt: skip
    if not stuck:
        yield Check("transactions", "ok", "none interrupted")


def _retractions(written: str | None) -> Iterator[Check]:
    from llm_wiki.withdraw.source_intent import everywhere, pending

    known = [(str(root), one) for root in _known_roots(written) for one in pending(root)]
    named = [one for _, one in known]
    known += [(one.root, one) for one in everywhere() if one not in named]
    for root, one in known:
        remedy = f"finish it: llm-wiki retract-source apply {shlex.quote(f'{root}/{one.who.path}')}"
        if not os.path.isdir(root):  # noqa: PTH112
            remedy = f"that wiki has gone from there; if it is gone for good, remove {one.file}"
        text = f"that of {one.who.path} in {root} is running or was interrupted"
        yield Check("retractions", "fault", text, remedy)
    if not known:
        yield Check("retractions", "ok", "none interrupted")


def _capture(written: str | None) -> Iterator[Check]:
    from llm_wiki.ops.status import captured

    places = [Path.cwd() / ".wiki", find_hub(written)]
    for place, told in ((place, captured(place)) for place in places):
        if told is None:
            continue
        text = f"{told['level']}, {told['sessions']} sessions in {place / '.sessions'}"
        if "config.json" in told["why_off"]:
            yield Check(
                "capture", "fault", f"{text}: {told['why_off']}", "llm-wiki capture notes --force, or off"
            )
        elif told["errors"]:
            yield Check("capture", "note", f"{text}; the hook has met errors", "llm-wiki session status")
        else:
            yield Check("capture", "ok", text + (f" ({told['why_off']})" if told["why_off"] else ""))


def _known_roots(written: str | None) -> list[Path]:
    """Return the roots one can name from here: the local wiki, the hub, its topics."""
    roots = [path for path in (Path.cwd() / ".wiki",) if path.is_dir()]
    try:
        hub = find_hub(written)
    except WikiError:
        return roots
    if hub.is_dir():
        registry = Registry.load(hub)
        roots += [hub, *(entry.location(hub) for entry in registry.entries.values())]
    return [root for root in dict.fromkeys(roots) if root.is_dir()]


def _git() -> Iterator[Check]:
    if shutil.which("git") is None:
        yield Check("git", "note", "git is not installed; only `init --git` needs it")
        return
    yield Check("git", "ok", git.run(["--version"], Path.cwd()).strip())
