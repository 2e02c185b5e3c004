"""Source retraction on the installed program: nothing of the source is left, and it does not come back."""

import json
import re
import shlex

import pytest
from cellarkit import (
    BODY,
    CANARY,
    INLINE,
    NAME,
    OPEN,
    TITLE,
    URL,
    A,
    B,
    add,
    article,
    cellar,
    holders,
    quoted,
)
from personkit import at_terminal, named
from program import Program, contents

TRACES = (NAME, TITLE, "example.com/a/report")


@pytest.fixture
def root(wiki: Program):
    return cellar(wiki)


def places(rows) -> set[tuple[str, str]]:
    return {(row["kind"], row["path"]) for row in rows}


def test_the_plan_maps_every_reference_with_its_line_and_changes_nothing(wiki, root):
    article(root, "a", [A, B], INLINE)
    (root / ".audit").mkdir()
    (root / ".audit/run.json").write_text(json.dumps({"seen": [A, B]}, indent=1))
    (root / "output/brief.md").write_text(f"---\ntitle: Brief\nsources:\n  - {A}\n---\n\nSee {URL}.\n")
    before = contents(wiki.hub)
    plan = wiki.ok("retract-source", "plan", NAME, "--wiki", "wine", "--json").json
    assert contents(wiki.hub) == before
    assert plan["status"] == "dry-run"
    assert plan["tombstone"] is None
    rows = {(row["path"], row["line"], row["kind"]) for row in plan["references"]}
    text = (root / "wiki/concepts/a.md").read_text().split("\n")
    cited = [n + 1 for n, line in enumerate(text) if f"](../../{A})" in line and not line.startswith("- ")]
    assert {("wiki/concepts/a.md", line, "link") for line in cited} <= rows
    assert ("wiki/concepts/a.md", text.index("sources:") + 1, "field") in rows
    assert {
        ("bullet", "wiki/concepts/a.md"), ("index", "raw/articles/_index.md"), ("log", "log.md"),
        ("state", ".librarian/raw-lock.jsonl"), ("state", ".audit/run.json"), ("field", "output/brief.md"),
        ("text", "output/brief.md"),
    } <= places(plan["references"])  # fmt: skip
    assert TITLE not in json.dumps(plan)
    assert CANARY not in json.dumps(plan)


def test_after_it_no_file_names_the_source_and_a_rerun_of_lint_finds_only_what_is_owed(wiki, root):
    article(root, "a", [A, B], INLINE)
    quoted(wiki)
    wiki.ok("index", "rebuild", "--wiki", "wine")
    wiki("lint", "--wiki", "wine", "--fix")
    wiki.ok("search", "wine", "--wiki", "wine")
    assert holders(wiki.home, CANARY)
    assert len(holders(wiki.home, *TRACES)) > 8
    done = wiki("retract-source", "apply", A, "--wiki", "wine", "--json")
    assert done.exit == 2, done
    report = done.json
    assert report["left"] == []
    assert report["errors"] == []
    assert [row["path"] for row in report["open_markers"]] == ["wiki/concepts/a.md"] * 3
    assert holders(wiki.home, *TRACES, CANARY) == []
    assert {name: counts["left"] for name, counts in report["stores"].items()} == dict.fromkeys(
        report["stores"], 0
    )
    assert report["stores"]["sessions"]["removed"] >= 1
    assert report["stores"]["undo"]["removed"] >= 1
    owed = [line for line in wiki("lint", "--wiki", "wine").out.splitlines() if re.match(r"- (?!Info)", line)]
    assert {line[-5:-1] for line in owed} == {"W516"}
    assert TITLE not in done.out + done.err


def test_a_sentence_that_cites_nothing_else_is_marked_and_masked_any_other_stays(wiki, root):
    page = article(root, "a", [A, B], INLINE)
    wiki("retract-source", "apply", A, "--wiki", "wine")
    text = page.read_text()
    assert text.count(OPEN) == 3
    assert f"{OPEN}Wine is 42 (Report). Water is 7 [O](../../{B})." in text
    assert f"Both agree 1, [2](../../{B}). {OPEN}As the [RETRACTED] says" in text
    assert f"| {OPEN}red   | 42 |" in text
    shown = wiki.ok("read", "wiki/concepts/a.md", "--wiki", "wine").out
    assert "Wine is 42" not in shown
    assert "all is well" not in shown
    assert "Water is 7" in shown
    assert "Both agree" in shown


def test_it_is_verified_once_the_marked_sentences_are_rewritten(wiki, root):
    page = article(root, "a", [A, B], f"Wine is 42 [r](../../{A}). Water is 7 [O](../../{B}).\n")
    assert wiki("retract-source", "apply", A, "--wiki", "wine").exit == 2
    again = wiki("retract-source", "verify", A, "--wiki", "wine", "--recompile-plan", "--json")
    assert again.exit == 2
    (row,) = again.json["recompile"]
    assert row["article"] == "wiki/concepts/a.md"
    assert row["sources"] == [B]
    assert page.read_text().split("\n")[row["lines"][0] - 1].startswith(OPEN)
    page.write_text(page.read_text().replace(f"{OPEN}Wine is 42 r. ", ""))
    done = wiki.ok("retract-source", "verify", A, "--wiki", "wine", "--json").json
    assert done["status"] == "verified"


def test_a_plan_says_too_what_will_be_rewritten_from_which_sources(wiki, root):
    article(root, "vintage", [A, B], f"Good [1](../../{A}). Bad [2](../../{B}).\n")
    article(root, "cork", [A], "Good. Bad.\n")
    words = ("retract-source", "plan", A, "--wiki", "wine")
    rows = {row["article"]: row for row in wiki.ok(*words, "--recompile-plan", "--json").json["recompile"]}
    assert rows["wiki/concepts/vintage.md"]["sources"] == [B]
    assert len(rows["wiki/concepts/vintage.md"]["lines"]) == 1
    assert (rows["wiki/concepts/cork.md"]["lines"], rows["wiki/concepts/cork.md"]["sources"]) == ([], [])
    assert "Rewrite wiki/concepts/cork.md: the whole" in wiki.ok(*words, "--recompile-plan").out
    assert wiki.ok(*words, "--json").json["recompile"] is None


def test_without_a_claim_that_rests_on_it_alone_one_act_is_verified(wiki, root):
    article(root, "a", [A, B], f"Both agree [1](../../{A}), [2](../../{B}).\n")
    report = wiki.ok("retract-source", "apply", A, "--wiki", "wine", "--json").json
    assert report["status"] == "verified"
    assert report["lost_a_source"] == ["wiki/concepts/a.md"]
    assert report["without_sources"] == []


def test_an_article_of_which_no_source_is_left_is_masked_whole_and_gets_no_exemption(wiki, root):
    page = article(root, "b", [A], "Everything rests on one source. Wine is lukewarm.\n")
    wiki.ok("index", "rebuild", "--wiki", "wine")
    done = wiki("retract-source", "apply", A, "--wiki", "wine", "--json")
    assert done.json["without_sources"] == ["wiki/concepts/b.md"]
    assert "compiled-from" not in page.read_text()
    assert "sources: []" in page.read_text()
    for verb in (
        ["read", "wiki/concepts/b.md"],
        ["search", "wine"],
        ["query", "what is wine"],
        ["index", "show", "wiki/concepts"],
    ):
        shown = wiki(*verb, "--wiki", "wine").out
        assert "lukewarm" not in shown, verb
        assert "rests on" not in shown, verb
        assert "About b" not in shown, verb
    asked = wiki("query", "article b lukewarm", "--wiki", "wine", "--extract", "--json")
    assert asked.exit == 1
    assert asked.json["gap"]["withheld"] == ["wiki/concepts/b.md"]


@pytest.mark.parametrize(
    "field",
    ["", f"sources: {A}\n", f"sources:\n  - [[{NAME}]]\n", f"sources:\n  - path: {A}\n    title: x\n",
     f"note: a: b\nsources:\n  - {A}\n"],
)  # fmt: skip
def test_however_an_article_names_its_only_source_it_is_masked(wiki, root, field):
    page = article(root, "b", [A], "Wine is lukewarm.\n")
    page.write_text(page.read_text().replace(f"sources:\n  - {A}\n", field))
    done = wiki("retract-source", "apply", A, "--wiki", "wine", "--json").json
    assert done["without_sources"] == ["wiki/concepts/b.md"]
    shown = wiki.ok("read", "wiki/concepts/b.md", "--wiki", "wine").out
    assert "lukewarm" not in shown
    assert "About b" not in shown
    assert TITLE not in page.read_text()


def test_an_article_that_lists_another_source_in_its_text_alone_is_only_named(wiki, root):
    page = article(root, "b", [A, B], "Wine is lukewarm.\n")
    page.write_text(page.read_text().replace(f"sources:\n  - {A}\n  - {B}\n", ""))
    done = wiki.ok("retract-source", "apply", A, "--wiki", "wine", "--json").json
    assert done["lost_a_source"] == ["wiki/concepts/b.md"]
    assert done["without_sources"] == []
    assert "lukewarm" in page.read_text()


def test_a_copy_of_its_text_in_the_inbox_goes_with_it_and_verify_finds_a_later_one(wiki, root):
    processed = root / "inbox/.processed"
    processed.mkdir(parents=True, exist_ok=True)
    (processed / "same.md").write_bytes((root / A).read_bytes())
    (processed / "text.txt").write_text(BODY)
    (processed / "other.txt").write_text("Quite another text.\n")
    plan = wiki.ok("retract-source", "plan", A, "--wiki", "wine", "--json").json
    assert {("copy", "inbox/.processed/same.md"), ("copy", "inbox/.processed/text.txt")} <= places(
        plan["references"]
    )
    report = wiki.ok(
        "retract-source", "apply", A, "--wiki", "wine", "--plan-id", plan["plan_id"], "--json"
    ).json
    assert report["status"] == "verified"
    assert [path.name for path in sorted(processed.iterdir())] == ["other.txt"]
    assert holders(wiki.home, CANARY) == []
    (root / "inbox/again.txt").write_text(BODY)
    again = wiki("retract-source", "verify", A, "--wiki", "wine", "--json").json
    assert places(again["left"]) == {("copy", "inbox/again.txt")}


def test_a_file_that_it_came_from_is_told_by_its_folder_at_least(wiki, root):
    page = root / "inbox/page.html"
    page.write_text("<h1>Some page here</h1><p>Wine is 42 degrees, and there is more to say about it.</p>")
    wiki.ok("ingest", page, "--wiki", "wine")
    report = wiki("retract-source", "apply", "2026-01-10-some-page-here.md", "--wiki", "wine", "--json").json
    assert ("name", "inbox/[RETRACTED]") in places(report["left"])


def test_a_command_to_copy_holds_a_name_with_blanks(wiki, root):
    rel = "raw/articles/a report (2).md"
    (root / A).rename(root / rel)
    article(root, "a", [rel], "Wine.\n")
    done = wiki("retract-source", "apply", "a report (2).md", "--wiki", "wine", "--json").json
    assert done["next"][-1].endswith(f"retract-source verify --wiki wine '{rel}'")


def test_no_index_is_made_where_there_was_none(wiki, root):
    (root / "output/projects/p/code").mkdir(parents=True)
    (root / "output/projects/p/WHY.md").write_text(f"# P\n\nFor [r](../../../{A}) and [o](../../../{B}).\n")
    (root / "output/projects/p/code/main.py").write_text(f'PATH = "{A}"\n')
    before = set(contents(root))
    wiki.ok("retract-source", "apply", A, "--wiki", "wine")
    assert before - set(contents(root)) == {A}
    assert set(contents(root)) - before == {".librarian/tombstones.jsonl"}


def test_an_older_version_stays_replaced_when_one_between_goes(wiki, root):
    add(wiki, "wine", TITLE, URL, "A newer text.\n")
    add(wiki, "wine", TITLE, URL, "The newest text.\n")
    wiki("retract-source", "apply", f"raw/articles/{NAME}-2.md", "--wiki", "wine")
    assert f"supersedes: {A}\n" in (root / f"raw/articles/{NAME}-3.md").read_text()


@pytest.mark.parametrize("kind", ["conversation", "mixed"])
def test_an_article_that_rests_on_talk_too_is_not_masked(wiki, root, kind):
    page = article(root, "b", [A], "We said so.\n", compiled_from=kind)
    report = wiki("retract-source", "apply", A, "--wiki", "wine", "--json").json
    assert OPEN not in page.read_text()
    assert report["open_markers"] == []
    assert report["without_sources"] == ([] if kind == "conversation" else ["wiki/concepts/b.md"])


SPELLINGS = [
    "https://example.com/a/report?id=1",
    "HTTP://EXAMPLE.COM:80/a/report/?id=1&utm_campaign=z#part",
    "https://www.example.com/a/%72eport?fbclid=1&id=1",
]


@pytest.mark.parametrize("topic", ["wine", "water"])
@pytest.mark.parametrize("url", SPELLINGS)
def test_it_does_not_come_back_under_another_spelling_or_in_another_topic(wiki, root, topic, url):
    wiki.ok("retract-source", "apply", A, "--wiki", "wine")
    before = contents(wiki.hub)
    for verb in (
        add(wiki, topic, "Something else", url, "Other text.\n"),
        wiki("ingest", url, "--wiki", topic),
    ):
        assert verb.exit == 4, verb
        assert "tombstone" in verb.err
    assert contents(wiki.hub) == before


def test_its_text_does_not_come_back_under_another_address(wiki, root):
    wiki.ok("retract-source", "apply", A, "--wiki", "wine")
    done = add(wiki, "water", "Something else", "https://elsewhere.example/x", BODY)
    assert done.exit == 4
    assert add(wiki, "water", "Another", "https://elsewhere.example/y", "Quite another text.\n").exit == 0


def test_a_person_lifts_the_tombstone_and_only_then_it_comes_back(wiki, root):
    id_ = wiki.ok("retract-source", "apply", A, "--wiki", "wine", "--json").json["tombstone"]
    assert wiki("tombstone", "lift", id_, "--wiki", "wine", "--yes").exit in (2, 4)
    named(wiki)
    assert at_terminal(wiki, "tombstone", "lift", id_, "--wiki", "wine", keys="y\n").exit == 0
    assert add(wiki, "water", "Back", URL, BODY).exit == 0


def test_the_tombstone_holds_nothing_of_the_source(wiki, root):
    wiki.ok("retract-source", "apply", A, "--wiki", "wine")
    text = (root / ".librarian/tombstones.jsonl").read_text()
    (record,) = map(json.loads, text.splitlines())
    assert set(record) == {"at", "hashes", "id", "salt"}
    assert not any(part in text for part in ("wine", "report", "example", "articles", "Big"))


def test_several_hits_are_listed_and_nothing_is_done(wiki, root):
    (root / "raw/notes" / f"{NAME}.md").write_bytes((root / A).read_bytes())
    done = wiki("retract-source", "apply", NAME, "--wiki", "wine", "--json")
    assert done.exit == 3
    assert A in json.dumps(done.json)
    assert f"raw/notes/{NAME}.md" in json.dumps(done.json)
    assert (root / A).is_file()


@pytest.mark.parametrize(
    "wanted",
    ["raw/articles/none.md", "wiki/concepts/a.md", "_index.md", "raw/articles/_index.md", "", " ", "raw"],
)
def test_what_is_no_source_is_refused_with_2(wiki, root, wanted):
    article(root, "a", [A, B], INLINE)
    before = contents(wiki.hub)
    done = wiki("retract-source", "apply", wanted, "--wiki", "wine")
    assert done.exit == 2, done
    assert "Traceback" not in done.err
    assert "internal error" not in done.err
    assert contents(wiki.hub) == before


@pytest.mark.parametrize("way", ["absolute", "here", "hub", "name", "slug"])
def test_the_source_may_be_named_in_every_usual_way(wiki, root, way):
    given = {
        "absolute": ([str(root / A)], None),
        "here": ([f"articles/{NAME}.md"], root / "raw"),
        "hub": ([NAME], None),
        "name": ([f"{NAME}.md", "--wiki", "wine"], None),
        "slug": ([NAME[11:], "--wiki", "wine"], None),
    }
    arguments, cwd = given[way]
    assert wiki.ok("retract-source", "apply", *arguments, cwd=cwd).exit == 0
    assert not (root / A).exists()


def test_at_a_hub_a_name_of_two_topics_is_ambiguous(wiki, root):
    add(wiki, "water", TITLE, "https://example.net/other", "Other.\n")
    done = wiki("retract-source", "plan", NAME, "--json")
    assert done.exit == 3
    assert "--wiki water" in json.dumps(done.json)


def test_the_short_form_plans_and_applies(wiki, root):
    plan = wiki.ok("retract", "--source", A, "--wiki", "wine", "--json").json
    assert plan["mode"] == "plan"
    assert (root / A).is_file()
    done = wiki.ok("retract", "--source", A, "--wiki", "wine", "--apply", "--json").json
    assert done["status"] == "verified"
    assert not (root / A).exists()
    assert wiki("retract", "--source", B, "--wiki", "wine", "--stdin", stdin=b"x").exit == 2


def test_what_the_plan_did_not_show_is_not_done(wiki, root):
    plan = wiki.ok("retract-source", "plan", A, "--wiki", "wine", "--json").json["plan_id"]
    article(root, "late", [A], "Late.\n")
    done = wiki("retract-source", "apply", A, "--wiki", "wine", "--plan-id", plan)
    assert done.exit == 5
    assert (root / A).is_file()


def test_an_archived_topic_is_no_refuge(wiki, root):
    article(root, "a", [A, B], f"Both [1](../../{A}), [2](../../{B}).\n")
    wiki.ok("archive", "topic", "wine")
    wiki.ok("retract-source", "apply", NAME, "--wiki", "wine")
    assert holders(wiki.hub, *TRACES) == []
    assert add(wiki, "water", "Back", URL, BODY).exit == 4
    wiki.ok("archive", "restore", "wine")
    assert add(wiki, "wine", "Back", URL, BODY).exit == 4


def test_what_this_machine_kept_of_a_topic_before_it_was_archived_goes_too(wiki, root):
    wiki("search", "wine", "--wiki", "wine")
    wiki.ok("archive", "topic", "wine")
    assert [path for path in holders(wiki.home, *TRACES) if "/undo/" in path]
    wiki("retract-source", "apply", NAME, "--wiki", "wine")
    assert holders(wiki.home, *TRACES, CANARY) == []
    value = "Other paper about water"
    archived = ("--wiki", "wine", "--stdin", "--apply", "--json")
    assert wiki("retract", *archived, stdin=value.encode()).json["status"] == "verified"
    assert [path for path in holders(wiki.home, value) if ".local/state" in path or ".cache" in path] == []


def test_it_cannot_be_undone_and_older_changes_that_held_it_neither(wiki, root):
    page = article(root, "a", [A, B], INLINE)
    wiki("lint", "--wiki", "wine", "--fix")
    wiki("retract-source", "apply", A, "--wiki", "wine")
    text = page.read_text()
    for row in wiki.ok("undo", "--list", "--wiki", "wine", "--json").json["transactions"]:
        wiki("undo", row["id"], "--wiki", "wine")
    assert holders(wiki.home, *TRACES, CANARY) == []
    assert page.read_text().count(OPEN) == text.count(OPEN)


def test_another_version_of_the_source_is_named_and_keeps_it_incomplete(wiki, root):
    add(wiki, "wine", TITLE, URL, "A newer text.\n")
    newer = next(path.name for path in (root / "raw/articles").glob("*-2.md"))
    report = wiki("retract-source", "apply", A, "--wiki", "wine", "--json").json
    assert report["status"] == "incomplete"
    assert report["copies"] == [f"raw/articles/{newer}"]
    assert "supersedes" not in (root / "raw/articles" / newer).read_text()
    assert any(newer in step for step in report["next"])
    assert wiki.ok("retract-source", "apply", newer, "--wiki", "wine", "--json").json["status"] == "verified"


def test_the_same_source_in_another_topic_is_named_and_left_to_a_run_of_its_own(wiki, root):
    add(wiki, "water", "Elsewhere", "https://example.com/a/report?id=1", "Water text.\n")
    report = wiki("retract-source", "apply", A, "--wiki", "wine", "--json").json
    assert report["copies"] == ["water: raw/articles/2026-01-10-elsewhere.md"]
    assert report["status"] == "verified"
    assert any("--wiki water" in step for step in report["next"])


def test_a_copy_of_the_same_name_in_another_topic_can_be_named_to_the_next_run(wiki, root):
    (wiki.hub / "topics/water" / A).write_bytes((root / A).read_bytes())
    report = wiki("retract-source", "apply", A, "--wiki", "wine", "--json").json
    assert report["copies"] == [f"water: {A}"]
    assert f"llm-wiki retract-source apply --wiki water {A}" in " ".join(report["next"])


def test_another_source_that_names_it_keeps_its_text_and_its_lock_agrees(wiki, root):
    add(wiki, "wine", "Third", "https://example.net/3", f"See <{URL}> and ../articles/{NAME}.md for more.\n")
    assert wiki("retract-source", "apply", A, "--wiki", "wine").exit == 0
    text = (root / "raw/articles/2026-01-10-third.md").read_text()
    assert "for more." in text
    assert NAME not in text
    assert "example.com/a" not in text
    assert wiki.ok("raw", "verify", "--wiki", "wine").exit == 0


def test_what_no_rewriting_reaches_is_named_and_never_verified(wiki, root):
    import zipfile

    (root / "output/data.bin").write_bytes(b"\0\1\2" + NAME.encode() + b"\0\xff")
    with zipfile.ZipFile(root / "output/all.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("x.txt", f"see {A}")
    (root / f"output/{NAME}.pdf").write_bytes(b"%PDF-1.4\n")
    done = wiki("retract-source", "apply", A, "--wiki", "wine", "--json")
    assert done.exit == 2
    said = json.dumps(done.json)
    assert "output/data.bin" in said
    assert "output/all.zip" in said
    assert ("name", "output/[RETRACTED].pdf") in places(done.json["left"])


def test_the_title_in_a_sentence_is_left_to_a_person_and_told(wiki, root):
    page = article(root, "a", [A, B], f"The words {TITLE} stand here [2](../../{B}).\n")
    done = wiki("retract-source", "apply", A, "--wiki", "wine", "--json")
    assert done.exit == 2
    assert places(done.json["left"]) == {("title", "wiki/concepts/a.md")}
    assert TITLE in page.read_text()
    assert any("llm-wiki retract" in step for step in done.json["next"])


def test_an_index_says_what_its_pages_say(wiki, root):
    """A title that is left in a page is left in its row too: a repair would only bring it back."""
    page = root / "inventory/items/bottle.md"
    page.parent.mkdir(parents=True)
    page.write_text(
        f"---\ntitle: Bottle\nkind: item\nstatus: active\npriority: p1\ncreated: 2026-01-01\nupdated: 2026-01-01\n"
        f"tags: [x]\nsummary: One.\nsources: [{A}]\nnext_action: Read {TITLE}\n---\n\n# Bottle\n"
    )
    wiki("lint", "--wiki", "wine", "--fix")
    left = wiki("retract-source", "apply", A, "--wiki", "wine", "--json").json["left"]
    assert {row["path"] for row in left} == {
        "inventory/_index.md", "inventory/items/_index.md", "inventory/items/bottle.md"
    }  # fmt: skip
    assert wiki("index", "check", "--wiki", "wine").exit == 0


def test_a_common_title_is_no_reason_to_change_other_text(wiki, root):
    add(wiki, "wine", "Python", "https://example.net/py", "About it.\n")
    article(root, "a", [B], "Python is a language.\n")
    report = wiki.ok("retract-source", "apply", "2026-01-10-python.md", "--wiki", "wine", "--json").json
    assert report["status"] == "verified"
    assert any("title" in text for text in report["warnings"])


def test_a_local_wiki_has_its_own(wiki, tmp_path):
    local = wiki.here / ".wiki"
    wiki.ok("init", "--local", "--title", "Here")
    wiki(
        "raw",
        "add",
        "--local",
        "--type",
        "notes",
        "--title",
        TITLE,
        "--source",
        URL,
        "-",
        stdin=BODY.encode(),
    )
    name = next((local / "raw/notes").glob("2026*.md")).name
    assert wiki.ok("retract-source", "apply", name, "--local", "--json").json["status"] == "verified"
    again = wiki(
        "raw", "add", "--local", "--type", "notes", "--title", "B", "--source", URL, "-", stdin=b"x y z\n"
    )
    assert again.exit == 4


def test_a_local_wiki_is_named_in_what_comes_next(wiki):
    wiki.ok("init", "--local", "--title", "Here")
    words = ("--local", "--title", TITLE, "--source", URL, "-")
    wiki.ok("raw", "add", *words, stdin=BODY.encode())
    name = next((wiki.here / ".wiki/raw/notes").glob("2026*.md")).name
    planned = wiki.ok("retract-source", "plan", name, "--local").out
    assert f"To remove it: llm-wiki retract-source apply --local raw/notes/{name} --plan-id" in planned
    assert "(admission into this wiki is refused)" in wiki.ok("retract-source", "apply", name).out


def test_the_lines_to_run_name_topic_and_hub(wiki, root, tmp_path):
    article(root, "vintage", [A, B], f"It was a good year [report](../../{A}).\n")
    other = wiki.hub.rename(tmp_path / "the other hub")
    planned = wiki.ok("retract-source", "plan", A, "--hub", other).out
    line = planned.rpartition("To remove it: llm-wiki ")[2].strip()
    assert line.startswith(f"retract-source apply --hub '{other}' --wiki wine {A} --plan-id ")
    done = wiki(*shlex.split(line))
    assert done.exit == 2
    assert "Tombstone: t-" in done.out
    look = next(each for each in done.out.splitlines() if "then look again" in each)
    assert wiki(*shlex.split(look.partition("llm-wiki ")[2])).exit == 2


def test_what_is_back_is_to_be_taken_out_again(wiki, root):
    data = (root / A).read_bytes()
    wiki("retract-source", "apply", A, "--wiki", "wine")
    (root / A).write_bytes(data)
    again = wiki("retract-source", "verify", A, "--wiki", "wine", "--json").json
    assert f"take it out: llm-wiki retract-source apply --wiki wine {A}" in again["next"]


def test_both_logs_get_one_line_that_says_nothing(wiki, root):
    wiki.ok("retract-source", "apply", A, "--wiki", "wine")
    for log in (root / "log.md", wiki.hub / "log.md"):
        lines = [line for line in log.read_text().splitlines() if "] retract |" in line]
        assert lines == ["## [2026-01-10] retract | removed a source"]


def test_statistics_follow(wiki, root):
    wiki.ok("retract-source", "apply", A, "--wiki", "wine")
    assert "- Sources: 1" in (root / "_index.md").read_text()
    assert wiki("index", "check", "--wiki", "wine").exit == 0


def test_a_source_that_is_no_markdown_goes_too(wiki, root):
    (root / "raw/data/table.csv").write_text("a,b\n1,2\n")
    article(
        root, "a", ["raw/data/table.csv", B], "Rows [t](../../raw/data/table.csv), [2](../../" + B + ").\n"
    )
    report = wiki.ok("retract-source", "apply", "raw/data/table.csv", "--wiki", "wine", "--json").json
    assert report["tombstone"] is None or report["tombstone"]
    assert not (root / "raw/data/table.csv").exists()


@pytest.mark.parametrize(("topic", "exit_code"), [("wine", 1), ("water", 0)])
def test_what_came_back_by_hand_or_by_a_merge_is_named(wiki, root, topic, exit_code):
    """In the topic that retracted it that is a failure; a sibling may have had it before."""
    data = (root / A).read_bytes()
    id_ = wiki.ok("retract-source", "apply", A, "--wiki", "wine", "--json").json["tombstone"]
    assert wiki.ok("raw", "verify", "--wiki", topic, "--json").json["retracted"] == []
    back = "raw/notes/2026-02-02-moved.md"
    (wiki.hub / "topics" / topic / back).write_bytes(data.replace(b"title: The", b"title: A"))
    done = wiki("raw", "verify", "--wiki", topic, "--json")
    assert done.exit == exit_code
    assert done.json["retracted"] == [{"path": back, "tombstone": id_, "topic": "wine"}]
    wiki.ok("retract-source", "apply", back, "--wiki", topic)
    assert wiki.ok("raw", "verify", "--wiki", topic, "--json").json["retracted"] == []


def test_pages_of_other_topics_that_lead_to_it_are_named_as_out_of_reach(wiki, root):
    page = article(wiki.hub / "topics/water", "w", [], f"See [it](../../../wine/{A}).\n")
    before = page.read_bytes()
    for step in ("plan", "apply"):
        report = wiki("retract-source", step, A, "--wiki", "wine", "--json").json
        rows = {row["kind"]: row["paths"] for row in report["boundaries"]}
        assert rows["a page of another topic"] == ["water: wiki/concepts/w.md"]
    assert page.read_bytes() == before
