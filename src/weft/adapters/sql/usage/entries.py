"""What runs took, entered with what it is about, in the same transaction.

They hold numbers and names alone, so they outlive the runs, and what was asked is never in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation

from sqlalchemy import Connection, select

from weft.adapters.sql.database.dialect import insert_new
from weft.adapters.sql.database.schema import clean, runs, usage
from weft.domain.event import EventType, RunEvent
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.records.runs import RunStatus
from weft.ports.records.tool_runs import ToolOutcome

RUN, MODEL, TOOL = "run", "model", "tool"
OK, FAILED = "ok", "failed"
# What fills the roles of a run that asked no model.
OFFLINE = "offline"
_BILLIONTH = Decimal(10) ** 9


def note_calls(connection: Connection, scope: Scope, events: Sequence[RunEvent]) -> None:
    """Add the model calls among events of one run; a reply from the tape was paid for before."""
    calls = [
        one for one in events if one.type is EventType.MODEL_CALLED and not one.data.get("recalled")
    ]
    if calls:
        head = _head(connection, scope, calls[0].run_id)
        rows = [_call_row(head, one) for one in calls]
        connection.execute(insert_new(connection, usage), rows)


def note_tool(
    connection: Connection,
    scope: Scope,
    run_id: RunId,
    *,
    call: tuple[str, str, datetime],
    outcome: ToolOutcome,
) -> None:
    """Add a tool's call, given by its action, its tool and when it began."""
    action_id, tool, began = call
    row = _row(
        _head(connection, scope, run_id),
        place=f"{TOOL}:{action_id}",
        ts=began,
        name=tool,
        outcome=outcome.status.value,
        ms=outcome.latency_ms,
    )
    connection.execute(insert_new(connection, usage), [row])


def note_end(
    connection: Connection,
    scope: Scope,
    run_id: RunId,
    *,
    ended: tuple[RunStatus, datetime],
    summary: Mapping[str, object],
) -> None:
    """Add a run that ended: how, when, and what is summed up of it."""
    status, at = ended
    head = _head(connection, scope, run_id)
    began = head["started"]
    assert isinstance(began, datetime)
    cited = summary.get("citations")
    row = _row(
        head,
        place=RUN,
        ts=began,
        name=_model_of(connection, scope, run_id),
        outcome=str(summary.get("outcome") or status.value),
        ms=max(0.0, (at - began).total_seconds() * 1000),
        citations=cited if isinstance(cited, int) else 0,
    )
    connection.execute(insert_new(connection, usage), [row])


def _head(connection: Connection, scope: Scope, run_id: RunId) -> dict[str, object]:
    """Return what every row says of its run."""
    query = select(runs.c.actor, runs.c.agent, runs.c.flow, runs.c.started).where(
        runs.c.tenant == scope.tenant, runs.c.run_id == run_id
    )
    found = connection.execute(query).one()
    return {"tenant": scope.tenant, "run_id": run_id, **found._mapping}


def _model_of(connection: Connection, scope: Scope, run_id: RunId) -> str:
    """Return the model that replied in a run, several with a plus sign, or that none did."""
    query = (
        select(usage.c.name)
        .where(usage.c.tenant == scope.tenant, usage.c.run_id == run_id)
        .where(usage.c.kind == MODEL, usage.c.outcome == OK)
        .distinct()
        .order_by(usage.c.name)
    )
    return "+".join(connection.execute(query).scalars()) or OFFLINE


def _call_row(head: Mapping[str, object], event: RunEvent) -> dict[str, object]:
    data = event.data
    return _row(
        head,
        place=f"{MODEL}:{event.seq}",
        ts=event.ts,
        name=clean(str(data.get("model", ""))),
        outcome=OK if data.get("ok") else FAILED,
        ms=_number(data.get("ms")),
        input_tokens=int(_number(data.get("input_tokens"))),
        output_tokens=int(_number(data.get("output_tokens"))),
        money=_billionths(data.get("money")),
    )


def _row(head: Mapping[str, object], *, place: str, **said: object) -> dict[str, object]:
    """Return a row: what is said of it, and nothing where nothing was counted."""
    about = {key: value for key, value in head.items() if key != "started"}
    counted = {"input_tokens": 0, "output_tokens": 0, "money": None, "citations": 0}
    kind = place.partition(":")[0]
    return {**about, **counted, **said, "place": clean(place), "kind": kind}


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _billionths(money: object) -> int | None:
    """Return dollars, written as a decimal, in billionths; None where no price is known."""
    try:
        return None if money is None else int(Decimal(str(money)) * _BILLIONTH)
    except InvalidOperation:
        return None


def dollars(billionths: int | None) -> Decimal:
    """Return billionths in dollars."""
    return Decimal(int(billionths or 0)) / _BILLIONTH
