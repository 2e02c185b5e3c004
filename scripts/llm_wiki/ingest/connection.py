"""Connections that go where they were allowed to go, and no longer than they were allowed to last."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable, Iterator
from typing import Any

import httpcore
import httpx

from llm_wiki.core.errors import ServiceFailed
from llm_wiki.ingest.addresses import Resolver, checked_addresses


class Deadline:
    """A moment after which nothing more is waited for; `seconds` is the whole time allowed."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self, most: float | None = None) -> float:
        """Return the seconds left, at most `most`; raises ServiceFailed when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise ServiceFailed(
                f"the page was not complete after {self.seconds:g} s",
                remedy="try again later, or save the page to a file and ingest that",
            )
        return left if most is None else min(left, most)


class CheckedBackend(httpcore.NetworkBackend):
    """Resolves a name once, checks every address, and connects to one of exactly those.

    The name stays in the request's Host header and in TLS (SNI, certificate check), so a name that
    answers differently the second time it is asked gains nothing: it is not asked again.
    """

    def __init__(self, resolver: Resolver, deadline: Deadline, *, allow_private: bool) -> None:
        self._resolver = resolver
        self._deadline = deadline
        self._allow_private = allow_private
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of `host` that answers; Refused when one of them is private."""
        name = host.strip("[]")
        found = self._resolver(name, port, self._deadline.left(timeout))
        if not self._allow_private:
            found = checked_addresses(name, found)
        last: Exception = httpcore.ConnectError(f"{name} has no address")
        for address in found:
            try:
                stream = self._plain.connect_tcp(
                    address, port, self._deadline.left(timeout), local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
            else:
                return _TimedStream(stream, self._deadline)
        raise last

    def sleep(self, seconds: float) -> None:
        """Wait, as the pool asks between attempts."""
        self._plain.sleep(self._deadline.left(seconds))


class _TimedStream(httpcore.NetworkStream):
    """A stream whose every wait also ends at the deadline, so a server that drips cannot hold it open."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._deadline.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._deadline.left(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        inner = self._inner.start_tls(ssl_context, server_hostname, self._deadline.left(timeout))
        return _TimedStream(inner, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class PinnedTransport(httpx.BaseTransport):
    """An httpx transport over one `CheckedBackend`: HTTP/1.1, a new connection for every request.

    With `proxy` the connection goes to that proxy, which resolves the names itself. Errors of the
    connection leave it as httpcore raises them.
    """

    def __init__(
        self, backend: CheckedBackend, *, ssl_context: ssl.SSLContext | None = None, proxy: str | None = None
    ) -> None:
        context = httpx.create_ssl_context() if ssl_context is None else ssl_context
        if proxy is None:
            self._pool: httpcore.ConnectionPool = httpcore.ConnectionPool(
                ssl_context=context, max_keepalive_connections=0, network_backend=backend
            )
        else:
            address = httpx.URL(proxy)
            user, password = (part.encode() for part in (address.username, address.password))
            self._pool = httpcore.HTTPProxy(
                proxy_url=str(address.copy_with(username=None, password=None)),
                proxy_auth=(user, password) if user else None,
                ssl_context=context,
                max_keepalive_connections=0,
                network_backend=backend,
            )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request; the body of the answer is read by the caller."""
        answer = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Body(answer), extensions=answer.extensions
        )

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()
