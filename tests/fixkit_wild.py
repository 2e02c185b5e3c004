"""Ways to write a wiki as no program would: name → function of the root and a random choice (`Random`).

Every text that no repair may touch carries a marker (`NB1`, `NB2` …): `fixkit_owed` looks for them.
"""

import os
import re
import unicodedata
from pathlib import Path
from random import Random

from fixkit_forms import forms_of, marker
from lintkit import drop, field, read, write

TITLES = (
    "日本語メモ",
    "شاي أخضر",
    "Thé — été",
    "a | b",
    "x ] y [",
    'say "leaf"',
    "It''s",
    "#1: tea",
    "*Bold* tea",
)
NAMES = (
    "日本語メモ",
    "شاي-أخضر",
    "the\u0301-vert",
    "My Tea (1)",
    "a|b",
    "50% tea",
    "Über Tee",
    "x.y.z",
    "-tea",
)
PLANES = ("raw", "wiki", "inventory", "output", "datasets")
PROSE = "Leaves that are heated soon after they are picked stay green and keep the taste of the garden."
LONG = 20_000


def documents(root: Path, *planes: str) -> list[str]:
    """Return the paths of the documents below some planes, indexes left out, in order."""
    found = []
    for plane in planes or PLANES:
        for folder, _, names in os.walk(root / plane):
            below = Path(folder).relative_to(root).as_posix()
            found += [f"{below}/{name}" for name in names if name.endswith(".md") and name != "_index.md"]
    return sorted(rel for rel in found if not (root / rel).is_symlink())


def one(root: Path, chance: Random, *planes: str) -> str:
    return chance.choice(documents(root, *planes))


def headed(root: Path, chance: Random, *planes: str) -> str:
    """Return a document that has front matter."""
    every = documents(root, *planes or ("raw", "wiki", "inventory", "datasets"))
    return chance.choice([rel for rel in every if (root / rel).read_bytes().startswith(b"---\n")])


def keys(root: Path, rel: str) -> list[str]:
    head = read(root, rel).split("\n---", 1)[0]
    return re.findall(r"^([a-z_-]+):", head, re.MULTILINE)


def value(root: Path, rel: str, key: str) -> str | list[str]:
    """Return the value of a key that is written as plain scalar, flow list or block."""
    head = read(root, rel).split("\n---", 1)[0]
    found = re.search(rf"^{key}:(.*(?:\n +.*)*)", head, re.MULTILINE)
    assert found, key
    text = found[1].strip()
    if text.startswith("["):
        return [item.strip() for item in text.strip("[]").split(",") if item.strip()]
    if text.startswith("- "):
        return [line.strip()[2:].strip() for line in text.split("\n")]
    return text


def body(root: Path, rel: str, chance: Random, text: str) -> None:
    """Put a paragraph into the body of a document, somewhere between two others."""
    whole = read(root, rel)
    head, mark, rest = whole.partition("\n---\n") if whole.startswith("---\n") else ("", "", whole)
    parts = rest.split("\n\n")
    parts.insert(chance.randint(1, len(parts)), text.strip("\n"))
    write(root, rel, head + mark + "\n\n".join(parts).rstrip("\n") + "\n")


# --- how a file is written -------------------------------------------------------------------


def eol(root: Path, chance: Random) -> None:
    rel = one(root, chance)
    lines = read(root, rel).replace("\r\n", "\n").split("\n")
    ends = chance.choice([("\r\n",), ("\r\n",), ("\r",), ("\n", "\r\n")])
    write(root, rel, "".join(line + chance.choice(ends) for line in lines[:-1]) + lines[-1])


def no_final_newline(root: Path, chance: Random) -> None:
    rel = one(root, chance)
    write(root, rel, read(root, rel).rstrip("\r\n"))


def many_final_newlines(root: Path, chance: Random) -> None:
    rel = one(root, chance)
    write(root, rel, read(root, rel) + "\n\n \n")


def bom(root: Path, chance: Random) -> None:
    rel = one(root, chance)
    if not read(root, rel).startswith("\ufeff"):
        write(root, rel, "\ufeff" + read(root, rel))


def odd_bytes(root: Path, chance: Random) -> None:
    rel = one(root, chance)
    tail = chance.choice([b"\xe9", b"\x00", b"\x0c", b"\x1b", "\u2028x\u0085y\u000bz".encode()])
    write(root, rel, (root / rel).read_bytes() + tail + b"\n")


def long_line(root: Path, chance: Random) -> None:
    text = chance.choice(["](", "[[", "word ", "[x](y.md) ", "é", "|a"])
    body(root, one(root, chance), chance, text * (chance.choice([LONG, 4 * LONG]) // len(text)))


def mode(root: Path, chance: Random) -> None:
    (root / one(root, chance)).chmod(chance.choice([0o600, 0o640, 0o664, 0o755]))


# --- front matter ----------------------------------------------------------------------------


def scalar_form(root: Path, chance: Random) -> None:
    """The same value in another form of YAML."""
    rel = headed(root, chance)
    key = chance.choice(keys(root, rel))
    text = value(root, rel, key)
    note = f"# {marker(chance)}"
    assert isinstance(text, str)
    assert re.fullmatch(r"[^\"']+", text)
    forms = [
        f'"{text}"',
        f"'{text}'",
        f"{text} {note}",
        f'"{text}"   {note}',
        f">-\n  {text}",
        f"|\n  {text}\n",
    ]
    forms += [f"\n  {text}", f"   {text}", f"!!str {text}", f"&a1 {text}", f"{note}\n  {text}"]
    if " " in text:
        forms.append(text.replace(" ", "\n  ", 1))
    field(root, rel, key, chance.choice(forms))


def list_form(root: Path, chance: Random) -> None:
    """The same list in another form of YAML, with comments where YAML allows them."""
    rel = headed(root, chance)
    key = chance.choice([key for key in keys(root, rel) if isinstance(value(root, rel, key), list)])
    items = value(root, rel, key)
    note = f"# {marker(chance)}"
    block = "".join(f"\n  - {item}" for item in items)
    forms = [block, block.replace("\n  -", "\n-"), block.replace("\n  -", "\n    -"), f"[{', '.join(items)}]"]
    forms += [f"[ {', '.join(items)} ] {note}", "[\n  " + ",\n  ".join(items) + "\n]", f"{block} {note}"]
    forms += ["".join(f"\n  # {marker(chance)}\n  - '{item}'" for item in items), f" {note}{block}"]
    forms += ["".join(f'\n  -   "{item}"' for item in items), f"{block}\n  - {items[0]}", f"{block}\n  -"]
    forms += [", ".join(items), "".join(f"\n  - &i{n} {item}" for n, item in enumerate(items))]
    field(root, rel, key, chance.choice(forms))


def head_form(root: Path, chance: Random) -> None:
    """The same front matter, framed or filled in another way."""
    rel = headed(root, chance)
    lines = read(root, rel).split("\n")
    end = lines.index("---", 1)
    note = f"# {marker(chance)}"
    way = chance.randrange(8)
    if way == 0:
        lines[0], lines[end] = "---  ", "---\t"
    elif way == 1:
        lines.insert(chance.randint(1, end), note)
    elif way == 2:
        lines.insert(chance.randint(1, end), "")
    elif way == 3:
        lines[1:end] = [f"  {line}" for line in lines[1:end]]
    elif way == 4:
        lines[1:end] = [re.sub(r"^([a-z_]+):", r'"\1":', line) for line in lines[1:end]]
    elif way == 5:
        lines[end:end] = ["extra:", "  nested: [1, 2] " + note, "  more: {a: b}"]
    elif way == 6:
        lines[1:end] = [line.replace(": ", ":\t", 1) for line in lines[1:end]]
    else:
        lines[end:end] = ["text: |", f"  {marker(chance)}", "", "  # no comment", "  - no item"]
    write(root, rel, "\n".join(lines))


def head_broken(root: Path, chance: Random) -> None:
    rel = headed(root, chance)
    lines = read(root, rel).split("\n")
    at = chance.randint(1, lines.index("---", 1) - 1)
    lines[at:at] = [
        chance.choice(["x: {", "\tx: y", "a: b: c", lines[at], "<<: *none", "? a", "%TAG x", "..."])
    ]
    write(root, rel, "\n".join(lines))


def flow_head(root: Path, chance: Random) -> None:
    rel = headed(root, chance, "raw")
    lines = read(root, rel).split("\n")
    end = lines.index("---", 1)
    lines[1:end] = ["{" + ", ".join(lines[1:end]) + "}"]
    write(root, rel, "\n".join(lines))


def key_gone(root: Path, chance: Random) -> None:
    rel = headed(root, chance)
    drop(root, rel, chance.choice(keys(root, rel)))


def key_empty(root: Path, chance: Random) -> None:
    rel = headed(root, chance)
    empty = chance.choice(["", '""', "''", "~", "null", "[]", f"# {marker(chance)}", '"  "', "{}", ">-", "|"])
    field(root, rel, chance.choice(keys(root, rel)), empty)


def word_cased(root: Path, chance: Random) -> None:
    rel = headed(root, chance)
    words = ("type", "category", "kind", "status", "priority", "storage", "confidence", "volatility")
    key = chance.choice([key for key in keys(root, rel) if key in words])
    text = value(root, rel, key)
    assert isinstance(text, str)
    note = f"# {marker(chance)}"
    forms = [
        text.upper(),
        text.title(),
        f'"{text.upper()}"',
        f"'{text.title()}' {note}",
        f"  {text.upper()} {note}",
    ]
    field(root, rel, key, chance.choice(forms))


def shape_swapped(root: Path, chance: Random) -> None:
    rel = headed(root, chance)
    key = chance.choice(keys(root, rel))
    text = value(root, rel, key)
    other = (
        f"[{text}]"
        if isinstance(text, str)
        else chance.choice([", ".join(text), text[0], f'"{", ".join(text)}"'])
    )
    field(root, rel, key, other)


def titled(root: Path, chance: Random) -> None:
    rel = headed(root, chance)
    title = chance.choice(TITLES)
    field(root, rel, "title", chance.choice(["'" + title.replace("'", "''") + "'", f">-\n  {title}"]))


def sources_form(root: Path, chance: Random) -> None:
    """Sources by slug, relative, by other case, decomposed, dangling, twice, outside."""
    rel = headed(root, chance, "wiki", "inventory", "output")
    found = chance.choice(documents(root, "raw"))
    slug = Path(found).stem[11:]
    note = f"# {marker(chance)}"
    up = "../" * rel.count("/")
    forms = [
        slug,
        Path(found).stem,
        f"{up}{found}",
        f"./{up}{found}",
        f"/{found}",
        found.upper(),
        found.title(),
    ]
    forms += [unicodedata.normalize("NFD", found), "raw/papers/2020-01-01-none.md", "../../../etc/x.md", rel]
    forms += [
        "https://example.org/x",
        "raw/_index.md",
        f"{found} {note}",
        str(root / found),
        Path(found).name,
    ]
    forms += ["foo: bar #1", "a: b", f"*{slug}", "{x}", f"'{found}'", f'"{up}{found}" {note}', ""]
    picked = [found, *chance.sample(forms, chance.randint(1, 3))]
    chance.shuffle(picked)
    lead = chance.choice(["\n  - ", "\n- ", "\n    - ", "\n  # " + marker(chance) + "\n  - "])
    field(root, rel, "sources", "".join(lead + item for item in picked))


def aliases(root: Path, chance: Random) -> None:
    rel = headed(root, chance, "wiki")
    field(root, rel, "aliases", f"[{chance.choice(['Leaf', 'green-tea', 'Tea Alias'])}]")


# --- links -----------------------------------------------------------------------------------


def linked(root: Path, chance: Random) -> None:
    """One to four links to documents, from documents."""
    for _ in range(chance.randint(1, 4)):
        owner, to = one(root, chance, "wiki", "inventory", "output", "datasets"), one(root, chance)
        if (root / owner).read_bytes().find(b"\r") < 0:
            body(root, owner, chance, chance.choice(forms_of(owner, to, chance)))


def linked_from_everywhere(root: Path, chance: Random) -> None:
    """Links to one document in most forms there are."""
    to = one(root, chance, "wiki", "inventory", "raw")
    for _ in range(8):
        owner = one(root, chance)
        if (root / owner).read_bytes().find(b"\r") < 0:
            body(root, owner, chance, chance.choice(forms_of(owner, to, chance)))


def see_also(root: Path, chance: Random) -> None:
    """See Also names an article that does not link back."""
    owner, to = one(root, chance, "wiki"), one(root, chance, "wiki")
    text = read(root, owner)
    assert "## See Also\n\n" in text
    write(
        root,
        owner,
        text.replace("## See Also\n\n", f"## See Also\n\n- {forms_of(owner, to, chance)[0]}\n", 1),
    )


def see_also_shape(root: Path, chance: Random) -> None:
    """A See Also section in another form, or none."""
    owner = one(root, chance, "wiki")
    text = read(root, owner)
    head, mark, rest = text.partition("## See Also\n\n")
    assert mark
    items, _, last = rest.partition("\n\n## Sources")
    new = chance.choice(
        [
            "",
            "## See Also\n",
            f"## See Also\n\n{marker(chance)} prose.\n",
            f"See Also\n--------\n{items}\n",
            f"## See Also ##\n\n1. {marker(chance)}\n",
            f"# See Also\n\n{items.replace('- ', '* ')}\n\n{marker(chance)}",
            f"## See Also\n\n```\n- {marker(chance)}\n```\n",
            f"> ## See Also\n>\n> {items}\n",
        ]
    )
    write(root, owner, f"{head}{new}\n\n## Sources{last}" if chance.random() < 0.7 else head + new)


WRITING = {
    function.__name__.replace("_", " "): function
    for function in (
        *(eol, no_final_newline, many_final_newlines, bom, odd_bytes, long_line, mode),
        *(scalar_form, list_form, head_form, head_broken, flow_head, key_gone, key_empty, word_cased),
        *(shape_swapped, titled, sources_form, aliases),
        *(linked, linked_from_everywhere, see_also, see_also_shape),
    )
}
