"""Two builds of the wikis, and readers for them."""

import pytest
from fixture import build
from providers.gullible import Gullible
from providers.offline import Offline
from verbs import Verbs

BUILT = {
    "redaction": ("promoted",),
    **dict.fromkeys(("retraction", "marker", "source", "tombstone"), ("withdrawn",)),
}
"""Filter that works while a home is built → the variants that show whether it did."""

READERS = {"offline": Offline, "gullible": Gullible}


class Desk:
    """Puts cases to readers; the child process of each home is started once."""

    def __init__(self, built, without=()):
        self.built = built
        self.without = without
        self.started = {}

    def ask(self, provider, case):
        """Return answer and trace of a case that is filled in."""
        home = self.built.home(case["variant"])
        if home not in self.started:
            self.started[home] = Verbs(home, without=self.without)
        return READERS[provider](home, self.started[home]).ask(case)

    def close(self):
        for wiki in self.started.values():
            wiki.__exit__()


@pytest.fixture(scope="session")
def desks(tmp_path_factory):
    """Two builds, each with canaries of its own."""
    made = [Desk(build(tmp_path_factory.mktemp("build"))) for _ in range(2)]
    yield made
    for desk in made:
        desk.close()


@pytest.fixture
def crippled(desks, tmp_path):
    """A maker of desks whose program lacks one filter."""
    made = []

    def make(name):
        built = desks[0].built
        if name in BUILT:
            built = build(tmp_path / "build", without=(name,), only=BUILT[name])
        made.append(Desk(built, (name,)))
        return made[-1]

    yield make
    for desk in made:
        desk.close()
