"""One form for all the ways to write the address of one page.

The form is a key for comparison, never an address to open: `http` and `https`, `www.` and the bare
host, tracking parameters and fragments all fall together, because they lead to the same text.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import SplitResult, urlsplit, urlunsplit

TRACKING_PREFIXES = (
    "utm_",
    "mtm_",
    "pk_",
    "piwik_",
    "matomo_",
    "hsa_",
    "_hs",
    "oly_",
    "vero_",
    "at_campaign",
)
"""Beginnings of the names of parameters that say where a reader came from."""

_TRACKING = """
fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid ysclid twclid ttclid li_fat_id rdt_cid epik
irclickid igshid igsh mc_cid mc_eid mkt_tok ml_subscriber ml_subscriber_hash ref_src ref_url
referrer_url _ga _gl _openstat s_cid cmpid ncid wickedid rb_clickid spm scm trk trkcampaign wt_mc
wt.mc_id xtor __s __twitter_impression share_id sharesource guccounter guce_referrer
guce_referrer_sig
"""

TRACKING_NAMES = frozenset(_TRACKING.split())
"""Parameters that never choose what a page shows. `ref` is absent: it names a branch on code hosts."""

_DEFAULT_PORTS = {"http": 80, "https": 443}
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SESSION = re.compile(r";(?:jsessionid|phpsessid)=[^/;?#]*", re.IGNORECASE)


def is_web(source: str) -> bool:
    """Say whether a `source` value is an `http` or `https` address."""
    return source.strip()[:8].casefold().startswith(("http://", "https://"))


def normalise_url(url: str) -> str:
    """Return the key under which all spellings of one page's address are equal.

    Lower-case scheme and host, `http` as `https`, no `www.`, no default port, no credentials, no
    fragment, no tracking parameter, dot segments resolved, percent escapes in upper case and only
    where needed, query sorted, no trailing slash. What is no web address comes back stripped;
    what cannot be parsed as one too.
    """
    text = unicodedata.normalize("NFC", url.strip())
    if not is_web(text):
        return text
    try:
        parts = urlsplit(text)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return text
    host = _ascii(host).removeprefix("www.")
    if not host:
        return text
    if port is not None and port != _DEFAULT_PORTS[parts.scheme]:
        host = f"{host}:{port}"
    path = _SESSION.sub("", _dots(_percent(parts.path))).rstrip("/")
    query = "&".join(sorted(_percent(pair) for pair in _pairs(parts.query) if not is_tracking(pair)))
    return urlunsplit(("https", host, path, query, ""))


def without_tracking(url: str) -> str:
    """Return a web address without fragment and tracking parameters, otherwise as it was written."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    kept = [pair for pair in _pairs(parts.query) if not is_tracking(pair)]
    query = parts.query if len(kept) == len(_pairs(parts.query)) else "&".join(kept)
    return urlunsplit(SplitResult(parts.scheme, parts.netloc, parts.path, query, ""))


def is_tracking(pair: str) -> bool:
    """Say whether a `name=value` of a query only tells where the reader came from."""
    name = pair.partition("=")[0].casefold()
    return name in TRACKING_NAMES or name.startswith(TRACKING_PREFIXES)


def _pairs(query: str) -> list[str]:
    return [pair for pair in query.split("&") if pair]


def _ascii(host: str) -> str:
    """Return a host in lower case, international names in their ASCII form where they have one."""
    host = unicodedata.normalize("NFKC", host).casefold()
    if host.isascii():
        return f"[{host}]" if ":" in host else host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def _percent(text: str) -> str:
    """Decode escapes of unreserved characters, write the others in upper case, escape what must be."""

    def decode(match: re.Match[str]) -> str:
        char = chr(int(match[1], 16))
        return char if char in _UNRESERVED else match[0].upper()

    decoded = _ESCAPE.sub(decode, text)
    return "".join(
        char if char.isascii() and char > " " else "".join(f"%{byte:02X}" for byte in char.encode())
        for char in decoded
    )


def _dots(path: str) -> str:
    """Resolve `.` and `..` segments as a client does before it asks (RFC 3986 §5.2.4)."""
    if "/." not in path:
        return path
    done: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            if len(done) > 1:
                done.pop()
        elif segment != ".":
            done.append(segment)
    return "/".join(done)
