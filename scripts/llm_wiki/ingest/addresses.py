"""Which addresses a fetch may talk to: public ones, named plainly.

A wiki's owner may be handed any link. What it names must not be a machine of the owner's own network,
however the number is dressed up.
"""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple

from llm_wiki.core.errors import BadUsage, Refused, ServiceFailed

Address = IPv4Address | IPv6Address

Resolver = Callable[[str, int, float], list[str]]
"""Host, port, seconds allowed → numeric addresses in the order to try."""

ALLOW_HINT = "to read a page of your own network or machine, repeat it with --allow-private"

_NAT64 = IPv6Network("64:ff9b::/96")
"""RFC 6052: how a network without IPv4 reaches it; the last four bytes are the address that counts."""

_NETWORKS: tuple[tuple[str, IPv4Network | IPv6Network], ...] = (
    ("private", IPv4Network("10.0.0.0/8")),
    ("private", IPv4Network("172.16.0.0/12")),
    ("private", IPv4Network("192.168.0.0/16")),
    ("private", IPv6Network("fc00::/7")),
    ("private", IPv6Network("fec0::/10")),
    ("loopback", IPv4Network("127.0.0.0/8")),
    ("loopback", IPv6Network("::1/128")),
    ("link-local", IPv4Network("169.254.0.0/16")),
    ("link-local", IPv6Network("fe80::/10")),
    ("multicast", IPv4Network("224.0.0.0/4")),
    ("multicast", IPv6Network("ff00::/8")),
    ("shared by a provider's customers", IPv4Network("100.64.0.0/10")),
    ("unspecified", IPv4Network("0.0.0.0/8")),
    ("unspecified", IPv6Network("::/128")),
    ("reserved", IPv4Network("192.0.0.0/24")),
    ("reserved", IPv4Network("192.88.99.0/24")),
    ("reserved", IPv4Network("198.18.0.0/15")),
    ("reserved", IPv4Network("240.0.0.0/4")),
    ("an IPv4 address inside an IPv6 one", IPv6Network("::ffff:0:0/96")),
    ("an IPv4 address inside an IPv6 one", IPv6Network("::ffff:0:0:0/96")),
    ("an IPv4 address inside an IPv6 one", IPv6Network("::/96")),
    ("a 6to4 tunnel", IPv6Network("2002::/16")),
    ("a Teredo tunnel", IPv6Network("2001::/32")),
    ("a local NAT64 address", IPv6Network("64:ff9b:1::/48")),
    ("reserved", IPv6Network("100::/64")),
    ("reserved", IPv6Network("5f00::/16")),
)
"""What is refused, in words; whatever else is not global is refused as reserved (IANA special registries)."""

_LAST_PORT = 65535
_NUMERIC_LABEL = re.compile(r"(?:[0-9]+|0[xX][0-9A-Fa-f]*)")


class Target(NamedTuple):
    """A URL taken apart: `scheme` http or https, `host` in ASCII without brackets, `url` as requested."""

    scheme: str
    host: str
    port: int
    url: str


def parse_url(url: str) -> Target:
    """Return the target of a web address; the fragment is dropped.

    Raises BadUsage for anything but plain http and https: other schemes, credentials, no host, a
    host written as a number or with parts in octal or hexadecimal.
    """
    import httpx

    text = url.strip()
    if any(char.isspace() or not char.isprintable() or char == "\\" for char in text):
        raise BadUsage(f"no address of a page: {text!r}", remedy="write blanks in it as %20")
    try:
        parsed = httpx.URL(text)
    except httpx.InvalidURL as error:
        raise BadUsage(f"no address of a page: {text!r} ({error})") from error
    if parsed.scheme not in ("http", "https"):
        raise BadUsage(f"only http and https addresses can be fetched, not {text!r}")
    if parsed.userinfo:
        raise BadUsage(
            "an address with a user name or password in it is not fetched",
            remedy="save the page to a file and ingest that",
        )
    host = parsed.raw_host.decode("ascii").strip("[]").rstrip(".").lower()
    if not host:
        raise BadUsage(f"the address names no host: {text!r}")
    _check_form(host)
    port = parsed.port or (443 if parsed.scheme == "https" else 80)
    if port > _LAST_PORT:
        raise BadUsage(f"there is no port {port}")
    if parsed.raw_host.endswith(b"."):
        parsed = parsed.copy_with(host=host)
    return Target(parsed.scheme, host, port, str(parsed.copy_with(fragment=None)))


def _check_form(host: str) -> None:
    """Refuse hosts that some resolvers read as an IPv4 address although they are not written as one."""
    if ":" in host:
        try:
            IPv6Address(host)
        except ValueError:
            raise BadUsage(f"{host!r} is no IPv6 address") from None
        if "%" in host:
            raise BadUsage(f"an address with a zone is not fetched: {host!r}")
        return
    if _NUMERIC_LABEL.fullmatch(host.rpartition(".")[2]):
        try:
            IPv4Address(host)
        except ValueError:
            raise Refused(
                f"the host {host!r} is a number in disguise",
                remedy="write an IPv4 address as four decimal numbers without leading zeros",
            ) from None


def forbidden(address: str) -> str:
    """Return in words why a numeric address may not be reached, or "" when it is a public one."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return "no numeric address"
    if isinstance(found, IPv6Address) and found in _NAT64:
        found = IPv4Address(int(found) & 0xFFFFFFFF)
    for reason, network in _NETWORKS:
        if found.version == network.version and found in network:
            return reason
    return "" if found.is_global and not found.is_multicast else "reserved"


def checked_addresses(host: str, found: list[str]) -> list[str]:
    """Return the addresses of a host if all of them are public.

    One private address among public ones refuses the host: which of them a client takes is chance.
    Raises Refused naming the address.
    """
    for address in found:
        reason = forbidden(address)
        if reason:
            named = host if host == address else f"{host} ({address})"
            raise Refused(f"{named} is not fetched: {reason}", remedy=ALLOW_HINT)
    return found


def system_resolver(host: str, port: int, seconds: float) -> list[str]:
    """Ask the system for the addresses of a host, in its order.

    The system's call cannot be interrupted, so it runs in a thread that is left behind when it takes
    longer than `seconds`. Raises ServiceFailed.
    """
    answer: list[str] = []
    failure: list[Exception] = []

    def ask() -> None:
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answer.extend(dict.fromkeys(str(info[4][0]) for info in infos))
        except (OSError, UnicodeError) as error:
            failure.append(error)

    thread = threading.Thread(target=ask, daemon=True, name="resolve")
    thread.start()
    thread.join(max(seconds, 0.0))
    if thread.is_alive():
        raise ServiceFailed(f"the name {host} was not resolved within {seconds:.0f} s")
    if failure or not answer:
        reason = getattr(failure[0], "strerror", None) or str(failure[0]) if failure else "no address"
        raise ServiceFailed(
            f"the name {host} cannot be resolved: {reason}", remedy="check the address and the connection"
        )
    return answer
