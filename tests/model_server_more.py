"""The scripted model behind the two other APIs that host clients speak: Responses and Chat Completions."""

import json
import uuid
from typing import Any

from model_server import Block, Model, text


class Responses(Model):
    """A model behind `POST /v1/responses`; `shell` blocks become calls of the host's `exec_command`."""

    usage = 10
    """Tokens of the next answer's prompt, as the model counts them: over the limit, the host compacts."""

    def reply(self, body: dict[str, Any]) -> bytes:
        given = body.get("input") or []
        if self.phrase not in json.dumps(given, ensure_ascii=False):
            return self.stream(text("ok"))
        self.requests.append(body)
        results = [
            json.dumps(item.get("output"), ensure_ascii=False)
            for item in given
            if item.get("type") == "function_call_output"
        ]
        return self.stream(self.script(len(results), results))

    def stream(self, block: Block) -> bytes:
        tokens, self.usage = self.usage, Responses.usage
        return _responses(block, tokens)


def _responses(block: Block, tokens: int) -> bytes:
    name = uuid.uuid4().hex
    usage = {"input_tokens": tokens, "output_tokens": 5, "total_tokens": tokens + 5,
             "input_tokens_details": {"cached_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 0}}  # fmt: skip
    if block["type"] == "tool_use":
        arguments = json.dumps({"cmd": block["input"]["command"]})
        item = {"type": "function_call", "id": f"fc_{name}", "call_id": f"call_{name}", "status": "completed",
                "name": "exec_command", "arguments": arguments}  # fmt: skip
    else:
        content = [{"type": "output_text", "text": block["text"], "annotations": []}]
        item = {"type": "message", "id": f"msg_{name}", "role": "assistant", "status": "completed",
                "content": content}  # fmt: skip
    done = {
        "id": f"resp_{name}",
        "object": "response",
        "status": "completed",
        "output": [item],
        "usage": usage,
    }
    events: list[tuple[str, dict[str, Any]]] = [
        ("response.created", {"response": {**done, "status": "in_progress", "output": []}}),
        ("response.output_item.added", {"output_index": 0, "item": item}),
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": done}),
    ]
    return b"".join(
        f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode() for kind, data in events
    )


class Completions(Model):
    """A model behind `POST /v1/chat/completions`; `shell` blocks become calls of the host's `bash`."""

    usage = 10
    """Tokens of the next answer's prompt, as the model counts them: over the limit, the host compacts."""

    def reply(self, body: dict[str, Any]) -> bytes:
        messages = body.get("messages") or []
        if not body.get("tools") or self.phrase not in json.dumps(messages, ensure_ascii=False):
            return self.stream(text("ok"))
        self.requests.append(body)
        results = [str(message["content"]) for message in messages if message["role"] == "tool"]
        return self.stream(self.script(len(results), results))

    def stream(self, block: Block) -> bytes:
        name = uuid.uuid4().hex
        head = {"id": f"c_{name}", "object": "chat.completion.chunk", "created": 1, "model": "stub-model"}
        if block["type"] == "tool_use":
            function = {"name": "bash", "arguments": json.dumps(block["input"])}
            call = {"index": 0, "id": f"call_{name}", "type": "function", "function": function}
            delta, reason = {"role": "assistant", "tool_calls": [call]}, "tool_calls"
        else:
            delta, reason = {"role": "assistant", "content": block["text"]}, "stop"
        tokens, self.usage = self.usage, Completions.usage
        usage = {"prompt_tokens": tokens, "completion_tokens": 5, "total_tokens": tokens + 5}
        chunks = [
            {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
        ]
        return b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks) + b"data: [DONE]\n\n"
