"""One HTTP GET with limits: addresses, redirects, time, size, kind of content (`commands.md` §2, `fetch`)."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin

from llm_wiki import __version__
from llm_wiki.core.clock import today
from llm_wiki.core.errors import BadUsage, ServiceFailed
from llm_wiki.ingest.addresses import Resolver, Target, checked_addresses, parse_url, system_resolver
from llm_wiki.ingest.charset import header_charset
from llm_wiki.ingest.decoding import ACCEPTED, read_body, too_large
from llm_wiki.ingest.detect import readable, unreadable

if TYPE_CHECKING:
    import httpx

    from llm_wiki.ingest.connection import Deadline

USER_AGENT = f"llm-wiki/{__version__} (reads one page at its user's request)"

ACCEPT = "text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.8, */*;q=0.5"

_REDIRECTS = frozenset({301, 302, 303, 307, 308})

_REMEDIES = {
    401: "the page wants a login: save it to a file and ingest that",
    403: "the server refuses programs: save the page to a file and ingest that",
    404: "check the address",
    410: "the page is gone; an archived copy may have another address",
    429: "the server asks to come back later",
    503: "the server asks to come back later",
}


class Limits(NamedTuple):
    """How much one fetch may take: seconds for all of it, to connect and between bytes; bytes; redirects."""

    total: float = 60.0
    connect: float = 10.0
    read: float = 20.0
    bytes: int = 20_000_000
    redirects: int = 5


LIMITS = Limits()


class Fetched(NamedTuple):
    """A page as it arrived.

    `url` is the final address without fragment, `requested` the one that was asked for. `media_type` is in
    lower case without parameters, "" when the server named none; `charset` is what the header said, or "".
    `data` is unpacked. `notes` say what the reader should know: redirects, a downgrade to http.
    """

    url: str
    requested: str
    status: int
    media_type: str
    charset: str
    data: bytes
    fetched: date
    notes: tuple[str, ...] = ()


def fetch(
    url: str,
    *,
    allow_private: bool = False,
    limits: Limits = LIMITS,
    proxy: str | None = None,
    resolver: Resolver = system_resolver,
    ssl_context: ssl.SSLContext | None = None,
    before: Callable[[str], None] | None = None,
) -> Fetched:
    """Get one page over http or https.

    Every name is resolved once for each request and the connection goes to the address that was checked,
    for each redirect again. The environment's proxy settings play no part; `proxy` is one that the user
    configured (`network.proxy`), and then it resolves names itself. `before` is told every address, of
    redirects too, before it is asked for, and may raise.

    Raises BadUsage for an address or a kind of content that cannot be ingested, Refused for an address
    that is not public (unless `allow_private`), ServiceFailed for everything the network does.
    """
    from llm_wiki.ingest.connection import CheckedBackend, Deadline, PinnedTransport

    deadline = Deadline(limits.total)
    backend = CheckedBackend(resolver, deadline, allow_private=allow_private or proxy is not None)
    target = parse_url(url)
    if before is not None:
        before(target.url)
    seen = {target.url}
    notes: list[str] = []
    with _client(PinnedTransport(backend, ssl_context=ssl_context, proxy=proxy), limits) as client:
        while True:
            if proxy is not None and not allow_private:
                _check(target, deadline, resolver)
            with _answer(client, target) as response:
                if response.status_code not in _REDIRECTS:
                    return _fetched(response, target, url, limits, tuple(notes))
                target = _next(response, target, seen, limits, notes)
            if before is not None:
                before(target.url)


@contextmanager
def _client(transport: httpx.BaseTransport, limits: Limits) -> Iterator[httpx.Client]:
    import httpx

    timeout = httpx.Timeout(limits.read, connect=limits.connect)
    headers = {"User-Agent": USER_AGENT, "Accept": ACCEPT, "Accept-Encoding": ACCEPTED}
    with httpx.Client(transport=transport, timeout=timeout, headers=headers, trust_env=False) as client:
        yield client


def _check(target: Target, deadline: Deadline, resolver: Resolver) -> None:
    """Refuse what resolves to a private address here although a proxy would do the connecting."""
    try:
        found = resolver(target.host, target.port, deadline.left(10.0))
    except ServiceFailed:
        return  # only the proxy knows this name
    checked_addresses(target.host, found)


@contextmanager
def _answer(client: httpx.Client, target: Target) -> Iterator[httpx.Response]:
    """Send one GET and turn every failure of the network into ServiceFailed."""
    import httpcore
    import httpx

    try:
        with client.stream("GET", target.url, follow_redirects=False) as response:
            yield response
    except (
        httpcore.ConnectTimeout,
        httpcore.ReadTimeout,
        httpcore.WriteTimeout,
        httpcore.PoolTimeout,
    ) as error:
        raise ServiceFailed(f"{target.host} did not answer in time", remedy="try again later") from error
    except (httpcore.ConnectError, httpcore.ProxyError) as error:
        raise ServiceFailed(f"no connection to {target.host}: {_reason(error)}") from error
    except httpcore.UnsupportedProtocol as error:
        raise ServiceFailed(f"{target.host} cannot be asked: {_reason(error)}") from error
    except (
        httpcore.NetworkError,
        httpcore.ProtocolError,
        httpx.HTTPError,
        httpx.InvalidURL,
        OSError,
    ) as error:
        raise ServiceFailed(f"the answer of {target.host} is broken: {_reason(error)}") from error


def _reason(error: BaseException) -> str:
    """Return the cause in words; certificate errors come wrapped twice."""
    import ssl

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not valid ({cause.verify_message})"
        cause = cause.__cause__ or cause.__context__
    return str(error) or type(error).__name__


def _next(
    response: httpx.Response, target: Target, seen: set[str], limits: Limits, notes: list[str]
) -> Target:
    """Return the target of a redirect, checked like the first address."""
    location = response.headers.get("location", "").strip().replace(" ", "%20")
    if not location:
        raise ServiceFailed(f"{target.url} redirects (status {response.status_code}) without saying where")
    try:
        new = parse_url(urljoin(target.url, location))
    except (BadUsage, ValueError) as error:
        raise ServiceFailed(f"{target.url} redirects to what cannot be fetched: {error}") from error
    if new.url in seen:
        raise ServiceFailed(f"{target.url} redirects in a loop, back to {new.url}")
    if len(seen) > limits.redirects:
        raise ServiceFailed(f"more than {limits.redirects} redirects, the last to {new.url}")
    seen.add(new.url)
    notes.append(f"redirected to {new.url}")
    if (target.scheme, new.scheme) == ("https", "http"):
        notes.append(f"the redirect leaves https: {new.url} came unencrypted")
    return new


def _fetched(
    response: httpx.Response, target: Target, requested: str, limits: Limits, notes: tuple[str, ...]
) -> Fetched:
    status = response.status_code
    if not 200 <= status < 300:
        after = response.headers.get("retry-after", "")
        raise ServiceFailed(
            f"{target.host} answered {status} {response.reason_phrase}".rstrip()
            + (f" (retry after: {after[:40]})" if after else ""),
            remedy=_REMEDIES.get(status),
        )
    media_type = response.headers.get("content-type", "").partition(";")[0].strip().casefold()
    if media_type and not readable(media_type):
        raise unreadable(media_type, target.url)
    length = response.headers.get("content-length", "")
    if length.isascii() and length.isdigit() and int(length[:18]) > limits.bytes:
        raise too_large(limits.bytes)
    data = read_body(response.iter_raw(), response.headers.get("content-encoding", ""), limits.bytes)
    if not data.strip():
        raise ServiceFailed(f"{target.url} is empty (status {status})")
    charset = header_charset(response.headers.get("content-type", ""))
    return Fetched(target.url, requested, status, media_type, charset, data, today(), notes)
