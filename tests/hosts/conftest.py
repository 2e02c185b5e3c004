"""A real Claude Code in a home of its own, with the plugin from this checkout and a scripted model."""

import shutil

import pytest
from hostkit import Host
from model_server import Model
from program import CHECKOUT


@pytest.fixture
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


@pytest.fixture
def installed(host):
    host.install()
    return host
