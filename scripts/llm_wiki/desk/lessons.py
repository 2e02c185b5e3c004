"""Lessons on the desk: notes, additions to articles and lines for a host (`review.md` §1).

A proposal is one private JSON file below `.sessions/lessons/`; nothing of it reaches a topic before a yes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from llm_wiki.admit.candidate import Candidate
from llm_wiki.admit.taking import take
from llm_wiki.core import clock
from llm_wiki.core.errors import BadUsage, LockBusy, NothingFound, Refused
from llm_wiki.core.files import inside, read_bytes, sha256
from llm_wiki.core.redact import redact
from llm_wiki.core.text import cut, file_slug
from llm_wiki.core.transaction import Change, Transaction, open_root
from llm_wiki.desk.proposal import Choice, Decided, Evidence, Planned, Proposal
from llm_wiki.desk.written import taken_back, transaction_of
from llm_wiki.hook import files, rows
from llm_wiki.sessions.folder import Folder, prepare
from llm_wiki.wiki.resolve import Root, resolve

KINDS: Final = ("lesson", "append", "instruction")
MOST_CHARS: Final = 20_000
_LOCK: Final = "lessons"
_LOCK_SECONDS: Final = 10.0
_TAIL: Final = re.compile(rb"^## (?:See Also|Sources|References)[ \t]*\r?$", re.MULTILINE | re.IGNORECASE)


class Lessons:
    """The source `lessons`."""

    name = "lessons"

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.store = folder.store

    def propose(self, kind: str, text: str, *, topic: str, article: str = "", note: str = "") -> Proposal:
        """Store one proposal, redacted; the same one again is the one that is there.

        Raises BadUsage for an unknown kind, an empty or a too long text, or an addition without its article.
        """
        words = redact(text, limit=0).strip()
        if kind not in KINDS:
            raise BadUsage(f"no such kind of lesson: {kind}", remedy=f"kinds: {', '.join(KINDS)}")
        if not words:
            raise BadUsage("there is no text to propose")
        if len(words) > MOST_CHARS:
            raise BadUsage(f"a proposal has at most {MOST_CHARS} characters, not {len(words)}")
        if kind == "append" and not article:
            raise BadUsage("an addition needs its article", remedy="--article wiki/…/NAME.md")
        value = {"kind": kind, "text": words, "topic": topic, "article": article, "note": note}
        name = "ll-" + sha256(repr(sorted(value.items())).encode("utf-8", "replace"))[:16]
        if topic or article:
            root = self._topic(topic)
            if article:
                _article(root, article)
        path = self._path(name)
        if not Path(path).exists():
            prepare(self.folder)
            with self._locked():
                files.write_json(path, value | {"id": name, "created": rows.stamp(clock.now())})
        return _proposal(self._value(name))

    def pending(self) -> list[Proposal]:
        """Return the proposals nobody has decided, newest first."""
        found = [_proposal(value) for value in self._values() if not value.get("decided")]
        return sorted(found, key=lambda proposal: (proposal.created, proposal.id), reverse=True)

    def find(self, name: str) -> list[Proposal]:
        """Return the proposals whose id is this or begins with it."""
        return [_proposal(value) for value in self._values() if value["id"].startswith(name)]

    def details(self, name: str) -> Mapping[str, Any]:
        """Return everything that is stored of a proposal."""
        return self._value(name)

    def plan(self, name: str, choice: Choice) -> Planned:
        """Return what a yes would do."""
        value = self._value(name)
        text = str(value.get("edited") or value["text"])
        if value["kind"] == "instruction":
            return Planned("", (), text, complete=True)
        slug = choice.topic or str(value.get("topic") or "")
        if not slug and not self.folder.local:
            return Planned("", (), text, complete=False, needs="--topic SLUG")
        root = self._topic(slug)
        if value["kind"] == "lesson":
            taken = take(root, _note(value, text), dry_run=True)
            return Planned(str(root.path), taken.changes, taken.admission.data.decode(), complete=True)
        tx = _addition(root, value, text)
        return Planned(str(root.path), tx.changes, text, complete=True)

    def decide(self, name: str, verdict: str, actor: str, choice: Choice) -> Decided:
        """Apply a verdict; lines for a host are returned to be shown, never written."""
        nothing = Planned("", (), "", complete=True)
        if choice.dry_run:
            return Decided(name, verdict, False, self.plan(name, choice) if verdict == "yes" else nothing)
        with self._locked():
            value = self._value(name)
            before = value.get("decided")
            if verdict == "undo":
                return self._undo(value, before)
            if isinstance(before, dict):
                if before.get("verdict") != verdict:
                    raise Refused(
                        f"{name} was decided: {before.get('verdict')}", remedy=f"llm-wiki review undo {name}"
                    )
                return Decided(name, verdict, False, nothing, str(before.get("path") or ""))
            if verdict == "edit":
                words = redact(choice.edited, limit=0).strip()
                if not words or len(words) > MOST_CHARS:
                    raise BadUsage(f"the new words must have 1 to {MOST_CHARS} characters")
                files.write_json(self._path(name), value | {"edited": words})
                return Decided(name, verdict, words != value.get("edited"), nothing)
            made = self._made(value, choice) if verdict == "yes" else Decided(name, verdict, True, nothing)
            mark = {
                "verdict": verdict,
                "ts": rows.stamp(clock.now()),
                "by": actor,
                "via": choice.via,
                "reason": redact(" ".join(choice.reason.split()))[:500],
                "path": made.path,
                "root": made.plan.root,
                "transaction": made.transaction,
            }
            files.write_json(self._path(name), value | {"decided": mark})
            return made

    def _made(self, value: Mapping[str, Any], choice: Choice) -> Decided:
        """Do what a yes does."""
        name, text = str(value["id"]), str(value.get("edited") or value["text"])
        if value["kind"] == "instruction":
            return Decided(name, "yes", True, Planned("", (), text, complete=True))
        slug = choice.topic or str(value.get("topic") or "")
        if not slug and not self.folder.local:
            raise BadUsage(f"{name} needs a topic to go to", remedy="--topic SLUG")
        root = self._topic(slug)
        if value["kind"] == "lesson":
            taken = take(root, _note(value, text), person=True)
            plan = Planned(str(root.path), taken.changes, "", complete=True)
            path = taken.admission.path
            return Decided(
                name, "yes", True, plan, path, taken.transaction or transaction_of(root.path, path)
            )
        with open_root(root.path):
            tx = _addition(root, value, text)
            done = tx.commit()
        plan = Planned(str(root.path), tx.changes, "", complete=True)
        path = str(value["article"])
        return Decided(name, "yes", True, plan, path, done or transaction_of(root.path, path))

    def _undo(self, value: dict[str, Any], before: Any) -> Decided:
        """Take the decision back, with what it wrote."""
        name = str(value["id"])
        if not isinstance(before, dict):
            raise NothingFound(f"nothing was decided about {name}")
        changes: tuple[Change, ...] = ()
        if before.get("transaction"):
            changes = taken_back(Path(before["root"]), before["transaction"], self.folder.hub)
        files.write_json(self._path(name), {key: item for key, item in value.items() if key != "decided"})
        return Decided(
            name, "undo", True, Planned(str(before.get("root") or ""), tuple(changes), "", complete=True)
        )

    def _topic(self, slug: str) -> Root:
        return resolve(self.folder.hub) if self.folder.local else resolve(wiki=slug, hub=str(self.folder.hub))

    def _path(self, name: str) -> str:
        return self.store.path("lessons", f"{name}.json")

    def _values(self) -> Iterator[dict[str, Any]]:
        folder = Path(self.store.path("lessons"))
        for path in sorted(folder.glob("ll-*.json")) if folder.is_dir() else ():
            value = files.read_json(str(path))
            if isinstance(value, dict) and all(
                isinstance(value.get(key), str) for key in ("id", "kind", "text")
            ):
                yield value

    def _value(self, name: str) -> dict[str, Any]:
        value = next((value for value in self._values() if value["id"] == name), None)
        if value is None:
            raise NothingFound(f"no proposed lesson {name}")
        return value

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self.store.lock(_LOCK, timeout=_LOCK_SECONDS) as had:
            if not had:
                raise LockBusy("another process works on the lessons", remedy="run it again in a moment")
            yield


def _proposal(value: Mapping[str, Any]) -> Proposal:
    article = str(value.get("article") or "")
    where = (
        Evidence(article, "", "") if article else Evidence(f".sessions/lessons/{value['id']}.json", "", "")
    )
    topic = str(value.get("topic") or "")
    return Proposal(
        id=str(value["id"]),
        kind=str(value["kind"]),
        text=str(value.get("edited") or value["text"]),
        evidence=(where,),
        neighbours=(),
        flags=(f"topic: {topic}",) if topic else (),
        source="lessons",
        created=str(value.get("created") or ""),
    )


def _note(value: Mapping[str, Any], text: str) -> Candidate:
    """Return the note of a lesson; its first heading is the title."""
    heading = re.match(r"#\s+(.+)", text)
    title = heading[1].strip() if heading else cut(" ".join(text.split()), 80)
    count = len(re.findall(r"^## ", text, re.MULTILINE)) or 1
    slug = file_slug(title, fallback="note").removeprefix("ll-")
    today = clock.today().isoformat()
    return Candidate(
        title=title,
        source="MANUAL",
        type="notes",
        body=text + "\n",
        tags=("lessons-learned",),
        fields={"lesson_kind": "lessons-learned", "lesson_count": str(count)},
        name=f"{today}-ll-{slug}-{str(value['id'])[3:9]}.md",
        entry=("ll", title),
    )


def _article(root: Root, rel: str) -> Path:
    """Return the path of an article of a topic; raises for what is none."""
    path = inside(root.path, rel)
    if not rel.startswith("wiki/") or not rel.endswith(".md") or not path.is_file():
        raise BadUsage(f"{rel} is no article of {root.name}", remedy="name a file below wiki/")
    return path


def _addition(root: Root, value: Mapping[str, Any], text: str) -> Transaction:
    """Plan the addition of a paragraph to an article: before its closing lists, with its line ends.

    Nothing is planned where the words stand already, as after a run that was killed before it had noted so.
    """
    rel = str(value["article"])
    data = read_bytes(_article(root, rel))
    end = b"\r\n" if b"\r\n" in data else b"\n"
    words = text.encode().replace(b"\r\n", b"\n").replace(b"\n", end)
    tx = Transaction(root.path, "ll", summary=f"addition to {rel}", person=True)
    if words in data:
        return tx
    tail = _TAIL.search(data)
    at = tail.start() if tail else len(data)
    head = data[:at].rstrip(b"\r\n")
    rest = data[at:]
    new = head + end + end + words + end + (end + rest if rest else b"")
    tx.write(rel, new, expect=sha256(data))
    tx.log("ll", f"added a lesson to {rel}")
    return tx
