"""A reader without a model: finds, reads, and answers with the sentences that say it, or with the gap."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

import reader  # noqa: E402 - promptfoo imports this file by its path

MODES = frozenset({"--list", "--resume"})
SENTENCES = 3


class Offline(reader.Reader):
    """Resolve, route, query, read: the steps of the prompt, with extraction in place of a model."""

    name = "offline"

    def answer(self, prompt: str) -> str:
        """Return the answer of one turn."""
        done = self.route(prompt)
        if self.case["suite"] == "route":
            self.trace["exit"] = done.exit
            return self.trace["intent"] or "Which one: " + ", ".join(done.json["error"]["options"])
        done = self.call("resolve", "--json", *self.place)
        if done.exit:
            self.trace["exit"] = done.exit
            return f"Refused: {done.json['error']['message']}"
        if "--superseded" in self.flags:
            return self.found(prompt, "--raw", "--superseded")
        if self.trace["intent"] == "inventory":
            return self.found(prompt)
        return self.asked(prompt)

    def asked(self, prompt: str) -> str:
        """Answer from a pack."""
        flags = [flag for flag in self.flags if flag not in self.place]
        done = self.call("query", prompt, "--json", *self.place, *flags, *self.seed)
        self.trace["exit"] = done.exit
        data = done.json
        if "error" in data:
            return f"Refused: {data['error']['message']}"
        if MODES & set(flags):
            self.take(done.out)
            self.trace["read"] += [row["path"] for row in data.get("rows", ())]
            return "\n".join(f"{row['title']} ({row['path']})" for row in data["rows"]) or "Gap: no page."
        self.take(data["pack"])
        if not data["answered"]:
            return _gap(data)
        if "--quick" in flags:
            self.trace["read"] += [row["path"] for row in data["main"]["rows"]]
            return "\n".join(f"{row['summary']} ({row['path']})" for row in data["main"]["rows"][:1])
        done = self.call("query", prompt, "--extract", "--json", *self.place, *flags, *self.seed)
        self.trace["exit"] = done.exit
        data = done.json
        self.take(data["pack"])
        return self.composed(data["extract"]) if data["answered"] else _gap(data)

    def composed(self, sentences: list[dict[str, Any]]) -> str:
        """Return an answer from sentences: what is said, where, and what weakens it."""
        best = [one for one in sentences if one["score"] >= 0.8 * sentences[0]["score"]][:SENTENCES]
        labels = {one["path"]: one["labels"] for one in best}
        for path in labels:
            topic, _, rel = path.rpartition(":")
            place = ["--wiki", topic] if topic else self.place
            done = self.call("read", rel, *place, *self.seed)
            self.take(done.out)
            self.trace["read"] += [path] if not done.exit else []
        lines = [f"{one['text']} ({one['path']}:{one['line']})" for one in best]
        lines += ["Sources:", *(f"- {path}" for path in labels)]
        for path, said in labels.items():
            notes = [said.get("note", ""), said["trust"] if said.get("trust") == "lapsed" else ""]
            weak = ", ".join(note for note in notes if note)
            if said.get("confidence", "high") != "high" or weak:
                level = said.get("confidence", "unknown")
                lines.append(f"Confidence: {level}{f'; {weak}' if weak else ''} ({path})")
        return "\n".join(lines)

    def found(self, prompt: str, *flags: str) -> str:
        """Answer with the lines of what a search finds, under its labels: history, or tracking state."""
        self.take(self.call("search", *flags, *self.seed, *self.place, "--", prompt).out)
        done = self.call("search", "--json", "--limit", "5", *flags, *self.place, "--", prompt)
        lines: list[str] = []
        for hit in [hit for hit in done.json["hits"] if hit["labels"]]:
            old = [flag for flag in flags if flag == "--superseded"]
            done = self.call("read", hit["path"], *old, *self.place, *self.seed)
            self.take(done.out)
            self.trace["read"].append(hit["path"])
            labels = ", ".join(hit["labels"])
            lines += [f"{snippet['text']} ({hit['path']}, {labels})" for snippet in hit["snippets"]]
        self.trace["exit"] = int(not lines)
        return "\n".join(lines) or "Gap: nothing found."


def _gap(data: dict[str, Any]) -> str:
    gap = data["gap"]
    return f"Gap: the wiki {data['wiki']} does not say. To close it, ingest a source about: {gap['about']}."


def call_api(_prompt: str, _options: dict[str, Any], context: dict[str, Any]) -> dict[str, Any]:
    """Answer for promptfoo."""
    return reader.call_api(Offline, context)
