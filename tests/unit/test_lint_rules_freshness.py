"""7xx: the age of an article, by the formula of `doctrine.md` §3."""

import json
from datetime import date, timedelta

import pytest
from lintkit import (
    GREEN,
    HARVEST,
    OXIDATION,
    STUDY,
    THESIS,
    TODAY,
    archived,
    drop,
    field,
    findings,
    ids,
    one,
    reindex,
    sample,
    write,
)

COVERAGE = "wiki/references/uncompiled-source-coverage.md"


def ago(days: int) -> str:
    return (TODAY - timedelta(days=days)).isoformat()


def aged(root, days, *, volatility="warm", verified=True, kind=None):
    """Make the oxidation article and its one source so many days old."""
    field(root, STUDY, "ingested", ago(days))
    for key in ("created", "updated"):
        field(root, OXIDATION, key, ago(days))
    field(root, OXIDATION, "volatility", volatility)
    if verified:
        field(root, OXIDATION, "verified", ago(days))
    else:
        drop(root, OXIDATION, "verified")
    if kind:
        field(root, OXIDATION, "compiled-from", kind)
    reindex(root)
    return root


def stale(root, **options):
    return [item for item in findings(root, only=["W703"], **options) if item.path == OXIDATION]


@pytest.mark.parametrize("rel", [GREEN, THESIS])
@pytest.mark.parametrize("value", [None, "", "~"])
def test_an_article_without_volatility_is_one_w701(tmp_path, rel, value):
    root = sample(tmp_path)
    if value is None:
        drop(root, rel, "volatility")
    else:
        field(root, rel, "volatility", value)
    found = one(root, "W701")
    assert (found.severity, found.path, found.fixable) == ("info", rel, True)


def test_an_article_without_any_date_is_one_w702(tmp_path):
    root = sample(tmp_path)
    drop(root, GREEN, "verified")
    field(root, GREEN, "updated", "recently")
    reindex(root)
    found = one(root, "W702")
    assert (found.severity, found.path) == ("warning", GREEN)


def test_a_bad_verified_beside_a_bad_updated_is_still_one_w702(tmp_path):
    root = sample(tmp_path)
    field(root, GREEN, "verified", "yes")
    field(root, GREEN, "updated", "recently")
    reindex(root)
    assert ids(root) == ["W702"]


def test_an_article_without_updated_lacks_a_field_and_nothing_else(tmp_path):
    root = sample(tmp_path)
    drop(root, GREEN, "verified")
    drop(root, GREEN, "updated")
    reindex(root)
    assert ids(root) == ["W201"]


def test_a_stale_article_is_one_w703_with_its_score(tmp_path):
    found = one(aged(sample(tmp_path), 90), "W703")
    assert (found.severity, found.path, found.fixable) == ("warning", OXIDATION, False)
    assert found.message == "Stale: freshness 62.5 is below 70 (warm)"


@pytest.mark.parametrize(("volatility", "days"), [("hot", 22), ("warm", 66), ("cold", 268)])
def test_the_last_day_an_article_is_fresh(tmp_path, volatility, days):
    assert stale(aged(sample(tmp_path), days, volatility=volatility)) == []
    assert len(stale(aged(sample(tmp_path / "2"), days + 1, volatility=volatility))) == 1


@pytest.mark.parametrize(("volatility", "days"), [("hot", 15), ("warm", 46), ("cold", 187)])
def test_the_last_day_a_conversation_is_fresh(tmp_path, volatility, days):
    assert stale(aged(sample(tmp_path), days, volatility=volatility, kind="conversation")) == []
    root = aged(sample(tmp_path / "2"), days + 1, volatility=volatility, kind="conversation")
    assert len(stale(root)) == 1


def test_a_cold_article_is_only_noted(tmp_path):
    assert stale(aged(sample(tmp_path), 400, volatility="cold"))[0].severity == "info"


def test_an_unverified_article_is_scored_without_that_dimension(tmp_path):
    root = aged(sample(tmp_path), 90, verified=False)
    assert stale(root)[0].message == "Stale: freshness 66.7 is below 70 (warm)"


@pytest.mark.parametrize(("threshold", "count"), [("60", 0), ("63", 1), ("100", 1), ("0", 0)])
def test_the_threshold_of_the_topic_decides(tmp_path, threshold, count):
    root = aged(sample(tmp_path), 90)
    field(root, "config.md", "freshness_threshold", threshold)
    assert len(stale(root)) == count


def test_one_old_source_among_new_ones_counts_by_the_mean(tmp_path):
    root = sample(tmp_path)
    field(root, HARVEST, "ingested", ago(400))
    reindex(root)
    assert [item.path for item in findings(root, only=["W703"])] == []
    field(root, STUDY, "ingested", ago(400))
    field(root, GREEN, "verified", ago(80))
    assert GREEN in [item.path for item in findings(root, only=["W703"])]


def test_a_reference_that_resolves_by_slug_counts_with_its_date(tmp_path):
    root = aged(sample(tmp_path), 90)
    field(root, OXIDATION, "sources", "\n  - leaf-oxidation-study")
    assert stale(root)[0].message == "Stale: freshness 62.5 is below 70 (warm)"


def test_a_fresh_article_with_a_dangling_source_is_not_also_stale(tmp_path):
    root = sample(tmp_path)
    field(root, OXIDATION, "sources", "\n  - raw/papers/2020-01-01-gone.md")
    assert stale(root) == []


def test_an_old_article_with_a_dangling_source_is_stale_by_its_full_score(tmp_path):
    root = aged(sample(tmp_path), 90)
    field(root, OXIDATION, "sources", "\n  - raw/papers/2020-01-01-gone.md")
    assert stale(root)[0].message == "Stale: freshness 25.0 is below 70 (warm)"


@pytest.mark.parametrize("value", ["[]", "[[a]]", "{a: b}", "text"])
def test_sources_of_any_shape_do_not_end_the_run(tmp_path, value):
    root = sample(tmp_path)
    field(root, OXIDATION, "sources", value)
    assert not any("rule failed" in item.message for item in findings(root))


def test_the_coverage_page_has_no_age(tmp_path):
    root = sample(tmp_path)
    head = "---\ntitle: Coverage\ncategory: reference\nsummary: Backlog.\ntags: [coverage]\n"
    write(root, COVERAGE, head + "created: 2020-01-01\nupdated: 2020-01-01\n---\n\n# Coverage\n")
    assert ids(root, only=["W7"]) == []


def test_the_date_of_the_run_decides_and_nothing_else(tmp_path):
    root = sample(tmp_path)
    assert findings(root, only=["W7"]) == []
    assert len(findings(root, only=["W703"], today=date(2030, 1, 1))) == 4


def test_the_sample_in_an_archive_is_clean(tmp_path):
    assert findings(archived(tmp_path)) == []


def attest(root, digest=None):
    from llm_wiki.model.document import body_hash

    found = digest or body_hash((root / OXIDATION).read_bytes())
    record = {"at": "2026-01-01T00:00:00Z", "content_sha256": found, "name": "Ada", "path": OXIDATION}
    write(root, ".librarian/attestations.jsonl", json.dumps(record) + "\n")


@pytest.mark.parametrize(("others", "verified", "counts"), [(60, 100, True), (80, 0, False)])
def test_a_verification_counts_as_long_as_its_attestation_holds(tmp_path, others, verified, counts):
    root = aged(sample(tmp_path), others)
    field(root, OXIDATION, "verified", ago(verified))
    assert bool(stale(root)) is counts  # unattested
    attest(root)
    assert bool(stale(root)) is counts
    attest(root, "0" * 64)  # lapsed: the rest is scored alone
    assert bool(stale(root)) is not counts


def test_an_attestation_of_another_article_or_without_a_date_changes_nothing(tmp_path):
    root = aged(sample(tmp_path), 66, verified=False)
    before = stale(root)
    attest(root)
    assert stale(root) == before
