"""An HTTP client that gives up in time: a reply has a last moment, a largest size, and a form."""

from __future__ import annotations

import asyncio
import json
import time
from email.utils import mktime_tz, parsedate_tz

import httpx2
from openai import DefaultAsyncHttpxClient

from weft.adapters.llm.completions import completion
from weft.domain.errors import BadModelReply

MOST_BYTES = 8 * 1024 * 1024
# What no longer holds once a body was read and decoded.
_OF_THE_WIRE = {"content-encoding", "content-length", "transfer-encoding"}
_OK = 200


class BoundedClient(DefaultAsyncHttpxClient):
    """A client whose whole replies are bounded, so that nothing can hang or fill the memory.

    A server that sends without end, too much, or no JSON where JSON is due fails like one whose
    connection broke: the caller's own rules for asking again hold for all of them. A reply that is
    streamed is left to whoever reads it.
    """

    def __init__(self, *, timeout_s: float, connect_s: float, most_bytes: int = MOST_BYTES) -> None:
        """Take the seconds for a whole reply and for connecting, and the most bytes of a body."""
        super().__init__(timeout=httpx2.Timeout(timeout_s, connect=min(connect_s, timeout_s)))
        self._timeout_s = timeout_s
        self._most_bytes = most_bytes

    async def send(
        self,
        request: httpx2.Request,
        *,
        stream: bool = False,
        auth: httpx2._types.AuthTypes
        | httpx2._client.UseClientDefault
        | None = httpx2.USE_CLIENT_DEFAULT,
        follow_redirects: bool | httpx2._client.UseClientDefault = httpx2.USE_CLIENT_DEFAULT,
    ) -> httpx2.Response:
        """Return the reply, its body read unless it is streamed."""
        try:
            async with asyncio.timeout(self._timeout_s):
                reply = await super().send(
                    request, stream=True, auth=auth, follow_redirects=follow_redirects
                )
                return reply if stream else await self._whole(reply)
        except TimeoutError as error:
            message = f"no whole reply within {self._timeout_s:g} s"
            raise httpx2.ReadTimeout(message, request=request) from error

    async def _whole(self, reply: httpx2.Response) -> httpx2.Response:
        parts: list[bytes] = []
        size = 0
        try:
            async for part in reply.aiter_bytes():
                size += len(part)
                if size > self._most_bytes:
                    raise _unread(reply.request, f"is larger than {self._most_bytes} bytes")
                parts.append(part)
        finally:
            await reply.aclose()
        body = b"".join(parts)
        if reply.status_code == _OK:
            body = _due(reply.request, body)
        headers = [(k, v) for k, v in reply.headers.multi_items() if k not in _OF_THE_WIRE]
        if _asked_to_wait(reply.headers) > self._timeout_s:
            # Whoever asked would wait longer than for any reply: the client's own word for no.
            headers.append(("x-should-retry", "false"))
        return httpx2.Response(
            reply.status_code, headers=headers, content=body, request=reply.request
        )


def _asked_to_wait(headers: httpx2.Headers) -> float:
    """Return the seconds that a server asks to wait, given as a number or as a date; else 0."""
    said = headers.get("retry-after", "")
    try:
        return float(said)
    except ValueError:
        parsed = parsedate_tz(said)
    try:
        return 0.0 if parsed is None else mktime_tz(parsed) - time.time()
    except (ValueError, OverflowError):
        return 0.0


def _due(request: httpx2.Request, body: bytes) -> bytes:
    """Return a body as it may be read; raise where it is no JSON, or of a chat no completion."""
    if request.url.path.endswith("/chat/completions"):
        found = completion(body)
        if found is None:
            raise _unread(request, "is no completion")
        return found
    if not _is_json(body):
        raise _unread(request, "is no JSON")
    return body


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def _unread(request: httpx2.Request, what: str) -> httpx2.RemoteProtocolError:
    """Return the fault of a connection over which came what cannot be read; its cause says so."""
    error = httpx2.RemoteProtocolError(f"the reply {what}", request=request)
    error.__cause__ = BadModelReply(f"the reply {what}")
    return error
