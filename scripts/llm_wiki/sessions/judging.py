"""How well the classifier of feedback does on sentences whose label is known (`feedback.md` §5)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from llm_wiki.core.errors import BadUsage
from llm_wiki.core.files import read_bytes
from llm_wiki.hook.classify import LABELS, classify


class Sentence(NamedTuple):
    """A text, its true label, and its language where that is given."""

    text: str
    label: str
    lang: str


def read_sentences(path: Path) -> list[Sentence]:
    """Return the rows of a JSON lines file with `text`, `label` and perhaps `lang`.

    Raises BadUsage with the line for anything else, Unreadable when the system refuses.
    """
    found = []
    text = read_bytes(path).decode("utf-8-sig", "replace")
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            raise BadUsage(
                "the line is no object with a text and a label",
                path=path,
                line=number,
                remedy='write each line as {"text": "…", "label": "correction"}',
            )
        if row.get("label") not in LABELS:
            raise BadUsage(
                f"unknown label {row.get('label')!r}",
                path=path,
                line=number,
                remedy=f"one of {', '.join(LABELS)}",
            )
        found.append(Sentence(row["text"], row["label"], str(row.get("lang") or "")))
    if not found:
        raise BadUsage("the file holds no sentence", path=path, remedy="put one JSON object in each line")
    return found


def predicted(text: str) -> str:
    """Return the label a text gets."""
    verdict = classify(text)
    return verdict.label if verdict else "none"


def measure(sentences: list[Sentence]) -> dict[str, Any]:
    """Return confusion matrix (a row a true label), precision, recall and F1 a label, means, and by language.

    A label that neither occurs nor is given has F1 0, as in the table of `feedback.md` §5.
    """
    answers = [(each, predicted(each.text)) for each in sentences]
    languages = sorted({each.lang for each in sentences if each.lang})
    return _figures(answers) | {
        "languages": {
            name: _brief(_figures([pair for pair in answers if pair[0].lang == name])) for name in languages
        }
    }


def _figures(answers: list[tuple[Sentence, str]]) -> dict[str, Any]:
    place = {label: number for number, label in enumerate(LABELS)}
    matrix = [[0] * len(LABELS) for _ in LABELS]
    for each, label in answers:
        matrix[place[each.label]][place[label]] += 1
    scores = {}
    for number, label in enumerate(LABELS):
        right = matrix[number][number]
        precision = _ratio(right, sum(row[number] for row in matrix))
        recall = _ratio(right, sum(matrix[number]))
        scores[label] = {
            "precision": round(precision, 4),
            "recall": round(recall, 4),
            "f1": round(_ratio(2 * precision * recall, precision + recall), 4),
            "count": sum(matrix[number]),
        }
    macro = {
        name: round(sum(score[name] for score in scores.values()) / len(LABELS), 4)
        for name in ("precision", "recall", "f1")
    }
    right = sum(matrix[number][number] for number in range(len(LABELS)))
    return {
        "labels": list(LABELS),
        "matrix": matrix,
        "scores": scores,
        "macro": macro,
        "accuracy": round(_ratio(right, len(answers)), 4),
        "count": len(answers),
    }


def _brief(figures: dict[str, Any]) -> dict[str, Any]:
    return {"count": figures["count"], "accuracy": figures["accuracy"], "macro": figures["macro"]}


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def as_text(figures: dict[str, Any]) -> str:
    """Return the figures as a table for people, rows being the truth."""
    labels = figures["labels"]
    width = max(map(len, labels))
    head = " ".join(f"{label[:10]:>10}" for label in (*labels, "precision", "recall", "F1"))
    lines = [f"{'':{width}} {head}"]
    for label, row in zip(labels, figures["matrix"], strict=True):
        score = figures["scores"][label]
        cells = " ".join(f"{number:>10}" for number in row)
        rates = " ".join(f"{score[name]:>10.2f}" for name in ("precision", "recall", "f1"))
        lines.append(f"{label:{width}} {cells} {rates}")
    means = f"accuracy {figures['accuracy']:.2f}, macro-F1 {figures['macro']['f1']:.2f}"
    lines += ["", f"{figures['count']} sentences, {means}"]
    lines += [
        f"  {name}: {part['count']} sentences, macro-F1 {part['macro']['f1']:.2f}"
        for name, part in figures["languages"].items()
    ]
    return "\n".join(lines)
