"""Old bytes that must not come back: taken out of the records that `undo` keeps, on this whole machine."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from llm_wiki.core import files
from llm_wiki.core.locks import state_lock
from llm_wiki.core.state import root_state, state_dir


def forget_bytes(words: Sequence[bytes], *, but: Collection[str] = ()) -> int:
    """Remove the kept bytes of every finished transaction in which one of the words stands; return how many.

    A word stands for itself: not as a part of a longer one of letters, digits and `-_:@+`. The record stays
    and says that nothing is kept, as after a withdrawal. `but` names roots that are left alone. Raises
    LockBusy when a root is being written, Unreadable when the system refuses.
    """
    words = [word for word in words if word]
    if not words:
        return 0
    pattern = re.compile(
        rb"(?<![\w:@+-])(?:"
        + b"|".join(re.escape(word) for word in sorted(words, key=len))
        + rb")(?![\w:@+-])"
    )
    kept = {root_state(Path(root)).name for root in but}
    changed = 0
    for root in _folders(state_dir() / "roots"):
        if root.name in kept:
            continue
        found = [each for each in _folders(root / "undo") if "." not in each.name and _holds(each, pattern)]
        if found:
            changed += _withdraw(root, found)
    return changed


def forget_where(
    holds: Callable[[bytes], bool], clean: Callable[[bytes], bytes], only: Collection[str] | None = None
) -> int:
    """Remove the kept bytes of every finished transaction that `holds` something; return how many.

    Its record is cleaned as well: paths and log lines stand there. `only` names keys of roots, None: all.
    Raises as `forget_bytes` does.
    """
    changed = 0
    for root in _folders(state_dir() / "roots"):
        if only is not None and root.name not in only:
            continue
        found = [
            each
            for each in _folders(root / "undo")
            if "." not in each.name
            and any(holds(_bytes(each / name)) for name in ("before", "manifest.json"))
        ]
        if found:
            changed += _withdraw(root, found, clean)
    return changed


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _folders(place: Path) -> list[Path]:
    try:
        return sorted(path for path in place.iterdir() if path.is_dir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise files.failure("read", place, error) from error


def _holds(record: Path, pattern: re.Pattern[bytes]) -> bool:
    with suppress(FileNotFoundError):
        return pattern.search((record / "before").read_bytes()) is not None
    return False


def _withdraw(root: Path, records: list[Path], clean: Callable[[bytes], bytes] = lambda data: data) -> int:
    """Remove the old bytes of some records of one root, under the lock its writers take."""
    with state_lock(root, root):
        return sum(_strip(record, clean) for record in records)


def _strip(record: Path, clean: Callable[[bytes], bytes]) -> bool:
    manifest = record / "manifest.json"
    try:
        head: dict[str, Any] = json.loads(manifest.read_bytes())
        head["keep"] = False
        files.write_atomic(manifest, clean(json.dumps(head, indent=1, sort_keys=True).encode("ascii")))
        (record / "before").unlink(missing_ok=True)
    except FileNotFoundError:
        return False
    except (OSError, ValueError) as error:
        cause = error if isinstance(error, OSError) else OSError(5, str(error))
        raise files.failure("erase", record, cause) from error
    return True
