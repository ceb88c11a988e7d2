"""The port `Fetching`: resolve once, check, connect to what was checked, and all that again."""

from __future__ import annotations

import asyncio
import ssl
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx2

from weft.adapters.fetch.addresses import Address, parsed
from weft.adapters.fetch.allow_list import AllowList
from weft.adapters.fetch.destination import Destination, destination, onward
from weft.adapters.fetch.exchange import (
    Exchange,
    FetchHop,
    FetchLimits,
    Received,
    Response,
    media_type,
)
from weft.adapters.fetch.failures import failed, refused
from weft.adapters.fetch.headers import carried_on, checked_headers
from weft.adapters.fetch.resolving import Resolve, SystemResolver
from weft.domain.errors import BadInput, ConfigurationError, TooManyRequests, WeftError
from weft.domain.scope import Scope
from weft.platform.audit import audited
from weft.ports.fetching import FetchReply, FetchRequest
from weft.ports.records.audit import Audit, Deed

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"})
_READING = frozenset({"GET", "HEAD"})
# Of one tenant: each may hold as many bytes as a body may have.
_AT_ONCE = 8


def trusted(ca_file: Path | None = None) -> ssl.SSLContext:
    """Return what the system trusts, and the certificates of a file besides.

    Raises `ConfigurationError` where the file holds none.
    """
    context = httpx2.create_ssl_context(trust_env=False)
    if ca_file is not None:
        try:
            context.load_verify_locations(cafile=str(ca_file))
        except OSError as error:
            message = f"'{ca_file}' holds no certificates that can be read: {error}"
            raise ConfigurationError(message, setting="fetch_ca_file") from error
    return context


class SafeFetcher:
    """Fetches what is public, and what a tenant was allowed; each request is audited."""

    def __init__(
        self,
        audit: Audit,
        allowed: AllowList,
        *,
        limits: FetchLimits,
        tls: ssl.SSLContext,
        resolve: Resolve | None = None,
    ) -> None:
        """Take the log, what tenants may reach besides, the limits, and how names are looked up."""
        self._audit = audit
        self._allowed = allowed
        self._limits = limits
        self._tls = tls
        self._resolver = SystemResolver()
        self._resolve: Resolve = resolve or self._resolver
        self._turns: defaultdict[str, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(_AT_ONCE)
        )

    def close(self) -> None:
        """Let go of the threads that look up names."""
        self._resolver.close()

    async def fetch(self, scope: Scope, request: FetchRequest) -> FetchReply:
        """Return the reply, redirects of GET and HEAD followed."""
        hop = _first(request)
        limits = _lowered(self._limits, request)
        deadline = asyncio.get_running_loop().time() + limits.total_s
        async with self._turn(scope.tenant, deadline):
            exchange = Exchange(limits, self._tls)
            for _ in range(limits.redirects + 1):
                response, following = await self._hop(scope, hop, exchange, deadline=deadline)
                if following is None:
                    return FetchReply(
                        url=hop.destination.url,
                        status=response.status,
                        headers=response.headers,
                        content_type=media_type(response.headers),
                        body=response.body,
                    )
                hop = following
        raise failed("redirects", hop.destination)

    @asynccontextmanager
    async def _turn(self, tenant: str, deadline: float) -> AsyncIterator[None]:
        turns = self._turns[tenant]
        try:
            async with asyncio.timeout_at(deadline):
                await turns.acquire()
        except TimeoutError as error:
            raise TooManyRequests("Too much is being fetched already.") from error
        try:
            yield
        finally:
            turns.release()

    async def _hop(
        self, scope: Scope, hop: FetchHop, exchange: Exchange, *, deadline: float
    ) -> tuple[Response, FetchHop | None]:
        """Send one request, and return the reply and where it leads."""
        there, received = hop.destination, Received()
        deed = Deed(
            action="fetch",
            target=there.origin,
            meta={"method": hop.method, "sent": len(hop.body)},
        )
        async with audited(self._audit, scope, deed) as act:
            try:
                async with asyncio.timeout_at(deadline):
                    addresses = await self._checked(scope.tenant, there)
                    response = await exchange.send(hop, addresses, received=received)
                return response, _following(hop, response)
            except TimeoutError:
                error: WeftError = failed("timeout", there)
            except WeftError as known:
                error = known
            finally:
                act.note(status=received.status, received=received.size)
            act.note(reason=str(error.fields.get("reason", "")))
            raise error

    async def _checked(self, tenant: str, there: Destination) -> list[Address]:
        """Return the addresses of a host if this tenant may connect to every one of them."""
        if not self._allowed.opens(tenant, there.host, port=there.port):
            raise refused("port", there)
        found = [there.address] if there.address else await self._resolved(there)
        addresses = [address for address in found if address is not None]
        if len(addresses) < len(found) or not addresses:
            raise refused("not_public", there)
        for address in addresses:
            if not self._allowed.admits(tenant, there.host, port=there.port, address=address):
                raise refused("not_public", there)
        return addresses

    async def _resolved(self, there: Destination) -> list[Address | None]:
        try:
            return [parsed(text) for text in await self._resolve(there.host, there.port)]
        except (OSError, UnicodeError):
            # The name is unknown, or cannot even be asked for.
            return []


def _first(request: FetchRequest) -> FetchHop:
    """Return the first request of a fetch, or raise `BadInput` for one that cannot be sent."""
    if request.method not in _METHODS:
        raise BadInput(f"'{request.method[:20]}' is none of {', '.join(sorted(_METHODS))}.")
    if request.body and request.method in _READING:
        raise BadInput(f"A {request.method} request has no body.")
    return FetchHop(
        destination=destination(request.url),
        method=request.method,
        headers=checked_headers(request.headers),
        body=request.body,
        content_types=request.content_types,
    )


def _lowered(limits: FetchLimits, request: FetchRequest) -> FetchLimits:
    """Return the limits that hold for a request: it can only ask for less."""
    most, seconds = request.most_bytes, request.seconds
    return replace(
        limits,
        body_bytes=limits.body_bytes if most is None else min(most, limits.body_bytes),
        total_s=limits.total_s if seconds is None else min(seconds, limits.total_s),
    )


def _following(hop: FetchHop, response: Response) -> FetchHop | None:
    """Return the request that a reply sends its caller on with, None for a reply that is one."""
    if not response.location:
        return None
    here = hop.destination
    if hop.method not in _READING:
        raise refused("redirected_change", here)
    try:
        there = onward(here, response.location)
    except BadInput:
        raise refused("redirect", here) from None
    if here.scheme == "https" and there.scheme == "http":
        raise refused("downgrade", here)
    return replace(hop, destination=there, headers=carried_on(hop.headers, here=here, there=there))
