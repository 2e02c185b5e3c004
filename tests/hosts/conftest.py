"""A real Claude Code in a home of its own, with the plugin from this checkout and a scripted model."""

import shutil

import pytest
from hostkit import Host
from model_server import Model
from program import CHECKOUT


@pytest.fixture(scope="module")
def model():
    served = Model()
    yield served
    served.close()


@pytest.fixture
def host(tmp_path, model):
    """A user with the example hub at ~/wiki; the plugin is not installed yet."""
    user = Host(tmp_path, model)
    shutil.copytree(CHECKOUT / "wikis/example", user.home / "wiki")
    return user


@pytest.fixture(scope="module")
def owner(tmp_path_factory, model):
    """A user with the plugin: installing it takes longer than many a test."""
    user = Host(tmp_path_factory.mktemp("owner"), model)
    user.install()
    return user


@pytest.fixture
def installed(owner):
    """The user with the plugin, the example hub as it came, and nothing left of earlier tests but the client's."""
    for place in ("wiki", ".config/llm-wiki", ".local", ".cache/llm-wiki"):
        shutil.rmtree(owner.home / place, ignore_errors=True)
    shutil.copytree(CHECKOUT / "wikis/example", owner.home / "wiki")
    shutil.rmtree(owner.work)
    owner.work.mkdir()
    return owner
