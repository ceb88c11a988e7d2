"""A refusal is one row, without a token; strangers cannot fill the log."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from starlette.requests import Request

from rag_world import MemoryAudit
from weft.api.edge.refusals import Refusals
from weft.domain.errors import BadInput, Forbidden, NotFound, Unauthenticated, WeftError
from weft.platform.audit import audited, occasion
from weft.platform.identity import local_owner
from weft.ports.records.audit import AuditDecision, Deed, Phase

pytestmark = pytest.mark.anyio


@dataclass
class Stillness:
    """A clock that is moved by hand."""

    seconds: float = 0.0

    def now(self) -> Any:
        raise NotImplementedError

    def elapsed(self) -> float:
        return self.seconds


@dataclass
class Door:
    """Refusals into a log in memory."""

    audit: MemoryAudit = field(default_factory=MemoryAudit)
    clock: Stillness = field(default_factory=Stillness)

    def __post_init__(self) -> None:
        self.refusals = Refusals(lambda: cast(Any, self.audit), self.clock)

    async def tell(self, error: WeftError, *, known: bool = False) -> None:
        headers = [(b"authorization", b"Bearer a-secret-token"), (b"cookie", b"weft=secret")]
        request = Request(
            {
                "type": "http",
                "method": "GET",
                "path": "/v1/kb/Docs",
                "query_string": b"key=a-secret",
                "headers": headers,
                "client": ("127.0.0.9", 1234),
            }
        )
        with occasion("q1"):
            await self.refusals.tell(request, error, local_owner() if known else None)


async def test_a_refusal_is_one_row_that_says_what_was_asked_and_holds_no_token() -> None:
    door = Door()
    await door.tell(Unauthenticated())
    (entry,) = door.audit.audited
    assert (entry.phase, entry.decision) == (Phase.INTENT, AuditDecision.DENIED)
    assert entry.deed == Deed(
        action="access.denied",
        target="http:/v1/kb/Docs",
        request_id="q1",
        meta={"method": "GET", "client": "127.0.0.9"},
    )
    assert "secret" not in repr(entry)


@pytest.mark.parametrize(
    ("error", "decision", "reason"),
    [
        (Forbidden(reason="needs the permission ask"), "denied", "needs the permission ask"),
        (NotFound(), "failed", "not_found"),
    ],
)
async def test_it_says_why(error: WeftError, decision: str, reason: str) -> None:
    door = Door()
    await door.tell(error, known=True)
    (entry,) = door.audit.audited
    assert (entry.decision, entry.reason) == (decision, reason)


async def test_what_is_no_refusal_or_has_a_row_already_leaves_none() -> None:
    door = Door()
    await door.tell(BadInput())
    assert not door.audit.audited
    with occasion("q2"):
        async with audited(
            cast(Any, door.audit), local_owner(), Deed(action="ask", target="kb:Docs")
        ):
            pass
        before = len(door.audit.audited)
        await door.refusals.tell(cast(Any, None), Forbidden(), None)
    assert len(door.audit.audited) == before


async def test_strangers_have_so_many_rows_a_minute_and_the_rest_is_counted() -> None:
    door = Door()
    for _ in range(700):
        await door.tell(Unauthenticated())
    assert len(door.audit.audited) == 600
    await door.tell(Forbidden(), known=True)
    assert len(door.audit.audited) == 601
    door.clock.seconds = 61.0
    await door.tell(Unauthenticated())
    assert door.audit.audited[-1].deed.meta["unwritten"] == 100
