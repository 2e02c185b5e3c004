"""What a demanding new user tries on the installed program, each as one truth."""

import pytest
from program import tree


@pytest.mark.parametrize("option", [["--wiki", ""], ["--hub", ""], ["--root", ""]])
@pytest.mark.parametrize("verb", [["undo"], ["log", "append", "lint", "x"]])
def test_an_empty_option_never_means_another_wiki(wiki, topic, verb, option):
    before = tree(wiki.hub)
    done = wiki(*verb, *option)
    assert done.exit == 2, done
    assert tree(wiki.hub) == before


def test_an_empty_path_is_not_the_wiki_here(wiki, topic):
    assert wiki("status", "").exit == 2


def test_verbs_with_another_argument_take_the_path_of_a_wiki_as_root(wiki, topic):
    wiki.ok("ingest", "-", "--root", topic, "--title", "A", stdin=b"Some text of a source.\n")
    wiki.ok("log", "append", "lint", "looked", "--root", topic)
    assert "A" in wiki.ok("index", "show", "raw/notes", "--root", topic).out
    assert "ingest" in wiki.ok("undo", "--root", topic).out
    assert wiki("undo", "--root", topic, "--wiki", "tea").exit == 2


def test_an_option_before_and_after_a_subcommand_must_agree(wiki, topic):
    wiki.ok("init", "coffee")
    assert wiki("schema", "--wiki", "tea", "status", "--wiki", "coffee").exit == 2
    wiki.ok("schema", "--wiki", "tea", "status", "--wiki", "tea")
    assert wiki("schema", "--root", wiki.hub, "status", topic).exit == 2


# --- what is no wiki, and what lies inside one ---------------------------------------------------


def test_a_home_folder_that_holds_the_hub_is_no_topic(wiki, topic):
    assert wiki("status", wiki.home).exit == 2
    assert "is not a wiki" in wiki("lint", wiki.home).err


def test_a_fetched_page_may_be_written_beside_the_hub(wiki, topic):
    from llm_wiki.ops.fetching import write_aside

    write_aside(wiki.home / "page.md", "# Page\n")
    assert (wiki.home / "page.md").read_text() == "# Page\n"


def test_the_content_folder_of_a_topic_is_no_half_hub(wiki, topic):
    done = wiki("status", topic / "wiki")
    assert (done.exit, "inside a wiki" in done.err) == (2, True), done


@pytest.mark.parametrize(
    "place", ["wiki/topics/tea/wiki", "wiki/topics/tea/raw/new", "wiki/topics", "wiki/x"]
)
def test_no_hub_is_made_inside_a_wiki(wiki, topic, place):
    before = tree(wiki.hub)
    done = wiki("init", "x", "--hub", wiki.home / place)
    assert (done.exit, "inside the wiki" in done.err) == (4, True), done
    assert tree(wiki.hub) == before


def test_no_local_wiki_is_made_inside_a_wiki(wiki, topic):
    assert wiki("init", "--local", cwd=topic).exit == 4
    assert wiki("init", "--local", cwd=wiki.hub).exit == 4
    assert not (topic / ".wiki").exists()
