"""Comparing version numbers the way package installers do, as far as our own numbers go."""

from __future__ import annotations

import re

from llm_wiki.core.errors import BadUsage

_FORM = re.compile(
    r"v?(?:(?P<epoch>\d{1,9})!)?(?P<release>\d{1,9}(?:\.\d{1,9})*)"
    r"(?:[-_.]?(?P<pre>a|b|c|rc|alpha|beta|pre|preview)[-_.]?(?P<pre_n>\d{0,9}))?"
    r"(?P<post>[-_.]?(?:post|rev|r)[-_.]?(?P<post_n>\d{0,9})|-(?P<post_short>\d{1,9}))?"
    r"(?P<dev>[-_.]?dev[-_.]?(?P<dev_n>\d{0,9}))?(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?",
)
_STAGE = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "rc": 2, "pre": 2, "preview": 2}
_FINAL = 3
_DEV = -1

Key = tuple[int, tuple[int, ...], tuple[int, int], int, tuple[int, int]]


def key(version: str) -> Key:
    """Return what versions are ordered by (PEP 440): epoch, release, pre-, post- and dev-release.

    Trailing zeros and a local part do not count. Raises BadUsage for anything that is no version.
    """
    found = _FORM.fullmatch(version.strip().lower())
    if found is None:
        raise BadUsage(f"not a version: {version!r}", remedy="write it like 0.3 or 1.0rc1")
    release = [int(part) for part in found["release"].split(".")]
    while len(release) > 1 and release[-1] == 0:
        release.pop()
    post = int(found["post_n"] or found["post_short"] or 0) if found["post"] else -1
    if found["pre"]:
        stage = (_STAGE[found["pre"]], int(found["pre_n"] or 0))
    elif found["dev"] and post < 0:
        stage = (_DEV, 0)
    else:
        stage = (_FINAL, 0)
    dev = (0, int(found["dev_n"] or 0)) if found["dev"] else (1, 0)
    return int(found["epoch"] or 0), tuple(release), stage, post, dev


def older(version: str, than: str) -> bool:
    """Tell whether a version comes before another one. Raises BadUsage for what is no version."""
    return key(version) < key(than)
