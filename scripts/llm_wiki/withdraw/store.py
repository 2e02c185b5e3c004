"""The parts of a store, as this room uses them: see `core/stores.py`."""

from llm_wiki.core.stores import Hits, Needle, Span, Store

__all__ = ["Hits", "Needle", "Span", "Store"]
