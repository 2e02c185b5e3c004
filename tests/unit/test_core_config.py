"""`config.json`: read strictly, written without losing anything."""

import json
import os
import stat
import threading

import pytest

from llm_wiki.core import config
from llm_wiki.core.errors import BadConfig, BadUsage


@pytest.fixture(autouse=True)
def path(tmp_path, monkeypatch):
    monkeypatch.setenv("LLM_WIKI_CONFIG_DIR", str(tmp_path / "conf"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "conf" / "config.json"


def write(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def test_a_missing_file_is_an_empty_configuration(path):
    found = config.load()
    assert found.values == {}
    assert found.path == path
    assert found.get("hub_path") is None
    assert found.get("person.name") is None
    assert not path.parent.exists()


def test_keys_are_read_with_hyphen_and_underscore_alike(path):
    write(path, '{"hub-path": "/hub", "person": {"name": "Ada"}, "teams": {"my-team": {"store": "~/t"}}}')
    found = config.load()
    assert found.get("hub_path") == "/hub"
    assert found.get("hub-path") == "/hub"
    assert found.get("person.name") == "Ada"
    assert found.get("teams.my-team.store") == "~/t"
    assert found.get("teams.none.store") is None
    assert found.get("hub_path.deeper") is None


def test_a_bom_is_accepted(path):
    write(path, b'\xef\xbb\xbf{"hub_path": "/hub"}')
    assert config.load().get("hub_path") == "/hub"


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '"x"',
        "null",
        "{",
        "",
        b"\xff\xfe{}",
        "[" * 100_000,
        '{"hub_path": 5}',
        '{"hub_path": null}',
        '{"hub_path": "relative/wiki"}',
        '{"hub_path": ""}',
        '{"hub_path": "~other/wiki"}',
        '{"hub-path": "x"}',
        '{"resolved_path": ["x"]}',
        '{"person": "Ada"}',
        '{"person": {"name": 5}}',
        '{"network": {"extract": "yes"}}',
        '{"network": {"extract": 1}}',
        '{"memory": {"auto_consolidate": "many"}}',
        '{"memory": {"auto_consolidate": true}}',
        '{"teams": {"a": {"store": "relative"}}}',
        '{"guard": {"x": [1]}}',
        '{"review": {"require_signature": "yes"}}',
    ],
)
def test_anything_else_is_an_error_that_names_the_file(path, text):
    write(path, text)
    with pytest.raises(BadConfig) as caught:
        config.load()
    assert str(path) in caught.value.message
    assert caught.value.path == str(path)
    assert caught.value.code == 2


def test_a_syntax_error_names_its_line(path):
    write(path, '{\n  "hub_path": "/x",\n}')
    with pytest.raises(BadConfig) as caught:
        config.load()
    assert caught.value.line in (2, 3)


def test_a_file_that_is_no_file_is_an_error(path):
    path.mkdir(parents=True)
    with pytest.raises(BadConfig, match="not a regular file"):
        config.load()


@pytest.mark.skipif(os.geteuid() == 0, reason="root ignores permission bits")
def test_a_file_without_permission_is_an_error_and_not_missing(path):
    write(path, "{}")
    path.chmod(0)
    with pytest.raises(BadConfig, match="Full Disk Access"):
        config.load()


def test_a_broken_link_is_an_error_and_not_missing(path):
    path.parent.mkdir()
    path.symlink_to("nowhere")
    with pytest.raises(BadConfig, match="does not exist"):
        config.load()


@pytest.mark.parametrize(
    ("key", "typed", "value"),
    [
        ("hub_path", "/hub", "/hub"),
        ("hub-path", "~/wiki", "~/wiki"),
        ("hub_path", "~/Library/com~apple~CloudDocs", "~/Library/com~apple~CloudDocs"),
        ("person.name", "Ada Lovelace", "Ada Lovelace"),
        ("person.name", "5", "5"),
        ("teams.my-team.store", "/t", "/t"),
        ("network.extract", "on", True),
        ("network.extract", "no", False),
        ("memory.auto-consolidate", "0", 0),
        ("memory.other", "fast", "fast"),
        ("guard.limit", "5", 5),
        ("review.require_signature", "true", True),
    ],
)
def test_a_key_holds_what_was_typed(key, typed, value):
    config.set_value(key, typed)
    assert config.load().get(key) == value


@pytest.mark.parametrize(
    ("key", "typed"),
    [
        ("hub_path", "relative"),
        ("network.extract", "maybe"),
        ("memory.auto_consolidate", "many"),
        ("colour", "red"),
        ("person", "Ada"),
        ("person.age", "5"),
        ("teams.a", "x"),
        ("network.", "on"),
        ("", "x"),
        ("resolved_path", "/x"),
    ],
)
def test_a_key_or_value_that_does_not_exist_is_bad_usage(path, key, typed):
    with pytest.raises(BadUsage):
        config.set_value(key, typed)
    assert not path.exists()


def test_unknown_keys_and_the_order_survive(path):
    write(path, '{"zeta": [1], "hub-path": "/old", "person": {"age": 36, "name": "A"}, "alpha": "ü"}')
    config.set_value("hub_path", "/new")
    config.set_value("person.name", "Ada")
    config.set_value("network.extract", "on")
    assert list(json.loads(path.read_text()).items()) == [
        ("zeta", [1]),
        ("hub-path", "/new"),
        ("person", {"age": 36, "name": "Ada"}),
        ("alpha", "ü"),
        ("network", {"extract": True}),
    ]
    assert "ü" in path.read_text()
    assert path.read_text().endswith("}\n")


def test_an_empty_value_removes_the_key(path):
    config.set_value("person.name", "Ada")
    config.set_value("person.name", "")
    assert config.load().get("person.name") is None
    assert json.loads(path.read_text()) == {"person": {}}


def test_a_new_file_is_private(path):
    config.set_value("hub_path", "/hub")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_linked_file_stays_a_link(path, tmp_path):
    path.parent.mkdir()
    (tmp_path / "dotfiles.json").write_text("{}")
    path.symlink_to(tmp_path / "dotfiles.json")
    config.set_value("hub_path", "/hub")
    assert path.is_symlink()
    assert json.loads((tmp_path / "dotfiles.json").read_text()) == {"hub_path": "/hub"}


def test_a_broken_file_is_not_overwritten(path):
    write(path, "{broken")
    with pytest.raises(BadConfig):
        config.set_value("hub_path", "/hub")
    assert path.read_text() == "{broken"


def test_parallel_settings_lose_nothing(path):
    names = [f"team{n}" for n in range(8)]
    threads = [
        threading.Thread(target=config.set_value, args=(f"teams.{name}.store", "/t")) for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(json.loads(path.read_text())["teams"]) == names
