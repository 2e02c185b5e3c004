"""Whole pages as sites write them: what must be there, what must not, title, authors, date."""

import contextlib
from pathlib import Path
from typing import NamedTuple

import pytest

from llm_wiki.core.errors import BadUsage
from llm_wiki.ingest.detect import Kind
from llm_wiki.ingest.extract import Extracted, extract

PAGES = Path(__file__).parent / "data" / "pages"
HTML = Kind("html")
URL = "https://site.example/dir/page"


class Expected(NamedTuple):
    title: str
    kept: tuple[str, ...]
    gone: tuple[str, ...]
    authors: tuple[str, ...] = ()
    date: str = ""


TABLE: dict[str, Expected] = {
    "blog": Expected(
        "How we cut build times",
        (
            "# How we cut build times\n",
            "```python\ndef key(inputs):\n    h = hashlib.sha256()\n    for path in sorted(inputs):\n      ",
            "```\nif x:\n    go()\n```",
            "| Month | Minutes |\n| --- | ---: |\n| May | 42 |\n| June \\| July | 12 |",
            "- First\n  - nested\n    - deep\n- Second\n",
            "1. One\n   1. One one\n2. Two\n",
            "[the docs](https://site.example/docs/cache?x=1#top)",
            "10⁶",
        ),
        ("cookies", "Related posts", "Nice post", "Pricing", "Tweet", "track()", "Privacy"),
        ("Jane Doe",),
        "2025-11-03",
    ),
    "docs": Expected(
        "Configuring retries",
        (
            "```typescript\nexport const policy = {\n  attempts: 4,\n\n  // doubles every time\n  backoff: ",
            '| `backoff` | `"linear" \\| "exponential"` | `"exponential"` | How the wait grows |',
            "1. Install the client:\n\n   ```bash\n   npm install @relay/client\n   ```\n\n   ```bash\n   ",
            "   - in Node, from `@relay/client`\n     - version 18 or newer\n",
            "- **`RELAY_RETRIES`**: Overrides `attempts`.",
            "## The policy object\n",
            "A `POST` needs an idempotency key.",
        ),
        ("Introduction", "Copy", "Edit this page", "Previous:", "Copyright", "Skip to", "\u200b"),
    ),
    "sphinx": Expected(
        "tar — Read and write archives",
        (
            "# `tar` — Read and write archives\n",
            "- **tar.open(*name=None*, *mode='r'*)**: Return an archive",
            "  | `'r' or 'r:*'` | Open for reading",
            '  ```python\n  >>> import tar\n  >>> with tar.open("a.tgz") as t:\n  ...     t.list()\n  ```',
            "Not every system has xz.",
        ),
        ("¶", "Previous topic", "Report a Bug", "genindex", "Created using"),
    ),
    "forum": Expected(
        "Compressor will not start after filter change",
        (
            "kettle42",
            "```\ncut-in   6.2 bar\ncut-out  8.0 bar\n```",
            "> the motor hums for two seconds and the breaker trips",
            "2. Short the capacitor with a resistor, **not** a screwdriver.",
            "31 µF instead of 60 µF",
        ),
        ("Rules", "Log in", "Report", "ForumSoft", "logo"),
    ),
    "layout": Expected(
        "Harold's Clock Page - Repairing the fusee",
        (
            "## Repairing the fusee",
            "do **not** wind the clock.\n\nBefore you start",
            "- a new chain, *same pitch*\n- two hooks\n- clock oil",
            "| Clock | Chain length |\n| --- | --- |\n| Bracket clock, 1790 | 1.52 m |",
            "Good luck!\\\nHarold",
        ),
        ("Guest book", "index.htm"),
    ),
    "encyclopedia": Expected(
        "Damped oscillator",
        (
            "A **damped oscillator** is an [oscillating](https://site.example/wiki/Oscillation) system",
            "| Field | [Mechanics](https://site.example/wiki/Mechanics) |",
            "`{\\displaystyle m{\\ddot {x}}+c{\\dot {x}}+kx=0}`",
            "N·s·m⁻¹",
            "Damping ratio\n\n| Case | ζ | Behaviour |\n| --- | --- | --- |\n| under-damped | ζ < 1 | swing",
            "| not swinging | ζ > 1 | slow return |",
            '["On damping"](https://doi.org/10.1/x)',
        ),
        ("edit", "Contents", "Force", "Main page", "Creative Commons", "svg"),
    ),
    "repository": Expected(
        "widget",
        (
            "A tiny widget engine for terminals.",
            "```shell\ncargo install widget\nwidget --help | less\n```",
            "- [x] boxes\n- [ ] mouse",
            "| Flag | Short |\n| :--- | :---: |\n| `--width` | `-w` |",
        ),
        ("Sign in", "Issues", "Pricing", "Releases"),
    ),
    "answers": Expected(
        "How do I read a file backwards?",
        (
            "```python\nwith open(path) as f:\n    lines = f.readlines()\n    for line in reversed(lines):\n",
            "```python\ndef backwards(f, size=8192):\n    f.seek(0, 2)\n```",
            "This breaks for UTF-16",
            "Use `mmap`; it lets the system",
        ),
        ("Tags", "How to tail", "About", "Down"),
    ),
    "wordpress": Expected(
        "Sauerteig ohne Waage",
        (
            "![Teig in einer Schüssel](https://brot.example/wp-content/teig.jpg)\n\nNach acht Stunden",
            "- 2 Tassen Mehl\n  - davon ½ Tasse Roggen\n- 1 Tasse Wasser",
            "| 0–15 min | 250 |",
            "> Der Teig sagt dir, wann er fertig ist.\n>\n> *Großmutter*",
        ),
        (
            "Newsletter",
            "Teilen",
            "Facebook",
            "Kommentar",
            "zu flüssig",
            "Neueste",
            "Cookies",
            "WordPress",
            "Kontakt",
        ),
        ("Käthe Müller",),
        "2024-02-29",
    ),
    "paper": Expected(
        "Slow caches considered useful",
        (
            "Abstract:We show that a cache slower",
            "| Comments: | 12 pages, 5 figures |",
            "Submitted on 3 Nov 2025",
        ),
        ("Skip to", "Search", "About"),
        ("Okafor, Ada", "Lindqvist, Per"),
        "2025-11-03",
    ),
    "divs": Expected(
        "Release 4.2",
        (
            "# Release 4.2\n\nThis release makes",
            "**Known problem:** on systems with less than 2 GB of memory the converter swaps",
            "```\nconvert-keys --in old.db --out new.db\nconvert-keys --check new.db\n```",
            "3.1 s",
        ),
        ("Changelog", "Sign in"),
    ),
    "broken": Expected(
        "Minutes of the bee club",
        (
            "Anna, Bo & Chen **(chair)**",
            "1\\. Varroa count was 3 < 5 per day",
            "- hive 1: ok\n- hive 2: [picture](https://site.example/dir/pics/hive2.jpg) missing\n- hive 3",
            "| Honey | 12 kg |\n| Wax | 1 kg |",
            "© club \\&unknown; €5 fee",
            "Bring cups & plates.",
        ),
        (),
    ),
    "small": Expected("Meter reading", ("# Meter reading\n\nGas meter, 2 March: 4711 m³.\n",), ()),
}


@pytest.fixture(scope="module")
def pages() -> dict[str, Extracted]:
    return {path.stem: extract(path.read_bytes(), HTML, url=URL) for path in sorted(PAGES.glob("*.html"))}


def test_every_page_has_its_expectations(pages: dict[str, Extracted]) -> None:
    assert set(pages) == set(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_the_content_of_a_page_is_kept(pages: dict[str, Extracted], name: str) -> None:
    missing = [text for text in TABLE[name].kept if text not in pages[name].body]
    assert not missing, pages[name].body


@pytest.mark.parametrize("name", TABLE)
def test_the_furniture_of_a_page_is_left_out(pages: dict[str, Extracted], name: str) -> None:
    assert [text for text in TABLE[name].gone if text in pages[name].body] == []


@pytest.mark.parametrize("name", TABLE)
def test_a_page_has_its_title_authors_and_date(pages: dict[str, Extracted], name: str) -> None:
    found, wanted = pages[name], TABLE[name]
    assert (found.title, found.authors, found.date) == (wanted.title, wanted.authors, wanted.date)


@pytest.mark.parametrize("name", TABLE)
def test_a_page_has_a_summary_of_one_line(pages: dict[str, Extracted], name: str) -> None:
    summary = pages[name].summary
    assert 0 < len(summary) <= 260
    assert "\n" not in summary


SCRIPTS = {
    "shift_jis": "猫は液体である。器に合わせて形を変えるからだ。\n\n- 一\n  - 二",
    "gb18030": "缓存比后端慢也能降低尾延迟，只要未命中容易预测。",
    "windows-1251": "Кэш медленнее хранилища всё же уменьшает задержку.",
    "euc-kr": "캐시가 느려도 지연을 줄일 수 있다.",
    "iso-8859-1": "Le café coûte 3 francs à l’ancienne gare.".replace("’", "'"),
    "windows-1252": "It costs €5 – “net”, says Zoë.",
    "big5": "快取比後端慢也能降低延遲。",
    "koi8-r": "Проверка кодировки.",
    "utf-16": "Zeichen in UTF-16: äöü 漢字",
}


@pytest.mark.parametrize("how", ["header", "meta", "equiv"])
@pytest.mark.parametrize("charset", sorted(SCRIPTS))
def test_a_page_in_any_encoding_becomes_its_text(charset: str, how: str) -> None:
    said = SCRIPTS[charset].split("\n")[0]
    meta = {
        "header": "",
        "meta": f'<meta charset="{charset}">',
        "equiv": f'<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset={charset.upper()}">',
    }[how]
    html = f"<html><head>{meta}<title>T</title></head><body><p>{said}</p></body></html>"
    found = extract(html.encode(charset), HTML, charset=charset if how == "header" else "")
    assert said in found.body.replace("\\", "")
    assert found.notes == ()


def test_a_page_without_any_declaration_in_a_single_byte_encoding_is_guessed_and_told() -> None:
    said = "Съешь же ещё этих мягких французских булок, да выпей чаю. " * 5
    found = extract(f"<p>{said}</p>".encode("cp1251"), HTML)
    assert "Съешь" in found.body
    assert any("guessed" in note for note in found.notes)


def test_a_wrong_declaration_does_not_garble_utf_8() -> None:
    found = extract('<meta charset="iso-2022-jp"><p>Größe: 5 µm</p>'.encode(), HTML)
    assert "Größe: 5 µm" in found.body
    assert any("iso-2022-jp" in note for note in found.notes)


def test_a_few_broken_bytes_are_shown_and_told() -> None:
    data = ("<meta charset=utf-8><p>" + "ä" * 200).encode() + b"\xe4 end</p>"
    found = extract(data, HTML)
    assert "\ufffd end" in found.body
    assert any("could not be read" in note for note in found.notes)


def test_a_page_of_a_megabyte_is_read_whole() -> None:
    part = (
        "<h2>Part {0}</h2><p>Sentence number {0} speaks about its <b>subject</b> at some length, "
        "with <a href='/s/{0}'>a link</a> and <i>more</i> words, so that the page grows.</p>"
        "<pre><code class='language-c'>int f{0}(void) {{\n    return {0};\n}}</code></pre>"
    )
    html = f"<html><body><main>{''.join(part.format(number) for number in range(3600))}</main></body></html>"
    assert len(html) > 1_000_000 - 150_000
    found = extract(html.encode(), HTML, url=URL)
    assert found.body.count("```c\n") == 3600
    assert "    return 3599;" in found.body


@pytest.mark.parametrize("html", ["", "   ", "<html></html>", "<script>x()</script>", "<p> </p>"])
def test_a_page_without_text_is_refused_with_a_remedy(html: str) -> None:
    with pytest.raises(BadUsage) as caught:
        extract(html.encode(), HTML, url=URL)
    assert caught.value.remedy
    assert caught.value.path == URL


def test_a_base_element_decides_where_links_lead() -> None:
    found = extract(b'<base href="/other/"><p>See <a href="x">this</a> for more.</p>', HTML, url=URL)
    assert "(https://site.example/other/x)" in found.body


def test_a_base_element_can_not_turn_links_into_local_ones() -> None:
    found = extract(b'<base href="file:///etc/"><p>See <a href="x">this</a> for more.</p>', HTML, url=URL)
    assert "(https://site.example/dir/x)" in found.body


def test_the_title_is_declared_when_no_single_heading_says_it() -> None:
    head = '<title>Real title - Site</title><meta property="og:site_name" content="Site">'
    assert extract(f"{head}<h1>A</h1><p>x</p><h1>B</h1>".encode(), HTML).title == "Real title"


def test_authors_are_never_guessed_from_the_text() -> None:
    assert (
        extract(b"<h1>T</h1><p>By John Smith, who wrote this.</p><p>More text here.</p>", HTML).authors == ()
    )


def test_a_title_of_the_address_is_the_last_resort() -> None:
    assert (
        extract(b"<p>Only text.</p>", HTML, url="https://a.example/x/slow-caches_2.html").title
        == "slow caches 2"
    )


def test_the_same_page_gives_the_same_bytes() -> None:
    data = (PAGES / "docs.html").read_bytes()
    assert extract(data, HTML, url=URL) == extract(data, HTML, url=URL)


HOSTILE = {
    "spans that ask for millions of cells": "<table>" + "<tr><td rowspan=1000 colspan=200>x" * 300,
    "a block of very many lines": "<pre>" + "<span class=line>x</span>" * 20_000,
    "a tag of very many attributes": f"<p {'a=b ' * 20_000}>x",
    "brackets without end": "<p>x" + "[" * 50_000,
    "a class of very many words": f"<div class='{'a-' * 20_000}'>x</div>",
    "tags that nothing closes": "<div>x" * 2000,
    "quotes within quotes": "<blockquote>" * 300 + "x",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_ends_and_keeps_its_text(name: str) -> None:
    assert "x" in extract(HOSTILE[name].encode(), HTML).body


@pytest.mark.parametrize(
    "html", ["<!--", "<!-- a --><!-- b -->", "\x00\x01", "<", "<frameset><frame src=x></frameset>"]
)
def test_a_page_that_is_no_document_is_text_or_refused(html: str) -> None:
    with contextlib.suppress(BadUsage):
        assert extract(html.encode(), HTML).body.strip()
