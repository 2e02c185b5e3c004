"""The plugin in a real Claude Code: what the commands say is done, and nothing beyond."""

import json
import shutil

import pytest
from model_server import call, shell, text, tool_results
from program import CHECKOUT, contents, tree

pytestmark = pytest.mark.hosts

TOPIC = "agent-memory"
QUESTION = "What is the difference between a change and a correction of a fact?"


def _sent(model):
    """Everything the host sent to the model, as one text."""
    return json.dumps(model.all, ensure_ascii=False)


def _json(result):
    """Read the object a verb printed; the host puts `Exit code N` before the output of a failing one."""
    return json.loads(result[result.index("{") :])


def _offered(model):
    return {tool["name"] for body in model.requests for tool in body["tools"]}


def _ask(turn, results):
    if turn == 0:
        return shell("llm-wiki resolve --need 0.1.0 --json")
    if turn == 1:
        return shell(f"llm-wiki query --wiki {TOPIC} -- '{QUESTION}'")
    return text(
        f"A change closes the valid period. Sources: wiki/concepts/bitemporal-facts.md ({len(results)} calls)"
    )


def test_the_real_client_accepts_the_plugin_and_the_marketplace_strictly(host):
    for place in (CHECKOUT, *sorted((CHECKOUT / "profiles/claude").iterdir())):
        done = host.claude("plugin", "validate", "--strict", str(place))
        assert done.exit == 0, done


def test_a_question_is_answered_through_the_verbs_from_the_exact_file(installed):
    before = tree(installed.home / "wiki")
    done = installed.prompt(f"/wiki:query {QUESTION}", QUESTION, _ask)
    assert done.exit == 0, done
    assert "wiki/concepts/bitemporal-facts.md (2 calls)" in done.out
    resolved, pack = tool_results(installed.model.requests[-1])
    assert _json(resolved)["kind"] == "hub"
    assert "wiki/concepts/bitemporal-facts.md" in pack
    assert "closes its" in pack or "Closes" in pack
    first = json.dumps(installed.model.requests[0], ensure_ascii=False)
    assert QUESTION in first
    assert "llm-wiki resolve --need" in first
    assert tree(installed.home / "wiki") == before


def test_a_reading_command_is_offered_no_tool_that_writes_and_no_other_shell_command(installed):
    target = installed.work / "x.txt"

    def script(turn, _results):
        steps = [
            call("Write", file_path=str(target), content="x"),
            shell(f"touch {target}"),
            shell("llm-wiki init stolen"),
            text("end"),
        ]
        return steps[min(turn, 3)]

    done = installed.prompt(f"/wiki:query {QUESTION}", QUESTION, script)
    assert done.exit == 0, done
    assert _offered(installed.model) <= {"Bash", "Read", "Glob", "Grep"}
    results = tool_results(installed.model.requests[-1])
    assert len(results) == 3
    assert "No such tool available: Write" in results[0]
    assert not target.exists()
    assert not (installed.home / "wiki/topics/stolen").exists()


def test_archived_and_other_topics_reach_no_request(installed):
    hub = installed.home / "wiki"
    for slug, word in (("old-notes", "canary-of-the-archive"), ("garden", "canary-of-the-garden")):
        assert installed.wiki("init", slug).exit == 0
        note = installed.work / f"{slug}.md"
        note.write_text(f"# Change and correction of a fact\n\nThe difference is the {word}.\n")
        assert installed.wiki("ingest", str(note), "--wiki", slug).exit == 0
    registry = hub / "wikis.json"
    data = json.loads(registry.read_text())
    data["wikis"]["old-notes"] |= {"status": "archived", "path": "topics/.archive/old-notes"}
    registry.write_text(json.dumps(data, indent=2))
    (hub / "topics/.archive").mkdir()
    shutil.move(hub / "topics/old-notes", hub / "topics/.archive/old-notes")

    def script(turn, _results):
        steps = [
            shell("llm-wiki resolve --json"),
            shell(f'llm-wiki query "{QUESTION}" --deep --raw --wiki {TOPIC}'),
            shell(f'llm-wiki search "canary difference fact" --raw --wiki {TOPIC}'),
            shell("llm-wiki read ../garden/raw/notes --wiki agent-memory"),
            shell('llm-wiki query "difference of a fact" --wiki old-notes'),
            text("end"),
        ]
        return steps[min(turn, 5)]

    done = installed.prompt(f"/wiki:query {QUESTION}", QUESTION, script)
    assert done.exit == 0, done
    assert len(tool_results(installed.model.requests[-1])) == 5
    assert "bitemporal-facts" in _sent(installed.model)
    assert "canary-of-the-archive" not in _sent(installed.model)
    assert "canary-of-the-garden" not in _sent(installed.model)
    # the control: asked for by name, the sibling does answer
    assert "canary-of-the-garden" in installed.wiki("query", QUESTION, "--raw", "--wiki", "garden").out


def test_a_file_is_ingested_by_the_command_once(installed):
    page = installed.work / "page.html"
    shutil.copy(CHECKOUT / "wikis/page.html", page)

    def script(turn, results):
        target = f"{page} --wiki {TOPIC}"
        steps = [
            shell("llm-wiki resolve --need 0.1.0 --json"),
            shell(f"llm-wiki ingest {target} --dry-run --json"),
            shell(
                f'llm-wiki ingest {target} --summary "A list of notes was cut to a third." --tags maintenance --json'
            ),
            shell(f"llm-wiki ingest {target} --json"),
        ]
        return steps[turn] if turn < 4 else text(f"admitted {_json(results[2])['path']}")

    done = installed.prompt(f"/wiki:ingest {page} --wiki {TOPIC}", "page.html", script)
    assert done.exit == 0, done
    planned, admitted, again = (_json(r) for r in tool_results(installed.model.requests[-1])[1:])
    assert planned["transaction"] is None
    assert again["duplicate"] is True
    assert again["path"] == admitted["path"]
    assert admitted["path"] in done.out
    source = installed.home / f"wiki/topics/{TOPIC}/{admitted['path']}"
    assert "A list of notes was cut to a third." in source.read_text()
    assert installed.wiki("raw", "verify", "--wiki", TOPIC).exit == 0


def test_lint_reports_without_a_change_and_repairs_on_request(installed):
    hub = installed.home / "wiki"
    shutil.rmtree(hub)
    shutil.copytree(CHECKOUT / "wikis/broken", hub)
    before = contents(hub)

    def look(turn, results):
        steps = [
            shell("llm-wiki resolve --json --wiki agent-memory"),
            shell("llm-wiki lint --json --wiki agent-memory"),
        ]
        return steps[turn] if turn < 2 else text(f"{_json(results[1])['counts']['critical']} critical")

    done = installed.prompt("/wiki:lint --wiki agent-memory", "wiki:lint", look)
    assert done.exit == 0, done
    assert "4 critical" in done.out
    assert contents(hub) == before

    def repair(turn, results):
        steps = [
            shell("llm-wiki lint --fix --dry-run --json --wiki agent-memory"),
            shell("llm-wiki lint --fix --json --wiki agent-memory"),
        ]
        return steps[turn] if turn < 2 else text(f"{_json(results[1])['counts']['critical']} critical left")

    done = installed.prompt("/wiki:lint --fix --wiki agent-memory", "wiki:lint", repair)
    assert "0 critical left" in done.out
    assert contents(hub) != before
    assert installed.wiki("undo", "--wiki", TOPIC).exit == 0
    assert {k: v for k, v in contents(hub, "log.md").items() if ".librarian" not in k} == {
        k: v for k, v in before.items() if not k.endswith("log.md") and ".librarian" not in k
    }


def test_uninstalled_the_host_keeps_nothing_of_ours(host):
    host.install()
    host.prompt(f"/wiki:query {QUESTION}", QUESTION, _ask)
    assert host.claude("plugin", "uninstall", "wiki@llm-wiki").exit == 0
    assert host.claude("plugin", "marketplace", "remove", "llm-wiki").exit == 0
    settings = [host.home / ".claude.json", host.home / ".claude/settings.json"]
    # the host's own cache of plugin versions is its to clear; it no longer loads anything from there
    settings += (host.home / ".claude/plugins").glob("*.json")
    assert [path.name for path in settings if path.exists() and b"llm-wiki" in path.read_bytes()] == []
    done = host.prompt("/wiki:query anything", "anything", lambda _turn, _results: text("loaded"))
    assert "loaded" not in done.out


def test_what_the_prompts_quote_reaches_the_verb_as_typed_and_runs_nothing(installed):
    typed = "what's a context budget? $(touch a) `touch b`"
    quoted = "'" + typed.replace("'", "'\\''") + "'"

    def script(turn, _results):
        steps = [
            shell(f"llm-wiki query --json --wiki {TOPIC} -- {quoted}"),
            text("end"),
        ]
        return steps[min(turn, 1)]

    done = installed.prompt(f"/wiki:query {QUESTION}", QUESTION, script)
    assert done.exit == 0, done
    assert _json(tool_results(installed.model.requests[-1])[0])["question"] == typed
    assert list(installed.work.iterdir()) == []


def test_text_that_was_typed_is_taken_in_from_standard_input(installed):
    def script(turn, _results):
        given = "<<'END-OF-TEXT'\nIt's $(touch a) a note of ours, `touch b`.\nEND-OF-TEXT"
        steps = [
            shell(f"llm-wiki ingest - --wiki {TOPIC} --title 'Our note' --json {given}"),
            text("end"),
        ]
        return steps[min(turn, 1)]

    done = installed.prompt(f'/wiki:ingest "a note of ours" --wiki {TOPIC}', "a note of ours", script)
    assert done.exit == 0, done
    admitted = _json(tool_results(installed.model.requests[-1])[0])
    source = installed.home / f"wiki/topics/{TOPIC}/{admitted['path']}"
    assert "It's $(touch a) a note of ours, `touch b`." in source.read_text()
    assert list(installed.work.iterdir()) == []
