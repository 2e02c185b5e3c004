"""Feedback on the desk: candidates become notes, or are turned down (`feedback.md` §3, §4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from llm_wiki.admit.taking import take
from llm_wiki.core import clock
from llm_wiki.core.errors import BadUsage, Conflict, LockBusy, NothingFound, Refused
from llm_wiki.core.redact import redact
from llm_wiki.core.transaction import Change
from llm_wiki.desk import notes
from llm_wiki.desk.proposal import Choice, Decided, Evidence, Planned, Proposal
from llm_wiki.desk.written import settle, taken_back, transaction_of
from llm_wiki.hook import candidates, files, rows
from llm_wiki.sessions import feedback
from llm_wiki.sessions.folder import Folder
from llm_wiki.wiki.resolve import Root, resolve

LESSON_CHARS: Final = 200
_LOCK: Final = "feedback"
_PARTS: Final = ("promoted", "rejected", "seen", "edited")
_LOCK_SECONDS: Final = 10.0
_FACTS: Final = ("fact", "strategy", "antibody")


class Feedback:
    """The source `feedback`: rows of `candidates.jsonl`, decisions in `feedback/status.json`."""

    name = "feedback"

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.store = folder.store

    def pending(self) -> list[Proposal]:
        """Return the candidates that are neither decided nor older than 90 days, newest first."""
        return [_proposal(each.row) for each in feedback.every(self.store) if each.status == "new"]

    def find(self, name: str) -> list[Proposal]:
        """Return the candidates an id, a prefix of one or a whole text hash means."""
        found = feedback.every(self.store)
        return [_proposal(c.row) for c in found if c.id.startswith(name) or c.row.get("text_sha256") == name]

    def details(self, name: str) -> Mapping[str, Any]:
        """Return the row of a candidate, what was decided, and which others resemble it."""
        return feedback.shown(self.folder, name)

    def plan(self, name: str, choice: Choice) -> Planned:
        """Return what a yes would write; without a topic it cannot be whole."""
        row = self._row(name)
        if choice.kept_as == "rule":
            return Planned("", (), f"- {_lesson(row)}", complete=True)
        _require_note(choice)
        root = self._topic(choice.topic)
        if root is None:
            return Planned("", (), _lesson(row), complete=False, needs="--topic SLUG")
        note = notes.note(row, root.name, clock.today())
        if self._note_of(root, name):
            return Planned(str(root.path), (), note.body, complete=True)
        taken = take(root, note, dry_run=True)
        return Planned(str(root.path), taken.changes, taken.admission.data.decode(), complete=True)

    def decide(self, name: str, verdict: str, actor: str, choice: Choice) -> Decided:
        """Apply a verdict; note, log and status under one lock, the note first."""
        if choice.dry_run:
            planned = self.plan(name, choice) if verdict == "yes" else Planned("", (), "", complete=True)
            return Decided(name, verdict, False, planned)
        if verdict == "yes" and choice.kept_as == "rule":
            return Decided(name, verdict, False, self.plan(name, choice))
        with self._locked():
            if verdict == "yes":
                return self._promote(name, actor, choice)
            if verdict == "edit":
                return self._edit(name, choice)
            if verdict == "undo":
                return self._undo(name)
            return self._reject(name, actor, choice)

    def status(self) -> dict[str, Any]:
        """Return the decisions, every part an object whatever the file holds; other keys are kept."""
        status = candidates.status(self.store)
        return status | {key: candidates.part(status, key) for key in _PARTS}

    def _save(self, status: dict[str, Any]) -> None:
        kept = {key: value for key, value in status.items() if value or key not in ("seen", "edited")}
        files.write_json(self.store.path("feedback", "status.json"), kept)
        feedback.rebuild_feedback_index(self.store)

    def _row(self, name: str) -> dict[str, Any]:
        row = next((each.row for each in feedback.every(self.store) if each.id == name), None)
        if row is None:
            raise NothingFound(f"no feedback candidate {name}")
        return row

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self.store.lock(_LOCK, timeout=_LOCK_SECONDS) as had:
            if not had:
                raise LockBusy("another process works on the feedback", remedy="run it again in a moment")
            yield

    def _topic(self, slug: str) -> Root | None:
        """Return the topic a note goes to, None while none is named; raises for one that cannot take it."""
        if self.folder.local:
            return resolve(self.folder.hub)
        if not slug:
            return None
        return resolve(wiki=slug, hub=str(self.folder.hub))

    def _note_of(self, root: Root, name: str) -> str:
        """Return the path of the note that a candidate has in a topic already, "" without one."""
        folder = root.path / "raw" / "notes"
        found = sorted(folder.glob(f"*-{name}.md")) if folder.is_dir() else []
        return found[0].relative_to(root.path).as_posix() if found else ""

    def _promote(self, name: str, actor: str, choice: Choice) -> Decided:
        _require_note(choice)
        row, status = self._row(name), self.status()
        root = self._topic(choice.topic)
        if root is None:
            raise BadUsage(f"{name} needs a topic to go to", remedy="--topic SLUG")
        known = _entries(status["promoted"].get(name))
        settle(root.path)
        path = self._note_of(root, name)
        if path and any(entry.get("topic") == root.name for entry in known):
            return Decided(name, "yes", False, Planned(str(root.path), (), "", complete=True), path)
        transaction = transaction_of(root.path, path) if path else ""
        changes: tuple[Change, ...] = ()
        if not path:
            taken = take(root, notes.note(row, root.name, clock.today()), person=True)
            path, changes, transaction = taken.admission.path, taken.changes, taken.transaction or ""
        entry = {
            "ts": rows.stamp(clock.now()),
            "topic": root.name,
            "path": path,
            "by": actor,
            "via": choice.via,
            "transaction": transaction,
        }
        status["promoted"][name] = [*known, entry] if known else entry
        status["rejected"].pop(name, None)
        self._save(status)
        return Decided(
            name, "yes", True, Planned(str(root.path), changes, "", complete=True), path, transaction
        )

    def _reject(self, name: str, actor: str, choice: Choice) -> Decided:
        self._row(name)
        status = self.status()
        nothing = Planned("", (), "", complete=True)
        if name in status["rejected"]:
            return Decided(name, "no", False, nothing)
        if _entries(status["promoted"].get(name)):
            raise Refused(f"{name} was promoted", remedy=f"llm-wiki review undo {name}")
        status["rejected"][name] = {
            "ts": rows.stamp(clock.now()),
            "reason": redact(" ".join(choice.reason.split()))[:500],
            "by": actor,
            "via": choice.via,
        }
        self._save(status)
        return Decided(name, "no", True, nothing)

    def _edit(self, name: str, choice: Choice) -> Decided:
        row, status = self._row(name), self.status()
        words = redact(" ".join(choice.edited.split()))
        if not words:
            raise BadUsage(
                "there are no new words", remedy="--text 'THE LESSON', or --text - for standard input"
            )
        if len(words) > LESSON_CHARS:
            raise BadUsage(f"a lesson has at most {LESSON_CHARS} characters, not {len(words)}")
        done = row.get("distilled_lesson") != words
        if done:
            status["edited"][name] = {"ts": rows.stamp(clock.now()), "lesson": words}
            self._save(status)
        return Decided(name, "edit", done, Planned("", (), words, complete=True))

    def _undo(self, name: str) -> Decided:
        """Take the last decision back: the rejection, the newest note with its rows, else the edit."""
        status = self.status()
        nothing = Planned("", (), "", complete=True)
        known = _entries(status["promoted"].get(name))
        if name in status["rejected"]:
            del status["rejected"][name]
        elif known:
            root = self._topic(str(known[-1].get("topic")))
            transaction = str(known[-1].get("transaction") or "")
            if root is None or not transaction:
                raise Conflict(f"the note of {name} was not written by this desk", remedy="remove it by hand")
            changes = tuple(reversed(taken_back(root.path, transaction, root.hub)))
            nothing = Planned(str(root.path), changes, "", complete=True)
            left = known[:-1]
            if left:
                status["promoted"][name] = left if len(left) > 1 else left[0]
            else:
                del status["promoted"][name]
        elif name in status["edited"]:
            del status["edited"][name]
        else:
            raise NothingFound(f"nothing was decided about {name}")
        self._save(status)
        return Decided(name, "undo", True, nothing)


def _proposal(row: Mapping[str, Any]) -> Proposal:
    flags = [str(row.get("confidence") or ""), f"matched: {row.get('rationale') or 'nothing'}"]
    return Proposal(
        id=str(row["id"]),
        kind=str(row.get("feedback_type") or "manual"),
        text=_lesson(row),
        evidence=(
            Evidence(
                notes.SOURCE, str(row.get("llm_wiki_session_id") or ""), str(row.get("text_preview") or "")
            ),
        ),
        neighbours=(),
        flags=tuple(flag for flag in flags if flag),
        source="feedback",
        created=_ts(row),
        project=str(row.get("project_key") or ""),
    )


def _lesson(row: Mapping[str, Any]) -> str:
    return str(row.get("distilled_lesson") or row.get("text_preview") or "")


def _ts(row: Mapping[str, Any]) -> str:
    return str(row.get("ts") or "")


def _entries(value: Any) -> list[dict[str, Any]]:
    return list(feedback.entries(value))


def _require_note(choice: Choice) -> None:
    if choice.kept_as in _FACTS:
        raise Refused(f"there is no fact memory to keep a {choice.kept_as} in yet", remedy="leave out --as")
