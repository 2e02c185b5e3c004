"""Which root a command works on: every sentence of `wiki-format.md` §8.2 and §8.3 but `--wiki`."""

import json
import os
from pathlib import Path

import pytest
from wikikit import make_topic, open_folder, without_rights

from llm_wiki.core.errors import BadConfig, BadUsage, NotAWiki, Unreadable
from llm_wiki.wiki.resolve import classify, find_hub, resolve


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("LLM_WIKI_CONFIG_DIR", raising=False)
    monkeypatch.chdir(folder)
    return folder


def configure(home, **values):
    path = home / ".config/llm-wiki/config.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values))


def make_hub(path: Path, registry=None) -> Path:
    (path / "topics").mkdir(parents=True)
    text = registry if isinstance(registry, str) else json.dumps({"wikis": registry or {}})
    (path / "wikis.json").write_text(text)
    return path


# --- what a path is --------------------------------------------------------------------------


def test_a_hub_has_registry_and_topics(tmp_path):
    assert classify(make_hub(tmp_path / "h")) == "hub"


@pytest.mark.parametrize("sign", ["_index.md", "config.md", "raw", "wiki"])
def test_each_sign_of_a_topic_makes_one(tmp_path, sign):
    path = tmp_path / sign
    path.write_text("") if sign.endswith(".md") else path.mkdir()
    assert classify(tmp_path) == "topic"


def test_a_registry_without_topics_is_half_a_hub(tmp_path):
    (tmp_path / "wikis.json").write_text("{}")
    assert classify(tmp_path) == "half-hub"


def test_topics_without_a_registry_is_half_a_hub_and_never_a_topic(tmp_path):
    make_topic(tmp_path / "w")
    (tmp_path / "w/topics").mkdir()
    assert classify(tmp_path / "w") == "half-hub"


def test_a_folder_without_any_sign_is_no_wiki(tmp_path):
    (tmp_path / "main.py").write_text("")
    assert classify(tmp_path) == "none"


def test_files_and_nothing_are_told_apart(tmp_path):
    (tmp_path / "f").write_text("")
    assert (classify(tmp_path / "f"), classify(tmp_path / "g")) == ("file", "missing")
    assert classify(tmp_path / "f" / "below") == "missing"


# --- the hub ---------------------------------------------------------------------------------


def test_without_configuration_the_hub_is_wiki_in_the_home_folder(home):
    assert find_hub() == home / "wiki"


def test_the_option_beats_the_configuration(home, tmp_path):
    configure(home, hub_path=str(tmp_path / "a"))
    assert find_hub(str(tmp_path / "b")) == tmp_path / "b"


def test_a_leading_tilde_is_expanded(home):
    assert find_hub("~/notes") == home / "notes"
    assert find_hub("~") == home


@pytest.mark.parametrize("name", ["com~apple~CloudDocs", "~user/wiki", "$HOME/wiki"])
def test_nothing_but_a_leading_tilde_is_expanded(home, name):
    assert find_hub(name) == home / name


def test_a_tilde_inside_a_configured_path_is_literal(home):
    configure(home, hub_path="~/Library/Mobile Documents/com~apple~CloudDocs/wiki")
    assert find_hub() == home / "Library/Mobile Documents/com~apple~CloudDocs/wiki"


def test_a_configured_hub_counts_even_if_it_is_missing(home, tmp_path):
    make_hub(home / "wiki")
    configure(home, hub_path=str(tmp_path / "gone"))
    assert find_hub() == tmp_path / "gone"


def test_the_legacy_path_counts_when_the_configured_folder_is_missing(home, tmp_path):
    legacy = make_hub(tmp_path / "legacy")
    configure(home, hub_path=str(tmp_path / "gone"), resolved_path=str(legacy))
    assert find_hub() == legacy


def test_the_legacy_path_does_not_count_when_it_is_not_initialised(home, tmp_path):
    (tmp_path / "legacy").mkdir()
    configure(home, hub_path=str(tmp_path / "gone"), resolved_path=str(tmp_path / "legacy"))
    assert find_hub() == tmp_path / "gone"


def test_the_legacy_path_does_not_count_when_the_configured_folder_is_there(home, tmp_path):
    (tmp_path / "here").mkdir()
    configure(home, hub_path=str(tmp_path / "here"), resolved_path=str(make_hub(tmp_path / "legacy")))
    assert find_hub() == tmp_path / "here"


def test_a_lone_legacy_path_is_authoritative(home, tmp_path):
    make_hub(home / "wiki")
    configure(home, resolved_path=str(tmp_path / "legacy"))
    assert find_hub() == tmp_path / "legacy"


@pytest.mark.parametrize("value", ["relative/path", "", 5, None, ["~/wiki"], {"path": "~/wiki"}])
@pytest.mark.parametrize("key", ["hub_path", "resolved_path"])
def test_a_hub_path_that_is_no_absolute_text_is_an_error(home, key, value):
    configure(home, **{key: value})
    with pytest.raises(BadConfig):
        find_hub()


@pytest.mark.parametrize("text", ["[]", "5", "{", "", '"~/wiki"', "\xff"])
def test_an_unusable_configuration_is_an_error_and_not_a_missing_one(home, text):
    configure(home)
    (home / ".config/llm-wiki/config.json").write_bytes(text.encode("latin-1"))
    make_hub(home / "wiki")
    with pytest.raises(BadConfig) as caught:
        resolve()
    assert caught.value.code == 2
    assert "config.json" in str(caught.value.path)


def test_a_byte_order_mark_in_the_configuration_is_accepted(home, tmp_path):
    configure(home)
    text = json.dumps({"hub_path": str(tmp_path)})
    (home / ".config/llm-wiki/config.json").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert find_hub() == tmp_path


def test_an_empty_hub_option_is_a_usage_error():
    with pytest.raises(BadUsage):
        resolve(hub="")


def test_a_denied_hub_is_reported_and_never_replaced_by_the_legacy_one(monkeypatch):
    with open_folder() as folder:
        closed = folder / "closed"
        make_hub(closed / "hub")
        legacy = make_hub(folder / "legacy")
        closed.chmod(0o600 if os.geteuid() else 0o700)
        monkeypatch.setenv("HOME", str(folder))
        configure(folder, hub_path=str(closed / "hub"), resolved_path=str(legacy))
        with without_rights(), pytest.raises(Unreadable) as caught:
            resolve(cwd=folder)
        closed.chmod(0o700)
    assert "Full Disk Access" in caught.value.message
    assert str(closed / "hub") in caught.value.message


# --- the target ------------------------------------------------------------------------------


def test_a_path_beats_everything_else(home, tmp_path):
    make_topic(home / ".wiki")
    make_hub(home / "wiki")
    topic = make_topic(tmp_path / "t")
    root = resolve(topic)
    assert root == (topic, "topic", None, "t", "active")


def test_a_path_may_be_relative(home):
    make_topic(home / "t")
    assert resolve("t").path == home / "t"
    assert resolve(".", cwd=home / "t").path == home / "t"


def test_a_path_to_a_hub_is_that_hub(tmp_path):
    hub = make_hub(tmp_path / "h")
    assert resolve(hub) == (hub, "hub", hub, "h", "active")


def test_a_topic_of_a_hub_by_path_knows_its_hub(tmp_path):
    hub = make_hub(tmp_path / "h", {"tea": {"path": "topics/tea"}})
    topic = make_topic(hub / "topics/tea")
    assert resolve(topic) == (topic, "topic", hub, "tea", "active")


def test_a_registered_folder_elsewhere_knows_the_configured_hub(home, tmp_path):
    topic = make_topic(tmp_path / "elsewhere")
    hub = make_hub(home / "wiki", {"tea": {"path": str(topic)}})
    assert resolve(topic) == (topic, "topic", hub, "tea", "active")


def test_a_path_works_under_a_broken_configuration(home, tmp_path):
    configure(home, hub_path=5)
    assert resolve(make_topic(tmp_path / "t")).kind == "topic"


def test_local_is_the_wiki_of_this_folder(home):
    make_topic(home / ".wiki")
    assert resolve(local=True) == (home / ".wiki", "local", None, "home", "active")


def test_local_without_one_says_so(home):
    make_hub(home / "wiki")
    with pytest.raises(NotAWiki, match=r"\.wiki does not exist") as caught:
        resolve(local=True)
    assert "init" in caught.value.remedy


@pytest.mark.parametrize(
    "chosen",
    [
        {"path": ".", "local": True},
        {"path": ".", "wiki": "tea"},
        {"local": True, "wiki": "tea"},
        {"path": ".", "local": True, "wiki": "tea"},
    ],
)
def test_two_targets_are_a_usage_error(chosen):
    with pytest.raises(BadUsage, match="two targets"):
        resolve(**chosen)


def test_a_lone_hub_option_is_that_hub_even_where_a_local_wiki_lies(home, tmp_path):
    make_topic(home / ".wiki")
    hub = make_hub(tmp_path / "h")
    assert resolve(hub=str(hub)).path == hub


def test_a_local_wiki_beats_the_hub(home):
    make_hub(home / "wiki")
    make_topic(home / ".wiki")
    assert resolve().kind == "local"


def test_a_local_wiki_further_up_is_not_looked_for(home):
    hub = make_hub(home / "wiki")
    make_topic(home / ".wiki")
    (home / "sub").mkdir()
    assert resolve(cwd=home / "sub").path == hub


def test_a_topic_is_not_guessed_from_the_current_folder(home):
    hub = make_hub(home / "wiki", {"tea": {"path": "topics/tea"}})
    assert resolve(cwd=make_topic(hub / "topics/tea")).path == hub


def test_an_empty_local_folder_is_chosen_and_is_no_wiki(home):
    make_hub(home / "wiki")
    (home / ".wiki").mkdir()
    with pytest.raises(NotAWiki):
        resolve()


def test_without_anything_there_is_no_wiki_and_the_way_to_one_is_shown(home):
    with pytest.raises(NotAWiki) as caught:
        resolve()
    assert "init" in caught.value.remedy
    assert "demo" in caught.value.remedy


@pytest.mark.parametrize("name", ["f.md", "f.md/below"])
def test_a_file_as_path_is_no_wiki(home, name):
    (home / "f.md").write_text("")
    with pytest.raises(NotAWiki) as caught:
        resolve(name)
    assert caught.value.code == 2


def test_a_folder_of_notes_is_told_to_stay_where_it_is(home):
    (home / "notes").mkdir()
    (home / "notes/a.md").write_text("# A")
    with pytest.raises(NotAWiki, match="notes this tool has never seen") as caught:
        resolve("notes")
    assert "init" in caught.value.remedy
    assert "ingest" in caught.value.remedy


@pytest.mark.parametrize(("sign", "lost"), [("wikis.json", "topics/"), ("topics/", "wikis.json")])
def test_half_a_hub_is_told_to_wait(home, sign, lost):
    make_hub(home / "h")
    if lost == "topics/":
        (home / "h/topics").rmdir()
    else:
        (home / "h/wikis.json").unlink()
    for options in ({"path": "h"}, {"hub": "h"}):
        with pytest.raises(NotAWiki, match=f"it has {sign} but no {lost}") as caught:
            resolve(**options)
        assert "sync" in caught.value.remedy


def test_a_topic_given_as_hub_is_refused_with_advice(home):
    make_topic(home / "t")
    with pytest.raises(NotAWiki, match="is a topic wiki, not a hub"):
        resolve(hub="t")


@pytest.mark.parametrize("folder", ["raw", "raw/articles", "wiki/concepts"])
def test_a_folder_inside_a_topic_is_no_wiki_of_its_own(tmp_path, folder):
    make_topic(tmp_path)
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    (tmp_path / folder / "_index.md").write_text("# Index\n")
    with pytest.raises(NotAWiki, match="inside a wiki") as caught:
        resolve(tmp_path / folder)
    assert str(tmp_path) in caught.value.remedy


def test_who_does_not_need_a_wiki_learns_what_is_there(home):
    assert resolve(need_wiki=False).kind == "missing"
    make_hub(home / "wiki")
    (home / "wiki/wikis.json").unlink()
    assert resolve(need_wiki=False).kind == "half-hub"


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_what_cannot_be_a_path_is_a_usage_error(path):
    with pytest.raises(BadUsage):
        resolve(path)


def test_a_name_too_long_for_the_system_is_just_not_there():
    with pytest.raises(NotAWiki):
        resolve("x" * 5000)
