"""What `doctor` says of the hosts: whether their events can arrive."""

from __future__ import annotations

from collections.abc import Iterator

from llm_wiki.core.errors import WikiError
from llm_wiki.hosts.setup.program import locate
from llm_wiki.hosts.setup.report import Report, reports
from llm_wiki.ops.doctor import Check


def checks() -> list[Check]:
    """Return one check for the hook's program and one for each host that is set up."""
    try:
        program = Check("hook", "ok", locate().path)
    except WikiError as error:
        program = Check("hook", "note", error.message, error.remedy or "")
    except OSError as error:
        program = Check("hook", "fault", f"cannot look for its program: {error.strerror}")
    try:
        found = [one for one in reports() if one.state != "none" or one.other]
    except WikiError as error:
        return [program, Check("hosts", "fault", error.message, error.remedy or "")]
    except OSError as error:
        return [program, Check("hosts", "fault", f"cannot read {error.filename}: {error.strerror}")]
    if not found:
        return [program, Check("hosts", "ok", "none is set up to report sessions")]
    return [program, *(check for one in found for check in _of(one))]


def _of(one: Report) -> Iterator[Check]:
    name = f"hooks of {one.title}"
    again = f"llm-wiki setup {one.host}"
    if one.state == "broken":
        yield Check(name, "fault", "; ".join(one.notes), f"correct {one.path}")
        return
    if one.state == "none":
        yield Check(name, "ok", f"through {one.other}")
        return
    notes = list(one.notes)
    if one.state == "partial":
        notes.append(f"only {', '.join(one.events)} are reported")
    if one.state == "outdated":
        notes.append("they run another program than this one")
    if one.twice:
        notes.append(f"events come twice, also by {one.twice}; each counts once")
    gone = any("is gone" in note for note in one.notes)
    if not notes:
        yield Check(name, "ok", str(one.path))
        return
    yield Check(name, "fault" if gone else "note", f"{one.path}: {'; '.join(notes)}", again)
