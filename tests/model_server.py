"""A scripted model behind the Messages API, on loopback: answers text or tool calls, keeps every request."""

import http.server
import json
import threading
import uuid
from collections.abc import Callable
from typing import Any

Block = dict[str, Any]
Script = Callable[[int, list[str]], Block]
"""(turn, results so far) → the next content block: text ends the conversation, a tool call goes on."""


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def call(name: str, **arguments: Any) -> Block:
    return {"type": "tool_use", "name": name, "input": arguments}


def shell(command: str) -> Block:
    return call("Bash", command=command, description="run the verb")


class Model:
    """The server; `requests` are the bodies of the main conversation in order, `all` every body."""

    def __init__(self) -> None:
        self.script: Script = lambda _turn, _results: text("done")
        self.phrase = ""
        self.requests: list[dict[str, Any]] = []
        self.all: list[dict[str, Any]] = []
        self.failed: Exception | None = None
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(size) or b"{}")
                if self.path.partition("?")[0].endswith("/count_tokens"):
                    self.answer("application/json", b'{"input_tokens": 100}')
                    return
                model.all.append(body)
                self.answer("text/event-stream", model.reply(body))

            def do_HEAD(self) -> None:
                self.answer("application/json", b"")

            def do_GET(self) -> None:
                self.answer("application/json", b"{}")

            def answer(self, kind: str, data: bytes) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def play(self, phrase: str, script: Script) -> None:
        """Follow `script` in the conversation whose first prompt holds `phrase`; others get a word."""
        self.phrase, self.script = phrase, script
        self.requests, self.all, self.failed = [], [], None

    def reply(self, body: dict[str, Any]) -> bytes:
        if not body.get("tools") or self.phrase not in json.dumps(body["messages"], ensure_ascii=False):
            return _stream(text("ok"))
        self.requests.append(body)
        results = tool_results(body)
        try:
            return _stream(self.script(len(results), results))
        except Exception as error:  # noqa: BLE001 - unanswered, the client would ask again and again
            self.failed = error
            return _stream(text(f"the script failed: {error!r}"))

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def tool_results(body: dict[str, Any]) -> list[str]:
    """Return what the tools have answered so far, as text, in order."""
    found = []
    for message in body["messages"]:
        content = message["content"] if isinstance(message["content"], list) else []
        for block in content:
            if block.get("type") == "tool_result":
                inner = block.get("content")
                parts = inner if isinstance(inner, list) else [{"text": inner or ""}]
                found.append("".join(part.get("text", "") for part in parts))
    return found


def _stream(block: Block) -> bytes:
    """Return one answer as the events of the Messages API."""
    tool = block["type"] == "tool_use"
    start = {**block, "id": f"toolu_{id(block):x}", "input": {}} if tool else {"type": "text", "text": ""}
    delta = (
        {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        if tool
        else {"type": "text_delta", "text": block["text"]}
    )
    usage = {"input_tokens": 10, "output_tokens": 5}
    message = {
        "id": f"msg_{uuid.uuid4().hex}", "type": "message", "role": "assistant", "model": "scripted", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    events: list[tuple[str, dict[str, Any]]] = [
        ("message_start", {"message": message}),
        ("content_block_start", {"index": 0, "content_block": start}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": {"stop_reason": "tool_use" if tool else "end_turn", "stop_sequence": None},
                           "usage": usage}),
        ("message_stop", {}),
    ]  # fmt: skip
    return b"".join(
        f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode() for name, data in events
    )
