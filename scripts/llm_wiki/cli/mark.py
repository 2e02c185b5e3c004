"""The mark that makes a click command a verb, and the options verbs share."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from llm_wiki.cli import output
from llm_wiki.core.errors import BadUsage, WikiError
from llm_wiki.ops.verbs import Verb, WriteClass, register

F = TypeVar("F", bound=Callable[..., Any])

ERROR_FORM: dict[str, Callable[[WikiError, str], str]] = {}
"""Verb → what renders its failure in a form (`json`, …), of verbs that owe one of their own even then."""


class Target(NamedTuple):
    """Which wiki the user means, as typed (`wiki-format.md` §8.3); `files` are such that lie in one."""

    path: str | None = None
    wiki: str | None = None
    local: bool = False
    hub: str | None = None
    include_archived: bool = False
    files: tuple[str, ...] = ()

    def resolve(self, *, writing: bool = False, need_wiki: bool = True) -> Any:
        """Return the `wiki.resolve.Root` this names; errors as that function raises them.

        A verb that writes says so: a folder that only resembles a wiki is then refused. Without
        `need_wiki` a place that is none is an answer too.
        """
        from llm_wiki.wiki.recognise import require_recognised
        from llm_wiki.wiki.resolve import resolve

        root = resolve(
            self.path,
            local=self.local,
            wiki=self.wiki,
            hub=self.hub,
            include_archived=self.include_archived,
            need_wiki=need_wiki,
        )
        if writing:
            require_recognised(root)
        return root


def target_options(*, path: bool = True, archived: bool = True, files: bool = False) -> Callable[[F], F]:
    """Add the options that name a wiki; the callback receives them as one `target`.

    Options given before a subcommand count as if given after it. A verb whose argument is something
    else takes the path of a wiki as `--root`. With `files`, Markdown files may stand in place of the path.
    """

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def gather(**kwargs: Any) -> Any:
            parent = click.get_current_context().parent
            place = _place(kwargs, parent.params if parent else {})
            return function(target=Target(**place), **kwargs)

        wrapped: Any = gather
        if archived:
            wrapped = click.option("--include-archived", is_flag=True, help="Work on an archived topic too.")(
                wrapped
            )
        wrapped = click.option("--hub", metavar="PATH", help="Use the hub in this folder.")(wrapped)
        wrapped = click.option("--local", is_flag=True, help="Use the .wiki folder here.")(wrapped)
        wrapped = click.option("--wiki", metavar="SLUG", help="Use this topic of the hub.")(wrapped)
        if files:
            wrapped = click.argument("path", nargs=-1, metavar="[PATH | FILE...]")(wrapped)
        elif path:
            wrapped = click.argument("path", required=False)(wrapped)
        else:
            wrapped = click.option("--root", metavar="PATH", help="Use the wiki in this folder.")(wrapped)
        return wrapped  # type: ignore[no-any-return]

    return decorate


def _place(kwargs: dict[str, Any], outer: Mapping[str, Any]) -> dict[str, Any]:
    """Take the target's options out of a verb's arguments, those given before a subcommand included.

    "" is an answer: a script whose variable is empty must not hit another wiki. Raises BadUsage for
    an option that is given twice with different values.
    """
    place: dict[str, Any] = {}
    for key in ("wiki", "hub"):
        place[key] = _one(f"--{key}", kwargs.pop(key, None), outer.get(key))
    for flag in ("local", "include_archived"):
        place[flag] = bool(kwargs.pop(flag, False) or outer.get(flag))
    named = _one("--root", kwargs.pop("root", None), outer.get("root"))
    given = kwargs.pop("path", None)
    if isinstance(given, tuple):
        if len(given) > 1 or (given and _is_page(given[0])):
            place["files"] = given
        given = given[0] if len(given) == 1 and "files" not in place else None
    place["path"] = _one("PATH", given, named)
    return place


def _is_page(text: str) -> bool:
    """Tell whether a path leads to a Markdown file; what cannot be looked at is none."""
    return text[-3:].lower() == ".md" and os.path.isfile(text)  # noqa: PTH113 - never raises


def _one(name: str, given: str | None, before: str | None) -> str | None:
    if given is not None and before is not None and given != before:
        raise BadUsage(f"{name} is given twice: {before!r} and {given!r}", remedy="give one of them")
    return before if given is None else given


def json_option(function: F) -> F:
    """Add `--json`; the mark takes it, the callback never sees it."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(function)


def verb(
    write_class: WriteClass,
    *,
    name: str,
    enveloped: bool = True,
    forms: tuple[tuple[str, WriteClass], ...] = (),
    error_form: Callable[[WikiError, str], str] | None = None,
) -> Callable[[F], F]:
    """Mark a callback as the verb `name` of a write class.

    The callback returns an `Outcome`; the mark renders it as text or JSON and sets the exit
    status, so that no command prints by itself. `error_form` renders a failure of a verb that
    owes a form of its own even then; it is told which (`json`, or another word of `--format`).
    """

    def decorate(function: F) -> F:
        summary = (function.__doc__ or "").strip().split("\n", 1)[0]
        register(Verb(name, write_class, summary, enveloped, forms))
        if error_form:
            ERROR_FORM[name] = error_form

        @functools.wraps(function)
        def run(**kwargs: Any) -> None:
            context = click.get_current_context()
            as_json = bool(kwargs.pop("as_json", False))
            if context.parent is not None:
                as_json = as_json or bool(context.parent.params.get("as_json"))
            form = "json" if as_json else kwargs.get("form") or "text"
            as_json = form == "json"
            try:
                outcome: output.Outcome = function(**kwargs)
            except WikiError as error:
                if form == "text" or not error_form:
                    raise
                output.write_out(error_form(error, form))
                output.say(output.error_text(error))
                context.exit(error.code)
            if as_json:
                output.write_out(_as_json(outcome, enveloped=enveloped))
            else:
                output.write_out(outcome.text)
            context.exit(outcome.exit)

        return run  # type: ignore[return-value]

    return decorate


def _as_json(outcome: output.Outcome, *, enveloped: bool) -> str:
    if outcome.raw_json is not None:
        return outcome.raw_json
    data = output.envelope(outcome.data, outcome.exit) if enveloped else outcome.data
    return output.dump(data)


def shown(path: Path | str) -> str:
    """Return a path for people: with `~` for the home folder."""
    text = str(path)
    home = str(Path.home())
    return "~" + text[len(home) :] if text == home or text.startswith(home + "/") else text
