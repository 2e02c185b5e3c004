"""Secrets made up at run time, and the places they turn up in: no file of the repository holds one."""

import json
import random
import re
from urllib.parse import quote

from llm_wiki.core.redact.shape import ALPHABETS

_SLOT = re.compile(r"\{([awluhHdbB])([0-9]+)\}")


def build(recipe, seed):
    """Return what a recipe describes, and the drawn parts of at least eight characters in it."""
    rng = random.Random(f"{recipe} {seed}")
    parts = []

    def draw(match):
        alphabet, length = ALPHABETS[match[1]], int(match[2])
        text = "".join(rng.choice(alphabet) for _ in range(length))
        # a token that ends in a sign cannot be told from the sentence around it
        if not text[-1].isalnum():
            text = text[:-1] + rng.choice(ALPHABETS["l"])
        parts.append(text)
        return text

    return _SLOT.sub(draw, recipe), [part for part in parts if len(part) >= 8]


def _json(text):
    return json.dumps({"id": 7, "note": f"set it to {text} and go on", "ok": True})


CONTEXTS = {
    "prose": lambda s: f"The build broke until somebody put {s} into the settings, then it went on.",
    "sentence end": lambda s: f"Please rotate {s}.",
    "JSON": _json,
    "JSON in JSON": lambda s: json.dumps({"event": "post", "body": _json(f"a\n{s}\nb")}),
    "env": lambda s: f"DEBUG=1\nexport VALUE={s}\nMODE=fast\n",
    "YAML": lambda s: f"service:\n  - name: x\n    value: {s}\n    port: 80\n",
    "YAML block": lambda s: f"service:\n  value: |\n    {s}\n  port: 80\n",
    "URL": lambda s: f"GET https://api.example.com/v1/items?ref={quote(s, safe='')}&page=2",
    "Markdown table": lambda s: f"| name | value |\n|---|---|\n| one | {s} |\n| two | 2 |\n",
    "inline code": lambda s: f"Use `{s}` for the demo.",
    "shell": lambda s: f"$ tool login --with '{s}' && tool run\n",
    "shell flag": lambda s: f"$ tool --value={s} --verbose\n",
    "source code": lambda s: f'client = Client("{s}", timeout=3)\n',
    "log": lambda s: f"2026-03-04T05:06:07Z INFO [main] request failed value={s} status=401\n",
    "colour log": lambda s: f"\x1b[31m{s}\x1b[0m refused\n",
    "diff": lambda s: f"@@ -1,2 +1,2 @@\n-value: old\n+value: {s}\n context\n",
    "path": lambda s: f"opened /srv/cache/{s}/part-1.bin",
    "transcript": lambda s: json.dumps(
        {
            "type": "user",
            "message": {"role": "user", "content": [{"type": "text", "text": f"here:\n\t{s}\nok?"}]},
        }
    ),
    "brackets": lambda s: f"({s}) [{s}] <{s}> {{{s}}}",
    "CSV": lambda s: f"id,value,n\n1,{s},2\n",
    "XML": lambda s: f"<item><value>{s}</value></item>",
}
"""Name of the place → a text of it around a secret. None of them names what it holds."""

NO_PATH = frozenset("/:")
"""Signs that no single part of a path holds: such a secret is not put into one."""


def places(name, secret):
    """Say whether a secret can stand in a place at all."""
    return name != "path" or not (NO_PATH & set(secret))


def wraps(secret):
    """Yield (how, text): a secret broken over lines."""
    half = len(secret) // 2
    a, b = secret[:half], secret[half:]
    yield "backslash", f"tool run x \\\n  {a}\\\n{b}\n"
    yield "soft break", f"Dear all, use={a}=\n{b} from now on.\n"
    for width in (64, 76):
        text = "x" * (width - half - 1) + " " + secret
        yield f"at {width}", "\n".join(text[i : i + width] for i in range(0, len(text), width)) + "\n"
    yield "indented", f"note:\n    {'y' * 40} {a}\n    {b}\nend\n"
    yield "quoted mail", f"> you wrote {a}\n> {b}\n> bye\n"
    yield "diff", f"+ {'z' * 30} {a}\n+{b}\n+end\n"
    yield "escaped", json.dumps({"text": f"{'q' * 40} {a}\n{b}\nend"})


def leaks(parts, text):
    """Return the drawn parts of a secret that a text still holds, whole or as a long piece."""
    bare = re.sub(r"\\n|[\s>+\\=]", "", text)
    return [part for part in parts if part in text or part in bare]
