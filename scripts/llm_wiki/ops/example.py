"""The example hub that ships with the program, copied to a place of the user's own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from llm_wiki.core.errors import Refused, Unreadable
from llm_wiki.core.resources import shipped
from llm_wiki.wiki.resolve import enclosing


def copy_example(folder: Path) -> Path:
    """Copy the example hub, its broken twin and a web page to a new folder; return its full path.

    Raises `Refused` (4) when the folder exists and is not empty or lies inside a wiki, `Unreadable`
    when the system does not let it be written; then what had been copied is removed again.
    """
    place = folder.absolute()
    if os.path.lexists(place) and not (place.is_dir() and not any(place.iterdir())):
        raise Refused(
            f"{folder} is there already", path=place, remedy="name another folder: llm-wiki demo DIR"
        )
    wiki = enclosing(place)
    if wiki is not None:
        raise Refused(
            f"{folder} lies inside the wiki {wiki}", path=place, remedy="name a folder outside of it"
        )
    source = shipped("wikis")
    try:
        shutil.copytree(source, place, dirs_exist_ok=True, copy_function=shutil.copyfile)
    except OSError as error:
        shutil.rmtree(place, ignore_errors=True)
        raise Unreadable(
            f"the example could not be copied: {error}", path=place, remedy="choose a folder you can write"
        ) from error
    return place
