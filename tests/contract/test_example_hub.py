"""The example hub is sound, cites public documents, and shows what `wikis/README.md` says it shows."""

import ipaddress
import re
import shutil
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from program import CHECKOUT, Program

from llm_wiki.model.document import page as parsed

EXAMPLE = CHECKOUT / "wikis/example"
REVIEWED = "2026-11-30"
TOPICS = ("agent-memory", "durable-files")
SOURCES = sorted(path for path in EXAMPLE.glob("topics/*/raw/*/*.md") if path.name != "_index.md")
ARTICLES = sorted(path for path in EXAMPLE.glob("topics/*/wiki/*/*.md") if path.name != "_index.md")


def page(path: Path):
    return parsed(path.name, path.read_bytes())


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Program:
    """A home that has the example hub as its own; no test here writes into it."""
    wiki = Program(tmp_path_factory.mktemp("example"))
    shutil.copytree(EXAMPLE, wiki.hub)
    wiki.env["LLM_WIKI_TODAY"] = REVIEWED
    return wiki


def target(topic: str) -> list[str]:
    return ["--wiki", topic] if topic else []


@pytest.mark.parametrize("topic", ["", *TOPICS])
def test_lint_with_strict_finds_nothing_at_all(copy, topic):
    assert "Findings: none" in copy.ok("lint", "--strict", *target(topic)).out


@pytest.mark.parametrize("topic", ["", *TOPICS])
@pytest.mark.parametrize("today", ["2026-12-31", "2027-12-31", "2046-12-31"])
def test_on_any_later_day_only_freshness_is_told_and_strict_passes(copy, topic, today):
    found = copy.ok("lint", "--strict", "--json", *target(topic), LLM_WIKI_TODAY=today).json["issues"]
    assert {(finding["rule"], finding["severity"]) for finding in found} <= {("W703", "info")}
    assert bool(found) == (bool(topic) and today != "2026-12-31")


def test_the_demo_ends_as_it_should_decades_later(tmp_path):
    Program(tmp_path).ok("demo", "show", LLM_WIKI_TODAY="2046-12-31")


@pytest.mark.parametrize("topic", TOPICS)
def test_no_source_has_changed_since_its_admission(copy, topic):
    count = sum(f"/{topic}/" in path.as_posix() for path in SOURCES)
    out = copy.ok("raw", "verify", "--wiki", topic).out
    assert out.startswith(f"{count} bodies compared, 0 changed, 0 missing.")


@pytest.mark.parametrize("topic", TOPICS)
def test_indexes_agree_with_the_pages(copy, topic):
    copy.ok("index", "check", "--wiki", topic)


def test_all_topics_of_the_folder_are_registered_and_tested():
    assert sorted(path.name for path in (EXAMPLE / "topics").iterdir()) == [*TOPICS]


def test_there_is_enough_to_read_and_it_stays_small():
    assert len(SOURCES) >= 20
    assert len(ARTICLES) >= 15
    assert sum(path.stat().st_size for path in EXAMPLE.rglob("*") if path.is_file()) < 300_000


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_each_source_names_a_plain_public_address_or_a_conversation(source):
    document = page(source)
    url = document.text("canonical_url")
    if "conversation" in document.items("tags"):
        assert url == ""
        return
    parts = urlsplit(url)
    assert parts.scheme == "https"
    assert (parts.username, parts.password, parts.port, parts.query) == (None, None, None, "")
    assert re.fullmatch(r"(?:[a-z0-9-]+\.)+[a-z]{2,}", parts.hostname or "")
    with pytest.raises(ValueError, match="does not appear"):
        ipaddress.ip_address(parts.hostname)


@pytest.mark.parametrize("article", ARTICLES, ids=lambda path: path.stem)
def test_each_article_is_cold_cites_sources_and_shows_them(article):
    document = page(article)
    assert document.text("volatility") == "cold"
    assert document.items("sources")
    sources = article.read_text(encoding="utf-8").split("\n## Sources\n")[1]
    assert re.findall(r"\(\.\./\.\./([^)]+)\)", sources) == [*document.items("sources")]


def test_what_the_table_of_the_readme_promises_is_there():
    topic = EXAMPLE / "topics/durable-files"
    kinds = {path.parent.name for path in SOURCES if "durable-files" in path.as_posix()}
    assert {"papers", "articles", "data", "notes"} <= kinds
    replaced = [page(path).text("supersedes") for path in SOURCES if page(path).text("supersedes")]
    assert replaced
    assert all((topic / rel).is_file() for rel in replaced)
    assert any(not path.stem.isascii() for path in ARTICLES)
    for pattern in (
        "wiki/theses/[!_]*.md", "wiki/*/assets/*.svg", "inventory/ideas/[!_]*.md", "inventory/candidates/[!_]*.md",
        "output/[!_]*.md", "output/projects/*/WHY.md", "output/projects/*/code/*.py", "datasets/*/MANIFEST.md",
        "datasets/*/queries/[!_]*.md",
    ):  # fmt: skip
        assert [*topic.glob(pattern)], pattern


def test_a_thesis_gives_both_sides_and_says_what_would_change_it():
    for path in EXAMPLE.glob("topics/*/wiki/theses/[!_]*.md"):
        headings = re.findall(r"(?m)^## (.+)$", path.read_text(encoding="utf-8"))
        assert headings[:5] == ["Claim", "For", "Against", "Verdict", "What would change it"]


def test_no_article_cites_a_source_that_a_newer_one_replaces():
    replaced = {page(path).text("supersedes") for path in SOURCES} - {""}
    assert [path.name for path in ARTICLES if replaced & {*page(path).items("sources")}] == []


def test_the_brief_of_a_project_is_the_snapshot_of_its_idea():
    topic = EXAMPLE / "topics/durable-files"
    idea = (topic / "inventory/ideas/power-cut-test.md").read_text(encoding="utf-8")
    snapshot = idea.split("## Approved Decision Snapshot\n\n")[1].split("\n\n## ")[0]
    assert snapshot in (topic / "output/projects/power-cut-test/BRIEF.md").read_text(encoding="utf-8")


def test_the_code_of_the_project_can_be_compiled():
    for path in EXAMPLE.rglob("*.py"):
        compile(path.read_text(encoding="utf-8"), path.name, "exec")
