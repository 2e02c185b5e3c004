"""The key of one `.sessions/` folder, and the hashes made with it: none that leaves it can be guessed."""

from __future__ import annotations

import hashlib
import os
from typing import Final

from llm_wiki.hook import files
from llm_wiki.hook.store import Store

KEY: Final = ".key"
_KEY_BYTES: Final = 32
_MOST_KEY_BYTES: Final = 64
"""What the hash takes of a key; a longer file is cut."""


def keyed(store: Store, text: str, size: int = 8) -> str:
    """Return a keyed hash of a text, `size` bytes in hex digits. Raises OSError for an unreadable key."""
    data = text.encode("utf-8", "replace")
    return hashlib.blake2b(data, key=secret_key(store)[:_MOST_KEY_BYTES], digest_size=size).hexdigest()


def secret_key(store: Store) -> bytes:
    """Return the key of the folder's hashes, made on first use."""
    path = store.path(KEY)
    key = _key(path)
    if key:
        return key
    files.private_folder(store.root)
    temp = f"{path}.{os.getpid():x}.tmp"
    handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(handle, os.urandom(_KEY_BYTES))
    finally:
        os.close(handle)
    try:
        os.link(temp, path)  # whole or not at all, and never over another's
    except FileExistsError:
        if not _key(path):  # a torn one
            os.replace(temp, path)
            return _key(path)
    os.unlink(temp)
    return _key(path)


def _key(path: str) -> bytes:
    try:
        with open(path, "rb") as handle:
            key = handle.read()
    except FileNotFoundError:
        return b""
    return key if len(key) >= _KEY_BYTES else b""
