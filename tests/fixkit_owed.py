"""What a run of `lint --fix` owes, whatever the wiki: checked from outside, byte by byte.

`owed` fixes a root and checks that the dry run announced what was done; that files differ just where that
says, and all else is as it was, modes and times too; that every link means the file it meant; that nothing
is wrong that was not before, and what was called repairable is repaired; that a second run does nothing,
and `undo` brings everything back.
"""

import difflib
import json
import re
from collections import Counter, defaultdict

from fixkit import fix, kind_of
from fixkit_state import Paths, fields, meanings, split, state
from lintkit import findings

from llm_wiki.core import undo
from llm_wiki.lint.options import Options

IN_FRONT = {"W201", "W202", "W203", "W204", "W207", "W512", "W517", "W701", "W506", "W301", "W804"}
IN_TEXT = {"W506", "W508", "W301", "W804"}
REFERENCES = {"sources", "origin", "inventory", "raw_sources", "project", "supersedes"}
PAGE = "wiki/references/uncompiled-source-coverage.md"
QUIET = ("log.md", "inbox/.unknown/.manifest.jsonl")
LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
MARK = re.compile(rb"NB[0-9]+")

TOLD = (
    re.compile(r"Set ([\w-]+): .* in (.*)", re.DOTALL),
    re.compile(r"Made (tags|sources) a list in (.*)", re.DOTALL),
    re.compile(r"Wrote (summary) from the text in (.*)", re.DOTALL),
)
"""Sentences that announce a key of the front matter, and the path."""

UNVEILED = {
    "W302": {"W202", "W207"},
    "W308": {"W301"},
    "W613": {"W202", "W201", "W301", "W611"},
    "W703": {"W201", "W203", "W701"},
    **{rule: {"W512", "W517", "W506"} for rule in ("W513", "W514", "W507", "W518", "W502", "W515")},
}
"""A finding that a repair may bring to light → the repairs, of the same file, that may."""

DEAD = ("W501", "W502", "W504", "W507")
"""Links to nothing: which of them one is depends on where its page lies."""

VALUES = {"W201", "W202", "W203", "W204", "W207", "W512", "W701"}
ELSEWHERE = {
    **{rule: VALUES | {"W301"} for rule in ("W601", "W602", "W603", "W614", "W405")},
    "W408": {"W904", "W909"},
    "W503": {"W301", "W506", "W508", "W804"},
    "W505": {"W301", "W506"},
    "W506": {"W301"},
    "W508": {"W301", "W506"},
    "W611": {"W304", "W305"},
    "W612": {"W611"},
}
"""The same for repairs of any file: tags compare articles, a page that is put aside may have cited all."""


def owed(root, *, status="active", unveiled=(), **options):
    """Fix a root, check everything the run owes, and return its report."""
    asked = Options(
        **{key: tuple(value) if key in ("only", "skip") else value for key, value in options.items()}
    )
    judged = {key: getattr(asked.for_status(status), key) for key in ("only", "skip", "strict")}
    before, found = state(root), findings(root, kind_of(root), **judged)
    planned = fix(root, dry_run=True, status=status, **options)
    assert state(root) == before, "a dry run wrote something"
    report = fix(root, status=status, **options)
    after = state(root)
    assert (planned.fixes, planned.changes) == (report.fixes, report.changes), "the plan was another"
    assert list(report.findings) == findings(root, kind_of(root), **judged), (
        "the report is not of what is there"
    )
    done = Done(before, after, report)
    done.check_files()
    done.check_links()
    check_findings(found, report, done, unveiled)
    again = fix(root, status=status, **options)
    assert again.fixes == (), again.fixes
    assert state(root) == after, "a second run changed something"
    _comes_back(root, before, found, report, judged)
    fix(root, status=status, **options)
    told = {rel for rel in after if rel not in QUIET}
    now = state(root)
    differ = [
        rel for rel in told | now.keys() - set(QUIET) if bytes_of(now.get(rel)) != bytes_of(after.get(rel))
    ]
    assert not differ, f"another run after undo made something else of {differ}"
    return report


def bytes_of(entry):
    return entry and (entry.data, entry.link, entry.mode)


class Done:
    """One run: what there was, what there is, and what was announced between."""

    def __init__(self, before, after, report):
        self.before, self.after, self.report = before, after, report
        self.now = {rel: rel for rel in before}
        self.rules = defaultdict(set)
        for action, path, to, rule in report.changes:
            if to:
                first = self.first(path)
                self.now[first] = to
                self.rules[first].add(rule)
            else:
                self.rules[self.first(path)].add(rule)
                if action == "delete":
                    self.now.pop(path, None)
        self.origin = {now: first for first, now in self.now.items()}
        self.keys = defaultdict(set)
        for text in report.fixes:
            self.hear(text)

    def first(self, path):
        """Return the path that what lies at `path` by now had at first."""
        return next((first for first, now in self.now.items() if now == path and first != path), path)

    def hear(self, text):
        """Note the key of the front matter that a sentence announces."""
        for pattern in TOLD:
            if said := pattern.fullmatch(text):
                self.keys[said[2]].add(said[1])
        if said := re.fullmatch(r"Renamed (\S+) to (\S+) in (.*)", text, re.DOTALL):
            self.keys[said[3]] |= {said[1], said[2]}
        if said := re.fullmatch(r"Rewrote source .* in (.*)", text, re.DOTALL):
            self.keys[said[1]].add("sources")

    # --- files -----------------------------------------------------------------------------

    def check_files(self):
        """Every file is where it was or where it was moved, and differs only as announced."""
        for rel, old in self.before.items():
            now = self.now.get(rel)
            new = self.after.get(now) if now else None
            if old.data is None:
                assert new == old, f"{rel} is not what it was"
                continue
            if now is None:
                assert rel == PAGE, f"{rel} is gone"
                continue
            assert new is not None, f"{rel} is not at {now}"
            assert new.data is not None, f"{now} is no file"
            assert new.mode == old.mode, f"mode of {rel} changed"
            if new.data != old.data:
                self.check_edit(rel, now, old.data, new.data)
            else:
                assert new.mtime == old.mtime, f"{rel} was written and is the same"
        made = {rel for rel in self.after if self.origin.get(rel, rel) not in self.before}
        said = {path for action, path, _, _ in self.report.changes if action == "create"}
        above = {"/".join(path.split("/")[:n]) for path in said | set(self.origin) for n in range(1, 9)}
        for rel in made - said - set(QUIET) - above:
            assert rel == "inbox/.processed", f"{rel} was made and not announced"
        assert said <= made | {rel for rel in self.after if self.now.get(rel, rel) != rel}, said - made
        for _, path, to, _ in self.report.changes:
            for rel in filter(None, (path, to)):
                assert self.before.get(rel) != self.after.get(rel), f"{rel} is said to change"

    def check_edit(self, rel, now, old, new):
        """One file differs as the rules that repaired it may make it differ."""
        rules = self.rules[rel] | self.rules[now]
        if now in QUIET:
            assert new.startswith(old), f"{now} lost a line"
            return
        assert rules, f"{rel} changed and nothing says so"
        marks = [data.startswith(b"\xef\xbb\xbf") for data in (old, new)]
        assert marks[0] == marks[1] or now == PAGE, f"{rel}: its byte order mark"
        if now == PAGE:
            return
        if "W804" in rules and now.endswith("/WHY.md") and rel.endswith("/_project.md"):
            assert MARK.findall(old) == MARK.findall(new), f"{rel} lost text"
            return
        if now == "wikis.json":
            assert _ends(new) == (_ends(old) or {b"\n"})
            assert _loaded(new) != _loaded(old)
            return
        assert _ends(new) <= (_ends(old) or {b"\n"}), f"{rel} got other line ends"
        grown = not old or "W508" in rules or (now.endswith("_index.md") and ended(new))
        assert ended(new) == ended(old) or grown, f"{rel}: its last line end"
        lost = Counter(MARK.findall(old)) - Counter(MARK.findall(new))
        if now.endswith("_index.md"):
            check_index(now, old, new)
        else:
            assert not lost, f"{rel} lost {lost}"
            self.check_document(rel, now, old, new, rules)

    def check_document(self, rel, now, old, new, rules):
        """Front matter differs in announced keys, text in where links lead; W508 may add lines to it."""
        (old_head, old_body), (new_head, new_body) = split(old), split(new)
        allowed = set(self.keys[now]) | self.keys[rel]
        if rules & IN_FRONT & IN_TEXT:
            allowed |= REFERENCES
        if old_head != new_head:
            assert rules & IN_FRONT, f"{now}: front matter changed by {rules}"
            check_head(now, old_head, new_head, allowed)
        if old_body != new_body:
            assert rules & IN_TEXT, f"{now}: text changed by {rules}"
            assert not rel.startswith("raw/"), f"{now}: the text of a source changed"
            if "W508" in rules:
                left = iter(_masks(new_body))
                assert all(line in left for line in _masks(old_body)), f"{rel} lost a line"
                return
            one, two = LINE.findall(old_body), LINE.findall(new_body)
            assert len(one) == len(two), f"{now}: lines came or went"
            for was, is_now in zip(one, two, strict=True):
                assert was == is_now or masked(was) == masked(is_now), f"{now}: {was!r} became {is_now!r}"

    # --- links -----------------------------------------------------------------------------

    def check_links(self):
        """Every link, wikilink and source that meant a file means the same file."""
        if not self.report.changes:
            return
        was, is_now = Paths(self.before, {}), Paths(self.after, self.origin)
        for rel, entry in self.before.items():
            now = self.now.get(rel, "")
            new = self.after.get(now)
            content = rel.startswith(("wiki/", "inventory/", "output/", "datasets/")) and rel.endswith(".md")
            if not content or new is None or rel.endswith(("_index.md", "_project.md")):
                continue
            if entry.data is None or now == PAGE or now.startswith("inbox/"):
                continue
            old, found = meanings(entry.data, rel, was), meanings(new.data, now, is_now)
            for part, one, two in zip(("links", "names", "sources"), old, found, strict=True):
                if len(one) != len(two):
                    grown = (self.rules[rel] | self.rules[now]) & {"W508", "W512", "W201"}
                    assert grown, f"{now}: {part} were {one} and are {two}"
                    continue
                for place, meant in enumerate(one):
                    assert not meant or two[place] == meant, (
                        f"{now}: {part}[{place}] meant {meant}, now {two[place]!r}"
                    )


def _loaded(data):
    return json.loads(data.decode("utf-8-sig"))


def _masks(data):
    return [masked(line).rstrip() for line in LINE.findall(data)]


def ended(data):
    """Tell whether the last line of a file has its end; lines that are added behind it need that."""
    return data[-1:] in (b"\n", b"\r")


def _ends(data):
    return set(re.findall(rb"\r\n|\r|\n", data))


def masked(line):
    """Return a line with every place a link may lead to blanked."""
    line = re.sub(rb"<[^<>\n]*>|&lt;[^<>]*&gt;", b"X", line)
    line = re.sub(rb"\]\(\s*(?:[^()\s]|\([^()\s]*\))*", b"](X", line)
    line = re.sub(rb"\[\[[^\]|#\\]*", b"[[X", line)
    line = re.sub(rb"^([ >]*\[[^\]]+\]:\s*)\S+", rb"\1X", line)
    return re.sub(rb"^(\s*)[^\s()\[\]]+(?=\)|\s*$)", rb"\1X", line)


def check_head(rel, old, new, allowed):
    """Lines of front matter differ only in the announced keys; comments stay."""
    one, two = LINE.findall(old), LINE.findall(new)
    owners = [_owners(lines) for lines in (one, two)]
    for step, a, b, c, d in difflib.SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        if step == "equal":
            continue
        for lines, owner, start, stop in ((one, owners[0], a, b), (two, owners[1], c, d)):
            for place in range(start, stop):
                text = f"{rel}: {lines[place]!r} of {owner[place]!r} changed, announced: {sorted(allowed)}"
                assert owner[place] in allowed, text
    was, is_now = fields(old), fields(new)
    for key in (was.keys() | is_now.keys()) - allowed:
        assert was.get(key) == is_now.get(key), f"{rel}: {key} changed"


def _owners(lines):
    """Return for each line of front matter the top key it belongs to."""
    found, owner, indent = [], "", None
    for line in lines:
        text = line.decode("utf-8-sig", "replace")
        key = re.match(r"""(\s*)["']?([\w-]+)["']?\s*:(?:\s|$)""", text)
        if key and (indent is None or key[1] == indent):
            indent, owner = key[1], key[2]
        found.append("---" if text.strip() == "---" else owner)
    return found


ROW = re.compile(rb"^\s*(?:[-*+]\s|\||See |.*\|.*\|)|^\**(?:Last |Archived |Total )|^$|^\s*$|.*\]\(|^\s*- ")
NEW = re.compile(rb"^\s*$|^#{1,4} |^\||^[-*+] |^See |^\**Last updated|^(?:\|? ?\[)|^Archived|.*\|")


def check_index(rel, old, new):
    """Of an index only rows, bullets, dates and statistics change; every other line stays, in order."""
    one, two = (LINE.findall(data.removeprefix(b"\xef\xbb\xbf")) for data in (old, new))
    had, has = ({_unlinked(line) for line in lines} for lines in (one, two))
    for step, a, b, c, d in difflib.SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        if step == "equal":
            continue
        for line in one[a:b]:
            assert ROW.match(line) or _unlinked(line) in has, f"{rel}: lost {line!r}"
        for line in two[c:d]:
            assert NEW.match(line) or _unlinked(line) in had, f"{rel}: got {line!r}"


def _unlinked(line):
    """Return the text of a line with its links reduced to theirs, without its end."""
    return re.sub(rb"\[([^\[\]]*)\](?:\([^)]*\)|\[[^\[\]]*\])?", rb"\1", line).strip()


# --- findings --------------------------------------------------------------------------------


def check_findings(found, report, done, anyway):
    """What was called repairable is gone, and nothing is there that was not before."""
    left = [one for one in report.findings if one.fixable]
    assert not left, "called repairable and left: " + "\n".join(map(str, left))

    def place(one, moved):
        return one.rule, moved.get(one.path, one.path)

    was = Counter(place(one, done.now) for one in found)
    is_now = Counter(place(one, {}) for one in report.findings)
    every = set().union(*done.rules.values())
    twins = {one.path for one in found if one.rule == "W301" and not one.fixable}
    for (rule, path), count in is_now.items():
        rules = done.rules[done.first(path)] | done.rules[path] if path else set()
        unveiled = rules & UNVEILED.get(rule, set()) or every & ELSEWHERE.get(rule, set())
        if rule in DEAD and sum(is_now[one, path] for one in DEAD) <= sum(was[one, path] for one in DEAD):
            continue
        if count <= was[rule, path] or unveiled or rule in anyway or (rule == "W302" and path in twins):
            continue
        new = [one for one in report.findings if place(one, {}) == (rule, path)]
        raise AssertionError(f"new: {new}, after {sorted(rules)}")
    if any(one.fixable for one in found):
        assert report.fixes, "something is repairable, and nothing was done"
    done_without = [one for one in found if not one.fixable and _was_repaired(one, report)]
    assert not done_without, f"not called repairable, and repaired: {done_without}"
    other = [change for change in report.changes if PAGE not in change and change.path != "_index.md"]
    assert any(one.fixable for one in found) or not other, "nothing was to be done, and something was"


def _was_repaired(one, report):
    """Tell whether a finding was the reason of a change of its own."""
    made = {
        (path, rule) for action, path, _, rule in report.changes if action in ("create", "move", "quarantine")
    }
    set_in = {
        (path, rule)
        for action, path, _, rule in report.changes
        if action == "edit" and rule in ("W701", "W512")
    }
    return (one.path, one.rule) in made | set_in and one.rule not in ("W304", "W305")


# --- the way back ----------------------------------------------------------------------------


def _comes_back(root, before, found, report, judged):
    """`undo` restores every byte, mode and folder; of `log.md` it keeps the lines and adds its own."""
    if not report.changes:
        return
    undo.undo(root, verb="lint")
    back = state(root)
    log = before.get("log.md")
    differ = [
        rel for rel in before.keys() | back.keys() if bytes_of(before.get(rel)) != bytes_of(back.get(rel))
    ]
    assert set(differ) <= {"log.md"}, f"not restored: {differ}"
    if "log.md" in differ and log is not None:
        assert back["log.md"].data.startswith(log.data), "the log lost a line"
    now = findings(root, kind_of(root), **judged)
    assert now == found, f"undone, and judged otherwise: {set(now) ^ set(found)}"
