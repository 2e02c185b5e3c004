"""The one privacy switch: `.sessions/config.json` on, off, and in which mode (`sessions.md` §1, §3)."""

from __future__ import annotations

from typing import Any, NamedTuple

from llm_wiki.core.errors import BadConfig, BadUsage, Refused
from llm_wiki.core.files import failure
from llm_wiki.hook import files
from llm_wiki.hook.settings import AUTO_CAPTURE, CONFIG, MODES, REHYDRATE, Settings, read
from llm_wiki.sessions.folder import Folder, prepare

LEVELS = ("off", "notes", "words")

STORED = {
    "notes": (
        "events of your agent's sessions, counted: tools, program names, file names, failures, times",
        "the folder, its Git remote (without user) and branch, model, path of the host's transcript",
        "a digest a session, and summaries you or your agent give",
        "short redacted previews of corrections and preferences, as feedback to review",
    ),
}
NOT_STORED = (
    "prompts, answers, tool output, arguments of commands, contents of files",
    "secrets: every text is redacted before it is written",
)
WORDS_NOTE = (
    "words also lets the redacted text of your turns and the agent's go into the event journal of the",
    "fact memory. That memory is not there yet: today words stores nothing more than notes.",
)
STOP = "llm-wiki capture off"
ERASE = ("llm-wiki session forget ID|--cwd PATH|--all", "llm-wiki session prune --older-than 90d")


class Switched(NamedTuple):
    """What a switch did: the settings before and after, and whether the file changed."""

    before: Settings
    after: Settings
    changed: bool


def explanation(folder: Folder, level: str) -> list[str]:
    """Return what the user is told before capture is switched on: what, what not, where, stop, erase."""
    lines = [f"Capture level {level!r} stores, on this machine only:"]
    lines += [f"  + {text}" for text in STORED["notes"]]
    lines += ["It never stores:", *(f"  - {text}" for text in NOT_STORED)]
    if level == "words":
        lines += WORDS_NOTE
    lines += [
        f"Where: {folder.path} (readable by you alone, ignored by Git)",
        f"Stop:  {STOP}",
        *(f"Erase: {line}" for line in ERASE),
    ]
    return lines


def plan(
    folder: Folder, level: str, *, mode: str = "", tool_events: int | None = None, force: bool = False
) -> dict[str, Any]:
    """Return the object that `config.json` would hold; only what is named changes.

    With `force` everything else goes back to the mode's defaults, and a file that cannot be used is replaced.
    Raises BadUsage, BadConfig for such a file without `force`, Refused for `raw_transcripts: true`.
    """
    if tool_events is not None and tool_events < 0:
        raise BadUsage("--tool-events is a number of tool calls, 0 or more", remedy="0 means never")
    now = read(folder.store.root)
    path = folder.store.path(CONFIG)
    if not now.values and now.why and not now.why.startswith("off until") and not force:
        raise BadConfig(
            now.why, path=path, remedy="correct it, or replace it: llm-wiki capture LEVEL --force"
        )
    if now.values.get("raw_transcripts") not in (None, False) and not force and level != "off":
        raise Refused(
            "raw_transcripts is set, and raw transcripts are never stored",
            path=path,
            remedy="take the key out, or set it to false",
        )
    if level == "off" or mode == "off":
        return now.values | {"enabled": False, "mode": "off"}
    old = "" if force else _mode_of(now)
    values = {} if force else dict(now.values)
    wanted = mode or old or "balanced"
    values = _moved(values, old or wanted, wanted)
    values["enabled"] = True
    values["mode"] = wanted
    values["words"] = level == "words"
    if tool_events is not None:
        values["auto_capture"]["tool_events"] = tool_events
    values["raw_transcripts"] = False
    values.setdefault("privacy", "redacted")
    feedback = values.get("feedback")
    defaults = {"enabled": True, "capture_approvals": True, "min_confidence": "medium"}
    values["feedback"] = defaults | (feedback if isinstance(feedback, dict) else {})
    values.setdefault("schema_version", 1)
    return values


def apply(folder: Folder, values: dict[str, Any]) -> Switched:
    """Write the switch where it differs from what is there. Raises Unreadable when the system refuses."""
    before = read(folder.store.root)
    if values == before.values:
        return Switched(before, before, changed=False)
    prepare(folder)
    try:
        files.write_json(folder.store.path(CONFIG), values, shared=True)
    except OSError as error:
        raise failure("write", folder.store.path(CONFIG), error) from error
    return Switched(before, read(folder.store.root), changed=True)


def _mode_of(settings: Settings) -> str:
    """Return the mode a file is in; one switched off has lost its name, so its values tell."""
    if not settings.values:
        return ""
    if settings.mode != "off":
        return settings.mode
    if not settings.rehydrate:
        return "capture-only"
    return "aggressive" if settings.tool_events == MODES["aggressive"]["tool_events"] else "balanced"


def _moved(values: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """Return the object in another mode: what stood at the old one's default takes the new one's."""
    for group, names in (("auto_capture", ("tool_events", *AUTO_CAPTURE)), ("rehydrate", REHYDRATE)):
        given = values.get(group)
        inner = dict(given) if isinstance(given, dict) else {}
        for name in names:
            right = isinstance(inner.get(name), type(MODES[new][name]))
            if not right or inner[name] == MODES[old][name]:
                inner[name] = MODES[new][name]
        values[group] = inner
    values["rehydrate"].setdefault("strict", False)
    return values
