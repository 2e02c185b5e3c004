"""The fuzz targets: each takes any bytes and raises when a promise is broken.

An input is readable text: where a target needs more than one document, the first line holds its
arguments, parted by tabs. Nothing here needs a fuzzer, so the corpus is replayed as a plain test.
"""

from __future__ import annotations

from collections.abc import Callable

from fuzz_fields import front_matter, set_field, written
from fuzz_shelves import index, names, paths, registry, rendered
from fuzz_text import markdown, quoting, retarget, sentence, whole_page

TARGETS: dict[str, Callable[[bytes], None]] = {
    "front_matter": front_matter,
    "index": index,
    "markdown": markdown,
    "names": names,
    "paths": paths,
    "quoting": quoting,
    "registry": registry,
    "rendered": rendered,
    "retarget": retarget,
    "sentence": sentence,
    "set_field": set_field,
    "whole_page": whole_page,
    "written": written,
}
"""Name → target; each has a folder of this name in the corpus."""
