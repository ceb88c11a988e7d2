"""What holds of every request: its id, its host, its type, the headers that keep it safe."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import secrets
from collections.abc import Callable, MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from weft.api.edge.gate import Gate
from weft.api.edge.metrics import Meters
from weft.api.edge.problems import MEDIA_TYPE as PROBLEM
from weft.api.edge.problems import body_of, is_openai, openai_body, problem, problem_body
from weft.api.edge.streams import MEDIA_TYPE as STREAM
from weft.api.edge.streams import StreamEvent
from weft.api.edge.uploads import MAX_BODY as MAX_UPLOAD
from weft.domain.errors import Forbidden
from weft.platform.audit import occasion
from weft.platform.people.invitation import redeem
from weft.platform.people.watching import while_allowed
from weft.platform.tracing.parent import parent_in, within_trace

_GIVEN = re.compile(r"[A-Za-z0-9._-]{1,64}")
_BODIES = frozenset({"POST", "PUT", "PATCH"})
_LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]"})
_ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"
_PACKED = "Send the body as it is, without Content-Encoding."
_UNKNOWN = "Send JSON with 'Content-Type: application/json'; files as multipart/form-data."
_REDIRECT = 303
_DIGITS = 20
_OWN_SITES = frozenset({"none", "same-origin"})
MAX_BODY = 4 * 1024 * 1024


class StartedReply:
    """A reply on its way, so that it can be ended in the middle."""

    def __init__(self, send: Send) -> None:
        """Take where it is sent to."""
        self._send = send
        self._type = ""
        self._has_ended = False

    async def send(self, message: Message) -> None:
        """Send a part of the reply."""
        if message["type"] == "http.response.start":
            self._type = Headers(raw=message["headers"]).get("content-type", "other")
        else:
            self._has_ended = not message.get("more_body", False)
        await self._send(message)

    async def end(self, body: dict[str, Any]) -> None:
        """End the reply with an error: as a whole, or as the last event of a stream."""
        if self._has_ended:
            return
        if not self._type:
            reply = JSONResponse(body, status_code=body["status"], media_type=PROBLEM)
            await reply({"type": "http"}, _nothing, self._send)
            return
        is_stream = self._type.startswith(STREAM)
        last = StreamEvent(event="error", data=body).written() if is_stream else b""
        await self._send({"type": "http.response.body", "body": last, "more_body": False})


class HeadOfReply:
    """A reply without its body, of which nothing more is made than has to be."""

    def __init__(self, receive: Receive, send: Send) -> None:
        """Take the request, and where the reply is sent to."""
        self._receive = receive
        self._send = send
        self._started = asyncio.Event()

    async def send(self, message: Message) -> None:
        """Send the reply's headers, and nothing of what comes after them."""
        if message["type"] == "http.response.start":
            await self._send(message)
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
            self._started.set()

    async def receive(self) -> Message:
        """Return what is received; once the headers are sent whoever asked is gone."""
        given = asyncio.ensure_future(self._receive())
        gone = asyncio.ensure_future(self._started.wait())
        try:
            await asyncio.wait({given, gone}, return_when=asyncio.FIRST_COMPLETED)
            return {"type": "http.disconnect"} if gone.done() else given.result()
        finally:
            given.cancel()
            gone.cancel()


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


class RequestMiddleware:
    """An ASGI application round another one."""

    def __init__(self, app: ASGIApp, *, gate: Gate, home: Path, meters: Meters) -> None:
        """Take what is inside, and where invitations lie."""
        self._app = app
        self._gate = gate
        self._home = home
        self._meters = meters

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        request_id = given if _GIVEN.fullmatch(given) else secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id
        framed = self._framed(scope, send, request_id)
        asked_by = parent_in(headers.get("traceparent", ""))
        with occasion(request_id), within_trace(asked_by), self._meters.request(scope) as seen:
            watched = _watched(framed, seen.see)
            answer = self._refusal(scope, headers, request_id) or self._entry(scope)
            if answer is not None:
                await answer(scope, receive, watched)
                return
            await self._while_known(scope, receive, watched)

    async def _while_known(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through to its end, or until its caller's rights are taken away."""
        reply = StartedReply(send)

        async def known() -> bool:
            caller = scope["state"].get("caller")
            return caller is None or await self._gate.still(caller)

        try:
            await while_allowed(known, self._handled(scope, receive, reply))
        except Forbidden as error:
            await reply.end(body_of(error, scope["state"]["request_id"]))

    async def _handled(self, scope: Scope, receive: Receive, reply: StartedReply) -> None:
        if scope["method"] != "HEAD":
            await self._app(scope, receive, reply.send)
            return
        head = HeadOfReply(receive, reply.send)
        await self._app({**scope, "method": "GET"}, head.receive, head.send)

    def _framed(self, scope: Scope, send: Send, request_id: str) -> Send:
        async def framed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = request_id
                for name, value in _ALWAYS.items():
                    headers.setdefault(name, value)
                headers.setdefault("content-security-policy", _POLICY)
                headers.setdefault("cache-control", "no-store")
                if "set-cookie" not in headers and (renewal := self._gate.renewal(scope)):
                    headers.append("set-cookie", renewal)
            await send(message)

        return framed

    def _refusal(self, scope: Scope, headers: Headers, request_id: str) -> ASGIApp | None:
        if _is_loopback(scope) and not _names_loopback(headers.get("host", "")):
            detail = "This address is served to this machine alone, by its own name."
            return problem("misdirected_request", detail, status=421, request_id=request_id)
        if _length(headers) > (MAX_UPLOAD if scope["path"].endswith("/documents") else MAX_BODY):
            # Here, because what would refuse it further in does not speak in problems.
            detail = "The body is too large."
            return problem("too_large", detail, status=413, request_id=request_id)
        is_packed = headers.get("content-encoding", "identity").strip().lower() != "identity"
        has_body = scope["method"] in _BODIES and _has_body(headers)
        if has_body and (is_packed or not _is_known(headers)):
            detail = _PACKED if is_packed else _UNKNOWN
            code = "unsupported_media_type"
            if is_openai(scope["path"]):
                body = problem_body(code, detail, status=415, request_id=request_id)
                return JSONResponse(openai_body(body), status_code=415)
            return problem(code, detail, status=415, request_id=request_id)
        return None

    def _entry(self, scope: Scope) -> ASGIApp | None:
        """Return the way in for whoever opens the page by an invitation."""
        if scope["path"] != "/" or scope["method"] != "GET" or not scope["query_string"]:
            return None
        (key,) = parse_qs(scope["query_string"].decode("latin-1")).get("key", [""])[:1]
        if not key:
            return None
        response = RedirectResponse("/", status_code=_REDIRECT)
        elsewhere = Headers(scope=scope).get("sec-fetch-site", "none") not in _OWN_SITES
        if elsewhere and self._gate.is_in_use(scope):
            # Another site must not make somebody act under a name that they did not choose.
            return response
        if invited := redeem(self._home, key):
            tenant, user = invited
            self._gate.let_in(scope, response, tenant=tenant, user=user)
        return response


def _watched(send: Send, see: Callable[[int], None]) -> Send:
    async def watched(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            see(message["status"])
        await send(message)

    return watched


def _is_loopback(scope: Scope) -> bool:
    host = (scope.get("server") or ("",))[0]
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _names_loopback(host: str) -> bool:
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return name.lower() in _LOCAL


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def _length(headers: Headers) -> int:
    said = headers.get("content-length", "0")
    return int(said) if said.isascii() and said.isdigit() and len(said) < _DIGITS else 0


def _is_known(headers: Headers) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind in {"application/json", "multipart/form-data"} or (
        kind.startswith("application/") and kind.endswith("+json")
    )
