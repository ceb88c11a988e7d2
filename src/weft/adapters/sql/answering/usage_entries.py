"""What runs took, entered with what it is about, in the same transaction.

They hold numbers and names alone, so they outlive the runs, and what was asked is never in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation

from weft.adapters.sql.answering.own_run import of_run
from weft.adapters.sql.database.columns import clean, microseconds, moment
from weft.adapters.sql.database.plain import Plain
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


def note_calls(plain: Plain, scope: Scope, events: Sequence[RunEvent]) -> None:
    """Add the model calls among events of one run; a reply from the tape was paid for before."""
    calls = [
        one for one in events if one.type is EventType.MODEL_CALLED and not one.data.get("recalled")
    ]
    if calls:
        head = _head(plain, scope, calls[0].run_id)
        rows = [_call_row(head, one) for one in calls]
        plain.run_each("add_usage", rows)


def note_tool(
    plain: Plain,
    scope: Scope,
    run_id: RunId,
    *,
    call: tuple[str, str, int],
    outcome: ToolOutcome,
) -> None:
    """Add a tool's call, given by its action, its tool and its column `started`."""
    action_id, tool, began = call
    row = _row(
        _head(plain, scope, run_id),
        place=f"{TOOL}:{action_id}",
        ts=began,
        name=tool,
        outcome=outcome.status.value,
        ms=outcome.latency_ms,
    )
    plain.run("add_usage", row)


def note_end(
    plain: Plain,
    scope: Scope,
    run_id: RunId,
    *,
    ended: tuple[RunStatus, datetime],
    summary: Mapping[str, object],
) -> None:
    """Add a run that ended: how, when, and what is summed up of it."""
    status, at = ended
    head = _head(plain, scope, run_id)
    began = head["started"]
    assert isinstance(began, int)
    cited = summary.get("citations")
    row = _row(
        head,
        place=RUN,
        ts=began,
        name=_model_of(plain, scope, run_id),
        outcome=str(summary.get("outcome") or status.value),
        ms=max(0.0, (at - moment(began)).total_seconds() * 1000),
        citations=cited if isinstance(cited, int) else 0,
    )
    plain.run("add_usage", row)


def _head(plain: Plain, scope: Scope, run_id: RunId) -> dict[str, object]:
    """Return what every row says of its run."""
    key = of_run(scope, run_id)
    (found,) = plain.rows("head_of_run", key)
    return {**key, **found}


def _model_of(plain: Plain, scope: Scope, run_id: RunId) -> str:
    """Return the model that replied in a run, several with a plus sign, or that none did."""
    asked = {**of_run(scope, run_id), "kind": MODEL, "outcome": OK}
    return "+".join(row["name"] for row in plain.rows("models_of_run", asked)) or OFFLINE


def _call_row(head: Mapping[str, object], event: RunEvent) -> dict[str, object]:
    data = event.data
    return _row(
        head,
        place=f"{MODEL}:{event.seq}",
        ts=microseconds(event.ts),
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
