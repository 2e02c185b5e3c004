"""What holds for all tests."""

import pytest

LONG = "faults"
"""The folder of the tests that kill a program at every write."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Begin with what takes longest, so that at the end no worker waits for another."""
    items.sort(key=lambda item: LONG not in item.path.parts)
