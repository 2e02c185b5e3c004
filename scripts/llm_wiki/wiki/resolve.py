"""Which wiki the user means: the hub, and the target of a command (`wiki-format.md` §1, §8)."""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from llm_wiki.core.errors import BadConfig, BadUsage, NotAWiki, Refused, WikiError
from llm_wiki.core.files import failure
from llm_wiki.wiki.registry import NAME, Registry, RegistryEntry

if TYPE_CHECKING:
    from llm_wiki.core.config import Config

ABSENT = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG})
"""Errors that mean there is nothing at a path; any other is reported, never taken as absence."""

SLUG = re.compile(r"[a-z0-9][a-z0-9-]*", re.ASCII)


class Root(NamedTuple):
    """One root: a hub, a topic wiki or a local wiki.

    `hub` is the hub it belongs to, None for a local wiki and for a topic no known hub lists.
    `name` is the slug, of a local wiki the name of its project, of a hub that of its folder.
    `status` is `active` or `archived`. `kind` can be any word of `classify` when the caller of
    `resolve` does not need a wiki.
    """

    path: Path
    kind: str
    hub: Path | None
    name: str
    status: str


def classify(path: Path) -> str:
    """Tell what a path is: `hub topic half-hub none file missing`.

    A half hub has exactly one of `wikis.json` and `topics/`: a synced folder that is not there
    yet, or lost a file. `topic` needs any of `_index.md`, `config.md`, `raw/`, `wiki/`; a hub that
    is called `wiki`, as in most home folders, is none of these. Raises Unreadable when the system
    refuses to look.
    """
    mode = _mode(path)
    if mode is None:
        return "missing"
    if not stat.S_ISDIR(mode):
        return "file"
    registry = is_file(path / NAME)
    topics = is_dir(path / "topics")
    if registry and topics:
        return "hub"
    if registry or topics:
        return "half-hub"
    marks = is_file(path / "_index.md") or is_file(path / "config.md") or is_dir(path / "raw")
    return "topic" if marks or (is_dir(path / "wiki") and not is_file(path / "wiki" / NAME)) else "none"


def initialised(path: Path) -> bool:
    """Tell whether a folder is an initialised topic wiki: it has `_index.md` and is no hub."""
    return classify(path) == "topic" and is_file(path / "_index.md")


def _mode(path: Path) -> int | None:
    """Return the mode of what a path leads to, None when there is nothing."""
    try:
        return path.stat().st_mode
    except OSError as error:
        if error.errno in ABSENT:
            return None
        raise failure("look at", path, error) from error
    except ValueError as error:
        raise BadUsage(f"not a path: {path!r}") from error


def is_file(path: Path) -> bool:
    """Tell whether a path leads to a regular file; raises Unreadable when the system refuses to look."""
    mode = _mode(path)
    return mode is not None and stat.S_ISREG(mode)


def is_dir(path: Path) -> bool:
    """Tell whether a path leads to a folder; raises Unreadable when the system refuses to look."""
    mode = _mode(path)
    return mode is not None and stat.S_ISDIR(mode)


def expand(written: str) -> str:
    """Expand a leading `~` or `~/` and nothing else; `com~apple~CloudDocs` is literal."""
    if written == "~" or written.startswith("~/"):
        return os.path.expanduser("~") + written[1:]  # noqa: PTH111 - `~user` must stay literal
    return written


def find_hub(hub: str | None = None) -> Path:
    """Return the folder of the hub, which need not exist (`wiki-format.md` §8.2).

    In this order: `--hub`, the configuration (authoritative when it names a hub), `~/wiki`.
    Raises BadConfig, BadUsage for an empty `--hub`, Unreadable on denied permission.
    """
    if hub is not None:
        if not str(hub):
            raise BadUsage("--hub needs a folder")
        return absolute(expand(str(hub)))
    from llm_wiki.core import config

    settings = config.load()
    configured = _setting(settings, "hub_path")
    resolved = _setting(settings, "resolved_path")
    if configured is None and resolved is None:
        return Path(os.path.normpath(expand("~/wiki")))
    if configured is None:
        assert resolved is not None
        return resolved
    if resolved is not None and classify(configured) == "missing" and classify(resolved) == "hub":
        return resolved
    # a permission error must surface here instead of looking like a hub that is not there
    _mode(configured)
    return configured


def _setting(settings: Config, key: str) -> Path | None:
    value: Any = settings.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadConfig(f"{key} must be a string", path=settings.path, remedy="write an absolute path or ~/…")
    expanded = expand(value)
    if not expanded.startswith("/") and not Path(expanded).is_absolute():
        raise BadConfig(
            f"{key} must be an absolute path or begin with ~/: {value!r}",
            path=settings.path,
            remedy="llm-wiki config hub-path PATH",
        )
    return Path(os.path.normpath(expanded))


def absolute(written: str, cwd: Path | None = None) -> Path:
    """Return a path as typed, from the current folder, without `..`; raises BadUsage for what is none."""
    if "\0" in written:
        raise BadUsage("a path cannot hold a NUL character")
    try:
        base = cwd if cwd is not None else Path.cwd()
    except FileNotFoundError as error:
        if written.startswith("/"):
            return Path(os.path.normpath(written))
        raise BadUsage("the current folder no longer exists", remedy="change to another folder") from error
    return Path(os.path.normpath(base / written))


def resolve(
    path: str | Path | None = None,
    *,
    local: bool = False,
    wiki: str | None = None,
    hub: str | None = None,
    include_archived: bool = False,
    need_wiki: bool = True,
    cwd: Path | None = None,
) -> Root:
    """Return the root a command works on (`wiki-format.md` §8.3).

    In this order: a positional path, `--local`, `--wiki SLUG`, a lone `--hub`, `<cwd>/.wiki`, the
    hub. With `need_wiki=False` the folder is returned whatever it is, its `kind` saying so.
    Raises BadUsage (two targets, malformed slug), NotAWiki, Refused (archived topic),
    Unreadable, BadConfig.
    """
    if path == "":
        raise BadUsage("PATH is empty")
    given = (("PATH", path is not None), ("--local", local), ("--wiki", wiki is not None))
    chosen = [name for name, present in given if present]
    if len(chosen) > 1:
        raise BadUsage(f"{' and '.join(chosen)} name two targets", remedy="give one of them")
    if path is not None:
        root = _at(absolute(str(path), cwd), hub)
    elif local:
        root = _at(absolute(".wiki", cwd), hub)
    elif wiki is not None:
        root = _of_slug(find_hub(hub), wiki, include_archived=include_archived)
    elif hub is not None:
        root = _hub_root(find_hub(hub), need_wiki=need_wiki)
    elif _present(absolute(".wiki", cwd)):
        root = _at(absolute(".wiki", cwd), hub)
    else:
        root = _hub_root(find_hub(), need_wiki=need_wiki)
    if need_wiki and root.kind not in ("hub", "topic", "local"):
        raise not_a_wiki(root.path, root.kind)
    if root.status == "archived" and not include_archived:
        raise Refused(
            f"{root.name}: wiki is archived",
            path=root.path,
            remedy=f"pass --include-archived, or `llm-wiki archive restore {root.name}`",
        )
    return root


def _present(path: Path) -> bool:
    try:
        path.lstat()
    except OSError as error:
        if error.errno in ABSENT:
            return False
        _mode(path)
    return True


def _hub_root(hub: Path, *, need_wiki: bool) -> Root:
    kind = classify(hub)
    if need_wiki and kind == "topic":
        raise NotAWiki(
            f"{hub} is a topic wiki, not a hub",
            path=hub,
            remedy=f"pass it as PATH: {hub}",
        )
    return Root(hub, kind, hub, hub.name, "active")


def _at(path: Path, hub: str | None) -> Root:
    """Describe the folder at a path: its kind, the hub that owns or lists it, its status."""
    kind = classify(path)
    if kind == "hub":
        return Root(path, kind, path, path.name, "active")
    if kind == "topic":
        _refuse_part(path)
    status = "active"
    owner = None
    parent = path.parent
    if parent.name == ".archive" and parent.parent.name == "topics":
        owner, status = parent.parent.parent, "archived"
    elif parent.name == "topics":
        owner = parent.parent
    if owner is not None and not (is_file(owner / NAME) or hub is not None):
        owner = None
    if owner is None or hub is not None:
        owner = _listing_hub(path, hub) or owner
    name = path.name
    entry = None if owner is None else _entry_for(Registry.load(owner), owner, path)
    if entry is not None:
        name = entry.slug
        status = entry.status if status == "active" else status
    if path.name == ".wiki":
        kind = "local" if kind == "topic" else kind
        name = name if entry is not None else parent.name
    return Root(path, kind, owner, name, status)


def _listing_hub(path: Path, hub: str | None) -> Path | None:
    """Return the hub whose registry lists this folder; a broken configuration lists nothing."""
    try:
        found = find_hub(hub)
        return found if _entry_for(Registry.load(found), found, path) is not None else None
    except WikiError:
        return None


def _entry_for(registry: Registry, hub: Path, path: Path) -> RegistryEntry | None:
    real = os.path.realpath(path)
    for entry in registry.entries.values():
        if entry.path and (entry.location(hub) == path or os.path.realpath(entry.location(hub)) == real):
            return entry
    return None


def _refuse_part(path: Path) -> None:
    """Refuse a content folder of a topic, which has an `_index.md` of its own."""
    if any(_present(path / name) for name in ("config.md", "raw", "wiki")):
        return
    folder = enclosing(path)
    if folder is not None and not is_file(folder / NAME):
        raise _part_of(folder, path)


def _part_of(wiki: Path, path: Path) -> NotAWiki:
    return NotAWiki(f"{path} is a folder inside a wiki", path=path, remedy=f"name the wiki: {wiki}")


def enclosing(path: Path) -> Path | None:
    """Return the nearest wiki above a folder, topic or hub, beyond doubt one; else None."""
    for folder in path.parents:
        planes = is_dir(folder / "raw") or is_dir(folder / "wiki")
        if (planes and is_file(folder / "config.md")) or classify(folder) == "hub":
            return folder
    return None


def _of_slug(hub: Path, slug: str, *, include_archived: bool) -> Root:
    """Find a topic of a hub by its slug (`wiki-format.md` §8.3)."""
    registry = Registry.load(hub)
    entry = registry.entries.get(slug)
    if not _legal(slug, known=entry is not None):
        raise BadUsage(
            f"not a topic slug: {slug!r}",
            remedy="slugs have a-z, 0-9 and hyphens; `llm-wiki status` lists them",
        )
    if slug == "hub":
        return _hub_root(hub, need_wiki=True)
    active, archive = hub / "topics" / slug, hub / "topics" / ".archive" / slug
    places = [(entry.location(hub), entry.status)] if entry is not None and entry.path else []
    archived = entry is not None and entry.status == "archived"
    if entry is not None or not registry.entries:
        places.append((active, "archived" if archived else "active"))
    places.append((archive, "archived"))
    if archived and not include_archived:
        return Root(places[0][0], "topic", hub, slug, "archived")
    for test in (initialised, lambda folder: classify(folder) == "topic"):
        for folder, status in places:
            if test(folder):
                kind = "local" if folder.name == ".wiki" else "topic"
                return Root(folder, kind, hub, slug, status)
    raise _unknown(hub, slug, registry, entry)


def _legal(slug: str, *, known: bool) -> bool:
    if SLUG.fullmatch(slug):
        return True
    return known and "/" not in slug and "\\" not in slug and not slug.startswith(".")


def _unknown(hub: Path, slug: str, registry: Registry, entry: RegistryEntry | None) -> WikiError:
    if entry is not None:
        return NotAWiki(
            f"{slug} is in the registry, but {entry.location(hub)} is not an initialised wiki",
            path=entry.location(hub),
            remedy="wait for your sync to finish, or correct its path in wikis.json",
        )
    if classify(hub) not in ("hub", "half-hub"):
        return not_a_wiki(hub, classify(hub))
    if initialised(hub / "topics" / slug):
        return NotAWiki(
            f"topics/{slug} is not in the registry",
            path=hub / "topics" / slug,
            remedy=f"`llm-wiki lint --hub {hub} --fix` registers it",
        )
    known = ", ".join(sorted(registry.entries)) or "none"
    return NotAWiki(f"no topic {slug!r} in {hub}", path=hub, remedy=f"known topics: {known}")


def not_a_wiki(path: Path, kind: str) -> NotAWiki:
    """Say why a path of this kind (see `classify`) is no wiki, and what to do."""
    start = "`llm-wiki init NAME` makes a wiki, `llm-wiki demo` an example to look at"
    if kind == "missing":
        return NotAWiki(f"{path} does not exist", path=path, remedy=start)
    if kind == "file":
        return NotAWiki(f"{path} is a file, not a wiki folder", path=path, remedy="name the folder of a wiki")
    if kind == "half-hub" and (wiki := enclosing(path)) is not None:
        return _part_of(wiki, path)
    if kind == "half-hub":
        there, lost = (NAME, "topics/") if is_file(path / NAME) else ("topics/", NAME)
        return NotAWiki(
            f"{path} is half a hub: it has {there} but no {lost}",
            path=path,
            remedy="wait for your sync to finish; if the rest is lost, `llm-wiki init NAME` completes it",
        )
    if _holds_notes(path):
        return NotAWiki(
            f"{path} is not a wiki: it holds notes this tool has never seen",
            path=path,
            remedy="leave them where they are: `llm-wiki init NAME` makes a wiki beside them, "
            "`llm-wiki ingest FILE` takes a note in; `llm-wiki demo` shows an example",
        )
    return NotAWiki(f"{path} is not a wiki", path=path, remedy=start)


def _holds_notes(path: Path) -> bool:
    try:
        return any(name.lower().endswith(".md") for name in os.listdir(path))  # noqa: PTH208 - names only
    except OSError:
        return False
