"""`llm-wiki capture`."""

from __future__ import annotations

from llm_wiki.cli.session.switching import capture as command

__all__ = ["command"]
