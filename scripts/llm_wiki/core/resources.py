"""Where the files that ship with the program lie: in the wheel or in a checkout."""

from __future__ import annotations

from pathlib import Path

from llm_wiki.core.errors import WikiError

_PACKAGE = Path(__file__).resolve().parent.parent


def shipped(name: str) -> Path:
    """Return the folder `name` (`wikis`, …) that ships with the program.

    A wheel carries it inside the package, a plain checkout at its top level. Raises `WikiError`
    when the installation lacks it.
    """
    for candidate in (_PACKAGE / "_data" / name, _PACKAGE.parent.parent / name):
        if candidate.is_dir():
            return candidate
    raise WikiError(
        f"this installation lacks its {name!r} folder",
        path=_PACKAGE,
        remedy="reinstall llm-wiki; a wheel built by `pip install .` carries it",
    )
