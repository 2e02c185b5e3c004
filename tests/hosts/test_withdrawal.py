"""`/wiki:archive` and `/wiki:retract` in a real Claude Code: what is put away or taken out reaches no request.

One user's life is lived once, with the hooks of sessions on, and looked at from many sides.
"""

import base64
import json
import shutil
import urllib.parse
from types import SimpleNamespace

import pytest
from hostkit import Host, lived
from model_server import Model, call, shell, text, tool_results
from pageserver import serving
from program import CHECKOUT, contents

pytestmark = pytest.mark.hosts

TOPIC = "agent-memory"
QUESTION = "Which fence stands around the walled orchard?"
CANARY = "a hedge of hornbeam, nine years old"
VALUE = "Kestrel 4711 of the gate"
TYPED = "Bittern 1174 of the lock"
ASKED = "When does a boat enter Zennor cove?"
MARKER = "<!--RETRACTED-SOURCE-->"
FILLER = "He wrote them down by lamplight over nineteen winters and never showed them to a pilot. " * 4
SLACK = "Slack water lasts forty-one minutes in Zennor cove"
TITLE = "The tide tables of Captain Trevorrow"
PAGE = f"<html><head><title>{TITLE}</title></head><body><article><h1>{TITLE}</h1>{{}}</article></body></html>"
ARTICLE = """---
title: Zennor cove
category: concept
summary: "When a boat can enter Zennor cove."
tags: [tide]
sources:
  - {gone}
  - {kept}
confidence: medium
volatility: cold
created: 2026-11-29
updated: 2026-11-29
---

# Zennor cove

> When a boat can enter.

{slack} ([tables](../../{gone})). A bar lies before the mouth
([survey](../../{kept})). The cove is entered at high water ([tables](../../{gone}), [survey](../../{kept})).

## Sources

- [tables](../../{gone})
- [survey](../../{kept})

## See Also

- [[context-budget|Context budget]] ([Context budget](../concepts/context-budget.md))
"""


def _steps(*calls):
    """Make the calls one after the other; one that is a function is given the results so far."""

    def script(turn, results):
        if turn == len(calls):
            return text(results[-1] if results else "said")
        step = calls[turn]
        return step(results) if callable(step) else shell(step) if isinstance(step, str) else step

    return script


def _note(user, topic, title, words):
    note = user.work / f"{title[:12]}.md"
    note.write_text(f"# {title}\n\n{words}\n")
    admitted = json.loads(user.ok("ingest", str(note), "--wiki", topic, "--json").out)["path"]
    note.unlink()
    return admitted


def _cited(user, url):
    """Take a page and a note in and write the article that cites them; return both paths and the article's."""
    found = user.ok("ingest", url, "--wiki", TOPIC, "--allow-private", "--json")
    gone = json.loads(found.out)["path"]
    kept = _note(user, TOPIC, "A survey of the cove", "A bar lies before the mouth.")
    article = user.home / f"wiki/topics/{TOPIC}/wiki/concepts/zennor-cove.md"
    article.write_text(ARTICLE.format(gone=gone, kept=kept, slack=SLACK))
    user.ok("index", "rebuild", "--wiki", TOPIC)
    return gone, kept, article


def _archive(user, note):
    hub = user.home / "wiki"
    registry = str(hub / "wikis.json")
    return _steps(
        "llm-wiki resolve --need 0.1.0 --json",
        "llm-wiki archive list --archived",
        "llm-wiki archive topic orchard --dry-run",
        "llm-wiki archive topic orchard --reason 'over for the winter'",
        f"mv '{hub}/topics/{TOPIC}' '{hub}/topics/.archive/{TOPIC}'",
        call("Read", file_path=f"{hub}/topics/.archive/orchard/{note}"),
        call("Edit", file_path=registry, old_string='"status": "archived"', new_string='"status": "active"'),
        "llm-wiki archive topic orchard",
        "llm-wiki archive topic hub",
    )


def _ask():
    return _steps(
        f"llm-wiki query -- '{QUESTION}'",
        f"llm-wiki query --wiki {TOPIC} --deep --raw -- '{QUESTION}'",
        f"llm-wiki query --wiki {TOPIC} --deep --raw -- '{ASKED}'",
        f"llm-wiki query --wiki orchard -- '{QUESTION}'",
    )


def _erase(value):
    given = f"llm-wiki retract --wiki {TOPIC} --stdin --json"
    return _steps(
        f"llm-wiki retract --wiki {TOPIC}",
        call("Read", file_path=str(value)),
        f"cat '{value}'",
        f"{given} < '{value}'",
        lambda results: shell(f"{given} --apply --plan-id {_json(results[-1])['plan_id']} < '{value}'"),
        f"{given} --apply < '{value}'",
        f"echo '{TYPED}' | {given}",
    )


def _withdraw(gone, kept, article, url):
    """Withdraw a source, look at what is marked, delete the one marked sentence, and prove it."""
    target = f"--wiki {TOPIC} --json -- '{gone}'"

    def rewritten(_results):
        page = article.read_text()
        old = page[page.index(MARKER) : page.index("A bar lies")]
        return call("Edit", file_path=str(article), old_string=old, new_string="")

    return _steps(
        f"llm-wiki retract-source plan {target}",
        lambda results: shell(
            f"llm-wiki retract-source apply --plan-id {_json(results[-1])['plan_id']} {target}"
        ),
        f"llm-wiki retract-source verify --recompile-plan {target}",
        f"llm-wiki read --wiki {TOPIC} -- 'wiki/concepts/zennor-cove.md'",
        f"llm-wiki read --wiki {TOPIC} -- '{kept}'",
        call("Read", file_path=str(article), offset=15, limit=6),
        rewritten,
        f"llm-wiki retract-source verify {target}",
        f"llm-wiki tombstone check --wiki {TOPIC} --json -- '{url}'",
        lambda results: shell(f"llm-wiki tombstone lift {_json(results[-1])['held']['id']} --wiki {TOPIC}"),
    )


def _stands(value, data):
    """Tell whether a value stands in some bytes: as it is, percent-encoded, in hexadecimal or base64."""
    plain = value.encode()
    shifted = [base64.b64encode(b"x" * lead + plain)[4:-4] for lead in range(3)]
    forms = [plain, urllib.parse.quote(value).encode(), plain.hex().encode(), *shifted]
    return any(form in data for form in forms)


def _json(result):
    """Read the object a verb printed; of a failing one the host shows `Exit code N` before and stderr behind it."""
    return json.JSONDecoder().raw_decode(result[result.index("{") :])[0]


def _stages(user):
    with serving() as server:
        return _lived(user, server)


def _lived(user, server):
    hub = user.home / "wiki"
    shutil.copytree(CHECKOUT / "wikis/example", hub)
    user.install()
    user.ok("init", "orchard")
    note = _note(user, "orchard", "Which fence stands around the walled orchard", f"It is {CANARY}.")
    _note(user, TOPIC, "A gate", f"It opens with {VALUE} alone.")
    server.pages["/tables"] = PAGE.format(f"<p>{SLACK}, says the captain. {FILLER}</p>").encode()
    url = server.url("/tables")
    gone, kept, article = _cited(user, url)
    user.ok("setup", "claude")
    user.ok("capture", "notes", "--yes")
    value = user.home / "value"
    value.write_text(f"{VALUE}\n")
    stages = {
        "value": value,
        "planted": user.written(),
        "gone": gone,
        "article": article,
        "kept_source": kept,
    }
    stages["said"] = user.ok("query", ASKED, "--wiki", TOPIC).out + user.ok("read", gone, "--wiki", TOPIC).out

    def prompt(name, words, phrase, script, *options):
        before = contents(hub / "topics")
        done = user.prompt(words, phrase, script, *options)
        assert done.exit == 0, (name, done)
        stages[name] = SimpleNamespace(
            results=tool_results(user.model.requests[-1]), sent=user.sent(), before=before,
            after=contents(hub / "topics"), registry=json.loads((hub / "wikis.json").read_text())["wikis"],
        )  # fmt: skip

    prompt("archived", "/wiki:archive topic orchard", "wiki:archive", _archive(user, note))
    prompt("erased", f"/wiki:retract --wiki {TOPIC}", "wiki:retract", _erase(value))
    stages["kept"] = _of_the_host(user)
    words = f"/wiki:retract {gone} --apply --recompile --wiki {TOPIC}"
    yes = ("--allowedTools", "Read", "Edit", "--")
    prompt("withdrawn", words, "wiki:retract", _withdraw(gone, kept, article, url), *yes)
    prompt("asked", f"/wiki:query {ASKED}", ASKED, _ask())
    restore = ["llm-wiki archive restore orchard", "llm-wiki archive restore orchard"]
    prompt("restored", "/wiki:archive restore orchard", "wiki:archive", _steps(*restore))
    stages["answered"] = user.ok("query", QUESTION, "--raw", "--wiki", "orchard").out
    taken = "--allow-private --json --"
    again = [f"llm-wiki ingest --wiki {name} {taken} '{url}'" for name in (TOPIC, "orchard")]
    prompt("again", f"/wiki:ingest {url} --allow-private", "wiki:ingest", _steps(*again))
    prompt("typed", f"/wiki:retract {TYPED}", "wiki:retract", _steps())
    return stages


def _pages(topics):
    """Return what the topic that was away holds, but its log."""
    return {
        name: data
        for name, data in topics.items()
        if name.startswith("orchard/") and name != "orchard/log.md"
    }


def _of_the_host(user):
    """Return what the host itself has written: its transcripts, its history, its settings."""
    places = [user.home / ".claude.json", *sorted((user.home / ".claude").rglob("*"))]
    return b"\n".join(path.read_bytes() for path in places if path.is_file())


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    model = Model()
    return lived(Host(tmp_path_factory.mktemp("withdrawal"), model), model, _stages)


def test_a_topic_is_put_away_by_the_verb_after_a_look(life):
    _, listed, planned, moved, *_ = life.archived.results
    assert "Archived topics: 0" in listed
    assert "orchard" in planned
    assert "topics/.archive/orchard" in moved
    entry = life.archived.registry["orchard"]
    assert (entry["status"], entry["path"]) == ("archived", "topics/.archive/orchard")
    assert entry["archive_reason"] == "over for the winter"


def test_moving_a_topic_and_editing_the_registry_by_hand_are_not_allowed(life):
    moved, read, edited = life.archived.results[4:7]
    assert "blocked" in moved or "approval" in moved, moved
    assert "permission" in read, read  # nor is it to read what is put away
    assert "has not been read" in edited, edited
    assert TOPIC in life.archived.registry
    assert any(name.startswith(f"{TOPIC}/") for name in life.archived.after)


def test_a_refused_slug_is_exit_4_and_the_model_sees_why(life):
    again, hub = life.archived.results[7:]
    assert again.startswith("Exit code 4")
    assert "archived" in again
    assert "archive restore orchard" in again
    assert hub.startswith("Exit code 4")
    assert "the hub itself" in hub


def test_what_is_archived_reaches_no_request_and_comes_back_byte_for_byte(life):
    assert CANARY not in life.archived.sent + life.asked.sent + life.restored.sent
    assert life.asked.results[-1].startswith("Exit code 4")
    assert "archive restore orchard" in life.asked.results[-1]
    assert life.restored.results[1].startswith("Exit code 4")
    assert life.restored.registry["orchard"]["path"] == "topics/orchard"
    assert _pages(life.restored.after) == _pages(life.archived.before) != {}
    assert CANARY in life.answered  # the control: asked for by name, it does answer


def test_a_value_is_erased_from_a_file_that_only_the_shell_opens(life):
    bare, read, printed, planned, applied, again, _ = life.erased.results
    assert bare.startswith("Exit code 2")
    assert "run it at a terminal" in bare
    assert "permission" in read, read
    assert "blocked" in printed or "approval" in printed, printed
    assert (_json(planned)["status"], _json(planned)["outcome"]) == ("dry-run", "found")
    assert (_json(applied)["status"], _json(applied)["outcome"]) == ("verified", "removed")
    assert (_json(again)["status"], _json(again)["outcome"]) == ("verified", "no-match")
    assert _stands(VALUE, life.planted)
    assert not _stands(VALUE, life.user.written())
    assert life.user.wiki("raw", "verify", "--wiki", TOPIC).exit == 0


def test_an_erased_value_is_in_no_request_no_call_and_no_transcript(life):
    for stage in (life.archived, life.erased, life.withdrawn, life.asked):
        assert not _stands(VALUE, stage.sent.encode())
    assert b"wiki:retract" in life.kept
    assert str(life.value).encode() in life.kept  # the transcript does keep command lines
    assert not _stands(VALUE, life.kept)


def test_a_value_that_a_command_line_spells_is_named_as_leaked(life):
    from_file, spelt = (_json(result)["warnings"] for result in life.erased.results[-2:])
    assert [note for note in from_file if "counts as leaked" in note] == []
    assert len([note for note in spelt if "counts as leaked" in note]) == 1
    assert TYPED.encode() in life.kept  # the host let it run, and keeps it


def test_a_source_is_withdrawn_after_a_look_and_the_proof_waits_for_its_sentence(life):
    planned, applied, recompile, masked, kept, _, edited, verified, _, lifted = life.withdrawn.results
    assert _json(planned)["status"] == "dry-run"
    for unfinished in (applied, recompile):  # one sentence is marked
        assert unfinished.startswith("Exit code 2")
        assert _json(unfinished)["status"] == "incomplete"
    (article,) = _json(recompile)["recompile"]
    assert article["sources"] == [life.kept_source]
    assert "[pending retraction]" in masked
    assert "bar lies before the mouth" in masked + kept
    assert "updated" in edited, edited
    assert _json(verified)["status"] == "verified"
    assert "approval" in lifted or "permission" in lifted, lifted
    for said in (planned, applied, recompile, masked, kept, verified):
        assert SLACK not in said
        assert TITLE not in said
    assert MARKER not in life.article.read_text()


def test_a_withdrawn_source_is_refused_in_every_topic_and_the_model_learns_nothing_of_it(life):
    for said in life.again.results:
        assert said.startswith("Exit code 4"), said
        assert _json(life.withdrawn.results[8])["held"]["id"] in _json(said)["error"]["message"]
    assert TITLE not in life.again.sent
    assert life.gone not in life.again.sent


def test_what_was_withdrawn_reaches_no_later_request_and_the_rest_survives(life):
    assert SLACK in life.said  # the control: before, it was answered
    assert TITLE in life.said
    for words in (SLACK, TITLE, life.gone, life.gone.rpartition("/")[2].removesuffix(".md")):
        assert words not in life.asked.sent
    assert "bar lies before the mouth" in life.asked.sent


def test_a_value_that_was_typed_is_in_the_transcript_and_the_command_says_so(life):
    assert TYPED in life.typed.sent
    assert "it counts as leaked" in life.typed.sent
    assert TYPED.encode() in _of_the_host(life.user)
    assert TYPED.encode() not in life.user.written()
