"""The wiki's reading and writing of front matter as a handler for python-frontmatter.

`frontmatter.loads(text, handler=WikiHandler())` reads a header as every verb does: scalars stay
text, a BOM and any line end are accepted, only whole `---` lines delimit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from frontmatter.default_handlers import BaseHandler

from llm_wiki.model.frontmatter import load, split, unix
from llm_wiki.model.scalars import field_lines

if TYPE_CHECKING:
    from frontmatter import Post

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

    def export(self, metadata: dict[str, object], **_: object) -> str:
        """Return fields in their order as lines; values are text or lists of text."""
        return "".join(
            field_lines(
                key, [str(item) for item in value] if isinstance(value, (list, tuple)) else str(value)
            )
            for key, value in metadata.items()
        )

    def format(self, post: Post, **_: object) -> str:
        """Return the whole document: the body stays as it is, behind one blank line."""
        gap = "\n" if post.content and not post.content.startswith(("\n", "\r")) else ""
        return f"---\n{self.export(post.metadata)}---\n{gap}{post.content}"
