"""Sources come in once, under a name of their own, and their bodies never change unseen."""

import json
from datetime import date
from pathlib import Path

import lintkit
import pytest
from sourcekit import isolate, snapshot, topic, tree

from llm_wiki.admit.candidate import Candidate, checked, clean_tags
from llm_wiki.admit.raw import Admission, file_name, plan, verify
from llm_wiki.admit.rawlock import RAW_LOCK, load_lock, lock_line, read_lock
from llm_wiki.admit.rows import plan_rows
from llm_wiki.core.clock import now
from llm_wiki.core.errors import BadUsage
from llm_wiki.core.transaction import Transaction
from llm_wiki.core.undo import undo
from llm_wiki.model.document import page
from llm_wiki.wiki.resolve import Root

TODAY = date(2026, 1, 10)
BODY = "# Fusee\n\nThe fusee evens out the force of the mainspring.\n"
ASKED = Candidate(
    "Repairing the fusee", "https://clocks.example/fusee", "articles", BODY, "About fusees.", ("clocks",)
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Root:
    isolate(tmp_path, monkeypatch)
    return topic(tmp_path)


def add(root: Root, asked: Candidate = ASKED, today: date = TODAY) -> Admission:
    tx = Transaction(root.path, "ingest")
    found = plan(snapshot(root), asked, today, tx)
    if not found.duplicate:
        plan_rows(tx, snapshot(root), {found.path: found.data}, today)
    tx.commit()
    return found


def test_a_source_becomes_one_file_with_the_fields_of_the_format(root: Root) -> None:
    found = add(
        root, ASKED._replace(fields={"authors": ("Ann", "Bo"), "fetched": "2026-01-10", "published": ""})
    )
    assert found.path == "raw/articles/2026-01-10-repairing-the-fusee.md"
    written = page(found.path, (root.path / found.path).read_bytes())
    assert written.meta == {
        "title": "Repairing the fusee",
        "source": "https://clocks.example/fusee",
        "type": "articles",
        "ingested": "2026-01-10",
        "tags": ["clocks"],
        "summary": "About fusees.",
        "authors": ["Ann", "Bo"],
        "fetched": "2026-01-10",
        "content_sha256": found.content_sha256,
    }
    assert (root.path / found.path).read_text().endswith(f"---\n\n{BODY}")


def test_an_admission_is_locked_and_logged_in_one_line_each(root: Root) -> None:
    found = add(root)
    assert json.loads((root.path / RAW_LOCK).read_text()) == {
        "path": found.path,
        "content_sha256": found.content_sha256,
        "admitted": "2026-01-10",
        "at": "2026-01-10T12:00:00Z",
    }
    log = (root.path / "log.md").read_text()
    assert log.endswith(f"\n\n## [2026-01-10] ingest | Repairing the fusee → {found.path}\n")


def test_the_indexes_above_a_source_are_up_to_date(root: Root) -> None:
    add(root)
    row = "| [Repairing the fusee](2026-01-10-repairing-the-fusee.md) | About fusees. | clocks | 2026-01-10 |"
    assert row in lintkit.read(root.path, "raw/articles/_index.md")
    assert "- Total sources: 4" in lintkit.read(root.path, "raw/_index.md")
    assert "- Sources: 4" in lintkit.read(root.path, "_index.md")


def test_a_missing_leaf_folder_is_made_with_its_index(root: Root) -> None:
    (root.path / "raw/repos/_index.md").unlink()
    (root.path / "raw/repos").rmdir()
    found = add(root, ASKED._replace(type="repos"))
    assert found.path in tree(root.path)
    assert "2026-01-10-repairing-the-fusee.md" in lintkit.read(root.path, "raw/repos/_index.md")


def test_undo_takes_back_the_file_its_rows_and_its_lock_line(root: Root) -> None:
    before = tree(root.path)
    add(root)
    undo(root.path)
    after = tree(root.path)
    assert {rel: data for rel, data in after.items() if rel not in ("log.md", RAW_LOCK)} == {
        rel: data for rel, data in before.items() if rel != "log.md"
    }
    assert after.get(RAW_LOCK, b"") == b""


# --- duplicates and versions -----------------------------------------------------------------


def test_the_same_body_is_here_already_whatever_its_address(root: Root) -> None:
    first = add(root)
    before = tree(root.path)
    again = add(root, ASKED._replace(source="https://mirror.example/x", title="Another title"))
    assert (again.duplicate, again.path, again.reason) == (True, first.path, "body")
    assert tree(root.path) == before


@pytest.mark.parametrize("body", [BODY + "\n\n", BODY.replace(".", ".  "), BODY.replace("\n", " \t\n")])
def test_blanks_at_line_ends_and_the_end_make_no_new_body(root: Root, body: str) -> None:
    add(root)
    assert add(root, ASKED._replace(body=body)).duplicate


def test_a_body_that_upstream_wrote_is_known_too(root: Root) -> None:
    lintkit.write(root.path, "raw/notes/2025-01-01-old.md", f"---\ntitle: Old\nsource: MANUAL\n---\n\n{BODY}")
    assert add(root).path == "raw/notes/2025-01-01-old.md"


@pytest.mark.parametrize(
    "source", ["http://www.clocks.example/fusee/?utm_source=mail#top", "https://clocks.example/fusee"]
)
def test_a_changed_text_at_the_same_address_is_a_new_file_that_supersedes_the_old(
    root: Root, source: str
) -> None:
    first = add(root)
    old = (root.path / first.path).read_bytes()
    newer = add(root, ASKED._replace(source=source, body=BODY + "More.\n"), date(2026, 2, 1))
    assert newer.supersedes == first.path
    assert page("x.md", (root.path / newer.path).read_bytes()).text("supersedes") == first.path
    assert (root.path / first.path).read_bytes() == old


def test_a_third_version_supersedes_the_second(root: Root) -> None:
    first = add(root)
    second = add(root, ASKED._replace(body="two\n"))
    third = add(root, ASKED._replace(body="three\n"))
    assert (second.supersedes, third.supersedes) == (first.path, second.path)


def test_a_redirected_address_is_recognised_by_the_one_asked_for(root: Root) -> None:
    first = add(root)
    moved = ASKED._replace(source="https://new.example/f", aliases=(ASKED.source,), body="new\n")
    assert add(root, moved).supersedes == first.path


def test_two_manual_texts_are_not_versions_of_one_another(root: Root) -> None:
    add(root, ASKED._replace(source="MANUAL"))
    assert add(root, ASKED._replace(source="MANUAL", body="else\n")).supersedes == ""


def test_one_item_of_a_collection_comes_in_once_per_revision(root: Root) -> None:
    fields = {"collection": "c", "upstream_id": "README.md", "sha": "aa"}
    first = add(root, ASKED._replace(source="https://c.example/1", fields=fields))
    again = add(root, ASKED._replace(source="https://c.example/2", fields=fields, body="reformatted\n"))
    assert (again.duplicate, again.path, again.reason) == (True, first.path, "upstream")
    assert not add(
        root, ASKED._replace(source="https://c.example/3", fields={**fields, "sha": "bb"}, body="b\n")
    ).duplicate


# --- names -----------------------------------------------------------------------------------


def test_names_that_are_taken_get_a_number(root: Root) -> None:
    paths = [add(root, ASKED._replace(source=f"https://e.example/{n}", body=f"{n}\n")).path for n in range(3)]
    assert [path.removeprefix("raw/articles/2026-01-10-repairing-the-fusee") for path in paths] == [
        ".md",
        "-2.md",
        "-3.md",
    ]


def test_a_name_that_differs_only_in_case_or_unicode_form_is_taken(root: Root) -> None:
    lintkit.write(root.path, "raw/notes/2026-01-10-CAFE\u0301.md", "x")
    assert file_name(snapshot(root), "raw/notes", "Café", TODAY) == "2026-01-10-café-2.md"


TITLES = {
    "日本語のメモ": "日本語のメモ",
    "Ünïcode & Größe": "ünïcode-größe",
    "Привет, мир": "привет-мир",
    "../../etc/passwd": "etc-passwd",
    "a/b\\c:d": "a-b-c-d",
    "!!!": "source",
    "CON": "con-source",
    "x" * 200: "x" * 60,
    "مرحبا بالعالم": "مرحبا-بالعالم",
    "हिन्दी लेख": "हिन्दी-लेख",
    "🎉 Party": "party",
}


@pytest.mark.parametrize("title", TITLES)
def test_a_title_in_any_script_gives_a_name(root: Root, title: str) -> None:
    assert add(root, ASKED._replace(title=title)).path == f"raw/articles/2026-01-10-{TITLES[title]}.md"


@pytest.mark.parametrize("title", TITLES)
def test_a_title_in_any_script_is_read_back_as_it_was(root: Root, title: str) -> None:
    found = add(root, ASKED._replace(title=title))
    assert page("x.md", (root.path / found.path).read_bytes()).text("title") == title


ODD = [
    "a: b",
    "it's",
    '"quoted"',
    "yes",
    "1e5",
    "2026-01-01",
    "# no comment",
    "- item",
    "[x]",
    "{a: b}",
    "a, b",
    "\\n",
    "*a*",
]


@pytest.mark.parametrize("text", ODD)
def test_scalars_that_yaml_would_misread_survive(root: Root, text: str) -> None:
    found = add(root, ASKED._replace(title=text, summary=text, tags=(text,), fields={"license": text}))
    meta = page("x.md", (root.path / found.path).read_bytes()).meta
    assert (meta["title"], meta["summary"], meta["license"]) == (text, text, text)


# --- what is written -------------------------------------------------------------------------


def test_without_summary_and_tags_only_what_is_known_is_written() -> None:
    found = checked(ASKED._replace(summary="", tags=()))
    assert (found.summary, found.tags) == ("Repairing the fusee", ("articles",))


def test_scalars_become_one_line_without_control_characters() -> None:
    found = checked(
        ASKED._replace(title=" a\n\tb\x00c ", fields={"license": "x\ny", "empty": " ", "authors": ("", "A")})
    )
    assert found.title == "a b c"
    assert found.fields == {"license": "x y", "authors": ["A"]}


@pytest.mark.parametrize(
    ("given", "clean"),
    [
        (("Machine Learning", "#AI"), ("machine-learning", "ai")),
        (("a,b", " a "), ("a", "b")),
        (("", "#", " , "), ()),
        (("Größe",), ("größe",)),
    ],
)
def test_tags_are_lower_case_and_hyphenated(given: tuple[str, ...], clean: tuple[str, ...]) -> None:
    assert clean_tags(given) == clean


@pytest.mark.parametrize(
    "bad",
    [
        ASKED._replace(type="article"),
        ASKED._replace(title=" "),
        ASKED._replace(source=""),
        ASKED._replace(body=" \n\n "),
        ASKED._replace(fields={"fetched": "yesterday"}),
    ],
)
def test_a_candidate_that_makes_no_valid_file_is_refused(root: Root, bad: Candidate) -> None:
    before = tree(root.path)
    with pytest.raises(BadUsage):
        add(root, bad)
    assert tree(root.path) == before


def test_fields_can_not_replace_what_admission_decides(root: Root) -> None:
    found = add(
        root, ASKED._replace(fields={"title": "other", "content_sha256": "0" * 64, "ingested": "1999-01-01"})
    )
    meta = page("x.md", (root.path / found.path).read_bytes()).meta
    assert (meta["title"], meta["ingested"], meta["content_sha256"]) == (
        "Repairing the fusee",
        "2026-01-10",
        found.content_sha256,
    )


# --- the raw lock ----------------------------------------------------------------------------


def test_admitted_bodies_verify_clean(root: Root) -> None:
    add(root)
    result = verify(snapshot(root))
    assert result.clean
    assert result.checked == 1


def test_a_file_without_entry_is_listed_and_is_no_failure(root: Root) -> None:
    result = verify(snapshot(root))
    assert result.clean
    assert result.unlisted == (lintkit.HARVEST, lintkit.TASTING, lintkit.STUDY)


def test_a_changed_body_is_a_failure(root: Root) -> None:
    found = add(root)
    lintkit.edit(root.path, found.path, "evens out", "evens up")
    result = verify(snapshot(root))
    assert not result.clean
    assert result.changed == (found.path,)


def test_changed_front_matter_line_ends_and_place_are_no_failure(root: Root) -> None:
    found = add(root)
    path = root.path / found.path
    path.write_bytes(path.read_bytes().replace(b"About fusees.", b"Other words.").replace(b"\n", b"\r\n"))
    path.rename(root.path / "raw/notes/moved.md")
    result = verify(snapshot(root))
    assert result.clean
    assert result.moved == ((found.path, "raw/notes/moved.md"),)


def test_a_body_that_is_gone_is_a_failure(root: Root) -> None:
    found = add(root)
    (root.path / found.path).unlink()
    result = verify(snapshot(root))
    assert not result.clean
    assert result.missing == (found.path,)


def test_a_file_without_entry_is_held_to_its_own_hash(root: Root) -> None:
    found = add(root)
    (root.path / RAW_LOCK).unlink()
    lintkit.edit(root.path, found.path, "evens out", "evens up")
    assert verify(snapshot(root)).changed == (found.path,)


def test_no_lock_is_an_empty_lock(root: Root) -> None:
    assert load_lock(root.path).entries == {}


def test_a_lock_line_reads_back() -> None:
    line = lock_line("raw/notes/ä.md", "AB" * 32, TODAY, now())
    assert "\n" not in line
    entry = read_lock(line.encode()).entries["raw/notes/ä.md"]
    assert (entry.content_sha256, entry.admitted) == ("ab" * 32, "2026-01-10")


def record(digest: str, at: str) -> str:
    return json.dumps({"path": "raw/notes/a.md", "content_sha256": digest, "at": at})


@pytest.mark.parametrize("flip", [False, True])
def test_the_newest_line_for_a_path_holds_in_any_order(flip: bool) -> None:
    lines = [record("11", "2026-01-01T00:00:00Z"), record("22", "2026-01-02T00:00:00Z")]
    data = "\n".join(reversed(lines) if flip else lines).encode()
    assert read_lock(data).entries["raw/notes/a.md"].content_sha256 == "22"


@pytest.mark.parametrize("flip", [False, True])
def test_of_two_lines_of_one_time_the_later_in_code_points_holds(flip: bool) -> None:
    lines = [record("11", "2026-01-01T00:00:00Z"), record("22", "2026-01-01T00:00:00Z")]
    data = "\n".join(reversed(lines) if flip else lines).encode()
    assert read_lock(data).entries["raw/notes/a.md"].content_sha256 == "22"


def test_doubled_lines_count_once_and_a_lock_tolerates_what_merges_leave() -> None:
    line = record("11", "2026-01-01T00:00:00Z")
    found = read_lock(f'\ufeff{line}\r\n\n{line}\nno json\n[1]\n{{}}\n\u2028{{"path": 5}}\n'.encode())
    assert len(found.entries) == 1
    assert found.unreadable == (4, 5, 6, 7)


def test_a_damaged_lock_is_a_failure(root: Root) -> None:
    lintkit.write(root.path, RAW_LOCK, "<<<<<<< ours\n")
    result = verify(snapshot(root))
    assert not result.clean
    assert result.unreadable_lines == (1,)


def test_paths_of_the_lock_are_compared_in_one_unicode_form(root: Root) -> None:
    found = add(root, ASKED._replace(title="Café"))
    (root.path / found.path).rename(root.path / found.path.replace("é", "e\u0301"))
    assert verify(snapshot(root)).clean
