"""JSON without the value, still JSON: strings stay strings, what the format itself says stays (R8)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from llm_wiki.core.stores import Needle, Span
from llm_wiki.withdraw.match_text import MARKER, cut

_WORDS: Final = """
added admitted after archive_reason archived article async at auto_capture backup backups before by
by_session by_type candidate candidate_count candidates capture_approvals capture_trigger chain changes
command companions confidence containers content_sha256 context correction count created cwd date decided
default description digest_count digest_path distilled distilled_lesson edited edits enabled event
event_count feedback feedback_candidate_count feedback_type files form git_branch git_remote harness hash
hashes hook_event_name hooks host hub id keep kind lang last_digest_at last_digest_path last_events
last_feedback_candidates last_seen_at last_seq last_tool last_tool_failed last_ts lesson lifted
llm_wiki_session_id local_wikis logs made manual manual_summaries manual_summary mark min_confidence mode
model name native_session_id note path payload_preview person pointer post_compact pre_compact preference
privacy programs project_key promoted promoted_to promotion_recommendation prompts queue_cursor rationale
raw_transcripts reason recent_marks registered rehydrate rehydrated rejected removed repo_root restored
root rule_id salt schema_version scope_hint score seen seq session_end session_start sessions sha256 size
source span started_at status steps stop strength strict summary temp text text_preview text_sha256
thresholds_at timeout to tool_event_count tool_events tool_name tool_use_id tools topic topics
transaction transcript_path trigger trigger_detail ts turn_id turn_index type undoes unpromoted
unpromoted_count user_prompt value verb verdict version via wikis words
"""
KEYS: Final = frozenset(word.encode() for word in _WORDS.split())
"""Names of fields in files of JSON that verbs and hooks write."""

STATES: Final = frozenset({b"active", b"archived"})
"""What `status` says in the registry."""

FOLDERS: Final = frozenset({".sessions", ".librarian", ".audit", ".skills"})
_REGISTRY: Final = "wikis.json"

_TOKEN: Final = re.compile(rb'"(?:[^"\\\r\n]++|\\.)*+"|[^\s"\[\]{},:]++')
_SCALAR: Final = re.compile(rb"true|false|null|-?[0-9][0-9.eE+-]*")
_STATUS: Final = re.compile(rb'"status"\s*:\s*$')
_OPENS: Final = b":,[{"
_CLOSES: Final = b",]} \t\r\n"


def is_json(name: str) -> bool:
    """Tell whether a file holds JSON, one value or one a line, by its name."""
    return name.lower().endswith((".json", ".jsonl"))


def is_ours(rel: str) -> bool:
    """Tell whether a file of a wiki is one that verbs or hooks write."""
    *folders, name = rel.split("/")
    return name == _REGISTRY or not FOLDERS.isdisjoint(folders)


def without(text: bytes, spans: Sequence[Span], *, ours: bool) -> tuple[bytes, bool]:
    """Return a text with markers for spans, and whether something had to stay.

    A number or word that stood for itself becomes a string. In files that are `ours` it stays, as do names
    of fields and states: programs read them.
    """
    kept = False
    edits: list[tuple[int, int, bytes]] = []
    for start, end, inside in _tokens(text, spans):
        token, shifted = text[start:end], [Span(a - start, b - start, name) for a, b, name in inside]
        if not inside[0].start >= start or not inside[-1].end <= end or token[:1] == b'"' != token[-1:]:
            edits += [(span.start, span.end, _loose(text, span)) for span in inside]
        elif token[:1] == b'"':
            if ours and _of_the_format(text, start, end):
                kept = True
            elif shifted[0].start == 0 or shifted[-1].end == len(token):
                edits += [(span.start, span.end, _loose(text, span)) for span in inside]
            else:
                edits.append((start, end, cut(token, shifted)))
        elif not _SCALAR.fullmatch(token):
            edits += [(span.start, span.end, _loose(text, span)) for span in inside]
        elif ours:
            kept = True
        else:
            edits.append((start, end, b'"' + cut(token, shifted) + b'"'))
    parts, at = [], 0
    for start, end, new in edits:
        parts += [text[at:start], new]
        at = end
    return b"".join([*parts, text[at:]]), kept


def stays(needle: Needle) -> bool:
    """Tell whether what is looked for is, or stands in, a word that stays in files of ours."""
    words = (*KEYS, *STATES, b"true", b"false", b"null")
    return any(needle.spans(word, words=True) for word in words)


def _tokens(text: bytes, spans: Sequence[Span]) -> Iterator[tuple[int, int, list[Span]]]:
    """Yield each string or bare word with the spans that begin in it, and each span between two of them."""
    left = list(reversed(spans))
    for token in _TOKEN.finditer(text):
        if not left:
            return
        while left and left[-1].start < token.start() and left[-1].end <= token.start():
            span = left.pop()
            yield span.start, span.end, [span]
        inside = []
        while left and left[-1].start < token.end():
            inside.append(left.pop())
        if inside:
            yield token.start(), token.end(), inside
    for span in reversed(left):
        yield span.start, span.end, [span]


def _of_the_format(text: bytes, start: int, end: int) -> bool:
    word = text[start + 1 : end - 1]
    if text[end : end + 64].lstrip()[:1] == b":":
        return word in KEYS
    return word in STATES and _STATUS.search(text, max(start - 64, 0), start) is not None


def _loose(text: bytes, span: Span) -> bytes:
    """Return the marker for what is no part of one string: quoted where it is a whole value."""
    before = text[: span.start].rstrip(b" \t\r\n")[-1:]
    after = text[span.end : span.end + 1]
    bare = (not before or before in _OPENS) and (not after or after in _CLOSES)
    return b'"' + MARKER + b'"' if bare else MARKER
