"""Freshness: the published vectors, the rulings on verification, and what holds for every article."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from indexkit import document

from llm_wiki.model.document import page
from llm_wiki.wiki.freshness import Cited, decay, score, standing

TODAY = date(2026, 1, 10)


def ago(days):
    return TODAY - timedelta(days=days)


def article(volatility="warm", verified=None, updated=None, **more):
    fields = {"volatility": volatility, **more}
    if verified is not None:
        fields["verified"] = ago(verified).isoformat()
    if updated is not None:
        fields["updated"] = ago(updated).isoformat()
    return page("wiki/concepts/a.md", document(**fields))


def aged(volatility, days, **more):
    return score(article(volatility, days, days), [Cited(True, ago(days))] * 2, TODAY, **more)


def conversation(volatility, days, **more):
    return score(article(volatility, days, days, compiled_from="conversation"), [], TODAY, **more)


def test_a_warm_article_with_all_ages_90():
    assert aged("warm", 90).score == pytest.approx(62.5)


def test_a_hot_article_with_all_ages_60():
    assert aged("hot", 60).score == pytest.approx(43.75)


def test_a_warm_conversation_article_of_45_days():
    assert conversation("warm", 45).score == pytest.approx(70.7, abs=0.05)


@pytest.mark.parametrize(("volatility", "days"), [("hot", 22), ("warm", 66), ("cold", 269)])
def test_an_article_of_equal_ages_crosses_70_where_the_doctrine_says(volatility, days):
    assert not aged(volatility, days - 1).stale(70)
    assert aged(volatility, days + 1).stale(70)


@pytest.mark.parametrize(("volatility", "days"), [("hot", 15), ("warm", 46), ("cold", 188)])
def test_a_conversation_article_crosses_70_where_the_doctrine_says(volatility, days):
    assert not conversation(volatility, days - 1).stale(70)
    assert conversation(volatility, days + 1).stale(70)


@pytest.mark.parametrize("volatility", ["hot", "warm", "cold"])
def test_a_half_life_halves(volatility):
    half = {"hot": 30, "warm": 90, "cold": 365}[volatility]
    assert decay(0, volatility) == 25
    assert decay(half, volatility) == pytest.approx(12.5)
    assert decay(-5, volatility) == 25


@pytest.mark.parametrize("word", ["", "boiling"])
def test_an_article_without_known_volatility_is_warm(word):
    assert score(article(word, 90, 90), [Cited(True, ago(90))], TODAY).volatility == "warm"


def test_the_age_of_sources_is_their_mean_over_resolved_and_dated_ones():
    cited = [Cited(True, ago(0)), Cited(True, ago(180)), Cited(True), Cited(False, ago(9999))]
    found = score(article(updated=0), cited, TODAY)
    assert found.source == pytest.approx(12.5)
    assert found.integrity == pytest.approx(25 * 3 / 4)


def test_without_dated_sources_the_dimension_is_empty_not_left_out():
    found = score(article(verified=0, updated=0), [], TODAY)
    assert (found.source, found.integrity, found.basis) == (0, 0, 100)
    assert found.score == pytest.approx(50)


def test_created_stands_in_for_updated():
    found = score(article(created=ago(90).isoformat(), updated=None), [], TODAY)
    assert found.compilation == pytest.approx(12.5)


def test_without_any_date_compilation_is_empty():
    assert score(article(updated=None), [], TODAY).compilation == 0


def test_a_never_verified_article_is_scored_on_the_rest():
    found = score(article(updated=90), [Cited(True, ago(90))], TODAY)
    assert found.verification is None
    assert found.basis == 75
    assert found.score == pytest.approx((12.5 + 12.5 + 25) * 100 / 75)
    assert found.unverified
    assert found.standing == "never"


def test_a_lapsed_verification_is_left_out_too():
    found = score(article(verified=0, updated=90), [Cited(True, ago(90))], TODAY, verified="lapsed")
    assert found.basis == 75
    assert found.unverified


def test_an_unattested_date_counts():
    found = score(article(verified=90, updated=90), [Cited(True, ago(90))], TODAY)
    assert found.standing == "unattested"
    assert found.score == pytest.approx(62.5)
    assert not found.unverified


def test_a_never_verified_conversation_article_is_its_compilation():
    found = score(article(updated=90, compiled_from="conversation"), [], TODAY)
    assert found.basis == 25
    assert found.score == pytest.approx(50)
    assert found.source is None
    assert found.integrity is None


def test_compat_counts_a_missing_verification_as_nothing():
    found = score(article(updated=90), [Cited(True, ago(90))], TODAY, compat=True)
    assert found.basis == 100
    assert found.score == pytest.approx(50)
    spoken = score(article(updated=90, compiled_from="conversation"), [], TODAY, compat=True)
    assert spoken.score == pytest.approx(25)


def test_compat_does_not_know_of_lapsing():
    assert aged("warm", 90, compat=True, verified="lapsed").score == pytest.approx(62.5)


def test_a_verified_that_is_no_date_is_never():
    found = score(page("wiki/concepts/a.md", document(verified="banana")), [], TODAY, verified="attested")
    assert found.standing == "never"


def test_mixed_articles_are_scored_like_those_from_sources():
    assert score(article(updated=0, compiled_from="mixed"), [], TODAY).integrity == 0


def test_the_threshold_is_compared_unrounded():
    found = aged("warm", 66)
    assert found.shown == f"{found.score:.1f}"
    assert not found.stale(found.score)
    assert found.stale(found.score + 1e-9)


def test_a_stale_cold_article_is_only_mentioned():
    assert aged("cold", 9).severity == "info"
    assert aged("warm", 9).severity == "warning"
    assert aged("hot", 9).severity == "warning"


def test_a_verification_stands_as_long_as_the_body_does():
    verified = article(verified=1)
    assert standing(verified, "hash", None) == "unattested"
    assert standing(verified, "hash", "hash") == "attested"
    assert standing(verified, "hash", "other") == "lapsed"
    assert standing(article(), "hash", "hash") == "never"


days = st.one_of(st.none(), st.integers(-400, 4000))


@given(
    st.sampled_from(["hot", "warm", "cold", ""]),
    days,
    days,
    st.sampled_from(["sources", "conversation", "mixed"]),
    st.lists(st.builds(Cited, st.booleans(), st.one_of(st.none(), st.dates(date(2000, 1, 1)))), max_size=5),
    st.booleans(),
    st.sampled_from([None, "attested", "lapsed"]),
)
def test_a_score_lies_between_0_and_100(volatility, verified, updated, source, cited, compat, worth):
    made = article(volatility, verified, updated, compiled_from=source)
    found = score(made, cited, TODAY, verified=worth, compat=compat)
    assert 0 <= found.score <= 100 + 1e-9


@given(st.sampled_from(["hot", "warm", "cold"]), st.integers(0, 3000), st.integers(1, 500))
def test_time_never_makes_an_article_fresher(volatility, age, more):
    assert aged(volatility, age + more).score <= aged(volatility, age).score
