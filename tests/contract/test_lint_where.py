"""Which wiki `llm-wiki lint` is about when none is named, and that it says so."""

import pytest


@pytest.mark.parametrize(("below", "way"), [("", "."), ("wiki", ".."), ("output/projects", "../..")])
def test_whoever_stands_in_a_topic_is_told_that_the_hub_was_checked(wiki, topic, below, way):
    (topic / below).mkdir(exist_ok=True)
    done = wiki.ok("lint", cwd=topic / below)
    assert done.out.startswith(f"llm-wiki lint: {wiki.hub}\n")
    assert done.err == f"llm-wiki: this is about {wiki.hub}; the wiki you are in: llm-wiki lint {way}\n"
    assert wiki.ok("lint", way, cwd=topic / below).out.startswith(f"llm-wiki lint: {topic}\n")


def test_nothing_is_said_where_the_wiki_is_named_or_none_is_near(wiki, topic):
    for arguments, folder in (
        ((".",), topic),
        (("--wiki", "tea"), topic),
        (("--hub", wiki.hub), topic),
        ((), wiki.hub),
        ((), wiki.hub / "topics"),
        ((), wiki.here),
    ):
        assert wiki.ok("lint", *arguments, cwd=folder).err == "", (arguments, folder)


def test_a_local_wiki_beside_one_is_meant_and_nothing_more_is_said(wiki, topic):
    wiki.ok("init", "--local", "notes")
    done = wiki.ok("lint")
    assert (done.out.split("\n")[0], done.err) == (f"llm-wiki lint: {wiki.here}/.wiki", "")


def test_a_repair_tells_as_well(wiki, topic):
    assert "llm-wiki lint ." in wiki.ok("lint", "--fix", cwd=topic).err
