"""Every way to name one file of a wiki in another, each with a marker that no repair may lose."""

import os
import re
import unicodedata
from random import Random
from urllib.parse import quote


def marker(chance: Random) -> str:
    return f"NB{chance.randrange(10**9)}"


def forms_of(owner: str, to: str, chance: Random) -> list[str]:
    """Every way to name a file from another one."""
    path = os.path.relpath(to, os.path.dirname(owner))  # noqa: PTH120
    stem = to.rpartition("/")[2].removesuffix(".md")
    coded, angle = quote(path, safe="/().'"), f"<{path}>"
    plain = angle if re.search(r"[ ()<>|]", path) else path
    name, tail = marker(chance), chance.choice(["", "", "#findings", "?q=1", "#nothing-there", "#"])
    n = marker(chance)
    above = to.partition("/")[2].removesuffix(".md")
    return [
        f"[{name}]({plain}{tail})" if plain is path else f"[{name}](<{path}{tail}>)",
        f"[{name}]({coded}{tail} 'A title')",
        f'[{name}]({coded} "x.md (y)")',
        f"[{name}](./{coded})" if not coded.startswith("..") else f"[{name}]({coded})",
        f"[{name}](/{quote(to)}{tail})",
        f"[{name}](\n{coded})",
        f"[{name}][{n}]\n\n[{n}]: {angle} 'T'",
        f"[{n}][]\n\n[{n}]: {coded}{tail}",
        f"[{n}] and [{n}]\n\n[{n}]:\n  {coded}",
        f'<a href="{coded}{tail}">{name}</a>',
        f"![{name}]({coded})",
        f"[[{stem}]] {name}",
        f"[[{stem}|{name}]]",
        f"![[{stem}{tail.partition('?')[0]}]] {name}",
        f"[[{above}|{name}]]",
        f"[[{to}]] {name}",
        f"[[/{to}#Findings|{name}]]",
        f"[[{stem}|{name}]] ([{name}]({coded}))",
        f"[[{above}|{name}]] ([{name}]({plain}))",
        f"> - see [{name}]({coded})\n>   and [x](<{path}>)",
        f"| A | B |\n|---|---|\n| [{name}]({coded.replace('|', '%7C')}) | [[{stem}\\|{n}]] |",
        f"Said{n}.[^{n}]\n\n[^{n}]: In [{name}]({coded}).",
        f"`[{name}]({coded})` and <!-- [{n}]({coded}) --> and \\[x\\]({coded})",
        f"```\n[{name}]({coded})\n[[{above}]]\n```",
        f"[{name}]({unicodedata.normalize('NFD', path) if ' ' not in path else coded})",
        f"[{name}]({coded.upper() if chance.random() < 0.3 else coded.title()})",
        f"[![{name}]({coded})]({coded}{tail}) and [{n}]({coded})",
        f"[a]({coded}) [a]({coded}) *[{name}]({coded})*",
        f"[{name}](other.md) [{n}](sub/none.md) [[no such page]] ![x](none.png)",
        f"{name} [x](https://example.org/{coded}) <{coded}> mailto:a@b.org",
    ]
