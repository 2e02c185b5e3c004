"""The least any linter of this format must do: read all files, parse headers, pass once over the Markdown."""

from __future__ import annotations

import os
import sys

import pyromark
import yaml

OPTIONS = (
    pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES | pyromark.Options.ENABLE_WIKILINKS
)


def main(root: str) -> None:
    markdown = pyromark.Markdown(options=OPTIONS)
    events = 0
    for folder, _, names in os.walk(root):
        for name in names:
            if not name.endswith(".md"):
                continue
            with open(os.path.join(folder, name), "rb") as file:
                text = file.read().decode()
            if text.startswith("---\n"):
                header, _, text = text[4:].partition("\n---\n")
                yaml.load(header, Loader=yaml.CSafeLoader)
            for _event in markdown.events_with_range(text):
                events += 1
    print(events)


main(sys.argv[1])
