"""`config.json`: hub path, the person's name and the switches (`wiki-format.md` §8.2, §8.4)."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, NamedTuple

from llm_wiki.core.errors import BadConfig, BadUsage, Unreadable
from llm_wiki.core.files import failure, read_bytes, write_atomic
from llm_wiki.core.locks import root_lock
from llm_wiki.core.state import config_dir, private_dir

FILE_NAME = "config.json"


class KeySpec(NamedTuple):
    """What a key may hold.

    `kind` is `text`, `path` (absolute or `~/…`), `proxy`, `switch`, `number` or `scalar`.
    """

    kind: str
    meaning: str


KEYS: dict[str, KeySpec] = {
    "hub_path": KeySpec("path", "folder of the hub"),
    "person.name": KeySpec("text", "name under which decisions of a person are recorded"),
    "teams.*.store": KeySpec("path", "fact store of a team"),
    "network.proxy": KeySpec("proxy", "proxy for pages that are fetched"),
    "network.*": KeySpec("switch", "whether an engine may use the network"),
    "memory.auto_consolidate": KeySpec("number", "new events before facts are consolidated; 0 = never"),
    "memory.*": KeySpec("scalar", "fact memory"),
    "guard.*": KeySpec("scalar", "guard"),
    "review.require_signature": KeySpec("switch", "whether a decision needs an SSH signature"),
    "review.*": KeySpec("scalar", "review desk"),
}
"""Every key that can be set; `*` stands for one part. The first entry that fits is the one that counts."""

_LEGACY = {"resolved_path": KeySpec("path", "written by an older tool, read only")}
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PROXY = re.compile(r"https?://(?:[^\s/@]+@)?(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?/?", re.ASCII)
_NO_OBJECT = object()
_SWITCH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class Config(NamedTuple):
    """The configuration as read: `values` is the whole object, unknown keys included."""

    path: Path
    values: dict[str, Any]

    def get(self, key: str) -> Any:
        """Return the value of a dotted key, None when it is not set; `-` and `_` are alike."""
        node: Any = self.values
        for part in key.split("."):
            if not isinstance(node, dict):
                return None
            node = node.get(_spelling(node, part))
        return node


def load() -> Config:
    """Read the configuration; a missing file is an empty one.

    A BOM is accepted. Raises `BadConfig`, naming the file and the key, for anything else
    than an object whose known keys hold what `KEYS` says; a `hub_path` must not be relative.
    """
    path = config_dir() / FILE_NAME
    values = _read(path)
    _check(path, values)
    return Config(path, values)


def _read(path: Path) -> dict[str, Any]:
    """Return the object in the file, whatever its keys hold; an empty one when there is no file."""
    import json

    try:
        path.lstat()
        values = json.loads(read_bytes(path).decode("utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:  # not to be allowed to look is not the same as nothing there
        refused = failure("read", path, error)
        raise BadConfig(refused.message, path=path, remedy=refused.remedy) from error
    except Unreadable as error:
        raise BadConfig(error.message, path=path, remedy=error.remedy) from error
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        why = error.msg if isinstance(error, json.JSONDecodeError) else _unusable(error)
        raise BadConfig(
            f"{path} is not valid JSON: {why}", path=path, line=line, remedy="correct or remove the file"
        ) from None
    if not isinstance(values, dict):
        raise BadConfig(f"{path} must hold one JSON object", path=path, remedy="correct or remove the file")
    return values


def _unusable(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    return "it is nested too deeply" if isinstance(error, RecursionError) else "a number is too long"


def set_value(key: str, value: str) -> None:
    """Set one key from what was typed, under a lock and by rename; an empty value removes the key.

    Unknown keys and the order of the file survive; so a value that does not fit is repaired too.
    Raises `BadUsage` for a key that does not exist or a value that does not fit it, `BadConfig` when
    the file cannot be read.
    """
    import json

    parts = [part.replace("-", "_") if at != 1 else part for at, part in enumerate(key.split("."))]
    spec = spec_of(key)
    if spec is None:
        raise BadUsage(f"no such configuration key: {key}", remedy=f"keys: {', '.join(KEYS)}")
    typed = _typed(key, spec, value.strip())
    folder = private_dir(config_dir())
    with root_lock(folder):
        path = config_dir() / FILE_NAME
        node = values = _read(path)
        for part in parts[:-1]:
            child = node.setdefault(_spelling(node, part), {})
            if not isinstance(child, dict):
                raise _no_object(path, part)
            node = child
        name = _spelling(node, parts[-1])
        if typed is None:
            node.pop(name, None)
        else:
            node[name] = typed
        text = json.dumps(values, indent=2, ensure_ascii=False) + "\n"
        text = _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
        mode = None if path.exists() else 0o600
        target = Path(os.path.realpath(path))  # a linked configuration stays a link
        write_atomic(target, text.encode(), mode=mode)


def spec_of(key: str) -> KeySpec | None:
    """Return what a dotted key may hold, None when there is no such key."""
    parts = key.split(".")
    if not all(_PART.fullmatch(part) for part in parts):
        return None
    for pattern, spec in KEYS.items():
        wanted = pattern.split(".")
        if len(wanted) == len(parts) and all(
            w in ("*", _same(p)) for w, p in zip(wanted, parts, strict=True)
        ):
            return spec
    return None


def _check(path: Path, values: dict[str, Any]) -> None:
    for key, spec in (KEYS | _LEGACY).items():
        for name, value in _matches(values, key.split("."), ""):
            if value is _NO_OBJECT:
                raise _no_object(path, name)
            if spec_of(name) not in (spec, None):
                continue  # an entry further up is the one that counts
            if spec.kind == "scalar" and not isinstance(value, dict | list):
                continue
            if not _fits(spec.kind, value):
                raise BadConfig(
                    f"{path}: {name} must be {_WORDS[spec.kind]}, not {_json(value)}",
                    path=path,
                    remedy=f"llm-wiki config {name} VALUE, or correct the file",
                )


def _no_object(path: Path, name: str) -> BadConfig:
    return BadConfig(f"{path}: {name} must be an object", path=path, remedy="correct the file")


_WORDS = {
    "text": "a text",
    "path": "an absolute path (or one that starts with ~/)",
    "proxy": "an address like http://HOST:PORT",
    "switch": "true or false",
    "number": "a number",
    "scalar": "a single value",
}


def _matches(node: Any, pattern: list[str], name: str) -> list[tuple[str, Any]]:
    """Return (dotted name, value) of every set key that fits the pattern."""
    if not pattern:
        return [(name, node)]
    if not isinstance(node, dict):
        return [] if node is None else [(name, _NO_OBJECT)]
    found = []
    for key, value in node.items():
        if pattern[0] in ("*", _same(key)):
            found += _matches(value, pattern[1:], f"{name}.{key}" if name else key)
    return found


def _fits(kind: str, value: Any) -> bool:
    if kind == "switch":
        return isinstance(value, bool)
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "path":
        return isinstance(value, str) and _absolute(value)
    if kind == "proxy":
        return isinstance(value, str) and _PROXY.fullmatch(value) is not None
    return isinstance(value, str) if kind == "text" else False


def _typed(key: str, spec: KeySpec, value: str) -> str | bool | float | None:
    """Return what was typed as the value the key holds; None for an empty one."""
    if not value:
        return None
    if spec.kind == "path" and not _absolute(value):
        raise BadUsage(f"{key} needs an absolute path, not {value!r}", remedy="start it with / or ~/")
    if spec.kind == "proxy" and not _fits("proxy", value):
        raise BadUsage(f"{key} must be {_WORDS['proxy']}, not {value!r}")
    if spec.kind in ("switch", "scalar") and value.lower() in _SWITCH:
        return _SWITCH[value.lower()]
    if spec.kind == "switch":
        raise BadUsage(f"{key} is on or off, not {value!r}")
    if spec.kind in ("number", "scalar"):
        try:
            return int(value)
        except ValueError:
            if spec.kind == "number":
                raise BadUsage(f"{key} needs a whole number, not {value!r}") from None
    return value


def _absolute(value: str) -> bool:
    try:
        if b"\0" in os.fsencode(value):
            return False
    except UnicodeEncodeError:
        return False
    return Path(value).is_absolute() or value == "~" or value.startswith("~/")


def _same(part: str) -> str:
    return part.replace("-", "_")


def _spelling(node: dict[str, Any], part: str) -> str:
    """Return the key of `node` that means `part`, as it is spelt there, else `part`."""
    return part if part in node else next((key for key in node if _same(key) == _same(part)), part)


def _json(value: Any) -> str:
    import json

    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:40]}…"
