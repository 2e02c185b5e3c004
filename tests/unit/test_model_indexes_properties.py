"""What holds for every index, however damaged: merging is idempotent, loses nothing, never fails."""

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from indexkit import DAY, Tree, article, document

from llm_wiki.model import indexes

FILES = {
    "wiki/concepts/a.md": article("A", "About a."),
    "wiki/concepts/B b.md": article("B [x] | `y", "About | b."),
    "wiki/concepts/c(1).md": document(title="C"),
    "wiki/concepts/d.md": b"no front matter",
    "wiki/topics/t.md": article("T"),
    "wiki/concepts/_index.md": b"",
    "raw/articles/_index.md": b"",
    "raw/articles/r.md": b"",
    "raw/papers/": b"",
    "output/o.md": document(title="O", type="report", generated="2026-01-01"),
    "output/projects/p/WHY.md": b"# P\n\nGoal.\n",
    "inventory/items/i.md": document(title="I", kind="item", status="active"),
    "inventory/ideas/": b"",
    "datasets/s/MANIFEST.md": document(title="S", size_bytes="3"),
    "datasets/s/samples/": b"",
    "log.md": b"## [2026-01-04] lint | x\n",
    "config.md": document(title="Tea"),
}
TREE = Tree(FILES)
FOLDERS = ["", "wiki/concepts", "raw", "output", "inventory", "inventory/items", "datasets", "datasets/s"]
CONTRACTS = {folder: indexes.contract(folder, TREE) for folder in FOLDERS}
HUB = indexes.hub(
    [
        indexes.HubTopic("tea", "topics/tea", "Tea", "Leaves"),
        indexes.HubTopic("far", "/home/me/My Wiki"),
        indexes.HubTopic("old", "topics/.archive/old", archived=True),
    ]
)

targets = st.sampled_from(
    [
        "a.md",
        "./a.md",
        "A.md",
        "B%20b.md",
        "<B b.md>",
        "<c(1).md>",
        "x.md",
        "<x y.md>",
        "d.md#part",
        "../topics/t.md",
        "../gone/t.md",
        "https://x.org/a.md",
        "articles/_index.md",
        "papers/_index.md",
        "notes/_index.md",
        "items/_index.md",
        "items/i.md",
        "s/MANIFEST.md",
        "o.md",
        "projects/p/WHY.md",
        "raw/_index.md",
        "wiki/concepts/_index.md",
        "topics/tea",
        "topics/old/_index.md",
        "topics/.archive/old",
    ]
)
words = st.sampled_from(
    ["A", "Old | text", r"a \| b", "`a|b`", "`", "x", "", "*é*", "2026-01-02", "good", "tea"]
)
links = st.builds("[{}]({})".format, words, targets)
pieces = st.one_of(words, links, st.builds("{} and {}".format, links, links))
headers = st.sampled_from(
    ["File", "Summary", "Tags", "Updated", "Quality", "Output", "Wiki", "Title", "Date", "Article"]
)


@st.composite
def tables(draw):
    columns = draw(st.lists(headers, min_size=1, max_size=4))
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    for _ in range(draw(st.integers(0, 5))):
        cells = draw(st.lists(pieces, min_size=1, max_size=len(columns) + 1))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


headings = st.sampled_from(
    [
        "# Concepts",
        "## Contents",
        "## Statistics",
        "## Stats",
        "## Quick Navigation",
        "## Recent Changes",
        "## Outputs",
        "## Articles",
        "## Notes",
        "## Topic Wikis",
        "### [A](a.md)",
        "Contents\n---",
    ]
)
lines = st.one_of(
    pieces,
    headings,
    tables(),
    st.builds("- {}".format, pieces),
    st.builds("  - {}".format, pieces),
    st.builds("* {}\n  more".format, links),
    st.builds("See {}".format, links),
    st.sampled_from(["Last updated: 2025-01-01", "- Last updated: 2025-02-01", "Last updated:"]),
    st.builds(
        "- {}: {}".format,
        st.sampled_from(["Sources", "Total sources", "Articles", "Last lint"]),
        st.sampled_from(["1", "7 (x)", "never", "", "soon"]),
    ),
    st.sampled_from(
        [
            "",
            "",
            "```",
            "~~~",
            "<!-- x",
            "-->",
            "<div>",
            "<pre>",
            "    code",
            "> quote",
            "[x]: x.md",
            "[x][x]",
            "---",
            "\t| a | b |",
            "<a href='x.md'>y</a>",
            "|",
            "|-|",
        ]
    ),
)
texts = st.lists(lines, max_size=14).map("\n".join)
endings = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def damaged(draw):
    """An index as people, tools and Git merges leave it behind."""
    text = draw(texts)
    data = text.replace("\n", draw(endings)).encode()
    if draw(st.booleans()):
        data += b"\n"
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf", b"---\ntitle: X\n---\n"])) + data


contracts = st.sampled_from([*CONTRACTS.values(), HUB])


@given(damaged(), contracts)
@settings(max_examples=400)
def test_merging_twice_gives_the_same_as_merging_once(data, contract):
    once = indexes.merge(data, contract, DAY)
    assert indexes.merge(once, contract, DAY) == once


@given(damaged(), contracts)
@settings(max_examples=300)
def test_after_a_merge_only_what_no_merge_can_remove_is_left(data, contract):
    left = indexes.check(indexes.merge(data, contract, DAY), contract)
    assert not left.missing
    assert not left.gone
    assert not left.doubled
    assert not left.statistics
    assert not left.cells
    assert not any(dead.fixable for dead in left.dead)


MARK = "FOREIGN"


@given(
    texts,
    st.lists(st.sampled_from(["{} line", "- {} bullet", "## {}", "**{}**", "{}: 7", "> {}"]), min_size=1),
    contracts,
    st.randoms(use_true_random=False),
)
@settings(max_examples=300)
def test_no_foreign_line_is_ever_lost(text, foreign, contract, random):
    body = text.split("\n")
    kept = [line.format(f"{MARK}{number}") for number, line in enumerate(foreign)]
    for line in kept:
        body.insert(random.randint(0, len(body)), line)
    merged = indexes.merge("\n".join(body).encode(), contract, DAY).decode()
    assert [line for line in merged.split("\n") if MARK in line] == [line for line in body if MARK in line]


@given(st.lists(st.tuples(targets, words, words), max_size=6), st.permutations(["File", "Quality", "Owner"]))
def test_no_foreign_cell_of_a_row_that_stays_is_lost(rows, columns):
    alive = {"a.md", "./a.md", "B%20b.md", "<B b.md>", "<c(1).md>", "d.md#part"}
    seen = set()
    unique = [
        row
        for row in rows
        if row[0] in alive and not (row[0].strip("./<>")[0] in seen or seen.add(row[0].strip("./<>")[0]))
    ]
    table = ["| " + " | ".join(columns) + " |", "|-|-|-|"]
    for target, quality, owner in unique:
        values = {
            "File": f"[t]({target})",
            "Quality": quality.replace("|", ""),
            "Owner": owner.replace("|", ""),
        }
        table.append("| " + " | ".join(values[name] for name in columns) + " |")
    merged = indexes.merge(
        "\n".join(["# C", "", *table, ""]).encode(), CONTRACTS["wiki/concepts"], DAY
    ).decode()
    for target, quality, owner in unique:
        (row,) = [line for line in merged.split("\n") if f"({target})" in line]
        for value in (quality, owner):
            assert value.replace("|", "").replace("\\", "") in row.replace("\\", "")


@given(st.binary(max_size=300), contracts)
def test_any_bytes_are_checked_and_merged_without_failing(data, contract):
    indexes.check(data, contract)
    once = indexes.merge(data, contract, DAY)
    assert indexes.merge(once, contract, DAY) == once


@given(st.text(max_size=200), contracts)
def test_any_text_is_merged_without_failing(text, contract):
    data = text.encode("utf-8", "surrogatepass")
    once = indexes.merge(data, contract, DAY)
    assert indexes.merge(once, contract, DAY) == once


names = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="/"), min_size=1, max_size=12
)
fields = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=30)


@given(
    st.lists(st.tuples(names, fields, fields), max_size=5, unique_by=lambda item: item[0].casefold()),
    st.sampled_from(["wiki/concepts", "inventory/items", "raw/notes"]),
)
@settings(max_examples=200)
def test_a_rendered_index_agrees_with_its_contract_whatever_the_names(files, folder):
    def quoted(text):
        return "'" + text.replace("'", "''") + "'"

    assume(all(name[0] != "." and name.casefold() != "_index" for name, _, _ in files))
    tree = Tree(
        {
            f"{folder}/": b"",
            **{
                f"{folder}/{name}.md": document(
                    title=quoted(title), summary=quoted(summary), status=quoted(summary)
                )
                for name, title, summary in files
            },
        }
    )
    contract = indexes.contract(folder, tree)
    data = indexes.render(contract, DAY)
    assert not indexes.check(data, contract)
    assert indexes.merge(data, contract, "2027-01-01") == data
