"""Setup of one, several or all hosts, and taking it out again: what the verbs call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from llm_wiki.core.errors import BadUsage, NothingFound, WikiError
from llm_wiki.hosts.setup import apply, manifest, plan, removing
from llm_wiki.hosts.setup.plan import Step
from llm_wiki.hosts.setup.program import Program, locate
from llm_wiki.hosts.setup.table import HOSTS, Host, present


class Done(NamedTuple):
    """What was done, or with a dry run would be, to one host. `error` is why nothing was."""

    host: Host
    path: Path | None
    steps: tuple[Step, ...]
    changed: bool
    backup: Path | None
    kept: tuple[str, ...]
    error: WikiError | None
    skipped: str


def chosen(names: Sequence[str]) -> tuple[Host, ...]:
    """Return the hosts that words name; `all` is every host. Raises BadUsage for another word."""
    found: list[Host] = []
    for name in names:
        if name == "all":
            found += HOSTS.values()
        elif name in HOSTS:
            found.append(HOSTS[name])
        else:
            raise BadUsage(f"no such host: {name!r}", remedy=f"hosts: {', '.join(HOSTS)}, all")
    return tuple(dict.fromkeys(found))


def install(names: Sequence[str], *, dry_run: bool = False) -> tuple[Program, list[Done]]:
    """Set hosts up; with `all` those that are not installed are skipped. Raises WikiError without a program.

    A host whose file cannot be used does not keep the others from being set up; named alone, it raises.
    """
    hosts = chosen(names)
    program = locate()
    if dry_run:
        return program, [_install(host, program, names, dry_run=True) for host in hosts]
    with apply.locked():
        return program, [_install(host, program, names, dry_run=False) for host in hosts]


def _install(host: Host, program: Program, names: Sequence[str], *, dry_run: bool) -> Done:
    if host.name not in names and not present(host):
        return _nothing(host, skipped="not installed here")
    try:
        made = plan.install(host, program, manifest.load().get(host.name))
        backup = None if dry_run else apply.write(made)
    except WikiError as error:
        if len(names) == 1 and names[0] != "all":
            raise
        return _nothing(host, error=error)
    return Done(host, made.path, made.steps, made.changes, backup, (), None, "")


def _nothing(host: Host, *, error: WikiError | None = None, skipped: str = "") -> Done:
    return Done(host, None, (), changed=False, backup=None, kept=(), error=error, skipped=skipped)


def remove(names: Sequence[str], *, dry_run: bool = False) -> list[Done]:
    """Take out what setup put into hosts, by default into all. Raises NothingFound without a record."""
    hosts = chosen(names or ["all"])
    if dry_run:
        return _remove(hosts, dry_run=True)
    with apply.locked():
        return _remove(hosts, dry_run=False)


def _remove(hosts: Sequence[Host], *, dry_run: bool) -> list[Done]:
    records = manifest.load()
    done = []
    for host in hosts:
        record = records.get(host.name)
        if record is None:
            continue
        removal = removing.plan(record)
        if not dry_run:
            removing.write(removal, records)
        changed = removal.before != removal.after
        done.append(Done(host, removal.path, removal.steps, changed, None, removal.kept, None, ""))
    if not done:
        raise NothingFound(
            "setup has put nothing into " + (hosts[0].title if len(hosts) == 1 else "any host"),
            remedy="llm-wiki setup --status shows what the hosts' files hold",
        )
    return done
