"""What the tests of the wiki room share: files, loading, and a user whom modes bind."""

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

# loaded before a test gives up its rights
import llm_wiki.core.config
import llm_wiki.model.document  # noqa: F401
from llm_wiki.wiki.snapshot import Snapshot


def write(root: Path, rel: str, text: str | bytes = "# x\n") -> None:
    """Write one file, making its folders."""
    path = root / rel
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))


def put(root: Path, **files) -> Path:
    """Write files; `__` in a name stands for `/`, names without ending get `.md`."""
    for name, text in files.items():
        write(root, name.replace("__", "/") + ("" if "." in name else ".md"), text)
    return root


def load(root: Path, kind: str = "topic", **options) -> Snapshot:
    return Snapshot.load(root, kind, **options)


def notes(page):
    """Check one page: say that it was seen."""
    yield ("seen", page.rel, len(page.headings))


def facts(snapshot: Snapshot):
    """Return everything a snapshot says, in comparable form."""
    pages = [
        (rel, page.rel, *(page.row[number] for number in range(len(page.row))), page.notes)
        for rel, page in snapshot.pages.items()
    ]
    files = [(rel, entry._replace(mtime_ns=0)) for rel, entry in snapshot.files.items()]
    return pages, files, list(snapshot.dirs.items()), snapshot.closed, snapshot.keys, snapshot.config


def tree(root: Path) -> dict[str, bytes | None]:
    """Return every file below a folder with its bytes, folders with None; `.git` is left out."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(root.rglob("*"))
        if ".git/" not in path.as_posix() + "/"
    }


def make_topic(path: Path, *, index: bool = True) -> Path:
    """Make the least that is an initialised topic; without its index it is damaged."""
    (path / "raw").mkdir(parents=True)
    write(path, "config.md", "---\ntitle: T\n---\n")
    if index:
        write(path, "_index.md", "# T\n")
    return path


@contextmanager
def open_folder():
    """Make a folder everybody may enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def without_rights():
    """Act as a user whom modes bind; the tests may be run by root."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
