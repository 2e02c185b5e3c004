"""A real HTTP server on this machine whose answers a test writes down."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Answer(NamedTuple):
    """One answer: body, status, headers. `raw` writes to the connection itself instead."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html; charset=utf-8"),)
    length: bool = True
    raw: Callable[[socket.socket], None] | None = None


class Seen(NamedTuple):
    """One request as it arrived."""

    method: str
    target: str
    headers: dict[str, str]


class Server(ThreadingHTTPServer):
    """Answers by path; whatever is not in `pages` is a 404. `seen` holds the requests in their order."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages: dict[str, Answer | bytes] = {}
        self.seen: list[Seen] = []
        self.names: list[str | None] = []
        self.scheme = "http"

    @property
    def port(self) -> int:
        return self.server_address[1]

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"{self.scheme}://{host}:{self.port}{path}"

    def redirect(self, path: str, to: str, status: int = 302) -> None:
        self.pages[path] = Answer(b"", status, (("Location", to),))

    def handle_error(self, request: object, client_address: object) -> None:
        """Stay silent: clients hang up on purpose here."""


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.seen.append(
            Seen(self.command, self.path, {k.lower(): v for k, v in self.headers.items()})
        )
        found = self.server.pages.get(self.path, Answer(b"missing", 404))
        answer = Answer(found) if isinstance(found, bytes) else found
        if answer.raw is not None:
            with suppress(OSError):
                answer.raw(self.connection)
            self.close_connection = True
            return
        self.send_response(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        if answer.length:
            self.send_header("Content-Length", str(len(answer.body)))
        else:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(answer.body)

    def log_message(self, *args: object) -> None:
        """Stay silent."""


@contextmanager
def serving(context: ssl.SSLContext | None = None) -> Iterator[Server]:
    """Run a server until the block ends; with a `context` it speaks TLS and notes the names asked for."""
    server = Server()
    if context is not None:
        server.scheme = "https"
        context.sni_callback = lambda _sock, name, _context: server.names.append(name)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.02), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
