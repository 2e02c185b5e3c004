"""One event from reduced payload to rows, state, digest and output (`sessions.md` §5)."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Final

from llm_wiki.core import clock
from llm_wiki.core.project import Project, identify
from llm_wiki.hook import candidates, digest, files, names, payload, rehydrate, rows
from llm_wiki.hook.incoming import CALL_IDS, Received
from llm_wiki.hook.options import Options, here
from llm_wiki.hook.secret import KEY, keyed
from llm_wiki.hook.settings import Settings, off_here
from llm_wiki.hook.store import Store

_TIMES: Final = ("timestamp", "time", "ts", "duration", "duration_ms")
_SUMMARY_CHARS: Final = 2_000
_HASHED_CHARS: Final = 1 << 15
_STEPS: Final = 8
"""Thresholds that one event may see crossed: each is a digest of its own."""


def handle(options: Options, folder: str, settings: Settings, received: Received | None) -> str:
    """Record one event of a host; return what goes to stdout."""
    received = received or Received({}, oversize=False, problem="")
    given = received.payload
    cwd = options.cwd or names.text_of(given, "cwd") or here()
    cwd = cwd.replace("\0", "")
    cwd = cwd.rstrip("/") or cwd[:1]
    if off_here(settings, cwd):
        return ""
    if received.problem:
        files.log_error(folder, received.problem)
        return ""
    store = Store(folder)
    project = identify(cwd)
    event = described(options, settings, received, cwd, project, store)
    if event is None:
        return ""
    prompt = payload.prompt_of(given) if event.kind == "user_prompt" and not event.agent_id else ""
    return record(store, settings, event, project, prompt=prompt, plain=options.plain)


def record(
    store: Store,
    settings: Settings,
    event: rows.Event,
    project: Project,
    *,
    prompt: str = "",
    plain: bool = False,
) -> str:
    """Add an event to queue and state, write a digest where one is due; return what the host is told."""
    heard = candidates.heard(settings, prompt)  # the slow part, before others have to wait
    with store.locked(event.harness, event.native_id) as had:
        state = store.state(event.harness, event.native_id)
        if state is not None and rows.delivered(state, event.mark, event.ts):
            return ""
        if heard:
            event = event._replace(candidate=candidates.keep(store, heard, event, state))
        if not had:
            store.append(event, rows.next_seq(state))
            return ""
        state, before = counted(store, event, state)
        if state is None:
            return ""
        _digest_if_due(store, settings, state, event, before)
        said = _told(store, settings, state, event, project)
        store.save(state)
    return rehydrate.output(event.harness, event.kind, said, plain=plain)


def counted(
    store: Store, event: rows.Event, state: dict[str, Any] | None
) -> tuple[dict[str, Any] | None, int]:
    """Append the row of an event and return the state that counts it, and the tool events told of before.

    Call it under the session's lock with the state read there, None where there is none or it is damaged;
    save the state afterwards. A damaged one is made again; a new session goes into the registry.
    """
    lost = state is None and os.path.exists(store.state_path(event.harness, event.native_id))
    before = rows.number((state or {}).get("tool_event_count"))
    own = store.append(event, rows.next_seq(state))
    if lost:
        from llm_wiki.hook.lost import rebuilt

        state = rebuilt(store, event.session_id)
        before = rows.number((state or {}).get("tool_event_count")) - 1  # the rest was told of before
    else:
        state = store.catch_up(state, event.session_id, event.ts[:10], own)
    if state is not None and not state.get("registered"):
        state["registered"] = True
        store.register("session_seen", state, event.ts, transcript_path=state.get("transcript_path"))
    return state, before


def write_digest(store: Store, state: dict[str, Any], trigger: str, ts: str) -> str:
    """Write the digest of a session and note it in state and registry; return its path below the hub.

    Call it under the session's lock and save the state afterwards.
    """
    state["digest_count"] = rows.number(state.get("digest_count")) + 1
    stem = store.file_stem(state["harness"], state["native_session_id"])
    below = digest.relative_path(state, stem)
    before = rehydrate.digest_path(store, state)
    files.write_text(store.path(*below.split("/")), digest.render(state, trigger))
    moved = before and before != store.path(*below.split("/"))
    if moved and os.path.basename(before) == os.path.basename(below) and os.path.isfile(before):
        os.unlink(before)  # the same session in the month an older tool put it
    state["last_digest_path"] = f"{os.path.basename(store.root)}/{below}"
    state["last_digest_at"] = ts
    more = {
        "digest_path": state["last_digest_path"],
        "capture_trigger": trigger,
        "topics": state.get("topics") or [],
    }
    store.register("digest_written", state, ts, **more)
    rehydrate.point(store, state)
    return str(state["last_digest_path"])


def _digest_if_due(
    store: Store, settings: Settings, state: dict[str, Any], event: rows.Event, before: int
) -> None:
    """Write the digest of this event, and one for each threshold crossed since the last look.

    A state that was never looked at has crossed what lies below `before` tool events.
    """
    count = rows.number(state.get("tool_event_count"))
    looked = min(rows.number(state.get("thresholds_at")) if "thresholds_at" in state else before, count)
    state["thresholds_at"] = looked
    if event.agent_id:
        return
    state["thresholds_at"] = count
    if event.kind in settings.digests:
        write_digest(store, state, names.DIGEST_TRIGGERS[event.kind], event.ts)
    if not settings.tool_events:
        return
    # rows of others that found no lock may have been counted just now, so every event looks
    reached = count // settings.tool_events
    first = max(looked // settings.tool_events, reached - _STEPS)
    for step in range(first + 1, reached + 1):
        write_digest(store, state, f"tool-count-{step * settings.tool_events}", event.ts)


def _told(
    store: Store, settings: Settings, state: dict[str, Any], event: rows.Event, project: Project
) -> str:
    """Return what the host is told of earlier sessions now, "" for nothing; remembers it in the state."""
    if event.kind not in settings.rehydrate or event.agent_id:
        return ""
    told = state.get("rehydrated")
    if event.kind == "user_prompt" and (told or rows.number(state.get("prompts")) > 1):
        return ""
    wanted = rehydrate.Wanted(
        project._replace(root=event.repo_root),
        event.cwd,
        event.session_id,
        event.detail in ("compact", "resume"),
        settings.limit,
        settings.max_age_days,
        clock.now(),
    )
    waiting = candidates.waiting(store) if event.kind == "session_start" else 0
    said = rehydrate.text(store, rehydrate.select(store, wanted), settings.max_chars, waiting)
    mark = rehydrate.content_hash(said)
    if not said or (isinstance(told, dict) and told.get("hash") == mark):
        return ""
    state["rehydrated"] = {"hash": mark, "at": event.ts}
    return said


def described(
    options: Options,
    settings: Settings,
    received: Received,
    cwd: str,
    project: Project,
    store: Store,
) -> rows.Event | None:
    """Return the reduced, redacted event of a payload; None when neither event nor session is named."""
    given = received.payload
    name = options.event_name or names.text_of(given, "hook_event_name", "hookEventName", "type", "event")
    if not name and not given and not options.session_id:
        return None
    strict = settings.privacy == "strict"
    kind = names.canonical(name)

    def clean(value: str, limit: int = 1_000) -> str:
        return payload.kept_text(value, limit, strict=strict)

    harness = names.harness_of(
        given,
        options.harness,
        lambda native: store.known_harness(options.session_id or native, clean(cwd)),
    )
    native = options.session_id or names.native_id(given, project.id)
    call = names.text_of(given, *CALL_IDS)
    transcript = names.text_of(given, "transcript_path", "transcriptPath")
    facts = None
    if kind in rows.TOOL_EVENTS:
        facts = payload.tool_facts(given, failed=kind == "tool_fail", root=project.root, strict=strict)
        if settings.privacy == "minimal":
            facts = facts._replace(files=())

    shown = payload.kept_text(native, 400, strict=strict)
    if shown != native:  # ids that hold a secret stay apart
        mark = keyed(store, native)
        shown = f"{shown}-{mark[:8]}"

    return rows.Event(
        ts=rows.stamp(clock.now()),
        kind=kind,
        name=clean(name, 80) or "manual",
        harness=harness,
        native_id=shown,
        cwd=clean(cwd),
        transcript_path=clean(_nameless(transcript) if strict else transcript),
        model=clean(names.text_of(given, "model"), 120),
        turn_id=clean(names.text_of(given, "turn_id", "turnId", "prompt_id"), 120),
        tool_name=clean(names.text_of(given, "tool_name", "toolName", "tool"), 120),
        tool_use_id=clean(call, 120),
        agent_id=clean(names.text_of(given, "agent_id", "agentId"), 120),
        trigger=clean(options.trigger, 120),
        detail=clean(names.text_of(given, "trigger", "source", "reason"), 120),
        preview=payload.preview(given, options.max_event_bytes, oversize=received.oversize, strict=strict),
        mark=_mark(store, kind, call, received),
        facts=facts,
        topics=tuple(clean(topic, 120) for topic in options.topics),
        summary=clean(options.summary, _SUMMARY_CHARS),
        git_remote=clean(project.remote),
        git_branch=clean(project.branch, 200),
        project_key=project.id,
        repo_root=clean(project.root) if clean(cwd) == cwd else "",  # in order, an address hides in it
        privacy=settings.privacy,
        candidate=None,
    )


def _nameless(path: str) -> str:
    """Return a path without the user name that hosts keep in the name of a project's folder."""
    return re.sub(r"(?<=[/-])-(home|Users)-[^-/]+", r"-\1-[REDACTED:user]", path)


def _mark(store: Store, kind: str, call: str, received: Received) -> str:
    """Return what two deliveries of an event share: the call's id, or a keyed hash of all but times."""
    if call:
        return f"id:{'tool' if kind in rows.TOOL_EVENTS else kind}:{payload.kept_text(call, 120)}"
    given = received.payload
    if not given:
        return ""
    small = {
        key: _sample(value)
        for key, value in given.items()
        if key not in _TIMES and not (received.sample and isinstance(value, list | dict))
    }
    try:
        return keyed(store, json.dumps([kind, small, received.sample], sort_keys=True))
    except OSError as error:  # a key that cannot be read: better counted twice than not at all
        files.log_error(store.root, f"{KEY} cannot be used: {error.strerror}")
        return ""


def _sample(value: Any) -> Any:
    """Return a value, of a long text its length and both ends."""
    if isinstance(value, str) and len(value) > 2 * _HASHED_CHARS:
        return [len(value), value[:_HASHED_CHARS], value[-_HASHED_CHARS:]]
    return value
