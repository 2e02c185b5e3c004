"""Host-neutral text made into one host's: tokens and blocks, never patches of prose.

`{{invoke:NAME}}` is how the host calls a command, `{{router}}` its entry, `{{root}}` the folder of
the package, `{{version}}` this version. A block `<!-- if host=NAME -->…<!-- endif -->` stays for
that host only. Whatever does not resolve fails the build.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from llm_wiki import __version__
from llm_wiki.core.errors import WikiError

_BLOCK = re.compile(r"<!-- if host=([a-z,]+) -->\n?(.*?)<!-- endif -->\n?", re.DOTALL)
_LOOSE = re.compile(r"<!-- (?:if|endif)\b")
_TOKEN = re.compile(r"\{\{([^{}]*)\}\}")


def fill(text: str, host: str, spelling: Mapping[str, Any], *, name: str) -> str:
    """Return the text as one host reads it; `name` is the file, for errors. Raises `WikiError`."""

    def block(match: re.Match[str]) -> str:
        return match[2] if host in match[1].split(",") else ""

    def token(match: re.Match[str]) -> str:
        word, _, argument = match[1].partition(":")
        plain = {"version": __version__, "router": spelling["router"], "root": spelling["root"]}
        if word in plain and not argument:
            return str(plain[word])
        if word == "invoke" and argument:
            return str(spelling["invoke"]).format(name=argument)
        line = text[: match.start()].count("\n") + 1
        raise WikiError(f"unknown token {match[0]}", path=name, line=line, remedy="see hosts/template.py")

    kept = _BLOCK.sub(block, text)
    loose = _LOOSE.search(kept)
    if loose:
        raise WikiError("a host block is not closed", path=name, line=kept[: loose.start()].count("\n") + 1)
    return _TOKEN.sub(token, kept)
