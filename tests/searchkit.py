"""What the tests of search share: a topic with articles, sources and records, and searching it."""

from pathlib import Path

from llm_wiki.search.engine import Scope, search
from llm_wiki.wiki.resolve import Root, resolve
from llm_wiki.wiki.snapshot import Snapshot


def article(title: str, body: str, **fields: str) -> str:
    """Return an article; fields go to the front matter as they are."""
    extra = "".join(f"{name}: {value}\n" for name, value in fields.items())
    return f"---\ntitle: {title}\ncategory: concept\n{extra}---\n\n# {title}\n\n{body}\n"


def source(title: str, body: str, extra: str = "") -> str:
    return (
        f"---\ntitle: {title}\nsource: MANUAL\ntype: notes\ningested: 2026-01-02\ntags: [x]\nsummary: S.\n{extra}"
        f"---\n\n# {title}\n\n{body}\n"
    )


PAGES = {
    "_index.md": "# Master\n\nkettle\n",
    "config.md": "---\ntitle: Tea\n---\n\nkettle\n",
    "wiki/concepts/green-tea.md": article(
        "Green tea",
        "Leaves are steamed. Water of 75 degrees keeps it mild.\n\n## Steeping\n\nTwo minutes are enough.",
        summary="Green tea is steamed, not fermented.",
        tags="[tea, leaves]",
        aliases="[sencha]",
        updated="2026-02-01",
    ),
    "wiki/concepts/black-tea.md": article(
        "Black tea",
        "Leaves are rolled and oxidised. Boiling water is right.",
        summary="Black tea is oxidised.",
        tags="[tea]",
        updated="2025-06-01",
    ),
    "wiki/topics/kettles.md": article(
        "Kettles",
        "A kettle with a thermostat stops at the right temperature.",
        tags="[tools]",
        updated="2026-01-01",
    ).replace("category: concept", "category: topic"),
    "wiki/concepts/wasserkocher.md": article(
        "Wasserkocher", "Der Arbeitsspeicher hat damit nichts zu tun. Kalklösung hilft gegen Kalkränder."
    ),
    "wiki/concepts/cha.md": article("绿茶", "绿茶需要七十五度的水。冲泡两分钟就够了。"),
    "wiki/concepts/cafe.md": article("Café culture", "The café opened in Zürich. Crème brûlée is served."),
    "raw/notes/2026-01-02-notes.md": source("Notes on tannin", "Tannin makes the brew bitter."),
    "raw/notes/2026-01-01-old.md": source("Old notes", "Tannin was said to be harmless chlorophyll."),
    "raw/notes/2026-01-03-new.md": source(
        "New notes", "Tannin again.", "supersedes: raw/notes/2026-01-01-old.md\n"
    ),
    "inventory/items/teapot.md": "---\ntitle: Buy a teapot\nkind: item\nstatus: active\n---\n\n# Buy a teapot\n\nPorcelain.\n",
    "inventory/items/past.md": "---\ntitle: Samovar\nkind: item\nstatus: archived\n---\n\n# Samovar\n\nSold.\n",
    "output/report.md": "---\ntitle: Teapot report\ntype: report\n---\n\n# Teapot report\n\nPorcelain wins.\n",
}


def make(path: Path, pages: dict[str, str] | None = None) -> Root:
    """Write a topic and return its root."""
    for rel, text in (PAGES if pages is None else pages).items():
        put(path, rel, text)
    return resolve(path)


def put(path: Path, rel: str, text: str | bytes) -> None:
    target = path / rel
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text if isinstance(text, bytes) else text.encode())


def ask(root: Root, text: str, **options):
    """Search a fresh snapshot of a root; `raw`, `superseded`, `include_archived` make the scope."""
    scope = Scope(**{name: options.pop(name) for name in Scope._fields if name in options})
    snapshot = Snapshot.load(root.path, root.kind, use_cache=False)
    return search(snapshot, root, text, scope=scope, **options)


def paths(root: Root, text: str, **options) -> list[str]:
    return [hit.path for hit in ask(root, text, **options).hits]
