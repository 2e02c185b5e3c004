"""A model with the reading verbs as its only tools: one loop over HTTP, for two kinds of endpoint.

`ANTHROPIC_API_KEY` (and `ANTHROPIC_BASE_URL`, `EVAL_MODEL`) or `EVAL_BASE_URL`, `EVAL_API_KEY` and
`EVAL_MODEL` (OpenAI-compatible) say which. The system text is the real command with its reference.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

import reader  # noqa: E402 - promptfoo imports this file by its path

ROOT = Path(__file__).resolve().parents[2]
TURNS, TOKENS, BUDGET = 8, 2048, 60_000
"""Turns a question may take, tokens a turn may write, tokens a question may use in all."""

TOOLS = {
    "query": "Collect what answers a question. Arguments as on the command line.",
    "search": "Find pages by words.",
    "read": "Read files by path.",
    "resolve": "Say which wiki is meant.",
}
_SCHEMA = {
    "type": "object",
    "properties": {"arguments": {"type": "array", "items": {"type": "string"}}},
    "required": ["arguments"],
    "additionalProperties": False,
}


class Endpoint(NamedTuple):
    """Where the model is and how it is spoken to."""

    kind: str
    url: str
    key: str
    model: str


class Turn(NamedTuple):
    """What the model said: text, calls (id, verb, arguments), the message to keep, tokens used."""

    text: str
    calls: list[tuple[str, str, list[str]]]
    message: dict[str, Any]
    used: int


def endpoint() -> Endpoint | None:
    """Return the endpoint that the environment names, None without a key."""
    env = os.environ.get
    if env("EVAL_API_KEY") and env("EVAL_BASE_URL") and env("EVAL_MODEL"):
        url = env("EVAL_BASE_URL", "").rstrip("/") + "/chat/completions"
        return Endpoint("openai", url, env("EVAL_API_KEY", ""), env("EVAL_MODEL", ""))
    if env("ANTHROPIC_API_KEY") and env("EVAL_MODEL"):
        base = env("ANTHROPIC_BASE_URL") or "https://api.anthropic.com"
        url = base.rstrip("/") + "/v1/messages"
        return Endpoint("anthropic", url, env("ANTHROPIC_API_KEY", ""), env("EVAL_MODEL", ""))
    return None


class Live(reader.Reader):
    """Asks a model, turn by turn."""

    name = "live"

    def answer(self, prompt: str) -> str:
        """Return the model's last text."""
        import httpx

        place = endpoint()
        assert place is not None
        asked = f"{prompt}\n\nOptions given by the user: {' '.join([*self.place, *self.case['flags']])}"
        messages: list[dict[str, Any]] = [{"role": "user", "content": asked}]
        used = 0
        turn = Turn("", [], {}, 0)
        with httpx.Client(timeout=120) as client:
            for _ in range(TURNS):
                turn = _say(client, place, messages)
                messages.append(turn.message)
                used += turn.used
                if not turn.calls or used > BUDGET:
                    break
                results = [(number, self.run(verb, given)) for number, verb, given in turn.calls]
                messages += _results(place, results)
        return turn.text

    def run(self, verb: str, arguments: list[str]) -> str:
        """Call a verb for the model; note what it was handed and which files it read."""
        if verb not in TOOLS:
            self.trace["trap"].append(f"{verb} {arguments}")
            return "no such tool"
        done = self.call(verb, *arguments)
        self.trace["read"] += [path for path in self.trace["files"] if f'path="{path}"' in done.out]
        return self.take(f"exit {done.exit}\n{done.out}{done.err}")


def system() -> str:
    """Return the text of the query command and what it always loads."""
    command = (ROOT / "profiles/claude/wiki/commands/query.md").read_text(encoding="utf-8")
    rules = (ROOT / "profiles/claude/wiki/references/asking.md").read_text(encoding="utf-8")
    return f"{command}\n\n{rules}\n\nEach verb is a tool of that name; `arguments` are its command line."


def _say(client: Any, place: Endpoint, messages: list[dict[str, Any]]) -> Turn:
    common = {"model": place.model, "temperature": 0, "max_tokens": TOKENS}
    if place.kind == "anthropic":
        tools = [{"name": n, "description": d, "input_schema": _SCHEMA} for n, d in TOOLS.items()]
        body = common | {"system": system(), "messages": messages, "tools": tools}
        head = {"x-api-key": place.key, "anthropic-version": "2023-06-01"}
        data = client.post(place.url, json=body, headers=head).raise_for_status().json()
        text = "".join(block["text"] for block in data["content"] if block["type"] == "text")
        calls = [
            (block["id"], block["name"], _arguments(block["input"]))
            for block in data["content"]
            if block["type"] == "tool_use"
        ]
        used = data["usage"]["input_tokens"] + data["usage"]["output_tokens"]
        return Turn(text, calls, {"role": "assistant", "content": data["content"]}, used)
    functions = [{"name": n, "description": d, "parameters": _SCHEMA} for n, d in TOOLS.items()]
    tools = [{"type": "function", "function": function} for function in functions]
    body = common | {"messages": [{"role": "system", "content": system()}, *messages], "tools": tools}
    head = {"authorization": f"Bearer {place.key}"}
    data = client.post(place.url, json=body, headers=head).raise_for_status().json()
    message = data["choices"][0]["message"]
    calls = [
        (one["id"], one["function"]["name"], _arguments(one["function"]["arguments"]))
        for one in message.get("tool_calls") or ()
    ]
    return Turn(message.get("content") or "", calls, message, data.get("usage", {}).get("total_tokens", 0))


def _arguments(given: Any) -> list[str]:
    """Return a call's arguments as words, whatever the model made of them."""
    try:
        given = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        return []
    words = given.get("arguments", ()) if isinstance(given, dict) else ()
    return [str(word) for word in words] if isinstance(words, list) else str(words).split()


def _results(place: Endpoint, results: list[tuple[str, str]]) -> list[dict[str, Any]]:
    if place.kind == "anthropic":
        blocks = [{"type": "tool_result", "tool_use_id": n, "content": text} for n, text in results]
        return [{"role": "user", "content": blocks}]
    return [{"role": "tool", "tool_call_id": number, "content": text} for number, text in results]


def call_api(_prompt: str, _options: dict[str, Any], context: dict[str, Any]) -> dict[str, Any]:
    """Answer for promptfoo."""
    return reader.call_api(Live, context)
