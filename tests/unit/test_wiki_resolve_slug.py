"""Topics by slug, and archived ones (`wiki-format.md` §8.3)."""

import json
from pathlib import Path

import pytest
from wikikit import make_topic

from llm_wiki.core.errors import BadUsage, NotAWiki, Refused
from llm_wiki.wiki.resolve import resolve


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("LLM_WIKI_CONFIG_DIR", raising=False)
    monkeypatch.chdir(folder)
    return folder


def make_hub(path: Path, registry=None) -> Path:
    (path / "topics").mkdir(parents=True)
    text = registry if isinstance(registry, str) else json.dumps({"wikis": registry or {}})
    (path / "wikis.json").write_text(text)
    return path


# --- --wiki SLUG -----------------------------------------------------------------------------


def test_a_slug_is_looked_up_in_the_registry(home, tmp_path):
    topic = make_topic(tmp_path / "elsewhere")
    hub = make_hub(home / "wiki", {"tea": {"path": str(topic)}})
    assert resolve(wiki="tea") == (topic, "topic", hub, "tea", "active")


def test_a_slug_is_looked_up_in_the_hub_of_the_option(home, tmp_path):
    hub = make_hub(tmp_path / "h", {"tea": {"path": "topics/tea"}})
    make_topic(hub / "topics/tea")
    assert resolve(wiki="tea", hub=str(hub)).path == hub / "topics/tea"


def test_a_registered_path_without_a_wiki_gives_way_to_the_topic_folder(home, tmp_path):
    hub = make_hub(home / "wiki", {"tea": {"path": str(tmp_path / "old")}})
    make_topic(hub / "topics/tea")
    assert resolve(wiki="tea").path == hub / "topics/tea"


def test_a_registered_topic_without_its_index_is_still_found(home):
    hub = make_hub(home / "wiki", {"tea": {"path": "topics/tea"}})
    make_topic(hub / "topics/tea", index=False)
    assert resolve(wiki="tea").path == hub / "topics/tea"


@pytest.mark.parametrize("registry", [None, "", "{}", "[]", "{", '{"wikis": []}', '{"wikis": {}}', "\xff"])
def test_without_a_usable_registry_an_initialised_topic_is_found(home, registry):
    hub = make_hub(home / "wiki")
    topic = make_topic(hub / "topics/tea")
    if registry is None:
        (hub / "wikis.json").unlink()
    else:
        (hub / "wikis.json").write_bytes(registry.encode("latin-1"))
    assert resolve(wiki="tea").path == topic


def test_an_unregistered_topic_of_a_valid_registry_is_not_found_but_named(home):
    hub = make_hub(home / "wiki", {"other": {"path": "topics/other"}})
    make_topic(hub / "topics/tea")
    with pytest.raises(NotAWiki, match="not in the registry") as caught:
        resolve(wiki="tea")
    assert "lint" in caught.value.remedy


def test_an_unknown_slug_lists_the_known_ones(home):
    make_hub(home / "wiki", {"tea": {"path": "topics/tea"}})
    with pytest.raises(NotAWiki) as caught:
        resolve(wiki="coffee")
    assert "tea" in caught.value.remedy


def test_a_registered_topic_that_is_gone_says_where_it_should_be(home):
    hub = make_hub(home / "wiki", {"tea": {"path": "topics/tea"}})
    with pytest.raises(NotAWiki, match="not an initialised wiki") as caught:
        resolve(wiki="tea")
    assert caught.value.path == str(hub / "topics/tea")


@pytest.mark.parametrize("slug", ["", "../x", "a/", "Tea", ".archive", "a\\b", "tee-ß", "tea\n"])
def test_a_malformed_slug_is_a_usage_error(home, slug):
    make_hub(home / "wiki")
    with pytest.raises(BadUsage):
        resolve(wiki=slug)


def test_an_odd_slug_counts_if_the_registry_has_it(home):
    hub = make_hub(home / "wiki", {"Grüner Tee": {"path": "topics/x"}})
    make_topic(hub / "topics/x")
    assert resolve(wiki="Grüner Tee").path == hub / "topics/x"


def test_a_registered_slug_that_leaves_its_folder_is_refused(home):
    make_hub(home / "wiki", {"../x": {"path": "topics/x"}})
    with pytest.raises(BadUsage):
        resolve(wiki="../x")


def test_the_slug_hub_is_the_hub(home):
    hub = make_hub(home / "wiki", {"hub": {"path": "<HUB>"}})
    assert resolve(wiki="hub").path == hub


# --- archived --------------------------------------------------------------------------------

ARCHIVED = [
    {"path": "topics/.archive/tea", "status": "archived"},
    {"path": "topics/.archive/tea"},
    {"path": "<HUB>/topics/.archive/tea", "status": "active"},
]


@pytest.mark.parametrize("entry", ARCHIVED)
def test_an_archived_topic_is_refused(home, entry):
    hub = make_hub(home / "wiki", {"tea": entry})
    topic = make_topic(hub / "topics/.archive/tea")
    for options in ({"wiki": "tea"}, {"path": topic}):
        with pytest.raises(Refused, match="wiki is archived") as caught:
            resolve(**options)
        assert caught.value.code == 4


@pytest.mark.parametrize("entry", ARCHIVED)
def test_an_archived_topic_is_found_when_asked_for(home, entry):
    hub = make_hub(home / "wiki", {"tea": entry})
    topic = make_topic(hub / "topics/.archive/tea")
    for options in ({"wiki": "tea"}, {"path": topic}):
        assert resolve(**options, include_archived=True) == (topic, "topic", hub, "tea", "archived")


def test_a_topic_archived_in_place_is_refused(home, tmp_path):
    topic = make_topic(tmp_path / "project/.wiki")
    make_hub(home / "wiki", {"tea": {"path": str(topic), "status": "archived"}})
    for options in ({"wiki": "tea"}, {"path": topic}):
        with pytest.raises(Refused, match="wiki is archived"):
            resolve(**options)


@pytest.mark.parametrize("registry", [{"tea": {"path": "topics/tea"}}, {}, "{"])
def test_the_archive_is_the_fallback_for_a_topic_that_is_nowhere_else(home, registry):
    hub = make_hub(home / "wiki", registry)
    topic = make_topic(hub / "topics/.archive/tea")
    with pytest.raises(Refused, match="wiki is archived"):
        resolve(wiki="tea")
    assert resolve(wiki="tea", include_archived=True).path == topic


def test_an_archived_topic_by_path_is_refused_even_in_half_a_hub(home):
    topic = make_topic(home / "wiki/topics/.archive/tea")
    with pytest.raises(Refused, match="wiki is archived"):
        resolve(topic)
