"""W501-W509: links that lead nowhere, to the wrong place, or to one others cannot find."""

import unicodedata

import lintkit as kit
import pytest
from lintkit import (
    GRADES,
    GREEN,
    HARVEST,
    IDEA,
    ITEM,
    MANIFEST,
    OXIDATION,
    REPORT,
    STUDY,
    TASTING,
    THESIS,
    WHY,
    drop,
    edit,
    field,
    full,
    one,
    read,
    reindex,
    sample,
    write,
)

COVERAGE = "wiki/references/uncompiled-source-coverage.md"


def add(root, rel, text):
    """Append a paragraph; return its 1-based line."""
    before = read(root, rel)
    write(root, rel, f"{before}\n{text}\n")
    return before.count("\n") + 2


# --- W501 ----------------------------------------------------------------------------------

MISSING = [
    "[a](gone.md)",
    "[a](../concepts/gone.md)",
    "[a](/wiki/concepts/gone.md)",
    '[a](gone.md "with a title")',
    "[a](gone.md?raw=1)",
    "[a](gone.md#part)",
    "[a](<gone file.md>)",
    "[a](gone_(old).md)",
    "[a](gone.MD)",
    "[a](gone%20file.md)",
    '<a href="gone.md">a</a>',
    "[a][ref]\n\n[ref]: gone.md",
    "[ref][]\n\n[ref]: gone.md",
    "[ref]\n\n[ref]: gone.md",
    "[a\nb](gone.md)",
    "[![x](https://example.org/x.png)](gone.md)",
    r"[a](..\topics\gone.md)",
    r"[a](topics\gone.md)",
]


@pytest.mark.parametrize("text", MISSING)
@pytest.mark.parametrize("rel", [OXIDATION, ITEM])
def test_a_link_to_a_missing_page_is_one_warning(tmp_path, rel, text):
    root = full(tmp_path)
    line = add(root, rel, text)
    found = one(root, "W501")
    assert (found.severity, found.path, found.line, found.fixable) == ("warning", rel, line, False)
    assert "gone" in found.target


def test_a_dead_link_names_the_one_file_of_that_name(tmp_path):
    root = sample(tmp_path)
    add(root, OXIDATION, "[Green](green-tea.md)")
    assert GREEN in one(root, "W501").message


@pytest.mark.parametrize(
    "text", [r"[Green](..\topics\green-tea.md)", r"[Green](..\topics\green-tea.md#part)"]
)
def test_a_link_with_backslashes_is_dead_and_names_the_file_it_means(tmp_path, text):
    root = sample(tmp_path)
    add(root, OXIDATION, text)
    assert f"(there is {GREEN})" in one(root, "W501").message


def test_a_dead_link_names_no_file_where_several_have_the_name(tmp_path):
    root = full(tmp_path)
    write(root, "output/projects/other/WHY.md", "# Other\n\nA reason of its own.\n")
    reindex(root)
    add(root, OXIDATION, "[Why](WHY.md)")
    assert "there is" not in one(root, "W501").message


def test_each_place_of_a_dead_link_is_a_finding(tmp_path):
    root = sample(tmp_path)
    add(root, OXIDATION, "[a](gone.md) and [b](gone.md)")
    found = kit.findings(root)
    assert [(one.rule, one.column) for one in found] == [("W501", 1), ("W501", 18)]


FINE = [
    "[a](../topics/green-tea.md)",
    "[a](/wiki/topics/green-tea.md)",
    "[a](../topics/)",
    "[a](../../raw/papers)",
    "[a](/)",
    "[a](https://example.org/gone.md)",
    "[a](mailto:x@example.org)",
    "[a](#findings)",
    "[a](../../inbox/.processed/gone.md)",
    "[a](../../.librarian/gone.md)",
    "`[a](gone.md)`",
    "    [a](gone.md)",
    "```\n[a](gone.md)\n```",
    "<!-- [a](gone.md) -->",
    r"\[a\](gone.md)",
    "[unused]: gone.md",
    "[a](gone)",
]


@pytest.mark.parametrize("text", FINE)
def test_what_is_no_link_or_leads_somewhere_is_not_reported(tmp_path, text):
    root = sample(tmp_path)
    add(root, OXIDATION, "Text.\n\n" + text)
    assert kit.ids(root) == []


def test_captured_text_may_hold_dead_links(tmp_path):
    root = sample(tmp_path)
    add(root, STUDY, "[a](gone.md) [[nobody]] ![x](gone.png) [b](../../../x.md)")
    assert kit.ids(root) == []


def test_a_link_behind_a_symbolic_link_is_not_judged(tmp_path):
    root = sample(tmp_path)
    (tmp_path / "outside").mkdir()
    (root / "wiki/concepts/assets").symlink_to(tmp_path / "outside")
    add(root, OXIDATION, "[a](assets/gone.md) ![b](assets/gone.png)")
    assert kit.ids(root) == ["W108"]


def test_both_halves_of_a_dead_dual_link_are_one_finding(tmp_path):
    root = sample(tmp_path)
    add(root, OXIDATION, "[[gone|Gone]] ([Gone](gone.md))")
    one(root, "W501")


def test_the_dead_link_of_the_coverage_page_is_fixable_because_the_page_is_rebuilt(tmp_path):
    root = sample(tmp_path)
    kit.article(root, COVERAGE, "Uncompiled Source Coverage", sources=[], see=[])
    drop(root, COVERAGE, "sources")
    add(root, COVERAGE, "[gone](../../raw/papers/gone.md)")
    reindex(root)
    assert one(root, "W501").fixable


# --- W502 ----------------------------------------------------------------------------------


@pytest.mark.parametrize("rel", [REPORT, WHY, MANIFEST])
def test_a_dead_link_in_an_output_or_data_set_is_an_info(tmp_path, rel):
    root = full(tmp_path)
    add(root, rel, "[a](gone.md)")
    found = one(root, "W502")
    assert (found.severity, found.path, found.target) == ("info", rel, "gone.md")


def test_a_source_of_an_output_that_is_gone_is_an_info(tmp_path):
    root = full(tmp_path)
    field(root, REPORT, "sources", "\n  - wiki/topics/gone.md\n  - https://example.org/x\n  - " + GREEN)
    found = one(root, "W502")
    assert (found.path, found.target) == (REPORT, "wiki/topics/gone.md")


def test_a_slug_is_no_source_of_an_output(tmp_path):
    root = full(tmp_path)
    field(root, REPORT, "sources", "[leaf-oxidation-study]")
    one(root, "W502")


# --- W503 ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["[[gone]]", "![[gone]]", "[[gone#part|Gone]]", "![[gone.png]]", "[[concepts/gone]]"]
)
def test_a_wikilink_to_nothing_is_an_info(tmp_path, text):
    root = sample(tmp_path)
    line = add(root, OXIDATION, text)
    found = one(root, "W503")
    assert (found.severity, found.path, found.line) == ("info", OXIDATION, line)


NO_WIKILINKS = [
    "[[1]]",
    "As shown before.[[12]]",
    "[[1, 2]] (https://example.org)",
    "$a_{[[i]]}$",
    "Let $x_{[[n]]} = 2$ and $y$ follow.",
    "$$\nM = [[a]]\n$$",
    "if [[ -f x ]]; then",
    "[[ $a == b ]] || exit",
]


@pytest.mark.parametrize("text", NO_WIKILINKS)
def test_citations_mathematics_and_shell_tests_are_no_wikilinks(tmp_path, text):
    root = sample(tmp_path)
    add(root, OXIDATION, text)
    assert kit.ids(root) == []


@pytest.mark.parametrize(
    "text",
    [
        "[[gone]](https://example.org)",
        "[[2026-01-02]]",
        "[[gone ]]",
        "It costs $5 in [[gone]] and $6 elsewhere.",
        "From $5[[gone]]$6.",
        "US$ [[gone]] $",
        "The shell calls itself $$.\n\nSee [[gone]], not $$.",
        r"\$x [[gone]] y\$",
    ],
)
def test_prices_and_dates_make_no_mathematics_and_no_citation(tmp_path, text):
    root = sample(tmp_path)
    add(root, OXIDATION, text)
    one(root, "W503")


def test_a_wikilink_that_means_several_files_is_an_info_naming_them(tmp_path):
    root = full(tmp_path)
    add(root, OXIDATION, "[[tea-almanac]]")
    write(root, "output/projects/tea-almanac/tea-almanac.md", "# Members\n")
    message = one(root, "W503").message
    assert IDEA in message
    assert "output/projects/tea-almanac/tea-almanac.md" in message


NAMED = [
    "[[green-tea]]",
    "[[Green-Tea]]",
    "[[green-tea.md]]",
    "[[topics/green-tea]]",
    "[[wiki/topics/green-tea]]",
    "[[../topics/green-tea]]",
    "[[/wiki/topics/green-tea|Green]]",
    "[[sencha and gyokuro]]",
    "[[#Findings]]",
    "![[leaf.png]]",
    "`[[gone]]`",
    "[[1]](https://example.org/paper)",
    "Heat helps.[[12]](#findings)",
]


@pytest.mark.parametrize("text", NAMED)
def test_a_wikilink_resolves_by_path_stem_or_alias_in_any_case(tmp_path, text):
    root = sample(tmp_path)
    field(root, GREEN, "aliases", "[Sencha and Gyokuro]")
    write(root, "wiki/concepts/assets/leaf.png", b"\x89PNG")
    add(root, OXIDATION, text)
    assert kit.ids(root) == []


# --- W504 ----------------------------------------------------------------------------------

ASSETS = [
    "![a](gone.png)",
    "![a](assets/gone.jpg)",
    "[a](gone.pdf)",
    '<img src="gone.png">',
    "![a][r]\n\n[r]: gone.png",
]


@pytest.mark.parametrize("text", ASSETS)
def test_a_missing_image_or_attachment_is_a_warning(tmp_path, text):
    root = sample(tmp_path)
    line = add(root, OXIDATION, text)
    found = one(root, "W504")
    assert (found.severity, found.path, found.line) == ("warning", OXIDATION, line)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("![a](gone.png)", "Missing image or attachment: gone.png"),
        ("[a](gone.ts)", "Link to a missing file: gone.ts"),
        ("[a](src/gone.js)", "Link to a missing file: src/gone.js"),
        ("[a](LICENSE.txt)", "Link to a missing file: LICENSE.txt"),
    ],
)
def test_what_the_page_would_not_show_is_called_a_file(tmp_path, text, said):
    root = sample(tmp_path)
    add(root, OXIDATION, text)
    assert one(root, "W504").message == said


def test_a_missing_image_of_an_output_is_not_reported(tmp_path):
    root = full(tmp_path)
    add(root, REPORT, "![a](gone.png)")
    assert kit.ids(root) == []


def test_an_image_that_is_there_is_fine(tmp_path):
    root = sample(tmp_path)
    write(root, "wiki/concepts/assets/leaf.png", b"\x89PNG")
    add(root, OXIDATION, '![a](assets/leaf.png) ![b](https://example.org/x.png) <img src="assets/leaf.png">')
    assert kit.ids(root) == []


# --- W505 ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["[a](../topics/green-tea.md#gone)", "[a](#gone)", "[[green-tea#Gone]]", "[[#Gone]]"]
)
def test_a_heading_that_is_not_there_is_an_info(tmp_path, text):
    root = sample(tmp_path)
    line = add(root, OXIDATION, text)
    found = one(root, "W505")
    assert (found.severity, found.path, found.line) == ("info", OXIDATION, line)


HEADINGS = [
    "[a](../topics/green-tea.md#findings)",
    "[a](../topics/green-tea.md#see-also)",
    "[[green-tea#See Also]]",
    "[[green-tea#^block]]",
    "[a](#findings)",
    "[a](#wärme-und-kälte)",
    "[a](#w%C3%A4rme-und-k%C3%A4lte)",
    "[a](#findings-1)",
    "[a](../topics/green-tea.md#:~:text=prose)",
    "[a](https://example.org/#gone)",
    "[Back to the top](#top)",
]


@pytest.mark.parametrize("text", HEADINGS)
def test_a_heading_is_found_by_slug_or_text(tmp_path, text):
    root = sample(tmp_path)
    add(root, OXIDATION, f"## Wärme und Kälte\n\n## Findings\n\n{text}")
    assert kit.ids(root) == []


# --- W506 ----------------------------------------------------------------------------------


def test_a_link_that_differs_in_case_is_a_warning_with_the_real_name(tmp_path):
    root = sample(tmp_path)
    line = add(root, OXIDATION, "[a](../topics/Green-Tea.md)")
    found = one(root, "W506")
    assert (found.severity, found.path, found.line, found.fixable) == ("warning", OXIDATION, line, True)
    assert GREEN in found.message


def test_a_source_that_differs_in_case_is_a_warning(tmp_path):
    root = sample(tmp_path)
    field(root, THESIS, "sources", f"[{TASTING.replace('tasting', 'Tasting')}]")
    found = one(root, "W506")
    assert (found.path, found.fixable) == (THESIS, True)
    assert TASTING in found.message


def test_a_link_in_another_unicode_form_is_a_warning(tmp_path):
    root = sample(tmp_path)
    name = unicodedata.normalize("NFD", "café.md")
    kit.article(root, f"wiki/topics/{name}", "Café", sources=[HARVEST], see=[GREEN])
    add(root, GREEN, "[Café](café.md)")
    reindex(root)
    found = one(root, "W506")
    assert (found.path, found.target) == (GREEN, "café.md")


def test_a_link_spelt_as_the_file_is_fine_in_either_form(tmp_path):
    root = sample(tmp_path)
    for form, stem in (("NFC", "café"), ("NFD", "thé")):
        name = unicodedata.normalize(form, stem)
        kit.article(root, f"wiki/topics/{name}.md", stem, sources=[HARVEST], see=[GREEN])
        add(root, GREEN, f"[{stem}]({name}.md)")
    reindex(root)
    assert kit.ids(root) == []


# --- W507 ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["[a](../../../other/x.md)", "[a](../../..)", "![a](../../../x.png)"])
def test_a_link_out_of_the_root_is_a_warning(tmp_path, text):
    root = sample(tmp_path)
    write(tmp_path, "other/x.md", "x")
    add(root, OXIDATION, text)
    assert one(root, "W507").path == OXIDATION


def test_a_source_outside_the_root_is_a_warning(tmp_path):
    root = sample(tmp_path)
    write(tmp_path, "x.md", "x")
    field(root, OXIDATION, "sources", f"\n  - {STUDY}\n  - ../../../x.md")
    found = one(root, "W507")
    assert (found.path, found.target) == (OXIDATION, "../../../x.md")


# --- W508, W509 ----------------------------------------------------------------------------


def test_see_also_without_a_link_back_is_an_info_and_a_warning_when_strict(tmp_path):
    root = sample(tmp_path)
    edit(root, OXIDATION, "## See Also\n", f"## See Also\n\n{kit.dual(OXIDATION, GRADES)}")
    found = one(root, "W508")
    assert (found.severity, found.path, found.target) == ("info", OXIDATION, GRADES)
    assert one(root, "W508", strict=True).severity == "warning"


def test_a_link_in_the_text_needs_no_link_back(tmp_path):
    root = sample(tmp_path)
    edit(root, OXIDATION, "Prose.", f"Prose, as in {kit.dual(OXIDATION, GRADES)[2:]}.")
    assert kit.ids(root) == []


def test_a_link_back_by_wikilink_is_enough(tmp_path):
    root = sample(tmp_path)
    edit(root, OXIDATION, "## See Also\n", f"## See Also\n\n{kit.dual(OXIDATION, GRADES)}")
    add(root, GRADES, "See [[oxidation]].")
    assert kit.ids(root) == []


def test_halves_of_a_dual_link_that_name_different_files_are_an_info(tmp_path):
    root = sample(tmp_path)
    line = add(root, GREEN, "[[oxidation|Oxidation]] ([Oxidation](../references/tea-grades.md))")
    found = one(root, "W509")
    assert (found.severity, found.path, found.line) == ("info", GREEN, line)


def test_halves_that_name_one_file_in_two_ways_are_fine(tmp_path):
    root = sample(tmp_path)
    field(root, GRADES, "aliases", "[grading]")
    add(
        root,
        GREEN,
        "[[grading|G]] ([G](../references/tea-grades.md)) [[oxidation]], [x](../theses/shade-growing.md)",
    )
    assert kit.ids(root) == []


def test_halves_are_not_compared_where_one_form_is_chosen(tmp_path):
    root = sample(tmp_path)
    field(root, "config.md", "links", "markdown")
    add(root, GREEN, "[[oxidation|Oxidation]] ([Oxidation](../references/tea-grades.md))")
    assert kit.ids(root) == []


@pytest.mark.parametrize("more", [b"word " * 20_000, b"\xff"])
def test_nothing_is_said_of_links_back_from_a_page_that_was_not_read_whole(tmp_path, more):
    root = sample(tmp_path)
    text = (root / OXIDATION).read_bytes()
    start, end = text.index(b"## See Also"), text.index(b"## Sources")
    write(root, OXIDATION, text[:start] + text[end:] + b"\n" + more + b"\n")
    assert "W508" not in kit.ids(root)
