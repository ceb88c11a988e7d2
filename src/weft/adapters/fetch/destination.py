"""Where a request goes: a URL taken apart, or refused for how it is spelled."""

from __future__ import annotations

import re

import httpx2

from weft.adapters.fetch.addresses import Address, parsed
from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass

LONGEST = 8192
_PORTS = {"http": 80, "https": 443}
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
# What a name ends in: other programs read a number there as a piece of an IPv4 address.
_LAST_LABEL = re.compile(r"(?!0x[0-9a-f]*$)(?=[^a-z]*[a-z]).+")
_LONGEST_NAME = 253


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """A scheme, a host (a name in ASCII, or an address without brackets), a port, and the rest.

    `path` is what is asked for there, with the query, as it is sent.
    """

    scheme: str
    host: str
    port: int
    path: str

    @property
    def address(self) -> Address | None:
        """Return the address that stands in place of a name, None for a name."""
        return parsed(self.host)

    @property
    def authority(self) -> str:
        """Return host and port as they stand in a URL and in the header `Host`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Return scheme, host and port: what secrets belong to."""
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        """Return the whole URL."""
        return f"{self.origin}{self.path}"


def destination(url: str) -> Destination:
    """Return where a URL leads; raises `BadInput` for one that is not plain HTTP or HTTPS."""
    if len(url) > LONGEST or "\\" in url or not url.isprintable() or " " in url:
        raise BadInput("The URL is too long, or has characters that no URL has.")
    try:
        return _taken_apart(httpx2.URL(url))
    except httpx2.InvalidURL as error:
        raise BadInput("The URL cannot be read.") from error


def onward(here: Destination, location: str) -> Destination:
    """Return where a redirect from here leads, raising as `destination` does."""
    try:
        return destination(str(httpx2.URL(here.url).join(location)))
    except httpx2.InvalidURL as error:
        raise BadInput("The URL cannot be read.") from error


def _taken_apart(url: httpx2.URL) -> Destination:
    if url.scheme not in _PORTS:
        raise BadInput("Only http and https URLs can be fetched.")
    if url.userinfo or "@" in url.netloc.decode("ascii"):
        raise BadInput("A URL with a user name or password in it is not fetched.")
    port = _PORTS[url.scheme] if url.port is None else url.port
    if not 0 < port < 1 << 16:
        raise BadInput("The port of the URL is no port.")
    return Destination(
        scheme=url.scheme,
        host=host_name(url.raw_host.decode("ascii")),
        port=port,
        path=url.raw_path.decode("ascii"),
    )


def host_name(text: str) -> str:
    """Return a host's name or address in the one spelling it is compared in.

    Raises `BadInput` for what others may read as an address and we do not (`0x7f.1`,
    `2130706433`, `127.1`, `fe80::1%eth0`), and for what is no name.
    """
    host = text.lower()
    if (address := parsed(host)) is not None:
        return str(address)
    host = host.removesuffix(".")
    labels = host.split(".")
    is_name = len(host) <= _LONGEST_NAME and all(_LABEL.fullmatch(label) for label in labels)
    if not is_name or not _LAST_LABEL.fullmatch(labels[-1]):
        raise BadInput(f"'{text[:100]}' is neither a host's name nor an address.")
    return host
