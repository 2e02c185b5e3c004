"""What the documents say is what the program does."""

import re
import shlex
import shutil
import subprocess
import sys

import pytest
from program import CHECKOUT

from llm_wiki.ops.verbs import VERBS  # noqa: F401 - importing it early keeps collection errors readable


def _sessions(page):
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    for block in re.findall(r"<!-- session:.*?-->\n```console\n(.*?)```", text, re.DOTALL):
        steps = []
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
        yield steps


@pytest.mark.parametrize("page", ["README.md", "docs/guide.md"])
def test_every_session_in_the_documents_prints_what_the_page_shows(wiki, page):
    shutil.copy(CHECKOUT / "wikis/page.html", wiki.here)
    shutil.copytree(CHECKOUT / "wikis", wiki.here / "wikis")
    ran = 0
    for steps in _sessions(page):
        for command, shown in steps:
            program, *arguments = shlex.split(command)
            assert program == "llm-wiki"
            done = wiki(*arguments, LLM_WIKI_TODAY="2026-11-30")
            printed = re.sub(r"\d{8}T\d{6}Z-\d{4}", "ID", done.out + done.err)
            assert printed.replace(str(wiki.home), "~").splitlines() == [*shown], command
            ran += 1
    assert ran


def test_generated_pages_are_up_to_date():
    done = subprocess.run(
        [sys.executable, CHECKOUT / "docs/generate.py", "--check"],
        env={"PYTHONPATH": str(CHECKOUT / "scripts")},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()


def test_every_relative_link_of_the_documents_leads_somewhere():
    pages = [*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/*.md"), *CHECKOUT.glob("benchmarks/*.md")]
    for page in pages:
        text = re.sub(
            r"^(`{3,}).*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
        )
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_verb_and_rule_is_documented():
    from llm_wiki.lint.rules.table import RULES

    commands = (CHECKOUT / "docs/commands.md").read_text(encoding="utf-8")
    rules = (CHECKOUT / "docs/rules.md").read_text(encoding="utf-8")
    sys.path.insert(0, str(CHECKOUT / "docs"))
    from generate import commands as every

    assert all(f"\n## {name}\n" in commands for name, _ in every())
    assert all(
        f"| [{rule.id}](#{rule.id.lower()}) |" in rules and f"\n## {rule.id}\n" in rules for rule in RULES
    )
