"""All spellings of one address have one key, and other addresses have others."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm_wiki.admit.urls import is_web, normalise_url, without_tracking

SAME = [
    ("https://example.org/a", "HTTPS://EXAMPLE.org/a"),
    ("https://example.org/a", "http://example.org/a"),
    ("https://example.org/a", "https://www.example.org/a"),
    ("https://example.org/a", "https://example.org:443/a"),
    ("https://example.org/a", "http://example.org:80/a"),
    ("https://example.org/a", "https://example.org./a"),
    ("https://example.org/a", "https://example.org/a/"),
    ("https://example.org/a", "https://example.org/a#part"),
    ("https://example.org/a", "https://example.org/a?"),
    ("https://example.org/a", "https://example.org/a?utm_source=x&utm_medium=y"),
    ("https://example.org/a", "https://example.org/a?fbclid=1&gclid=2&mc_cid=3"),
    ("https://example.org/a?b=1", "https://example.org/a?UTM_Source=x&b=1"),
    ("https://example.org/a?b=1&c=2", "https://example.org/a?c=2&b=1"),
    ("https://example.org/a?b=1&c=2", "https://example.org/a?c=2&&b=1&"),
    ("https://example.org/%C3%A4", "https://example.org/%c3%a4"),
    ("https://example.org/%C3%A4", "https://example.org/ä"),
    ("https://example.org/%C3%A4", "https://example.org/a\u0308"),
    ("https://example.org/~me", "https://example.org/%7Eme"),
    ("https://example.org/a/c", "https://example.org/a/b/../c"),
    ("https://example.org/a", "https://example.org/./a"),
    ("https://example.org", "https://example.org/"),
    ("https://example.org/a", "  https://example.org/a  "),
    ("https://example.org/a", "https://user:pw@example.org/a"),
    ("https://example.org/a", "https://example.org/a;jsessionid=0F3"),
    ("https://xn--bcher-kva.example/", "https://Bücher.example"),
    ("https://[2001:db8::1]/x", "https://[2001:DB8::1]/x/"),
]

DIFFERENT = [
    ("https://example.org/a", "https://example.org/b"),
    ("https://example.org/a", "https://example.org/A"),
    ("https://example.org/a", "https://example.com/a"),
    ("https://example.org/a", "https://sub.example.org/a"),
    ("https://example.org/a", "https://example.org:8080/a"),
    ("https://example.org/a?id=1", "https://example.org/a?id=2"),
    ("https://example.org/a?ref=main", "https://example.org/a?ref=dev"),
    ("https://example.org/a?x=1&x=2", "https://example.org/a?x=1"),
    ("https://example.org/a%2Fb", "https://example.org/a/b"),
    ("https://example.org/a%3Fb", "https://example.org/a?b"),
    ("https://wwwexample.org/", "https://example.org/"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_spellings_of_one_address_are_equal(one: str, other: str) -> None:
    assert normalise_url(one) == normalise_url(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_addresses_stay_two(one: str, other: str) -> None:
    assert normalise_url(one) != normalise_url(other)


@pytest.mark.parametrize(
    "text", ["MANUAL", "notes/a.md", "", "ftp://example.org/x", "http://[", "https://", "mailto:a@b"]
)
def test_what_is_no_page_comes_back_as_it_is(text: str) -> None:
    assert normalise_url(f" {text} ") == text


@settings(max_examples=100)
@given(st.text(st.sampled_from(list("aB1/?&=#%.:-_~;@ äü中")), max_size=30))
def test_the_key_of_a_key_is_itself(rest: str) -> None:
    once = normalise_url(f"https://example.org/{rest}")
    assert normalise_url(once) == once


@pytest.mark.parametrize(
    ("text", "web"), [("http://a", True), ("HTTPS://A", True), ("ftp://a", False), ("a", False)]
)
def test_only_http_and_https_are_the_web(text: str, web: bool) -> None:
    assert is_web(text) is web


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://e.org/a?utm_source=x&b=2&fbclid=3#f", "https://e.org/a?b=2"),
        ("https://e.org/a?b=%c3&&A=1", "https://e.org/a?b=%c3&&A=1"),
        ("https://e.org/a?utm_source=x", "https://e.org/a"),
        ("https://WWW.e.org/A/", "https://WWW.e.org/A/"),
        ("http://[", "http://["),
    ],
)
def test_an_address_loses_its_tracking_and_nothing_else(url: str, kept: str) -> None:
    assert without_tracking(url) == kept
