from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from model_cases import cases

from llm_wiki.core.errors import BadUsage, Conflict, Refused
from llm_wiki.model.document import page
from llm_wiki.model.edit import retarget, retarget_all
from llm_wiki.model.page import Link

REL = "wiki/concepts/a.md"
TABLE = [pytest.param(*case, id=case[0].split("\n")[0]) for case in cases("model_retarget.md")]


def wanted(data: bytes) -> list[Link]:
    return [link for link in page(REL, data).links if link.kind in ("path", "wiki")]


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize(("title", "before", "after"), TABLE)
def test_links_get_new_destinations_as_the_table_says(title: str, before: str, after: str, eol: str):
    target = title.split("\n")[1]
    data, expected = (
        f"\ufeff---\ntitle: é\n---\n{text}".replace("\n", eol).encode() for text in (before, after)
    )
    assert retarget_all(data, [(link, target) for link in wanted(data)]) == expected


@pytest.mark.parametrize(("title", "before", "after"), TABLE)
def test_one_link_changes_alone(title: str, before: str, after: str):
    data = before.encode()
    for link in wanted(data):
        edited = retarget(data, link, "one.md")
        changed = [
            new
            for old, new in zip(page(REL, data).links, page(REL, edited).links, strict=True)
            if old.target != new.target
        ]
        assert {new.target for new in changed} == {"one.md"}
        if link.form not in ("reference", "collapsed", "shortcut", "definition"):
            assert len(changed) == 1


def test_a_link_that_is_not_there_any_more_is_a_conflict():
    link = wanted(b"xx [a](old.md)")[0]
    for data in (b"x [a](old.md)", b"", b"xx ![a](old.md)", b"xx [[a]](ol.md)"):
        with pytest.raises(Conflict):
            retarget(data, link, "new.md")


def test_two_targets_for_one_place_contradict_each_other():
    data = b"[a][x] [b][x]\n\n[x]: old.md\n"
    first, second, _ = wanted(data)
    assert retarget_all(data, [(first, "n.md"), (second, "n.md")]) == b"[a][x] [b][x]\n\n[x]: n.md\n"
    with pytest.raises(BadUsage):
        retarget_all(data, [(first, "n.md"), (second, "m.md")])


@pytest.mark.parametrize("target", ["a]]b", "a|b", "a\nb", "a\\", "", " "])
def test_a_name_that_would_break_the_text_is_refused(target: str):
    data = b"[[old|x]]"
    with pytest.raises(Refused):
        retarget(data, wanted(data)[0], target)


def test_a_target_that_would_turn_what_follows_into_html_is_refused():
    data = b"<img src='\n'>\n# Heading\n"
    with pytest.raises(Refused):
        retarget(data, page(REL, data).links[0], "a.png")


def test_a_file_that_is_not_utf8_is_refused():
    data = b"[a](old.md) \xff"
    with pytest.raises(Refused):
        retarget(data, wanted(data)[0], "new.md")


def test_nothing_to_change_returns_the_same_bytes():
    assert retarget_all(b"\xff", []) == b"\xff"


PIECES = (
    *(
        "[a](old.md)",
        "[b](<o d.md> 't')",
        "![i](old.png)",
        "[[old|x]]",
        "![[old]]",
        "[x][r]",
        "[r]",
        "<img src=a.png>",
    ),
    *(
        "<a href='b.md'>",
        "\n",
        "\n\n",
        "\r\n",
        "# ",
        "- ",
        "> ",
        "`",
        "*",
        "é",
        "日本 ",
        "|a|b|\n|-|-|\n",
        "|",
        "\\",
        "(",
    ),
    *("[", "]", "<!--", "-->", "    ", "[a\n](\nold.md)"),
)
TARGETS = st.text(alphabet="ab/.#?()<>|\\&;` é[]", min_size=1, max_size=10)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), TARGETS, st.data())
def test_bytes_outside_the_destination_stay(text: str, target: str, draw: st.DataObject):
    data = f"---\ntitle: é\n---\n{text}\n\n[r]: old.md\n".encode()
    links = wanted(data)
    assume(links)
    link = draw.draw(st.sampled_from(links))
    try:
        edited = retarget(data, link, target)
    except Refused:
        return
    places = [(link.start, link.end)]
    if link.form in ("reference", "collapsed", "shortcut"):
        places = [(other.start, other.end) for other in links if other.form == "definition"]
    assert any(edited.startswith(data[:start]) and edited.endswith(data[end:]) for start, end in places)
    again = page(REL, edited).links
    assert [(new.form, new.image, new.line) for new in again] == [
        (old.form, old.image, old.line) for old in page(REL, data).links
    ]
