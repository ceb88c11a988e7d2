"""How long a client waits where a server asks it to."""

from __future__ import annotations

import time
from email.utils import formatdate

import httpx2
import pytest

from weft.adapters.llm.http_client import BoundedClient

NEVER = "false"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("retry_after", "said"),
    [
        (None, None),
        ("0.1", None),
        ("29", None),
        ("31", NEVER),
        ("1e30", NEVER),
        ("-5", None),
        ("soon", None),
        (formatdate(time.time() + 5, usegmt=True), None),
        (formatdate(time.time() + 3600, usegmt=True), NEVER),
        ("Mon, 01 Jan 0001 00:00:00 GMT", None),
    ],
)
async def test_it_waits_no_longer_than_for_a_reply(
    monkeypatch: pytest.MonkeyPatch, retry_after: str | None, said: str | None
) -> None:
    headers = {} if retry_after is None else {"Retry-After": retry_after}

    async def refuse(self: object, request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(429, headers=headers, content=b"{}")

    monkeypatch.setattr(httpx2.AsyncHTTPTransport, "handle_async_request", refuse)
    async with BoundedClient(timeout_s=30.0, connect_s=1.0) as client:
        reply = await client.get("http://model.example/v1/chat/completions")
    assert reply.headers.get("x-should-retry") == said
