"""Folders of this machine: where platformdirs puts them, private, keyed by the root's real path."""

import hashlib
import os
import stat

import platformdirs
import pytest

from llm_wiki.core import state
from llm_wiki.core.errors import Unreadable


@pytest.mark.parametrize("setting", [None, "", "relative/place", "/elsewhere/state"])
def test_state_and_cache_lie_where_platformdirs_says(monkeypatch, setting):
    for variable in ("XDG_STATE_HOME", "XDG_CACHE_HOME"):
        if setting is None:
            monkeypatch.delenv(variable, raising=False)
        else:
            monkeypatch.setenv(variable, setting)
    assert str(state.state_dir()) == platformdirs.user_state_dir("llm-wiki")
    assert str(state.cache_dir()) == platformdirs.user_cache_dir("llm-wiki")


def test_configuration_lies_in_the_same_place_on_every_system(monkeypatch, tmp_path):
    monkeypatch.delenv("LLM_WIKI_CONFIG_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", "/elsewhere")
    assert state.config_dir() == tmp_path / ".config" / "llm-wiki"


def test_the_configuration_folder_can_be_set(monkeypatch, tmp_path):
    monkeypatch.setenv("LLM_WIKI_CONFIG_DIR", str(tmp_path / "conf"))
    assert state.config_dir() == tmp_path / "conf"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LLM_WIKI_CONFIG_DIR", "~/conf")
    assert state.config_dir() == tmp_path / "conf"


def test_a_root_has_one_key_by_whatever_way_it_is_reached(tmp_path):
    root = tmp_path / "w"
    root.mkdir()
    (tmp_path / "link").symlink_to("w")
    key = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:16]
    assert state.root_key(root) == key
    assert state.root_key(tmp_path / "link") == key
    assert state.root_key(tmp_path / "x" / ".." / "w") == key
    assert state.root_key(tmp_path) != key


def test_state_and_cache_of_a_root_are_named_by_its_key(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "s"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "c"))
    key = state.root_key(tmp_path)
    assert state.root_state(tmp_path) == tmp_path / "s" / "llm-wiki" / "roots" / key
    assert state.root_cache(tmp_path) == tmp_path / "c" / "llm-wiki" / "roots" / key
    assert not (tmp_path / "s").exists()


def test_a_private_folder_is_for_this_user_alone(tmp_path):
    before = os.umask(0)
    try:
        made = state.private_dir(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    assert made == tmp_path / "a" / "b"
    for path in (made, made.parent):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert state.private_dir(made) == made


def test_an_existing_folder_keeps_its_mode(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a").chmod(0o750)
    state.private_dir(tmp_path / "a" / "b")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o750


def test_a_file_in_the_way_is_named(tmp_path):
    (tmp_path / "a").write_text("")
    with pytest.raises(Unreadable, match=r"cannot make the folder .*a"):
        state.private_dir(tmp_path / "a" / "b")
