"""What was used, added up from the entries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from math import ceil
from typing import Any, TypeVar

from sqlalchemy import (
    BigInteger,
    Connection,
    Integer,
    Row,
    and_,
    case,
    func,
    literal,
    select,
    type_coerce,
)
from sqlalchemy.sql.elements import ColumnElement

from weft.adapters.sql.answering.usage_entries import MODEL, OK, RUN, TOOL, dollars
from weft.adapters.sql.database.columns import clean
from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.schema import usage
from weft.domain.answer import Outcome
from weft.domain.scope import Scope
from weft.platform.access import require
from weft.ports.records.tool_runs import ToolStatus
from weft.ports.records.usage import (
    Spent,
    ToolSums,
    UsageBy,
    UsageFilter,
    UsageSheet,
    UsageSums,
    UsualRun,
)

READING, TARGET = "usage.read", "usage:tenant"
_DAY_US = 24 * 3600 * 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MEDIAN, _HIGH = 50, 95
_LAST = 100
_COLUMNS: Mapping[UsageBy, ColumnElement[str]] = {
    UsageBy.MODEL: usage.c.name,
    UsageBy.USER: usage.c.actor,
    UsageBy.FLOW: usage.c.flow,
    UsageBy.AGENT: usage.c.agent,
}

Ranked = TypeVar("Ranked")
Ranks = Mapping[str, Mapping[int, float]]


class SqlUsage:
    """The port `UsageRecords` on a `SqlDatabase`."""

    def __init__(self, database: SqlDatabase) -> None:
        """Take the database."""
        self._database = database

    async def sheet(self, scope: Scope, wanted: UsageFilter, *, by: UsageBy) -> UsageSheet:
        """Return what the caller's tenant used, the most runs first; raise `Forbidden`."""
        require(scope, READING, TARGET)
        kept = [usage.c.tenant == scope.tenant]
        if wanted.since is not None:
            kept.append(usage.c.ts >= wanted.since)
        if wanted.until is not None:
            kept.append(usage.c.ts < wanted.until)

        def work(connection: Connection) -> UsageSheet:
            [total] = _sums(connection, kept, key=literal("")) or [UsageSums(key="")]
            rows = _sums(connection, kept, key=_key(by))
            if by is UsageBy.DAY:
                rows = [_of_day(one) for one in rows]
            order = sorted(rows, key=lambda one: (-one.runs, -one.model_calls, one.key))
            if by is UsageBy.DAY:
                order = sorted(rows, key=lambda one: one.key)
            return UsageSheet(total=total, rows=tuple(order), tools=_tools(connection, kept))

        return await self._database.read(work)

    async def spent(self, scope: Scope, *, since: datetime) -> tuple[Spent, Spent]:
        """Return what the caller's and all model calls of the tenant took since a time."""
        own = case((usage.c.actor == scope.actor, 1), else_=0)
        tokens = usage.c.input_tokens + usage.c.output_tokens
        query = (
            select(own, func.sum(tokens), func.sum(usage.c.money))
            .where(usage.c.tenant == scope.tenant, usage.c.kind == MODEL, usage.c.ts >= since)
            .group_by(own)
        )
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        found = {bool(own): Spent(tokens=int(t), money=dollars(m)) for own, t, m in rows}
        mine, others = found.get(True, Spent()), found.get(False, Spent())
        whole = Spent(tokens=mine.tokens + others.tokens, money=mine.money + others.money)
        return mine, whole

    async def usual(self, scope: Scope, *, flow: str, model: str) -> UsualRun | None:
        """Return what the tenant's last hundred runs of a flow took; None without any."""
        last = (
            select(usage.c.run_id)
            .where(usage.c.tenant == scope.tenant, usage.c.kind == RUN)
            .where(usage.c.flow == clean(flow), usage.c.name == clean(model))
            .order_by(usage.c.ts.desc())
            .limit(_LAST)
        )
        query = (
            select(
                func.sum(usage.c.input_tokens + usage.c.output_tokens),
                func.sum(usage.c.money),
                _count(and_(usage.c.money.is_(None), usage.c.outcome == OK)),
            )
            .where(usage.c.tenant == scope.tenant, usage.c.kind == MODEL)
            .where(usage.c.run_id.in_(last))
            .group_by(usage.c.run_id)
        )
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        if not rows:
            return None
        tokens = sorted(int(row[0]) for row in rows)
        money = sorted(dollars(row[1]) for row in rows)
        is_priced = not any(row[2] for row in rows)
        return UsualRun(
            runs=len(rows),
            tokens=(_ranked(tokens, _MEDIAN), _ranked(tokens, _HIGH)),
            money=(_ranked(money, _MEDIAN), _ranked(money, _HIGH)) if is_priced else None,
        )


def _key(by: UsageBy) -> ColumnElement[Any]:
    if by is UsageBy.DAY:
        # As a number: a time is kept as microseconds since 1970.
        return type_coerce(usage.c.ts, BigInteger) // _DAY_US
    return _COLUMNS[by]


def _of_day(sums: UsageSums) -> UsageSums:
    from dataclasses import replace

    return replace(sums, key=(_EPOCH + timedelta(days=int(sums.key))).date().isoformat())


def _sums(
    connection: Connection, kept: list[ColumnElement[bool]], *, key: ColumnElement[Any]
) -> list[UsageSums]:
    """Return the sums under each key, by one look over the runs and one over the model calls."""
    keyed = key.label("key")
    runs: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    query = select(keyed, usage.c.outcome, func.count(), _count(usage.c.citations > 0)).where(
        *kept, usage.c.kind == RUN
    )
    for row in connection.execute(query.group_by(keyed, usage.c.outcome)):
        runs[str(row[0])][row[1]] = (row[2], row[3])
    calls = {str(row.key): row for row in connection.execute(_calls(keyed, kept))}
    ranks = _percentiles(connection, [*kept, usage.c.kind == RUN], key=key)
    keys = dict.fromkeys([*runs, *calls])
    return [
        _summed(one, runs.get(one, {}), calls=calls.get(one), ranks=ranks.get(one, {}))
        for one in keys
    ]


def _calls(keyed: ColumnElement[Any], kept: list[ColumnElement[bool]]) -> Any:
    is_ok = usage.c.outcome == OK
    return (
        select(
            keyed,
            func.count().label("calls"),
            _count(~is_ok).label("failed"),
            func.sum(usage.c.input_tokens).label("tokens_in"),
            func.sum(usage.c.output_tokens).label("tokens_out"),
            func.sum(usage.c.money).label("money"),
            _count(and_(is_ok, usage.c.money.is_(None))).label("unpriced"),
        )
        .where(*kept, usage.c.kind == MODEL)
        .group_by(keyed)
    )


def _summed(
    key: str,
    runs: Mapping[str, tuple[int, int]],
    *,
    calls: Row[Any] | None,
    ranks: Mapping[int, float],
) -> UsageSums:
    ended = {outcome: count for outcome, (count, _) in sorted(runs.items())}
    return UsageSums(
        key=key,
        runs=sum(ended.values()),
        ended=ended,
        cited=runs.get(Outcome.ANSWERED.value, (0, 0))[1],
        model_calls=calls.calls if calls else 0,
        failed_calls=calls.failed if calls else 0,
        input_tokens=int(calls.tokens_in) if calls else 0,
        output_tokens=int(calls.tokens_out) if calls else 0,
        money=dollars(calls.money) if calls else Decimal(0),
        unpriced=calls.unpriced if calls else 0,
        p50_ms=ranks.get(_MEDIAN),
        p95_ms=ranks.get(_HIGH),
    )


def _tools(connection: Connection, kept: list[ColumnElement[bool]]) -> tuple[ToolSums, ...]:
    of_tools = [*kept, usage.c.kind == TOOL]
    query = (
        select(
            usage.c.name,
            func.count().label("calls"),
            *(
                _count(usage.c.outcome == one.value).label(one.value)
                for one in (ToolStatus.ERROR, ToolStatus.TIMEOUT, ToolStatus.REJECTED)
            ),
        )
        .where(*of_tools)
        .group_by(usage.c.name)
        .order_by(func.count().desc(), usage.c.name)
    )
    ranks = _percentiles(connection, of_tools, key=usage.c.name)
    return tuple(
        ToolSums(
            tool=row.name,
            calls=row.calls,
            failed=row.error,
            timed_out=row.timeout,
            rejected=row.rejected,
            p50_ms=ranks.get(row.name, {}).get(_MEDIAN),
            p95_ms=ranks.get(row.name, {}).get(_HIGH),
        )
        for row in connection.execute(query)
    )


def _percentiles(
    connection: Connection, kept: Iterable[ColumnElement[bool]], *, key: ColumnElement[Any]
) -> Ranks:
    """Return the milliseconds at the nearest ranks of each key, without fetching every row."""
    whole = func.count().over(partition_by=key)
    place = func.row_number().over(partition_by=key, order_by=usage.c.ms)
    ranked = select(key.label("key"), usage.c.ms, place.label("place"), whole.label("whole")).where(
        *kept
    )
    inner = ranked.subquery()
    found: dict[str, dict[int, float]] = defaultdict(dict)
    for percent in (_MEDIAN, _HIGH):
        at = (inner.c.whole * percent + 99) // 100
        query = select(inner.c.key, inner.c.ms).where(inner.c.place == at)
        for name, ms in connection.execute(query):
            found[str(name)][percent] = round(float(ms), 1)
    return found


def _count(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0).cast(Integer)


def _ranked(values: Sequence[Ranked], percent: int) -> Ranked:
    return values[ceil(len(values) * percent / 100) - 1]
