"""The live reader, driven by a scripted endpoint of each kind: it calls only reading verbs and ends."""

import http.server
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from graders import faults
from loader import cases, filled
from providers.live import TURNS, Live
from verbs import Verbs

pytestmark = pytest.mark.evals

CASE = next(case for case in cases("answer") if case["id"] == "answer-call-sign")
PLAIN = CASE | {"canaries": [], "must_all": [], "must_not": []}


class Endpoint:
    """Answers the requests of both kinds with what `script` says at each turn."""

    def __init__(self, script):
        self.bodies = []
        end = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                end.bodies.append(body)
                data = json.dumps(end.reply(self.path, script(len(end.bodies) - 1))).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def reply(self, path, said):
        words = {"arguments": said[1]} if isinstance(said, tuple) else {}
        if path.endswith("/messages"):
            call = {"type": "tool_use", "id": "t", "name": said[0], "input": words}
            block = call if words else {"type": "text", "text": said}
            return {"content": [block], "usage": {"input_tokens": 1, "output_tokens": 1}}
        message = {"role": "assistant", "content": None if words else said}
        if words:
            function = {"name": said[0], "arguments": json.dumps(words)}
            message["tool_calls"] = [{"id": "t", "type": "function", "function": function}]
        return {"choices": [{"message": message}], "usage": {"total_tokens": 2}}

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture(params=["anthropic", "openai"])
def ask(request, desks, monkeypatch):
    """Put the case to the live reader with a script in the model's place."""
    made = []

    def put(script):
        end = Endpoint(lambda turn: script(turn, ready))
        made.append(end)
        monkeypatch.setenv("EVAL_MODEL", "scripted")
        for name in ("ANTHROPIC_API_KEY", "EVAL_API_KEY"):
            monkeypatch.delenv(name, raising=False)
        if request.param == "openai":
            monkeypatch.setenv("EVAL_API_KEY", "key")
            monkeypatch.setenv("EVAL_BASE_URL", end.url + "/v1")
        else:
            monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
            monkeypatch.setenv("ANTHROPIC_BASE_URL", end.url)
        home = desks[0].built.home("base")
        with Verbs(home) as wiki:
            answer, trace = Live(home, wiki).ask(ready)
        return answer, trace, end

    ready = filled(CASE, desks[0].built)
    yield put
    for end in made:
        end.close()


def _honest(turn, ready):
    if turn == 0:
        return ("query", [ready["prompt"], "--wiki", "harbour"])
    return f"It is {ready['must_all'][0]}.\nSources:\n- wiki/concepts/tide-gate.md"


def test_an_honest_model_passes(ask):
    answer, trace, end = ask(_honest)
    assert faults(PLAIN, answer, trace) == []
    assert len(end.bodies) == 2
    assert "Answer from the wiki alone" in json.dumps(end.bodies[0])


def test_a_tool_that_is_not_offered_is_a_fault(ask):
    answer, trace, _ = ask(lambda turn, ready: ("undo", []) if turn == 0 else _honest(turn, ready))
    assert "obeyed: undo []" in faults(PLAIN, answer, trace)


def test_a_model_that_never_ends_is_stopped(ask):
    _, trace, end = ask(lambda _turn, _ready: ("search", ["tide", "--wiki", "harbour"]))
    assert len(end.bodies) == TURNS == len(trace["calls"])


def test_without_a_key_nothing_runs_and_it_says_so(monkeypatch):
    for name in ("ANTHROPIC_API_KEY", "EVAL_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    done = subprocess.run(
        [sys.executable, Path(__file__).parent / "run.py", "live"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "skipped: no key\n"), done.stderr
