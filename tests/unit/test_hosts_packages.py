"""The packages follow from their one source, keep their budgets, and offer no more than their class."""

import json
import re
import shutil

import click
import pytest
import yaml
from program import CHECKOUT

from llm_wiki import __version__
from llm_wiki.cli.main import cli
from llm_wiki.core.errors import WikiError
from llm_wiki.hosts import packages
from llm_wiki.hosts.template import fill
from llm_wiki.model.document import page
from llm_wiki.ops.verbs import VERBS

PLUGIN = CHECKOUT / "profiles/claude/wiki"
COMMANDS = sorted((PLUGIN / "commands").glob("*.md"))
REACH = ["R0", "R1", "W1", "W2", "X"]

BUDGET = {
    "skill": 12_000, "skill description": 700, "manifest": 1_100, "manifest description": 300,
    "all commands": 150_000, "query command": 3_500, "all references": 150_000,
}  # fmt: skip
ENTRY = {
    "query": 6_500, "wiki": 9_000, "ingest": 10_000, "lint": 6_000, "session": 9_000, "feedback": 9_000,
    "ll": 9_000, "archive": 4_000, "retract": 9_000,
}  # fmt: skip
"""Bytes of a command with every reference it always reads (product maxima)."""
IN_PROMPT = {"ll": {"--rules"}, "retract": {"--recompile"}}
"""Flags that a prompt carries out itself, without a verb."""


def _command(path):
    return page(path.name, path.read_bytes())


def _verb(name):
    command = cli
    for part in name.split():
        command = command.get_command(click.Context(cli), part) if command is cli else command.commands[part]
    assert command is not None, name
    return command


def _decisions(stem):
    """Return what a prompt only shows to the user, who decides at a terminal."""
    shown = {
        "feedback": {"feedback promote", "feedback reject", "feedback edit"},
        "retract": {"tombstone lift"},
    }
    return shown.get(stem, set())


def test_the_committed_packages_are_what_the_source_renders():
    assert packages.stale() == []


def test_a_changed_source_and_a_stray_file_are_noticed_and_nothing_is_written(tmp_path):
    copy = tmp_path / "checkout"
    for name in ("claude-plugin", "claude-plugin-sessions", "references", "profiles", ".claude-plugin"):
        shutil.copytree(CHECKOUT / name, copy / name)
    reference = copy / "references/asking.md"
    reference.write_text(reference.read_text() + "More.\n")
    (copy / "profiles/claude/wiki/stray.md").write_text("x")
    assert packages.stale(copy) == [
        "profiles/claude/wiki/references/asking.md",
        "profiles/claude/wiki/stray.md",
    ]
    assert packages.write(copy)
    assert packages.stale(copy) == []
    assert not (copy / "profiles/claude/wiki/stray.md").exists()


def test_sizes_stay_within_the_budget():
    manifest = json.loads((PLUGIN / ".claude-plugin/plugin.json").read_text())
    skill = (PLUGIN / "skills/wiki-manager/SKILL.md").read_bytes()
    measured = {
        "skill": len(skill),
        "skill description": len(page("SKILL.md", skill).text("description")),
        "manifest": (PLUGIN / ".claude-plugin/plugin.json").stat().st_size,
        "manifest description": len(manifest["description"]),
        "all commands": sum(path.stat().st_size for path in COMMANDS),
        "query command": (PLUGIN / "commands/query.md").stat().st_size,
        "all references": sum(path.stat().st_size for path in (PLUGIN / "references").glob("*.md")),
    }
    assert measured.keys() == BUDGET.keys()
    assert {name: size for name, size in measured.items() if size > BUDGET[name]} == {}


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.stem)
def test_what_an_entry_costs_stays_within_its_budget(path):
    loads = _command(path).items("loads")
    cost = path.stat().st_size + sum((PLUGIN / f"references/{name}.md").stat().st_size for name in loads)
    assert cost <= ENTRY[path.stem]


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.stem)
def test_every_verb_exists_with_a_class_that_the_command_covers(path):
    contract = _command(path)
    reach = REACH.index(contract.text("class"))
    for name in contract.items("verbs"):
        _verb(name)
        forms = [
            VERBS[name].write_class,
            *(cls for flag, cls in VERBS[name].forms if flag in path.read_text()),
        ]
        assert max(map(REACH.index, forms)) <= reach, name
    text = path.read_text().split("---\n", 2)[2]
    listed = set(contract.items("verbs")) | _decisions(path.stem)
    named = [tuple(found) for found in re.findall(r"`llm-wiki ([a-z-]+)(?: ([a-z]+)\b)?", text)]
    groups = {name.split()[0] for name in listed if " " in name}
    unknown = [found for found in named if not {found[0], " ".join(found)} & listed]
    assert [found for found in unknown if found[1] or found[0] not in groups] == []
    assert _decisions(path.stem) & set(contract.items("verbs")) == set()


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.stem)
def test_the_tools_of_a_command_go_no_further_than_its_class(path):
    contract = _command(path)
    allowed = contract.text("allowed-tools").split(", ")
    removed = contract.text("disallowed-tools").split(", ")
    shell = {f"Bash(llm-wiki {name}:*)" for name in contract.items("verbs")}
    files = set() if contract.text("files") == "ask" else {"Read", "Glob", "Grep"}
    assert set(allowed) == files | shell
    if contract.text("class") not in ("W1", "W2"):
        assert {"Write", "Edit"} <= set(removed)
    if contract.text("class") == "R0":
        assert contract.text("context") == "fork"
        reader = page("reader.md", (PLUGIN / "agents/reader.md").read_bytes())
        assert set(reader.text("tools").split(", ")) == {"Read", "Glob", "Grep", "Bash"}


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.stem)
def test_every_flag_of_the_hint_is_parsed_by_a_verb(path):
    contract = _command(path)
    verbs = {*contract.items("verbs"), *_decisions(path.stem)}
    known = {option for name in verbs for param in _verb(name).params for option in param.opts}
    known |= {flag for flag in IN_PROMPT.get(path.stem, ()) if flag in path.read_text().split("---", 2)[2]}
    flags = set(re.findall(r"--[a-z-]+", contract.text("argument-hint")))
    assert flags
    assert flags - known == set()


def test_every_reference_a_file_points_to_is_in_the_package():
    for path in PLUGIN.rglob("*.md"):
        for name in re.findall(r"\$\{CLAUDE_PLUGIN_ROOT\}/([\w/.-]+\.md)", path.read_text()):
            assert (PLUGIN / name).is_file(), f"{path.name}: {name}"
        for name in page(path.name, path.read_bytes()).items("loads"):
            assert (PLUGIN / f"references/{name}.md").is_file()


def test_all_manifests_carry_one_version():
    marketplace = json.loads((CHECKOUT / ".claude-plugin/marketplace.json").read_text())
    assert [plugin["version"] for plugin in marketplace["plugins"]] == [__version__] * 2
    assert json.loads((PLUGIN / ".claude-plugin/plugin.json").read_text())["version"] == __version__
    assert (CHECKOUT / marketplace["plugins"][0]["source"]).resolve() == PLUGIN


def test_no_package_names_another_host():
    hosts = yaml.safe_load((CHECKOUT / "profiles/hosts.yaml").read_text())
    for path in PLUGIN.rglob("*.md"):
        assert [w for w in hosts["claude"]["forbidden_words"] if w in path.read_text()] == []


def test_the_readme_lists_the_commands_that_there_are():
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `/wiki(?::([a-z-]+))?` \|", readme, re.MULTILINE)
    assert sorted(name or "wiki" for name in listed) == [path.stem for path in COMMANDS]


def test_the_page_on_hosts_names_the_versions_that_the_tests_run():
    page_on_hosts = (CHECKOUT / "docs/hosts.md").read_text(encoding="utf-8")
    pinned = {}
    for folder in ("tests/hosts", "tests/hosts/more"):
        pinned |= json.loads((CHECKOUT / folder / "package.json").read_text())["dependencies"]
    assert len(pinned) == 3
    assert [version for version in pinned.values() if f"| {version} |" not in page_on_hosts] == []


SPELLING = {"router": "/wiki", "root": "ROOT", "invoke": "/wiki:{name}"}


def test_tokens_and_blocks_become_one_hosts_words():
    text = "a {{invoke:x}} {{root}}\n<!-- if host=claude -->\nb\n<!-- endif -->\n<!-- if host=pi -->\nc\n<!-- endif -->\n"
    assert fill(text, "claude", SPELLING, name="f") == "a /wiki:x ROOT\nb\n"


@pytest.mark.parametrize(
    "text", ["{{nothing}}", "{{invoke}}", "<!-- if host=claude -->\nopen", "<!-- endif -->"]
)
def test_what_does_not_resolve_fails_the_build(text):
    with pytest.raises(WikiError):
        fill(text, "claude", SPELLING, name="f")


@pytest.mark.parametrize(
    "path", sorted(PLUGIN.rglob("*.md")), ids=lambda path: path.relative_to(PLUGIN).as_posix()
)
def test_no_prompt_puts_words_of_others_where_a_shell_would_run_them(path):
    spans = re.findall(r"`(llm-wiki [^`]*)`", path.read_text())
    assert [span for span in spans if '"' in span] == []
    placed = re.compile(r"(?<!['\w-])(?:QUESTION|TEXT|OTHER WORDS|SOURCE|PATH)(?!['\w-])")
    assert [span for span in spans if placed.search(span.replace("--hub PATH", ""))] == []
