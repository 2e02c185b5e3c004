"""The program `llm-wiki`: finds the verb, runs it, turns errors into text and exit codes."""

from __future__ import annotations

import pkgutil
import sys
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from llm_wiki import __version__
from llm_wiki.cli import output
from llm_wiki.core.errors import WikiError
from llm_wiki.ops.verbs import EVERYDAY

_COMMANDS = Path(__file__).parent / "commands"


def verb_names() -> list[str]:
    """Return the top-level verbs: one module of `cli/commands` each."""
    return sorted(m.name.replace("_", "-") for m in pkgutil.iter_modules([str(_COMMANDS)]))


class Verbs(click.Group):
    """The top level: verbs are modules, imported only when they run."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click calls it so
        """Return every verb, alphabetically."""
        return verb_names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return one verb, or None when there is none of that name."""
        if cmd_name not in verb_names():
            return None
        module = import_module(f"llm_wiki.cli.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb; a misspelt one names its nearest neighbours."""
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in verb_names():
            from difflib import get_close_matches

            near = get_close_matches(name, verb_names(), n=3, cutoff=0.6)
            hint = f" Did you mean: {', '.join(near)}?" if near else " `llm-wiki --help --all` lists them."
            raise click.UsageError(f"No such verb: {name!r}.{hint}")
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Let `--all` stand on either side of `--help`."""
        if "--all" in args and {"--help", "-h"} & set(args):
            ctx.meta["llm_wiki.all"] = True
            args = [arg for arg in args if arg != "--all"]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the everyday verbs, with `--all` the rest as well."""
        names = verb_names()
        everyday = [name for name in EVERYDAY if name in names]
        sections = [("Everyday verbs", everyday)]
        if ctx.meta.get("llm_wiki.all"):
            sections.append(("Further verbs", [name for name in names if name not in everyday]))
        for title, members in sections:
            rows = []
            for name in members:
                command = self.get_command(ctx, name)
                if command is not None:
                    rows.append((name, command.get_short_help_str(limit=80)))
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
        if not ctx.meta.get("llm_wiki.all"):
            formatter.write_paragraph()
            formatter.write_text("llm-wiki --help --all lists every verb; llm-wiki VERB --help explains one.")


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="llm-wiki")
@click.option("--debug", is_flag=True, help="Show the full trace of an error.")
@click.pass_context
def cli(ctx: click.Context, debug: bool) -> None:
    """Keep topic wikis in plain Markdown true: check, repair, feed, index, undo.

    Without a verb, llm-wiki prints where you stand and the next sensible step.
    """
    ctx.meta["llm_wiki.debug"] = debug
    if ctx.invoked_subcommand is None:
        from llm_wiki.cli.commands.status import first_steps

        output.write_out(first_steps().text)


def main(argv: list[str] | None = None) -> None:
    """Run the command line and exit with the status of the verb."""
    arguments = sys.argv[1:] if argv is None else argv
    if _is_hook(arguments):  # before any parser that could refuse: hosts read exit codes as orders
        from llm_wiki.hook.main import main as hook

        arguments = list(arguments)
        arguments.remove("session")
        arguments.remove("hook")
        hook(arguments)
    verb = next((word for word in arguments if not word.startswith("-")), "")
    form = _wanted_form(arguments)
    try:
        status = cli.main(args=arguments, prog_name="llm-wiki", standalone_mode=False)
    except WikiError as error:
        if "--debug" in arguments:
            raise
        _fail(error, verb, form)
    except click.exceptions.NoArgsIsHelpError as error:
        if form == "text":
            output.say(error.format_message())
            sys.exit(2)
        _fail(WikiError(f"{verb} needs a subcommand", remedy=f"see `llm-wiki {verb} --help`"), verb, form)
    except click.ClickException as error:
        message = error.format_message()
        context = getattr(error, "ctx", None)
        remedy = f"see `{context.command_path} --help`" if context else "see `llm-wiki --help`"
        _fail(WikiError(message, remedy=remedy), verb, form)
    except click.Abort:
        output.say("\nllm-wiki: stopped; nothing was left half-done")
        sys.exit(130)
    except Exception as error:  # the last fence: a traceback is never the answer
        if "--debug" in arguments:
            raise
        _fail(_unexpected(error), verb, form)
    sys.exit(status if isinstance(status, int) else 0)


def _is_hook(arguments: list[str]) -> bool:
    """Tell whether this is `session hook`, whatever flags stand around the two words."""
    words = [
        word
        for before, word in zip(["", *arguments], arguments, strict=False)
        if not word.startswith("-") and before != "--hub"
    ]
    return words[:2] == ["session", "hook"]


def _wanted_form(arguments: list[str]) -> str:
    """Return the form of output asked for, as far as arguments that may be wrong show it."""
    named = [word.removeprefix("--format=") for word in arguments if word.startswith("--format=")]
    named += [word for option, word in pairwise(arguments) if option == "--format"]
    return "json" if "--json" in arguments or "json" in named else named[0] if named else "text"


def _fail(error: WikiError, verb: str, form: str) -> Any:
    """Say what went wrong and exit, for programs in the form they asked of this verb."""
    if form != "text":
        from llm_wiki.cli.mark import ERROR_FORM

        own = ERROR_FORM.get(verb)
        with suppress(OSError):  # it may be stdout that failed
            if own:
                output.write_out(own(error, form))
            elif form == "json":
                output.write_out(output.dump(output.error_data(error)))
    output.say(output.error_text(error))
    sys.exit(error.code)


def _unexpected(error: Exception) -> WikiError:
    if isinstance(error, OSError) and error.filename is not None:
        from llm_wiki.core.files import failure

        return failure("use", error.filename, error)
    if isinstance(error, OSError) and error.strerror:
        return WikiError(error.strerror, remedy="`llm-wiki doctor` looks for the cause")
    return WikiError(
        f"internal error: {type(error).__name__}: {error}",
        remedy="run again with --debug for the trace and report it; no change was left half-done",
    )
