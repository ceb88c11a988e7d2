"""No audit, no action: what is written around an act, however it ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import pytest

from weft.domain.errors import (
    Forbidden,
    NotFound,
    PolicyViolation,
    StoreUnavailable,
    WeftError,
)
from weft.domain.scope import Scope
from weft.platform.access import require
from weft.platform.audit import audited
from weft.platform.identity import local_owner
from weft.ports.records.audit import (
    AuditDecision,
    AuditEntry,
    AuditFilter,
    AuditHead,
    AuditPage,
    AuditReport,
    AuditRow,
    Deed,
    Phase,
    SealedRow,
)

pytestmark = pytest.mark.anyio

OWNER = local_owner()
DEED = Deed(action="kb.read", target="kb:Docs", run_id="r1", meta={"q": 1})


@dataclass(slots=True)
class Log:
    """An audit log in memory; it fails at the n-th append, and holds one up if told to."""

    entries: list[AuditEntry] = field(default_factory=list)
    fails_at: int = 0
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    may_write: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.may_write.set()

    def hold(self) -> None:
        """Write nothing from now on until `let_go`; `asked` tells that there is something to."""
        self.asked.clear()
        self.may_write.clear()

    async def let_go(self) -> None:
        """Write what is held up, and let it come to its end."""
        self.may_write.set()
        for _ in range(20):
            await asyncio.sleep(0)

    async def append(self, scope: Scope, entry: AuditEntry) -> AuditHead:
        self.asked.set()
        await self.may_write.wait()
        if len(self.entries) + 1 == self.fails_at:
            raise StoreUnavailable
        self.entries.append(entry)
        return AuditHead(seq=len(self.entries), mac="")

    async def rows(self, scope: Scope, *, after_seq: int = 0, limit: int = 1000) -> list[AuditRow]:
        raise NotImplementedError

    async def page(
        self,
        scope: Scope,
        wanted: AuditFilter,
        *,
        limit: int = 50,
        cursor: int = 0,
        oldest_first: bool = False,
    ) -> AuditPage:
        raise NotImplementedError

    def sealed(
        self, scope: Scope, *, since: datetime | None = None, upto: int | None = None
    ) -> AsyncIterator[SealedRow]:
        raise NotImplementedError

    async def seal(self, scope: Scope, values: Sequence[str | int]) -> str:
        raise NotImplementedError

    async def unfinished(self, scope: Scope) -> list[AuditRow]:
        raise NotImplementedError

    async def head(self, scope: Scope) -> AuditHead:
        raise NotImplementedError

    async def verify(self, scope: Scope, *, known: AuditHead | None = None) -> AuditReport:
        raise NotImplementedError

    def told(self) -> list[tuple[Phase, AuditDecision, str]]:
        return [(entry.phase, entry.decision, entry.reason) for entry in self.entries]


INTENT = (Phase.INTENT, AuditDecision.PENDING, "")


async def test_the_intent_is_there_before_the_act_and_the_outcome_after() -> None:
    log = Log()
    async with audited(log, OWNER, DEED) as act:
        assert log.told() == [INTENT]
        act.note(documents=["d1"])
    assert log.told() == [INTENT, (Phase.OUTCOME, AuditDecision.OK, "")]
    intent, outcome = log.entries
    assert intent.intent_id == outcome.intent_id == act.intent_id
    assert intent.deed == DEED
    assert outcome.deed.meta == {"q": 1, "documents": ["d1"]}


async def test_two_acts_have_two_intents() -> None:
    log = Log()
    for _ in range(2):
        async with audited(log, OWNER, DEED):
            pass
    assert len({entry.intent_id for entry in log.entries}) == 2


async def test_without_the_intent_nothing_is_done() -> None:
    log = Log(fails_at=1)
    acted = False
    with pytest.raises(StoreUnavailable):
        async with audited(log, OWNER, DEED):
            acted = True
    assert not acted
    assert log.entries == []


async def test_a_lost_outcome_is_an_error_and_leaves_the_intent() -> None:
    log = Log(fails_at=2)
    with pytest.raises(StoreUnavailable):
        async with audited(log, OWNER, DEED):
            pass
    assert log.told() == [INTENT]


@pytest.mark.parametrize(
    ("error", "decision", "reason"),
    [
        (NotFound(), AuditDecision.FAILED, "not_found"),
        (Forbidden(), AuditDecision.DENIED, "forbidden"),
        (
            Forbidden(reason="needs the permission ask"),
            AuditDecision.DENIED,
            "needs the permission ask",
        ),
        (PolicyViolation(), AuditDecision.DENIED, "policy_violation"),
        (ValueError("with a secret in it"), AuditDecision.FAILED, "ValueError"),
    ],
)
async def test_an_error_is_told_and_goes_on(
    error: Exception, decision: AuditDecision, reason: str
) -> None:
    log = Log()
    with pytest.raises(type(error)):
        async with audited(log, OWNER, DEED):
            raise error
    assert log.told() == [INTENT, (Phase.OUTCOME, decision, reason)]


async def test_a_refused_permission_is_told_with_its_reason() -> None:
    log = Log()
    with pytest.raises(WeftError):
        async with audited(log, OWNER, DEED):
            require(OWNER, "run.read.all", "user:ann")
    assert log.told()[1] == (
        Phase.OUTCOME,
        AuditDecision.DENIED,
        "needs the permission run.read.all",
    )


async def test_a_refusal_without_an_error_is_told() -> None:
    log = Log()
    async with audited(log, OWNER, DEED) as act:
        act.deny("no evidence may leave")
    assert log.told()[1] == (Phase.OUTCOME, AuditDecision.DENIED, "no evidence may leave")


async def test_a_cancelled_act_still_has_its_outcome() -> None:
    log = Log()
    began = asyncio.Event()

    async def act() -> None:
        async with audited(log, OWNER, DEED):
            log.hold()
            began.set()
            await asyncio.Event().wait()

    task = asyncio.ensure_future(act())
    await began.wait()
    task.cancel()
    await log.asked.wait()
    task.cancel()  # again, while the outcome is being written
    with pytest.raises(asyncio.CancelledError):
        await task
    await log.let_go()
    assert log.told() == [INTENT, (Phase.OUTCOME, AuditDecision.FAILED, "cancelled")]


async def test_an_act_that_is_cancelled_while_its_intent_is_written_has_its_outcome() -> None:
    log = Log()
    log.hold()

    async def act() -> None:
        async with audited(log, OWNER, DEED):
            raise AssertionError

    task = asyncio.ensure_future(act())
    await log.asked.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()  # again, while the intent is being written still
    with pytest.raises(asyncio.CancelledError):
        await task
    assert log.told() == []
    await log.let_go()
    assert log.told() == [INTENT, (Phase.OUTCOME, AuditDecision.FAILED, "cancelled")]


async def test_an_intent_that_could_not_be_written_has_no_outcome() -> None:
    log = Log(fails_at=1)
    log.hold()
    task = asyncio.ensure_future(audited(log, OWNER, DEED).__aenter__())
    await log.asked.wait()
    task.cancel()
    await asyncio.sleep(0)
    await log.let_go()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert log.told() == []
