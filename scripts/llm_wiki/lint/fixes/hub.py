"""W902 W903 W904 W908 W909: the registry of a hub is made portable, complete and true to the folders.

Only these places change: other keys, unknown entries and external paths stay as they are.
"""

from __future__ import annotations

from typing import Any

from llm_wiki.lint.finding import Finding
from llm_wiki.lint.fixes.step import Stand, Step
from llm_wiki.lint.infer import writable
from llm_wiki.lint.rules.hub import Place, places
from llm_wiki.model import layout
from llm_wiki.wiki.registry import HUB_TOKEN, NAME, Registry

RULES = ("W902", "W903", "W904", "W908", "W909")


def stage(stand: Stand) -> Step:
    """Repair the registry entry by entry; one that cannot be read in full is left alone."""
    step = Step()
    findings = list(stand.of(*RULES))
    if not findings or not writable(stand.snapshot, NAME):
        return step
    before = stand.snapshot.read(NAME)
    registry = Registry(stand.snapshot.root, before)
    if not registry.usable:
        return step
    for finding in findings:
        text = _REPAIRS[finding.rule](stand, registry.data, finding)
        if text:
            step.report(finding.rule, "edit", NAME, text)
    after = registry.to_bytes()
    if step.fixes and after != before:
        step.changes[NAME] = after
    return step


def _default(_stand: Stand, data: dict[str, Any], _finding: Finding) -> str:
    data["default"] = HUB_TOKEN
    return f"Set default to {HUB_TOKEN} in {NAME}"


def _hub_path(_stand: Stand, data: dict[str, Any], _finding: Finding) -> str:
    data["wikis"]["hub"]["path"] = HUB_TOKEN
    return f"Set the path of the hub to {HUB_TOKEN} in {NAME}"


def _portable(stand: Stand, data: dict[str, Any], finding: Finding) -> str:
    found = [place for place in places(stand.view) if place.portable and place.entry.path == finding.target]
    for place in found:
        data["wikis"][place.entry.slug]["path"] = place.portable
    return f"Set the path of {_slugs(found)} to {found[0].portable} in {NAME}" if found else ""


def _register(stand: Stand, data: dict[str, Any], finding: Finding) -> str:
    folder, slug = finding.path or "", finding.target
    wikis = data.setdefault("wikis", {})
    if slug in wikis:
        return ""
    config = stand.snapshot.pages.get(f"{folder}/{layout.CONFIG}")
    archived = folder.startswith(f"{layout.TOPIC_ARCHIVE}/")
    wikis[slug] = {
        "path": folder,
        "description": config.text("description") if config else "",
        "status": "archived" if archived else "active",
    }
    return f"Added {slug} to {NAME}"


def _status(stand: Stand, data: dict[str, Any], finding: Finding) -> str:
    archived = finding.target.startswith(f"{layout.TOPIC_ARCHIVE}/")
    name = finding.target.rpartition("/")[2]
    found = [place for place in places(stand.view) if place.name == name]
    for place in found:
        entry = data["wikis"][place.entry.slug]
        entry["path"] = finding.target
        entry["status"] = "archived" if archived else "active"
    return f"Set path and status of {_slugs(found)} to {finding.target} in {NAME}" if found else ""


def _slugs(found: list[Place]) -> str:
    return ", ".join(place.entry.slug for place in found)


_REPAIRS = {
    "W902": _default,
    "W903": _hub_path,
    "W904": _portable,
    "W908": _register,
    "W909": _status,
}
