"""What one event costs a host: CPU of the hook's whole process against the bare interpreter and against node.

Every case is run beside its peers, in turn, in one folder with 5,000 stored sessions and in an empty one.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from measure import PYTHON

PACKAGE = str(Path(__file__).parent.parent / "scripts")
HOOK = [PYTHON, "-c", "from llm_wiki.hook.main import main; main()"]
SESSIONS = 5_000
RUNS = int(os.environ.get("HOOK_RUNS", "40"))
BUDGET_MS = 40
MEGABYTES = 4


def cpu(command: list[str], home: Path, cwd: Path, payload: bytes = b"") -> float:
    """Return the milliseconds of CPU, user and system, that one process takes."""
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": PACKAGE}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=payload, capture_output=True, env=env, cwd=cwd, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def event(name: str, session: str, project: Path, **more: Any) -> dict[str, Any]:
    """Return a payload as Claude Code sends it."""
    return {"session_id": session, "hook_event_name": name, "cwd": str(project), "prompt_id": os.urandom(8).hex(),
            "transcript_path": f"/home/user/.claude/projects/-x/{session}.jsonl"} | more  # fmt: skip


def fill(hub: Path, project: Path, home: Path) -> None:
    """Store SESSIONS sessions with a digest each, half of them of the project that is measured."""
    sys.path.insert(0, PACKAGE)
    from llm_wiki.core.project import identify
    from llm_wiki.hook import digest, files, rehydrate
    from llm_wiki.hook.store import Store

    cpu(HOOK, home, project, json.dumps(tool("model", project, 1)).encode())
    store = Store(str(hub / ".sessions"))
    state = store.state("claude", "model")
    assert state is not None
    keys = (identify(project).id, "0123456789abcdef")
    rows = []
    for number in range(SESSIONS):
        name = f"old-{number:05}"
        state |= {
            "native_session_id": name,
            "llm_wiki_session_id": f"claude:{name}",
            "project_key": keys[number % 2],
        }
        below = digest.relative_path(state, name)
        state["last_digest_path"] = f".sessions/{below}"
        rows.append({"event": "digest_written", "cwd": state["cwd"], "llm_wiki_session_id": f"claude:{name}",
                     "harness": "claude", "native_session_id": name})  # fmt: skip
        for path, text in (
            (store.state_path("claude", name), json.dumps(state)),
            (store.path(below), "# Digest\n"),
        ):
            files.private_folder(os.path.dirname(path))
            Path(path).write_text(text)
        rehydrate.point(store, state)
    files.append_rows(store.path("registry.jsonl"), rows)


def tool(session: str, project: Path, number: int, size: int = 200) -> dict[str, Any]:
    """Return a finished tool call with an answer of `size` bytes."""
    return event("PostToolUse", session, project, tool_name="Bash", tool_use_id=f"t{number}{os.urandom(4).hex()}",
                 tool_input={"command": "cd src && pytest -q | tail -3"}, tool_response={"stdout": "x" * size})  # fmt: skip


def cases(project: Path) -> dict[str, Any]:
    """Return the payload makers that are measured, by what the table calls them."""
    prompt = "No, that is wrong: we never edit generated files here. Please move it to the template and run the tests."
    return {
        "tool done": lambda n: tool("s1", project, n),
        f"tool done, {MEGABYTES} MB answer": lambda n: tool("s1", project, n, (MEGABYTES << 20) - 2_000),
        "prompt": lambda n: event("UserPromptSubmit", "s1", project, prompt=f"{prompt} ({n})"),
        "stop, with digest": lambda n: event("Stop", "s1", project, turn=n),
        "session start, told of others": lambda n: event(
            "SessionStart", f"new{n}", project, source="startup"
        ),
    }


def at(values: list[float], share: float) -> float:
    """Return the value below which this share of a sample lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main() -> None:
    """Print CPU milliseconds and ratios; exit 1 where a case is over its budget."""
    node = shutil.which("node")
    over = 0
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        sessions = home / "wiki" / ".sessions"
        sessions.mkdir(parents=True)
        project.mkdir()
        (sessions / "config.json").write_text('{"enabled": true}')
        fill(home / "wiki", project, home)
        print(
            f"{SESSIONS} stored sessions, {RUNS} runs a case, milliseconds of CPU; budget: bare p95 + {BUDGET_MS}"
        )
        print(
            f"{'event':<32}{'median':>8}{'p95':>8}{'bare p95':>10}{'over bare':>11}{'x python -c pass':>18}{'x node':>8}"
        )
        for name, make in cases(project).items():
            bare, ours, peer = [], [], []
            for number in range(RUNS):
                payload = json.dumps(make(number)).encode()
                bare.append(cpu([PYTHON, "-c", "pass"], home, project))
                ours.append(cpu(HOOK, home, project, payload))
                if node:
                    peer.append(cpu([node, "-e", ""], home, project))
            extra = at(ours, 0.95) - at(bare, 0.95)
            over += extra > BUDGET_MS
            ratio = at(ours, 0.5) / at(bare, 0.5)
            beside = f"{at(ours, 0.5) / at(peer, 0.5):8.2f}" if peer else "       -"
            print(
                f"{name:<32}{at(ours, 0.5):8.1f}{at(ours, 0.95):8.1f}{at(bare, 0.95):10.1f}{extra:+11.1f}{ratio:18.2f}{beside}"
            )
    sys.exit(1 if over else 0)


if __name__ == "__main__":
    main()
