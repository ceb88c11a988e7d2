"""One request and its reply, over a connection of their own to an address that was checked."""

from __future__ import annotations

import ssl
from collections.abc import Mapping

import httpx2

from weft.adapters.fetch.addresses import Address
from weft.adapters.fetch.body import BadBody, Body, TooLarge
from weft.adapters.fetch.destination import Destination
from weft.adapters.fetch.failures import failed
from weft.adapters.fetch.headers import Headers, on_the_wire
from weft.domain.frozen import dataclass

# So many of a name's addresses are tried.
_MOST_ADDRESSES = 4
# What no longer holds once the body was read, and what is for browsers.
_OF_THE_WIRE = frozenset(
    {"connection", "content-encoding", "content-length", "transfer-encoding", "set-cookie"}
)
_SUCCESS = range(200, 300)
_FIRST_FINAL = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """The most that one fetch may take: bytes, seconds, redirects."""

    body_bytes: int = 20 * 1024 * 1024
    header_bytes: int = 32 * 1024
    connect_s: float = 5.0
    read_s: float = 10.0
    total_s: float = 30.0
    redirects: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchHop:
    """One request of a fetch, ready to be sent."""

    destination: Destination
    method: str
    headers: Headers
    body: bytes
    content_types: frozenset[str]


@dataclass(slots=True, kw_only=True)
class Received:
    """What came of a request so far, for the audit: nothing yet is status 0."""

    status: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What a server said; `location` is where it sends a caller, empty for nowhere."""

    status: int
    headers: Mapping[str, str]
    location: str
    body: bytes


class Exchange:
    """Sends requests, each over a connection of its own.

    Connections are not kept: one to an address was checked for one name, in one tenant's list.
    """

    def __init__(self, limits: FetchLimits, tls: ssl.SSLContext) -> None:
        """Take what a reply may have, and which certificates are good."""
        self._limits = limits
        self._tls = tls

    async def send(
        self, hop: FetchHop, addresses: list[Address], *, received: Received
    ) -> Response:
        """Return the reply of the first address that can be connected to.

        Raises `FetchFailed` with a reason; `received` says how far it came.
        """
        for address in addresses[:_MOST_ADDRESSES]:
            # Neither the environment nor a pool has a say in where a request goes.
            transport = httpx2.AsyncHTTPTransport(verify=self._tls, trust_env=False)
            async with transport:
                try:
                    reply = await transport.handle_async_request(self._request(hop, address))
                    try:
                        return await self._read(hop, reply, received)
                    finally:
                        await reply.aclose()
                except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                    if _is_of_certificate(error):
                        raise failed("certificate", hop.destination) from None
                except httpx2.TimeoutException:
                    raise failed("timeout", hop.destination) from None
                except (httpx2.TransportError, httpx2.StreamError, BadBody):
                    raise failed("bad_reply", hop.destination) from None
                except TooLarge:
                    raise failed("too_large", hop.destination) from None
        raise failed("unreachable", hop.destination)

    def _request(self, hop: FetchHop, address: Address) -> httpx2.Request:
        """Return a request to the address itself; name and certificate stay those of the host."""
        here, limits = hop.destination, self._limits
        wait = httpx2.Timeout(limits.read_s, connect=limits.connect_s)
        url = httpx2.URL(
            scheme=here.scheme, host=str(address), port=here.port, raw_path=here.path.encode()
        )
        return httpx2.Request(
            hop.method,
            url,
            headers=on_the_wire(hop.headers, here),
            content=hop.body or None,
            extensions={"sni_hostname": here.host, "timeout": wait.as_dict()},
        )

    async def _read(self, hop: FetchHop, reply: httpx2.Response, received: Received) -> Response:
        received.status = reply.status_code
        if reply.status_code < _FIRST_FINAL:
            raise BadBody
        if sum(len(name) + len(value) for name, value in reply.headers.raw) > (
            self._limits.header_bytes
        ):
            raise TooLarge
        response = Response(
            status=reply.status_code,
            headers=_kept(reply.headers),
            location=_location(reply),
            body=b"",
        )
        if response.location:
            # Nobody reads what stands beside a redirect.
            return response
        _check_type(hop, reply)
        return Response(
            status=response.status,
            headers=response.headers,
            location="",
            body=await self._body(hop, reply, received),
        )

    async def _body(self, hop: FetchHop, reply: httpx2.Response, received: Received) -> bytes:
        body = Body(reply.headers.get("content-encoding", ""), self._limits.body_bytes)
        told = reply.headers.get("content-length", "0")
        if hop.method != "HEAD" and told.isdecimal() and int(told[:20]) > self._limits.body_bytes:
            raise TooLarge
        try:
            async for piece in reply.aiter_raw():
                body.add(piece)
        finally:
            received.size = body.received
        return body.whole()


def media_type(headers: Mapping[str, str]) -> str:
    """Return the media type of a reply without its parameters, empty where it tells none."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _check_type(hop: FetchHop, reply: httpx2.Response) -> None:
    wanted = hop.content_types
    if wanted and reply.status_code in _SUCCESS and media_type(reply.headers) not in wanted:
        raise failed("content_type", hop.destination)


def _kept(headers: httpx2.Headers) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in _OF_THE_WIRE}


def _location(reply: httpx2.Response) -> str:
    """Return where a redirect leads; raises `BadBody` where it names two places."""
    if not reply.has_redirect_location:
        return ""
    places = set(reply.headers.get_list("location"))
    if len(places) > 1:
        raise BadBody
    return places.pop()


def _is_of_certificate(error: BaseException) -> bool:
    """Tell whether a connection failed for the server's certificate."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
