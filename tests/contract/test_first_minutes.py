"""What a new user does first, in an empty home."""

import shutil
from pathlib import Path

import pytest
from program import contents, tree

EXAMPLES = Path(__file__).parent.parent.parent / "wikis"


def test_a_bare_call_without_a_wiki_says_how_to_start(wiki):
    done = wiki.ok()
    assert "llm-wiki init" in done.out
    assert "llm-wiki demo" in done.out
    assert not (wiki.home / "wiki").exists()


def test_a_bare_call_with_a_hub_names_the_next_step(wiki, topic):
    done = wiki.ok()
    assert "tea" in done.out
    assert "llm-wiki ingest" in done.out


def test_a_new_topic_is_clean_and_listed(wiki, topic):
    assert "Findings: none" in wiki.ok("lint", "--wiki", "tea").out
    assert "Findings: none" in wiki.ok("lint").out
    assert wiki.ok("resolve", "--wiki", "tea", "--json").json["kind"] == "topic"


def test_a_taken_slug_is_refused_and_changes_nothing(wiki, topic):
    before = tree(wiki.hub)
    assert wiki("init", "tea").exit == 4
    assert tree(wiki.hub) == before


def test_a_page_is_ingested_once(wiki, topic):
    page = EXAMPLES / "page.html"
    first = wiki.ok("ingest", page, "--wiki", "tea", "--json").json
    assert first["duplicate"] is False
    text = (topic / first["path"]).read_text()
    assert "```python" in text
    assert "    a, b = shingles(one), shingles(other)" in text
    assert "| meeting \\| minutes | 263 | 9 |" in text
    before = contents(topic)
    second = wiki.ok("ingest", page, "--wiki", "tea")
    assert first["path"] in second.out
    assert contents(topic) == before
    assert "Result: PASS" in wiki("lint", "--wiki", "tea", "--fail-on", "warning").out
    assert wiki.ok("raw", "verify", "--wiki", "tea").out.startswith("1 bodies compared, 0 changed")


def test_break_three_files_repair_them_and_take_it_back(wiki):
    shutil.copytree(EXAMPLES / "example", wiki.hub)
    root = wiki.hub / "topics/agent-memory"
    shutil.move(root / "wiki/references/text-pitfalls.md", root / "wiki/topics/text-pitfalls.md")
    article = root / "wiki/concepts/memory-tiers.md"
    article.write_bytes(article.read_bytes().replace(b"category: concept\n", b"").replace(b"\n", b"\r\n"))
    index = root / "raw/notes/_index.md"
    index.write_text(
        "".join(line for line in index.read_text().splitlines(True) if "yaml-scalars" not in line)
    )
    broken = contents(root, "log.md")
    assert wiki("lint", root).exit == 1
    planned = wiki("lint", "--fix", "--dry-run", root)
    assert "Moved wiki/topics/text-pitfalls.md to wiki/references/text-pitfalls.md" in planned.out
    assert contents(root, "log.md") == broken
    fixed = wiki.ok("lint", "--fix", root)
    assert "Result: PASS" in fixed.out
    assert b"category: concept\r\n" in article.read_bytes()
    again = tree(root)
    assert "0 auto-fixed" in wiki.ok("lint", "--fix", root).out
    assert tree(root) == again
    wiki.ok("undo", "--wiki", "agent-memory")
    assert contents(root, "log.md") == broken


def test_repair_inside_a_code_project_is_refused_and_touches_nothing(wiki):
    project = wiki.here / "project"
    (project / "src").mkdir(parents=True)
    for name in (".env", "Makefile", "main.py", "package.json", "README.md"):
        (project / name).write_text("x = 1\n")
    before = tree(project)
    for target in ([project], []):
        done = wiki("lint", "--fix", *target, cwd=project)
        assert done.exit == 2
        assert "llm-wiki init" in done.err
    assert tree(project) == before


def test_a_folder_of_notes_that_never_saw_this_tool_is_told_what_to_do(wiki):
    notes = wiki.here / "vault"
    notes.mkdir()
    for number in range(2000):
        (notes / f"note {number}.md").write_text(f"# Note {number}\n")
    for verb in (["lint"], ["status"], ["lint", "--fix"]):
        done = wiki(*verb, notes)
        assert done.exit == 2
        assert "llm-wiki init" in done.err
        assert "ingest" in done.err
    assert len(list(notes.iterdir())) == 2000


def test_the_demo_runs_every_step_as_it_should_and_keeps_to_its_folder(wiki):
    done = wiki.ok("demo", "show")
    assert "did not end as they should" not in done.out
    assert "[1/" in done.out
    assert {path.name for path in wiki.here.iterdir()} == {"show"}
    assert not (wiki.home / "wiki").exists()
    assert not (wiki.home / ".config").exists()


def test_the_demo_refuses_a_folder_that_is_taken(wiki):
    (wiki.here / "show").mkdir()
    (wiki.here / "show/mine.txt").write_text("mine")
    assert wiki("demo", "show").exit == 4
    assert (wiki.here / "show/mine.txt").read_text() == "mine"


def test_the_example_hub_passes_its_own_linter(wiki):
    shutil.copytree(EXAMPLES / "example", wiki.hub)
    for target in (["--hub", wiki.hub], ["--wiki", "agent-memory"]):
        done = wiki.ok("lint", *target, "--strict", LLM_WIKI_TODAY="2026-11-30")
        assert "Findings: none" in done.out
    assert (
        "12 bodies compared, 0 changed, 0 missing." in wiki.ok("raw", "verify", "--wiki", "agent-memory").out
    )


def test_paths_lists_the_folders_and_how_to_remove_them(wiki, topic):
    names = {folder["name"]: folder for folder in wiki.ok("paths", "--json").json["folders"]}
    assert set(names) == {"configuration", "state", "cache", "hub"}
    assert names["state"]["shared"] is False
    assert names["hub"]["files"] > 0
    assert all(folder["remove"] for folder in names.values())


def test_removing_the_machine_folders_leaves_a_working_wiki(wiki, topic):
    wiki.ok("lint", "--wiki", "tea")
    for name in (".local", ".cache", ".config"):
        shutil.rmtree(wiki.home / name, ignore_errors=True)
    wiki.ok("lint", "--wiki", "tea")
    assert wiki("undo", "--wiki", "tea").exit == 1


@pytest.mark.parametrize(
    "names",
    [
        ["raw/photo.png", "main.py", ".env"],
        ["wiki/Home.md", "package.json"],
        ["raw/x.md", "wiki/Home.md", "Makefile"],
        ["config.md", "raw/data.csv", "app.py"],
    ],
)
def test_a_project_that_only_resembles_a_wiki_is_never_written_to(wiki, names):
    project = wiki.here / "project"
    for name in names:
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# x\n")
    before = tree(project)
    writers = [
        ["lint", "--fix"], ["lint", "--fix", "--dry-run"], ["index", "rebuild"], ["schema", "adopt"], ["links", "fix"],
    ]  # fmt: skip
    for arguments in writers:
        done = wiki(*arguments, project)
        assert done.exit == 2, (arguments, done)
        assert "llm-wiki init" in done.err
    assert tree(project) == before


def test_a_topic_that_lost_its_master_index_is_still_repaired(wiki, topic):
    (topic / "_index.md").unlink()
    assert "Created _index.md" in wiki.ok("lint", "--fix", topic).out
