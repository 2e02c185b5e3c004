"""Writes what comes of every example into the rule pages, for when a message or a repair has changed.

    PYTHONPATH=scripts:tests python tests/examplepages.py

Read the difference before you commit it: the pages promise what they show.
"""

import os
import re
import tempfile
from contextlib import ExitStack
from pathlib import Path

import examplekit as ex
from fixkit import fix, kind_of
from lintkit import TODAY, findings

from llm_wiki.lint import catalogue
from llm_wiki.lint.catalogue import RESULTS, Block, Example, RulePage
from llm_wiki.lint.render import _line

_RESULT = re.compile(rf"^```(?:{'|'.join(RESULTS)})\b.*?^```$\n*", re.MULTILINE | re.DOTALL)


def results(where: Path, page: RulePage, example: Example) -> list[Block]:
    """Return the blocks that say what comes of an example; of new files those that the page names."""
    root = ex.built(where, example)
    with ExitStack() as stack:
        ex.acting(root, example, stack)
        found = findings(root, kind_of(root))
    shown = [_line(one).removeprefix("- ") for one in found if one.rule == page.facts.id]
    blocks = [Block("find", "", "", ex.said(where, shown))]
    if any(block.word == "mode" for block in example.blocks):
        return blocks
    before = ex.contents(root)
    report = fix(root, only=(page.facts.id,) if page.repairs == "asked" else ())
    after = ex.contents(root)
    if report.fixes:
        blocks.append(Block("fixed", "", "", ex.said(where, report.fixes)))
    edits = ex.edits(before, after).items()
    blocks += [Block("diff", rel, "", ex.said(where, text.splitlines())) for rel, text in edits]
    for block in example.results("made"):
        blocks.append(block._replace(text=ex.said(where, after[block.path].decode().splitlines())))
    return blocks


def renewed(section: str, page: RulePage) -> str:
    """Return the text of a section with the results of its examples written anew."""
    head, *examples = catalogue.EXAMPLE.split(section)
    parts = [head]
    for text, example in zip(examples, page.text.examples, strict=True):
        with tempfile.TemporaryDirectory() as folder:
            blocks = results(Path(folder) / "ann", page, example)
        written = [f"```{block.word} {block.path}".rstrip() + f"\n{block.text}```\n" for block in blocks]
        parts.append("\n".join([_RESULT.sub("", text).rstrip("\n") + "\n", *written, ""]))
    return "### Example".join(parts)


def main() -> None:
    """Rewrite the pages in place."""
    for path in sorted(catalogue.FOLDER.glob("?xx.md")):
        parts = catalogue.SECTION.split(path.read_text(encoding="utf-8"))
        text = parts[0]
        for rule_id, section in zip(parts[1::2], parts[2::2], strict=True):
            (page,) = catalogue.pages([rule_id])
            quiet = page.facts.scope == "any" or not page.text.examples
            text += f"## {rule_id}{section if quiet else renewed(section, page)}"
        path.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        day = {"LLM_WIKI_TODAY": TODAY.isoformat(), "LLM_WIKI_NOW": f"{TODAY.isoformat()}T12:00:00Z"}
        names = ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "LLM_WIKI_CONFIG_DIR")
        os.environ.update(dict.fromkeys(names, home) | day)
        main()
