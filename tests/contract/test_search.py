"""`search` as a program: what it prints, what it leaves alone, and many at once."""

import json
import shutil
import subprocess
import sys
import unicodedata

import pytest
from program import tree

FIRST = """---
title: Steeping time
category: concept
summary: How long leaves stay in the water.
created: 2026-01-01
updated: 2026-01-01
tags: [tea]
compiled-from: conversation
---

# Steeping time

Green leaves need two minutes. Grüner Tee aus Zürich.
"""
ARTICLE = "wiki/concepts/steeping.md"


@pytest.fixture
def tea(wiki, topic):
    (topic / ARTICLE).write_text(FIRST)
    (topic / "raw/notes/2026-01-01-leaves.md").write_text(
        "---\ntitle: Leaves\nsource: MANUAL\ntype: notes\ningested: 2026-01-01\ntags: [tea]\nsummary: S.\n---\n\n"
        "# Leaves\n\nTheine is caffeine.\n"
    )
    (topic / "output/plan.md").write_text("# Plan\n\nBuy a samovar.\n")
    return topic


def found(done):
    return [hit["path"] for hit in done.json["hits"]]


def ask(wiki, *arguments, **more):
    return wiki("search", "--wiki", "tea", "--json", *arguments, **more)


def test_a_hit_has_path_title_line_and_score(wiki, tea):
    done = ask(wiki, "leaves minutes")
    assert done.exit == 0, done
    (hit,) = done.json["hits"]
    assert (hit["path"], hit["title"], hit["labels"], hit["answers"]) == (ARTICLE, "Steeping time", [], True)
    assert hit["snippets"] == [{"line": 13, "text": "Green leaves need two minutes. Grüner Tee aus Zürich."}]
    assert done.json["answered"] is True
    assert "/" not in hit["path"].split("wiki/")[0]


def test_text_shows_path_line_and_label(wiki, tea):
    out = wiki.ok("search", "--wiki", "tea", "minutes").out
    assert f"1. Steeping time  {ARTICLE}" in out
    assert "   13: Green leaves" in out
    shown = wiki("search", "--wiki", "tea", "samovar")
    assert "[product]" in shown.out
    assert "no evidence" in shown.out


def test_a_changed_article_is_found_by_its_new_text_at_once(wiki, tea):
    assert found(ask(wiki, "minutes")) == [ARTICLE]
    (tea / ARTICLE).write_text(FIRST.replace("two minutes", "ninety seconds"))
    assert found(ask(wiki, "seconds")) == [ARTICLE]
    assert found(ask(wiki, "minutes")) == []


def test_a_new_a_moved_and_a_deleted_article_are_seen_at_once(wiki, tea):
    ask(wiki, "minutes")
    (tea / "wiki/topics/new.md").write_text(FIRST.replace("two minutes", "a samovar"))
    assert "wiki/topics/new.md" in found(ask(wiki, "samovar"))
    (tea / "wiki/topics/new.md").rename(tea / "wiki/topics/newer.md")
    assert "wiki/topics/newer.md" in found(ask(wiki, "samovar"))
    (tea / "wiki/topics/newer.md").unlink()
    assert found(ask(wiki, "samovar")) == ["output/plan.md"]


def test_nothing_found_ends_with_1_and_is_no_error(wiki, tea):
    done = ask(wiki, "photosynthesis")
    assert done.exit == 1
    assert done.json["hits"] == []
    assert done.json["answered"] is False
    assert done.err == ""
    assert wiki("search", "--wiki", "tea", "photosynthesis").out.strip() == "Nothing found."


def test_a_correction_is_named(wiki, tea):
    done = ask(wiki, "minuetes")
    assert done.json["corrected"] == {"minuetes": "minutes"}
    assert "minutes" in wiki.ok("search", "--wiki", "tea", "minuetes").out.splitlines()[0]


def test_sources_need_raw_and_a_fact_only_in_output_is_no_answer(wiki, tea):
    assert found(ask(wiki, "caffeine")) == []
    hit = ask(wiki, "caffeine", "--raw").json["hits"][0]
    assert hit["labels"] == ["evidence"]
    done = ask(wiki, "samovar")
    assert done.json["hits"][0]["labels"] == ["product"]
    assert done.json["answered"] is False


def test_explain_says_why(wiki, tea):
    hit = ask(wiki, "green", "--explain").json["hits"][0]
    assert hit["explain"]["words"]["green"]["fields"] == {"body": 1}
    assert "why:" in wiki.ok("search", "--wiki", "tea", "green", "--explain").out
    assert "explain" not in ask(wiki, "green").json["hits"][0]


def test_an_archived_topic_is_silent_and_labelled_when_asked_for(wiki, tea):
    registry = wiki.hub / "wikis.json"
    data = json.loads(registry.read_text())
    data["wikis"]["tea"]["status"] = "archived"
    registry.write_text(json.dumps(data))
    assert ask(wiki, "minutes").exit == 4
    assert found(wiki("search", "--hub", wiki.hub, "--json", "minutes")) == []
    shown = ask(wiki, "minutes", "--include-archived").json["hits"][0]
    assert shown["labels"] == ["archived"]
    (hit,) = wiki("search", "--hub", wiki.hub, "--include-archived", "--json", "minutes").json["hits"]
    assert hit["labels"] == ["archived"]


def test_another_topic_is_never_searched(wiki, tea):
    wiki.ok("init", "coffee")
    (wiki.hub / "topics/coffee/wiki/concepts/c.md").write_text(FIRST.replace("two minutes", "espresso"))
    assert found(ask(wiki, "espresso")) == []
    assert found(wiki("search", "--wiki", "coffee", "--json", "espresso")) == ["wiki/concepts/c.md"]


def test_a_hub_gives_names_of_pages_by_topic_without_their_text(wiki, tea):
    wiki.ok("init", "coffee")
    (wiki.hub / "topics/coffee/wiki/concepts/c.md").write_text(FIRST.replace("two minutes", "espresso"))
    done = wiki("search", "--hub", wiki.hub, "--json", "green leaves")
    assert {hit["topic"] for hit in done.json["hits"]} == {"tea", "coffee"}
    assert all(hit["snippets"] == [] for hit in done.json["hits"])
    assert "espresso" not in done.out
    assert "--wiki" in wiki.ok("search", "--hub", wiki.hub, "green leaves").out


def test_a_topic_of_the_hub_that_is_gone_is_named_and_costs_nothing(wiki, tea):
    wiki.ok("init", "coffee")
    shutil.rmtree(wiki.hub / "topics/coffee")
    done = wiki("search", "--hub", wiki.hub, "--json", "leaves")
    assert found(done) == [ARTICLE]
    assert [skipped["topic"] for skipped in done.json["skipped"]] == ["coffee"]


def test_a_local_wiki_is_searched(wiki):
    wiki.ok("init", "--local")
    (wiki.here / ".wiki/wiki/concepts/s.md").write_text(FIRST)
    assert found(wiki("search", "--local", "--json", "minutes")) == ["wiki/concepts/s.md"]
    assert found(wiki("search", "--json", "minutes")) == ["wiki/concepts/s.md"]


def indexes(wiki):
    return list((wiki.home / ".cache/llm-wiki").rglob("search.*"))


def test_a_deleted_or_damaged_index_changes_no_result(wiki, tea):
    before = ask(wiki, "green leaves", "--explain").out
    assert indexes(wiki)
    for harm in (
        lambda p: p.unlink(),
        lambda p: p.write_bytes(b"x"),
        lambda p: p.write_bytes(p.read_bytes()[:5000]),
    ):
        for path in indexes(wiki):
            harm(path)
        assert ask(wiki, "green leaves", "--explain").out == before


def test_without_a_place_for_an_index_the_result_is_the_same(wiki, tea):
    before = ask(wiki, "green leaves").out
    (wiki.home / "file").write_text("")
    assert ask(wiki, "green leaves", XDG_CACHE_HOME=str(wiki.home / "file")).out == before


def test_searching_changes_no_byte_and_no_time_of_the_wiki(wiki, tea):
    before = tree(wiki.hub)
    for text in ("green leaves", "photosynthesis", "-", "tag:tea"):
        ask(wiki, text)
        ask(wiki, text, "--raw", "--include-archived", "--explain")
    assert tree(wiki.hub) == before


def test_searches_at_once_while_the_index_is_made_all_answer_alike(wiki, tea):
    for number in range(150):
        (tea / f"wiki/concepts/p{number}.md").write_text(FIRST.replace("Steeping time", f"Page {number}") * 3)
    expected = ask(wiki, "steeping minutes").out
    shutil.rmtree(wiki.home / ".cache")
    command = [
        sys.executable,
        "-P",
        "-m",
        "llm_wiki",
        "search",
        "--wiki",
        "tea",
        "--json",
        "steeping minutes",
    ]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=wiki.env, cwd=wiki.here)
        for _ in range(6)
    ]
    for process in running:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert out.decode() == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "--",
        "-h",
        "-x",
        '"',
        "AND OR NOT",
        "tea*",
        "NEAR(",
        "\\",
        "(((",
        "tag:",
        "after:x",
        "🫖",
        "a" * 10_000,
        "tea " * 2_500,
    ],
    ids=range(16),
)
def test_hostile_text_never_breaks(wiki, tea, text):
    done = ask(wiki, "--", text)
    assert done.exit in (0, 1), done
    assert done.json["exit"] == done.exit
    assert done.err == ""


def test_a_word_after_a_minus_is_excluded_without_further_ado(wiki, tea):
    assert found(ask(wiki, "leaves", "-minutes")) == []
    assert found(ask(wiki, "leaves", "-history")) == [ARTICLE]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_umlauts_are_found_in_every_spelling(wiki, tea, form):
    for text in ("Zürich", "grüner tee", "zurich"):
        assert found(ask(wiki, unicodedata.normalize(form, text))) == [ARTICLE]


def test_chinese_is_found_by_words_inside_a_sentence(wiki, tea):
    (tea / "wiki/concepts/cha.md").write_text(
        FIRST.replace("Steeping time", "绿茶").replace("two minutes", "水温七十五度")
    )
    assert found(ask(wiki, "水温"))[0] == "wiki/concepts/cha.md"
    assert found(ask(wiki, "什么是绿茶？"))[0] == "wiki/concepts/cha.md"


def test_json_is_the_same_twice_and_names_the_floor(wiki, tea):
    one, two = ask(wiki, "leaves").out, ask(wiki, "leaves").out
    assert one == two
    assert 0 < json.loads(one)["floor"] < 1


def test_a_missing_query_is_bad_usage(wiki, tea):
    assert wiki("search", "--wiki", "tea").exit == 2
    assert wiki("search", "--wiki", "tea", "--limit", "-1", "x").exit == 2
