"""Undoing a transfer's compression without ever holding more than was allowed."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from llm_wiki.core.errors import ServiceFailed

ACCEPTED = "gzip, deflate"
"""What requests offer to read; the standard library has both."""


def read_body(chunks: Iterable[bytes], encoding: str, limit: int) -> bytes:
    """Return the decoded body of an answer, at most `limit` bytes, compressed and not.

    `encoding` is the Content-Encoding header. Raises ServiceFailed when the body is larger, cut
    short, damaged, or packed in another way.
    """
    names = [name.strip().casefold() for name in encoding.split(",")]
    names = [name for name in names if name not in ("", "identity")]
    if len(names) > 1 or any(name not in ("gzip", "x-gzip", "deflate") for name in names):
        raise ServiceFailed(f"the page is packed in a way that was not asked for: {encoding}")
    unpacker = _Unpacker(names[0], limit) if names else None
    received, parts = 0, []
    for chunk in chunks:
        received += len(chunk)
        if received > limit:
            raise too_large(limit)
        parts.append(unpacker.feed(chunk) if unpacker else chunk)
    if unpacker:
        unpacker.finish()
    return b"".join(parts)


def too_large(limit: int) -> ServiceFailed:
    """Return the error of a page that is larger than `limit` bytes."""
    return ServiceFailed(
        f"the page is larger than {limit / 1_000_000:g} MB",
        remedy="a source is one page; keep large data outside and describe it as a dataset",
    )


class _Unpacker:
    """One gzip (also of several members) or deflate stream (with zlib's header or without)."""

    def __init__(self, name: str, limit: int) -> None:
        self._gzip = name != "deflate"
        self._left = limit
        self._limit = limit
        self._started = False
        self._stream = zlib.decompressobj(zlib.MAX_WBITS | 16 if self._gzip else zlib.MAX_WBITS)

    def feed(self, chunk: bytes) -> bytes:
        if not chunk:
            return b""
        if not self._started and not self._gzip and chunk[0] & 0x0F != 8:
            self._stream = zlib.decompressobj(-zlib.MAX_WBITS)
        self._started = True
        parts = []
        while chunk:
            if self._stream.eof:
                if not self._gzip or not chunk.strip(b"\0"):
                    break
                self._stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
            try:
                parts.append(self._stream.decompress(chunk, self._left + 1))
            except zlib.error as error:
                raise ServiceFailed(f"the packed page is damaged: {error}") from error
            self._left -= len(parts[-1])
            if self._left < 0:
                raise too_large(self._limit)
            chunk = self._stream.unconsumed_tail or self._stream.unused_data
        return b"".join(parts)

    def finish(self) -> None:
        if self._started and not self._stream.eof:
            raise ServiceFailed("the packed page was cut short")
