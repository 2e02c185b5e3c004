"""Topic wikis in plain Markdown, kept true by code."""

__version__ = "0.1.0"
