"""Row 2 of `sessions.md` §10: kinds of secrets × channels, and not one of them anywhere below the home.

The redactor's own tests take every family through every context. Here a spread of them goes through every
channel of the real programs, more than the 41 kinds of that row; `EVERY_SECRET=1` sends all of them.

Every secret is made up at run time; what is looked for are its drawn parts, in the bytes and the names of files.
"""

import os
import random
import string

import pytest
from redactkit import build
from sessionkit import Room

from llm_wiki.core.redact.vendors import FAMILIES


def drawn(seed, length, alphabet=string.ascii_letters + string.digits):
    rng = random.Random(seed)
    return "".join(rng.choice(alphabet) for _ in range(length)) + "q7"


DASHES = "-" * 5
STRUCTURES = {
    "aws secret": lambda d: f"aws_secret_access_key = {d(38)}",
    "account key": lambda d: f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={d(84)}==;",
    "jwt": lambda d: "eyJ" + d(40) + ".eyJ" + d(60) + "." + d(43),
    "url user": lambda d: f"https://bob:{d(20)}@example.org/x",
    "url password only": lambda d: f"redis://:{d(20)}@example.org:6379/0",
    "basic": lambda d: f"Authorization: Basic {d(30)}==",
    "bearer": lambda d: f"Authorization: Bearer {d(40)}",
    "token header": lambda d: f"Authorization: Token {d(40)}",
    "cookie": lambda d: f"Cookie: session={d(32)}; theme=dark",
    "set-cookie": lambda d: f"Set-Cookie: sid={d(32)}; HttpOnly",
    "query": lambda d: f"https://example.org/cb?access_token={d(30)}&page=2",
    "signature": lambda d: f"https://example.org/o?X-Amz-Signature={d(40)}",
    "otpauth": lambda d: f"otpauth://totp/a:b?secret={d(24)}&issuer=a",
    "private key": lambda d: (
        f"{DASHES}BEGIN PRIVATE KEY{DASHES}\n{d(62)}\n{d(62)}\n{DASHES}END PRIVATE KEY{DASHES}"
    ),
    "private key, cut": lambda d: f"{DASHES}BEGIN RSA PRIVATE KEY{DASHES}\n{d(62)}\n{d(62)}",
    "env": lambda d: f"export DB_PASSWORD={d(16)}",
    "json": lambda d: f'{{"clientSecret": "{d(24)}"}}',
    "yaml": lambda d: f"api_key: {d(24)}",
    "flag": lambda d: f"tool login --password {d(16)}",
    "flag with =": lambda d: f"tool login --token={d(24)}",
    "curl -u": lambda d: f"curl -u bob:{d(16)} https://example.org",
    "mysql -p": lambda d: f"mysql -uroot -p{d(16)} db",
}


def secrets():
    """Return kind → (text, parts that must not be found)."""
    found = {}
    for number, family in enumerate(FAMILIES):
        if number % 4 and not os.environ.get("EVERY_SECRET"):
            continue
        found[family.kind] = build(family.example, f"session {number}")
    for name, make in STRUCTURES.items():
        parts = []

        def draw(length, name=name, parts=parts):
            parts.append(drawn(f"{name} {len(parts)}", length))
            return parts[-1]

        found[name] = (make(draw), parts)
    return found


SECRETS = secrets()
GROUPS = [sorted(SECRETS)[at::6] for at in range(6)]


def events(room, kind):
    """Return (payload, flags) of the events that carry one secret through every channel of a host."""
    text, _ = SECRETS[kind]
    tool = {
        "file_path": f"{room.project}/{text}/a.py",
        "new_string": text,
        "old_string": text,
        "content": text,
    }
    number = sorted(SECRETS).index(kind)
    name = f"n{number}"
    yield room.event("PostToolUse", name, tool_name="Edit", tool_use_id=f"e{number}", tool_input=tool,
                     tool_response={"stdout": text, "filePath": text, text[:40]: 1}, content=text), []  # fmt: skip
    yield (
        room.event(
            "PostToolUse", name, tool_name="Bash", tool_use_id=f"b{number}", tool_input={"command": text}
        ),
        [],
    )
    yield room.event("PostToolUseFailure", name, tool_name=text, tool_use_id=text, tool_input={"command": f"run '{text}' | {text}"},
                     error=f"Exit code 1\n{text}"), []  # fmt: skip
    yield (
        room.event("UserPromptSubmit", name, prompt=f"No, that is wrong: always use {text} from now on."),
        [],
    )
    yield room.event("UserPromptSubmit", name, prompt=text, turn_id=text, reason=text, source=text), []
    yield (
        room.event("Stop", text, last_assistant_message=text, model=text, transcript_path=f"/t/{text}")
        | {"cwd": f"/srv/{text}"},
        [],
    )
    yield room.event(text, name, notification_type=text, agent_type=text, agent_id=text), []
    yield room.event("SessionEnd", name), ["--summary", text, "--topic", text, "--trigger", text]


def found_in(room, kinds):
    written = room.written()
    return {kind: part for kind in kinds for part in SECRETS[kind][1] if part.encode() in written}


@pytest.mark.slow
@pytest.mark.parametrize("group", range(len(GROUPS)))
def test_2_no_secret_comes_through_any_channel_of_a_host(tmp_path, group):
    room = Room(tmp_path)
    sent = [pair for kind in GROUPS[group] for pair in events(room, kind)]
    for payload, flags in sent:
        assert room.hook(payload, "--harness", "claude", *flags).code == 0
    assert room.queue()
    assert found_in(room, GROUPS[group]) == {}


@pytest.mark.slow
@pytest.mark.parametrize("group", range(len(GROUPS)))
def test_2_no_secret_comes_in_by_hand_or_into_a_note(tmp_path, group):
    room = Room(tmp_path)
    topic = room.topic()
    for kind in GROUPS[group][::2]:
        text, _ = SECRETS[kind]
        number = sorted(SECRETS).index(kind)
        room.ok("session", "capture", "--session-id", f"m{number}", "--summary", f"We ran {text} today",
                "--topic", text, "--model", text, "--transcript-path", f"/t/{text}", "--cwd", f"/srv/{text}")  # fmt: skip
        room.ok("session", "promote", f"m{number}", "--topic", "tea", "--yes")
        room.cli("session", "capture", "--session-id", text, "--harness", text)
        room.cli(
            "feedback",
            "capture",
            "--text",
            f"No, never use {text} again.",
            "--session-id",
            text,
            "--cwd",
            f"/srv/{text}",
        )
    assert len(list(topic.glob("raw/notes/2*"))) == len(GROUPS[group][::2])
    room.ok("session", "reindex")
    assert found_in(room, GROUPS[group]) == {}


def test_2_there_are_more_than_41_kinds_and_each_is_found_where_nothing_redacts(tmp_path):
    assert len(SECRETS) > 41
    assert all(parts for _, parts in SECRETS.values())
    room = Room(tmp_path)
    (room.home / "leak").write_text("\n".join(text for text, _ in SECRETS.values()))
    missed = {kind for kind in SECRETS if kind not in found_in(room, SECRETS)}
    assert missed == set()


def test_3_user_and_password_of_a_remote_are_nowhere(tmp_path):
    room = Room(tmp_path)
    token = "ghp_" + drawn("remote", 34)
    (room.project / ".git").mkdir()
    (room.project / ".git/HEAD").write_text(f"ref: refs/heads/fix-{token}\n")
    (room.project / ".git/config").write_text(
        f'[remote "origin"]\n\turl = https://bob:{token}@github.com/a/b\n'
    )
    room.topic()
    room.finished("s1")
    room.ok("session", "promote", "s1", "--topic", "tea", "--yes")
    assert "github.com/a/b" in room.state()["git_remote"]
    assert token.encode() not in room.written()


def test_5_a_short_prompt_leaves_no_hash_in_what_the_verbs_write(tmp_path):
    import hashlib

    room = Room(tmp_path)
    room.topic()
    room.hook(room.event("UserPromptSubmit", prompt="4821"))
    room.finished("s1")
    room.ok("session", "capture", "--session-id", "s1")
    room.ok("session", "promote", "s1", "--topic", "tea", "--yes")
    room.ok("session", "reindex")
    for text in ("4821", '"4821"'):
        assert hashlib.sha256(text.encode()).hexdigest()[:12].encode() not in room.written()
