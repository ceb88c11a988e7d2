"""The contract of usage: its sums are those of what runs left, whatever happened to the runs."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from math import ceil
from pathlib import Path

import pytest

from contract.records_world import (
    ANN,
    ANN_ELSEWHERE,
    BOB,
    NOON,
    World,
    caller,
    each_database,
    event,
    header,
    world,
)
from weft.domain.errors import Forbidden
from weft.domain.event import EventType
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.records.runs import RunStatus
from weft.ports.records.tool_runs import ToolCall, ToolOutcome, ToolStatus
from weft.ports.records.usage import Spent, UsageBy, UsageFilter, UsageSheet

pytestmark = pytest.mark.anyio
EVERYTHING = UsageFilter()
CALLERS = (ANN, BOB, ANN_ELSEWHERE)


@dataclass(slots=True)
class Told:
    """A run as the test made it."""

    scope: Scope
    flow: str
    began: datetime
    ms: float = 0.0
    ended: str = ""
    cited: bool = False
    calls: list[tuple[str, bool, int, int, Decimal | None]] = field(default_factory=list)
    tools: list[tuple[str, str, float]] = field(default_factory=list)


async def one_run(w: World, chance: random.Random, name: str) -> Told:
    scope, flow = chance.choice(CALLERS), chance.choice(("rag", "semantic"))
    made = Told(scope=scope, flow=flow, began=w.clock.now())
    run = RunId(name)
    about = replace(header(name), flow=flow, agent=f"{flow}@1", started=w.clock.now())
    await w.records.runs.create(scope, about)
    await call_models(w, chance, made, name)
    await call_tools(w, chance, made, run)
    w.clock.move(chance.randint(0, 40) / 8)
    made.ms = (w.clock.now() - made.began).total_seconds() * 1000
    made.ended = chance.choice(("answered", "nearest", "nothing", "failed", "cancelled", ""))
    made.cited = made.ended == "answered" and chance.random() < 0.7
    if made.ended in {"failed", "cancelled"}:
        await w.records.runs.finish(scope, run, status=RunStatus(made.ended), summary={})
    elif made.ended:
        summary = {"outcome": made.ended, "citations": 3 if made.cited else 0}
        await w.records.runs.finish(scope, run, status=RunStatus.FINISHED, summary=summary)
        await w.records.runs.finish(scope, run, status=RunStatus.FAILED, summary={})
    if chance.random() < 0.2 and made.ended:
        await w.records.runs.erase(scope, run)  # what it took was taken all the same
    w.clock.move(chance.choice((0, 30_000)))
    return made


async def call_models(w: World, chance: random.Random, made: Told, name: str) -> None:
    for place in range(chance.randint(0, 3)):
        model, ok = chance.choice(("small", "large")), chance.random() < 0.8
        sizes = (chance.randint(0, 900), chance.randint(0, 90)) if ok else (0, 0)
        money = Decimal(chance.randint(1, 10**6)) / 10**8 if ok and chance.random() < 0.7 else None
        data: dict[str, object] = {"model": model, "ok": ok, "ms": 5.0}
        if ok:
            data |= {"input_tokens": sizes[0], "output_tokens": sizes[1]}
        if money is not None:
            data["money"] = str(money)
        told = replace(event(name, place + 1), type=EventType.MODEL_CALLED, data=data)
        told = replace(told, ts=w.clock.now())
        await w.records.runs.append(made.scope, [told])
        await w.records.runs.append(made.scope, [told])  # a second writer of the same event
        made.calls.append((model, ok, *sizes, money))


async def call_tools(w: World, chance: random.Random, made: Told, run: RunId) -> None:
    for place in range(chance.randint(0, 2)):
        tool, status = chance.choice(("search", "look_up")), chance.choice(list(ToolStatus))
        ms = float(chance.randint(1, 500))
        call = ToolCall(run_id=run, action_id=f"a{place}", tool=tool, args={})
        await w.records.tool_runs.begin(made.scope, call)
        outcome = ToolOutcome(status=status, output=None, latency_ms=ms)
        for _ in range(2):
            await w.records.tool_runs.finish(made.scope, run, f"a{place}", outcome=outcome)
        made.tools.append((tool, status.value, ms))


def key_of(made: Told, by: UsageBy) -> str:
    if by is UsageBy.MODEL:
        return "+".join(sorted({one[0] for one in made.calls if one[1]})) or "offline"
    found = {
        UsageBy.USER: made.scope.actor,
        UsageBy.FLOW: made.flow,
        UsageBy.AGENT: f"{made.flow}@1",
        UsageBy.DAY: made.began.date().isoformat(),
    }
    return found[by]


def ranked(values: list[float], percent: int) -> float | None:
    ordered = sorted(values)
    return round(ordered[ceil(len(ordered) * percent / 100) - 1], 1) if ordered else None


def check(sheet: UsageSheet, made: list[Told], by: UsageBy) -> None:
    ended: dict[str, list[Told]] = defaultdict(list)
    calls: dict[str, list[tuple[str, bool, int, int, Decimal | None]]] = defaultdict(list)
    for one in made:
        if one.ended:
            ended[key_of(one, by)].append(one)
        for call in one.calls:
            calls[call[0] if by is UsageBy.MODEL else key_of(one, by)].append(call)
    assert {row.key for row in sheet.rows} == ended.keys() | calls.keys()
    for row in sheet.rows:
        runs, asked = ended[row.key], calls[row.key]
        assert row.runs == len(runs)
        assert row.ended == dict(Counter(one.ended for one in runs))
        assert row.cited == sum(one.cited for one in runs)
        assert (row.model_calls, row.failed_calls) == (len(asked), sum(not a[1] for a in asked))
        assert row.input_tokens == sum(a[2] for a in asked)
        assert row.output_tokens == sum(a[3] for a in asked)
        assert row.money == sum((a[4] for a in asked if a[4] is not None), Decimal(0))
        assert row.unpriced == sum(a[1] and a[4] is None for a in asked)
        times = [one.ms for one in runs]
        assert (row.p50_ms, row.p95_ms) == (ranked(times, 50), ranked(times, 95))
    tools = [tool for one in made for tool in one.tools]
    assert {t.tool for t in sheet.tools} == {name for name, _, _ in tools}
    for tool in sheet.tools:
        own = [(status, ms) for name, status, ms in tools if name == tool.tool]
        told = Counter(status for status, _ in own)
        assert tool.calls == len(own)
        assert (tool.failed, tool.timed_out) == (told["error"], told["timeout"])
        assert tool.rejected == told["rejected"]
        assert tool.p95_ms == ranked([ms for _, ms in own], 95)


@each_database
@pytest.mark.parametrize("seed", range(3))
async def test_the_sums_are_those_of_what_runs_left(
    database: str, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    async with world(database, tmp_path) as w:
        made = [await one_run(w, chance, f"r{place}") for place in range(25)]
        for scope in (ANN, ANN_ELSEWHERE):
            own = [one for one in made if one.scope.tenant == scope.tenant]
            for by in UsageBy:
                sheet = await w.records.usage.sheet(scope, EVERYTHING, by=by)
                check(sheet, own, by)
                assert sheet.total.runs == sum(bool(one.ended) for one in own)
                assert sheet.total.money == sum(row.money for row in sheet.rows)
        later = UsageFilter(since=NOON + timedelta(days=1), until=NOON + timedelta(days=3))
        within = [one for one in made if later.since <= one.began < later.until]  # type: ignore[operator]
        sheet = await w.records.usage.sheet(ANN, later, by=UsageBy.DAY)
        check(sheet, [one for one in within if one.scope.tenant == ANN.tenant], UsageBy.DAY)


@each_database
async def test_what_was_spent_since_a_time(database: str, tmp_path: Path) -> None:
    chance = random.Random(7)
    async with world(database, tmp_path) as w:
        made = [await one_run(w, chance, f"r{place}") for place in range(25)]
        since = made[8].began
        mine, whole = await w.records.usage.spent(ANN, since=since)
        late = [one for one in made if one.began >= since and one.scope.tenant == ANN.tenant]
        assert mine == spent([one for one in late if one.scope == ANN])
        assert whole == spent(late)
        nobody = caller("zoe", tenant="empty")
        assert await w.records.usage.spent(nobody, since=since) == (Spent(), Spent())


def spent(made: list[Told]) -> Spent:
    calls = [call for one in made for call in one.calls]
    money = sum((one[4] for one in calls if one[4] is not None), Decimal(0))
    return Spent(tokens=sum(one[2] + one[3] for one in calls), money=money)


@each_database
async def test_what_such_runs_usually_take(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        usage = w.records.usage
        for place, tokens in enumerate((100, 300, 200)):
            name = f"r{place}"
            await w.records.runs.create(ANN, replace(header(name), flow="rag"))
            data = {"model": "m", "ok": True, "input_tokens": tokens, "output_tokens": 1}
            priced = {**data, "money": "0.001"} if place else data
            call = replace(event(name, 1), type=EventType.MODEL_CALLED, data=priced)
            await w.records.runs.append(ANN, [call])
            await w.records.runs.finish(
                ANN, RunId(name), status=RunStatus.FINISHED, summary={"outcome": "answered"}
            )
        found = await usage.usual(BOB, flow="rag", model="m")
        assert found is not None
        assert (found.runs, found.tokens, found.money) == (3, (201, 301), None)
        assert await usage.usual(ANN, flow="rag", model="other") is None
        assert await usage.usual(ANN_ELSEWHERE, flow="rag", model="m") is None


@each_database
async def test_a_reply_from_the_tape_is_not_paid_for_again(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        await w.records.runs.create(ANN, header("r1"))
        data = {"model": "m", "ok": True, "input_tokens": 5, "output_tokens": 7, "recalled": True}
        call = replace(event("r1", 1), type=EventType.MODEL_CALLED, data=data)
        await w.records.runs.append(ANN, [call])
        assert await w.records.usage.spent(ANN, since=NOON) == (Spent(), Spent())


@each_database
async def test_nobody_reads_it_without_the_permission(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        plain = replace(ANN, permissions=ANN.permissions - {"usage.read"})
        with pytest.raises(Forbidden):
            await w.records.usage.sheet(plain, EVERYTHING, by=UsageBy.DAY)
