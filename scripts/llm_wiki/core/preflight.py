"""Whether the system would let a plan be applied, asked before the first change."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from llm_wiki.core import files
from llm_wiki.core.errors import Unreadable
from llm_wiki.core.steps import Step


def check_writable(root: Path, steps: Sequence[Step], logs: Sequence[str] = ()) -> None:
    """Raise `Unreadable` naming every path of the plan that may not be written; changes nothing."""
    known: dict[Path, bool] = {}
    names = {step.path for step in steps if not all(_allowed(p, known) for p in _places(root, step))}
    names |= {log for log in logs if not _may_write(root / log)}
    if not names:
        return
    shown = sorted(files.printable(name) for name in names)
    word = "path" if len(shown) == 1 else "paths"
    raise Unreadable(
        f"{len(shown)} {word} cannot be written, nothing was changed:\n"
        + "\n".join(f"  {name}" for name in shown),
        path=shown[0],
        remedy="make them writable (owner, mode, read-only mount), then run the command again",
    )


def _places(root: Path, step: Step) -> list[Path]:
    """Return the folders and files a step needs to write to."""
    path = root / step.path
    source = root / step.source if step.source else path
    places = [path.parent, source.parent]
    if step.to:
        places.append((root / step.to).parent)
    if step.kind in ("put", "append"):
        places += [source] if step.source else []
    elif step.kind in ("remove", "move") and _locked_by_system(source):
        places.append(source)
    if step.kind == "move" and source.is_dir() and path.parent != (root / step.to).parent:
        places.append(source)  # its entry for the folder above changes too
    return places


def _allowed(place: Path, known: dict[Path, bool]) -> bool:
    allowed = known.get(place)
    if allowed is None:
        there = place
        while not os.path.lexists(there) and there != there.parent:
            there = there.parent
        allowed = known[place] = _may_write(there)
    return allowed


def _may_write(path: Path) -> bool:
    wanted = os.W_OK | os.X_OK if path.is_dir() else os.W_OK
    return os.access(path, wanted, effective_ids=os.access in os.supports_effective_ids)


def _locked_by_system(path: Path) -> bool:
    """Tell whether a file is refused though its mode allows writing: then it cannot be moved either.

    A file that is merely read-only may be moved and removed, as its folder decides that.
    """
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) and bool(mode & stat.S_IWUSR) and not _may_write(path)
