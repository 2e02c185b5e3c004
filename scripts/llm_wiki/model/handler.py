"""The wiki's reading and writing of front matter as a handler for python-frontmatter.

`frontmatter.loads(text, handler=WikiHandler())` reads a header as every verb does: scalars stay
text, a BOM and any line end are accepted, only whole `---` lines delimit.
"""

from __future__ import annotations

import re
from typing import Any

from frontmatter.default_handlers import BaseHandler

from llm_wiki.model.frontmatter import load, split, unix

__all__ = ["WikiHandler"]


class WikiHandler(BaseHandler):
    """Splits byte-exactly, reads without implicit types, writes the subset both readers share."""

    FM_BOUNDARY = re.compile(r"^---[ \t]*$", re.MULTILINE)
    START_DELIMITER = END_DELIMITER = "---"

    def detect(self, text: str) -> bool:
        """Tell whether the text has front matter that is closed."""
        return split(unix(text.encode())).state == "ok"

    def split(self, text: str) -> tuple[str, str]:
        """Return YAML and body; raises `ValueError` when there is no closed front matter."""
        data = text.encode()
        front = split(unix(data))
        if front.state != "ok":
            raise ValueError(f"front matter is {front.state}")
        return data[front.start : front.end].decode(), data[front.body :].decode()

    def load(self, fm: str) -> dict[str, Any]:
        """Return the fields as text, lists and maps; raises `ValueError` with line and reason."""
        meta, _, problems = load(fm)
        for code, line, detail in problems:
            if code == "yaml":
                raise ValueError(f"line {line}: {detail}")
        return meta
