"""The hook finds the hub without the imports of the verbs; both must mean the same folder."""

import json
from pathlib import Path

import pytest

from llm_wiki.core.errors import WikiError
from llm_wiki.hook import options
from llm_wiki.wiki.resolve import find_hub

CONFIGS = [
    None,
    {},
    {"hub_path": "~/notes"},
    {"hub_path": "~/notes/"},
    {"hub_path": "/srv/./wiki/../hub"},
    {"hub_path": "~"},
    {"hub_path": "~other/x"},
    {"hub_path": "relative/x"},
    {"hub_path": ""},
    {"hub_path": 5},
    {"hub_path": None},
    {"hub-path": "~/dashed"},
    {"resolved_path": "/srv/old"},
    {"hub_path": "~/gone", "resolved_path": "HOME/hub"},
    {"hub_path": "~/hub", "resolved_path": "/srv/old"},
    {"hub_path": "~/gone", "resolved_path": "/srv/missing"},
    [],
    "text",
]


def answer(find):
    try:
        return str(find())
    except WikiError:
        return "refused"


@pytest.mark.parametrize("config", CONFIGS, ids=json.dumps)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_hook_and_verbs_mean_the_same_hub(config, mark, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("LLM_WIKI_CONFIG_DIR", raising=False)
    (tmp_path / "hub" / "topics").mkdir(parents=True)
    (tmp_path / "hub" / "wikis.json").write_text('{"wikis": {}}')
    if config is not None:
        folder = tmp_path / ".config" / "llm-wiki"
        folder.mkdir(parents=True)
        (folder / "config.json").write_bytes(
            mark + json.dumps(config).replace("HOME", str(tmp_path)).encode()
        )
    ours = answer(lambda: Path(options.sessions_folder(options.parse([]))).parent)
    assert ours == answer(find_hub)
