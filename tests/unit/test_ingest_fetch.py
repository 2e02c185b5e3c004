"""One GET with limits, against real sockets on this machine."""

import gzip
import shutil
import socket
import ssl
import subprocess
import threading
import time
import zlib
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from pageserver import Answer, Server, serving

from llm_wiki.core.errors import BadUsage, Refused, ServiceFailed
from llm_wiki.ingest.addresses import forbidden, parse_url, system_resolver
from llm_wiki.ingest.fetch import Fetched, Limits, fetch

PAGE = b"<title>T</title><p>Hello there.</p>"
QUICK = Limits(total=5, connect=2, read=2, bytes=100_000)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as found:
        found.pages["/"] = PAGE
        yield found


def get(url: str, limits: Limits = QUICK, **options: object) -> Fetched:
    return fetch(url, allow_private=True, limits=limits, **options)


def loopback(host: str, port: int, seconds: float) -> list[str]:
    return ["127.0.0.1"]


def test_a_page_arrives_with_all_that_is_known_of_it(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_WIKI_TODAY", "2026-01-10")
    found = get(server.url("/#part"))
    assert found == Fetched(
        server.url("/"), server.url("/#part"), 200, "text/html", "utf-8", PAGE, date(2026, 1, 10), ()
    )


def test_the_request_says_who_asks_and_nothing_else(server: Server) -> None:
    get(server.url("/"))
    (seen,) = server.seen
    assert seen.method == "GET"
    assert seen.headers["user-agent"].startswith("llm-wiki/")
    assert set(seen.headers) == {"host", "user-agent", "accept", "accept-encoding", "connection"}


def test_a_query_is_sent_as_it_was_written(server: Server) -> None:
    server.pages["/p?b=2&a=%C3%A4&x=1+2"] = PAGE
    assert get(server.url("/p?b=2&a=%C3%A4&x=1+2")).data == PAGE


# --- addresses -------------------------------------------------------------------------------

PRIVATE = """
127.0.0.1 127.1.2.3 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 0.0.0.0 0.1.2.3 100.64.0.1
224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 192.0.0.8 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.7
192.88.99.1 ::1 :: fe80::1 fc00::1 fd12::1 fec0::1 ff02::1 2001:db8::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8
::ffff:0:127.0.0.1 ::127.0.0.1 2002:7f00:1:: 2002:808:808:: 2001:0:1::1 64:ff9b::127.0.0.1 64:ff9b::10.0.0.1
64:ff9b:1::1 100::1 5f00::1
"""


@pytest.mark.parametrize("address", PRIVATE.split())
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    host = f"[{address}]" if ":" in address else address
    with pytest.raises(Refused) as caught:
        fetch(f"http://{host}/", limits=QUICK)
    assert "--allow-private" in str(caught.value.remedy)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111", "64:ff9b::8.8.8.8", "1.1.1.1"])
def test_a_public_address_is_not_forbidden(address: str) -> None:
    assert forbidden(address) == ""


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST", "localhost."])
def test_a_name_of_this_machine_is_refused(name: str, server: Server) -> None:
    with pytest.raises(Refused, match="loopback"):
        fetch(server.url("/", name), limits=QUICK)
    assert server.seen == []


DISGUISED = [
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.1",
    "0x7f.0.0.1",
    "127.0.0.01",
    "1.2.3",
    "１２７.1",
]


@pytest.mark.parametrize("host", DISGUISED)
@pytest.mark.parametrize("allow_private", [True, False])
def test_a_number_in_disguise_is_never_a_host(host: str, allow_private: bool) -> None:
    with pytest.raises((Refused, BadUsage)):
        fetch(f"http://{host}/", allow_private=allow_private, limits=QUICK)


UNUSABLE = [
    "ftp://example.org/x",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "gopher://example.org",
    "http://",
    "http:///path",
    "//example.org/x",
    "example.org",
    "http://user@example.org/",
    "http://user:pass@example.org/",
    "http://example.org\\@127.0.0.1/",
    "http://a b.org/",
    "http://example.org/\x00",
    "http://[::1/",
    "http://[fe80::1%25eth0]/",
    "http://example.org:99999/",
    "http://example.org:x/",
    "",
]


@pytest.mark.parametrize("url", UNUSABLE)
def test_an_address_that_can_not_be_fetched_is_a_usage_error(url: str) -> None:
    with pytest.raises(BadUsage):
        fetch(url, allow_private=True, limits=QUICK)


def test_one_private_address_among_public_ones_refuses_the_name(server: Server) -> None:
    with pytest.raises(Refused, match="mixed"):
        fetch(
            f"http://mixed.example:{server.port}/",
            limits=QUICK,
            resolver=lambda *_: ["93.184.216.34", "127.0.0.1"],
        )
    assert server.seen == []


def test_a_name_is_resolved_once_and_the_connection_goes_to_that_answer(server: Server) -> None:
    asked: list[str] = []

    def rebinding(host: str, port: int, seconds: float) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["192.0.2.1"]

    found = get(f"http://pinned.example:{server.port}/", resolver=rebinding)
    assert found.data == PAGE
    assert asked == ["pinned.example"]
    assert server.seen[0].headers["host"] == f"pinned.example:{server.port}"


def test_every_redirect_is_resolved_and_checked_again(server: Server) -> None:
    asked: list[str] = []

    def resolver(host: str, port: int, seconds: float) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    server.redirect("/a", f"http://second.example:{server.port}/")
    found = get(f"http://first.example:{server.port}/a", resolver=resolver)
    assert asked == ["first.example", "second.example"]
    assert found.url == f"http://second.example:{server.port}/"


def test_the_next_address_of_a_name_is_tried_when_one_does_not_answer(server: Server) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.2", 0))
        found = get(server.url("/", "two.example"), resolver=lambda *_: ["127.0.0.2", "127.0.0.1"])
    assert found.data == PAGE


def test_a_name_without_address_is_a_failed_service() -> None:
    with pytest.raises(ServiceFailed, match="resolved"):
        get("http://no-such-host.invalid/")


def test_an_international_name_is_asked_for_in_ascii(server: Server) -> None:
    asked: list[str] = []

    def resolver(host: str, port: int, seconds: float) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    get(server.url("/", "bücher.example"), resolver=resolver)
    assert asked == ["xn--bcher-kva.example"]


def test_the_parts_of_an_address_come_apart() -> None:
    assert parse_url(" HTTPS://Example.ORG/a?b#c ") == (
        "https",
        "example.org",
        443,
        "https://example.org/a?b",
    )


# --- redirects -------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed_and_told(server: Server, status: int) -> None:
    server.redirect("/old", "/", status)
    found = get(server.url("/old"))
    assert (found.url, found.requested) == (server.url("/"), server.url("/old"))
    assert found.notes == (f"redirected to {server.url('/')}",)


def test_five_redirects_are_followed_and_the_sixth_is_not(server: Server) -> None:
    for number in range(6):
        server.redirect(f"/{number}", f"/{number + 1}")
    server.pages["/6"] = PAGE
    assert get(server.url("/1")).url == server.url("/6")
    with pytest.raises(ServiceFailed, match="more than 5 redirects"):
        get(server.url("/0"))


def test_a_redirect_with_a_blank_in_it_is_followed_as_browsers_do(server: Server) -> None:
    server.redirect("/a", "/b c")
    server.pages["/b%20c"] = PAGE
    assert get(server.url("/a")).url == server.url("/b%20c")


def test_a_loop_of_redirects_is_found(server: Server) -> None:
    server.redirect("/a", "/b")
    server.redirect("/b", "/a#x")
    with pytest.raises(ServiceFailed, match="loop"):
        get(server.url("/a"))


@pytest.mark.parametrize(
    "to", ["file:///etc/passwd", "ftp://example.org/", "http://u:p@example.org/", "http://[", ""]
)
def test_a_redirect_to_what_can_not_be_fetched_fails(server: Server, to: str) -> None:
    server.redirect("/a", to)
    with pytest.raises(ServiceFailed, match="redirects"):
        get(server.url("/a"))


def test_a_redirect_that_leaves_https_is_told(server: Server, tls: "Tls") -> None:
    with serving(tls.server) as secure:
        secure.redirect("/", server.url("/", "page.example"))
        found = get(secure.url("/", "page.example"), resolver=loopback, ssl_context=tls.client)
    assert any("leaves https" in note for note in found.notes)


# --- size, time, packing ---------------------------------------------------------------------


def test_a_page_that_says_it_is_too_large_is_not_read(server: Server) -> None:
    server.pages["/"] = Answer(
        b"x", headers=(("Content-Type", "text/html"), ("Content-Length", "200000")), length=False
    )
    with pytest.raises(ServiceFailed, match="larger than"):
        get(server.url("/"))


def test_a_page_that_grows_too_large_is_dropped(server: Server) -> None:
    server.pages["/"] = Answer(b"x" * 300_000, length=False)
    with pytest.raises(ServiceFailed, match="larger than"):
        get(server.url("/"))


@pytest.mark.parametrize("packing", ["gzip", "deflate"])
def test_a_page_that_unpacks_too_large_is_dropped(server: Server, packing: str) -> None:
    bomb = b"\0" * 50_000_000
    packed = gzip.compress(bomb, mtime=0) if packing == "gzip" else zlib.compress(bomb)
    assert len(packed) < QUICK.bytes
    server.pages["/"] = Answer(packed, headers=(("Content-Type", "text/html"), ("Content-Encoding", packing)))
    with pytest.raises(ServiceFailed, match="larger than"):
        get(server.url("/"))


def _raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKED = {
    "gzip": ("gzip", gzip.compress(PAGE, mtime=0)),
    "x-gzip": ("X-GZIP", gzip.compress(PAGE, mtime=0)),
    "several members": ("gzip", gzip.compress(PAGE[:9], mtime=0) + gzip.compress(PAGE[9:], mtime=0)),
    "padded gzip": ("gzip", gzip.compress(PAGE, mtime=0) + b"\0\0\0"),
    "deflate with header": ("deflate", zlib.compress(PAGE)),
    "deflate without": ("deflate", _raw_deflate(PAGE)),
    "identity": ("identity", PAGE),
    "none": ("", PAGE),
}


@pytest.mark.parametrize("name", PACKED)
def test_a_packed_page_is_unpacked(server: Server, name: str) -> None:
    encoding, data = PACKED[name]
    server.pages["/"] = Answer(data, headers=(("Content-Type", "text/html"), ("Content-Encoding", encoding)))
    assert get(server.url("/")).data == PAGE


@pytest.mark.parametrize(
    ("encoding", "data"),
    [
        ("gzip", gzip.compress(PAGE, mtime=0)[:-9]),
        ("gzip", b"no gzip"),
        ("deflate", b"\x78\x9cnope"),
        ("br", b"x"),
        ("gzip, gzip", b"x"),
    ],
)
def test_a_damaged_or_strange_packing_fails(server: Server, encoding: str, data: bytes) -> None:
    server.pages["/"] = Answer(data, headers=(("Content-Type", "text/html"), ("Content-Encoding", encoding)))
    with pytest.raises(ServiceFailed, match="packed"):
        get(server.url("/"))


def _drip(before: bytes, piece: bytes) -> Answer:
    def raw(connection: socket.socket) -> None:
        connection.sendall(before)
        for _ in range(200):
            connection.sendall(piece)
            time.sleep(0.05)

    return Answer(raw=raw)


@pytest.mark.parametrize(
    ("before", "piece"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n", b"x"),
        (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
        (b"", b"H"),
    ],
    ids=["body", "headers", "status line"],
)
def test_a_server_that_drips_can_not_hold_the_fetch(server: Server, before: bytes, piece: bytes) -> None:
    server.pages["/"] = _drip(before, piece)
    with pytest.raises(ServiceFailed):
        get(server.url("/"), Limits(total=0.4, read=5))


def test_a_silent_server_is_left_after_the_read_limit(server: Server) -> None:
    server.pages["/"] = Answer(raw=lambda _: time.sleep(1))
    with pytest.raises(ServiceFailed, match="in time"):
        get(server.url("/"), Limits(total=20, read=0.2))


def test_a_port_without_server_is_a_failed_service() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        with pytest.raises(ServiceFailed, match="no connection"):
            get(f"http://127.0.0.1:{closed.getsockname()[1]}/")


def test_a_slow_resolver_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answered.wait(10) and [])
    with pytest.raises(ServiceFailed, match="not resolved within"):
        system_resolver("slow.example", 80, 0.05)
    answered.set()


# --- answers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "words"), [(404, "404"), (410, "gone"), (403, "save the page"), (500, "500"), (304, "304")]
)
def test_an_answer_that_is_no_page_fails_with_its_status(server: Server, status: int, words: str) -> None:
    server.pages["/"] = Answer(b"no", status)
    with pytest.raises(ServiceFailed) as caught:
        get(server.url("/"))
    assert words in f"{caught.value} {caught.value.remedy}"


def test_a_server_that_asks_to_wait_is_quoted(server: Server) -> None:
    server.pages["/"] = Answer(b"", 429, (("Retry-After", "120"),))
    with pytest.raises(ServiceFailed, match="retry after: 120"):
        get(server.url("/"))


@pytest.mark.parametrize("body", [b"", b" \n "])
def test_an_empty_page_fails(server: Server, body: bytes) -> None:
    server.pages["/"] = body
    with pytest.raises(ServiceFailed, match="empty"):
        get(server.url("/"))


def test_a_page_cut_short_fails(server: Server) -> None:
    server.pages["/"] = Answer(
        PAGE, headers=(("Content-Type", "text/html"), ("Content-Length", "5000")), length=False
    )
    with pytest.raises(ServiceFailed, match="broken"):
        get(server.url("/"))


@pytest.mark.parametrize("noise", [b"\x00\x01\x02", b"HTTP/1.1 banana\r\n\r\n", b"<html>", b""])
def test_an_answer_that_is_no_http_fails(server: Server, noise: bytes) -> None:
    server.pages["/"] = Answer(raw=lambda connection: connection.sendall(noise))
    with pytest.raises(ServiceFailed):
        get(server.url("/"))


@pytest.mark.parametrize(
    ("media_type", "remedy"),
    [
        ("application/pdf", "pdftotext"),
        ("image/png", "describe"),
        ("video/mp4", "transcript"),
        ("application/zip", "dataset"),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "pandoc"),
        ("application/x-made-up", "Markdown"),
    ],
)
def test_a_page_that_is_no_text_is_a_usage_error_with_a_way_out(
    server: Server, media_type: str, remedy: str
) -> None:
    server.pages["/"] = Answer(b"xx", headers=(("Content-Type", media_type),))
    with pytest.raises(BadUsage) as caught:
        get(server.url("/"))
    assert remedy in str(caught.value.remedy)


@pytest.mark.parametrize(
    ("header", "media_type", "charset"),
    [
        ("text/html", "text/html", ""),
        ("Text/HTML; Charset=Shift_JIS", "text/html", "shift_jis"),
        ('text/plain; charset="UTF-8"; x=y', "text/plain", "utf-8"),
        ("application/json", "application/json", ""),
    ],
)
def test_the_content_type_is_taken_apart(server: Server, header: str, media_type: str, charset: str) -> None:
    server.pages["/"] = Answer(PAGE, headers=(("Content-Type", header),))
    found = get(server.url("/"))
    assert (found.media_type, found.charset) == (media_type, charset)


def test_a_page_without_content_type_is_read(server: Server) -> None:
    server.pages["/"] = Answer(PAGE, headers=())
    assert get(server.url("/")).media_type == ""


# --- proxies ---------------------------------------------------------------------------------


def test_proxies_of_the_environment_play_no_part(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert get(server.url("/")).data == PAGE


def test_a_configured_proxy_is_asked_for_the_page(server: Server) -> None:
    server.pages["http://page.example/x"] = PAGE
    found = fetch(
        "http://page.example/x",
        limits=QUICK,
        proxy=server.url(""),
        resolver=lambda host, *_: ["93.184.216.34" if host == "page.example" else host],
    )
    assert found.data == PAGE
    assert server.seen[0].target == "http://page.example/x"


def test_a_proxy_may_know_names_that_this_machine_does_not(server: Server) -> None:
    def unknown(host: str, port: int, seconds: float) -> list[str]:
        if host == "127.0.0.1":
            return [host]
        raise ServiceFailed("unknown")

    server.pages["http://page.example/x"] = PAGE
    assert fetch("http://page.example/x", limits=QUICK, proxy=server.url(""), resolver=unknown).data == PAGE


def test_a_proxy_does_not_open_the_way_to_private_addresses(server: Server) -> None:
    server.redirect("http://page.example/x", "http://intern.example/")
    names = {"page.example": "93.184.216.34", "intern.example": "10.0.0.5"}
    with pytest.raises(Refused, match="intern"):
        fetch(
            "http://page.example/x",
            limits=QUICK,
            proxy=server.url(""),
            resolver=lambda host, *_: [names.get(host, host)],
        )
    assert [seen.target for seen in server.seen] == ["http://page.example/x"]


# --- TLS -------------------------------------------------------------------------------------


class Tls:
    """A certificate for `page.example`, and contexts for both ends that know it."""

    def __init__(self, folder: Path) -> None:
        key, certificate = folder / "key.pem", folder / "certificate.pem"
        made = [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=page.example",
        ]
        made += ["-addext", "subjectAltName=DNS:page.example", "-keyout", str(key), "-out", str(certificate)]
        subprocess.run(made, check=True, capture_output=True)
        self.server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.server.load_cert_chain(certificate, key)
        self.client = ssl.create_default_context(cafile=str(certificate))


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Tls:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    return Tls(tmp_path_factory.mktemp("tls"))


def test_tls_names_the_host_although_the_connection_goes_to_a_number(tls: Tls) -> None:
    with serving(tls.server) as secure:
        secure.pages["/"] = PAGE
        found = get(secure.url("/", "page.example"), resolver=loopback, ssl_context=tls.client)
        assert found.data == PAGE
        assert secure.names == ["page.example"]


def test_a_certificate_for_another_name_is_refused(tls: Tls) -> None:
    with serving(tls.server) as secure:
        secure.pages["/"] = PAGE
        with pytest.raises(ServiceFailed, match="certificate"):
            get(secure.url("/", "other.example"), resolver=loopback, ssl_context=tls.client)
        assert secure.seen == []


def test_a_certificate_nobody_vouches_for_is_refused(tls: Tls) -> None:
    with serving(tls.server) as secure, pytest.raises(ServiceFailed, match="certificate"):
        get(secure.url("/", "page.example"), resolver=loopback)
