"""`weft admin usage`: what was used, by model, user, flow, agent or day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.admin.managing import InTenant, Json, managed
from weft.cli.invocation import show_json
from weft.cli.screen import screen
from weft.cli.terminal.tables import Cell, figures, say, show_table, words
from weft.cli.terminal.units import counted
from weft.cli.typed_times import typed_time
from weft.platform.trail.usage_reading import read_usage, sheet_data
from weft.ports.records.usage import ToolSums, UsageBy, UsageFilter, UsageSheet, UsageSums

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.domain.scope import Scope

By = Annotated[UsageBy, typer.Option(help="What is added up together; a day is one of UTC.")]
Since = Annotated[str, typer.Option(help="From this day or time on, as 2026-11-21 or …T14:30.")]
Until = Annotated[str, typer.Option(help="Up to this day, itself included, or this time.")]


def usage(
    *,
    by: By = UsageBy.DAY,
    since: Since = "",
    until: Until = "",
    tenant: InTenant = "",
    as_json: Json = False,
) -> None:
    """Add up questions, model calls, tokens, dollars and tool calls. That it was read is a row."""

    async def read(app: App, scope: Scope) -> UsageSheet:
        wanted = UsageFilter(
            since=typed_time(since, "since"), until=typed_time(until, "until", is_end=True)
        )
        records = app.records
        return await read_usage(records.usage, records.audit, scope, wanted=wanted, by=by)

    sheet = managed(read, tenant=tenant, as_json=as_json)
    if as_json:
        show_json({"by": by.value, **sheet_data(sheet)})
        return
    if not sheet.total.runs and not sheet.total.model_calls:
        say(screen(), "Nothing was used in that time.")
        return
    _show(sheet, by)


def _show(sheet: UsageSheet, by: UsageBy) -> None:
    headings = [
        words(by.value, whole=True),
        figures("questions"),
        figures("answered"),
        figures("failed"),
        figures("tokens"),
        figures("dollars"),
        figures("p50 ms"),
        figures("p95 ms"),
    ]
    rows = [_row(one) for one in sheet.rows]
    show_table(screen(), headings, rows=[*rows, _row(sheet.total, called="all")])
    if sheet.tools:
        headings = [words("tool", whole=True), *map(figures, ("calls", "failed", "timed out"))]
        headings += [figures("p50 ms"), figures("p95 ms")]
        show_table(screen(), headings, rows=[_tool_row(one) for one in sheet.tools])
    say(screen(), _rates(sheet.total))


def _row(sums: UsageSums, *, called: str = "") -> list[Cell]:
    failed = sums.ended.get("failed", 0)
    priced = f"{sums.money:.4f}" if not sums.unpriced else f"{sums.money:.4f} + unknown"
    return [
        called or sums.key,
        str(sums.questions),
        str(sums.ended.get("answered", 0)),
        str(failed),
        f"{sums.tokens:,}",
        priced if sums.model_calls else "0",
        _ms(sums.p50_ms),
        _ms(sums.p95_ms),
    ]


def _tool_row(tool: ToolSums) -> list[Cell]:
    counts: Mapping[str, int] = {"calls": tool.calls, "failed": tool.failed, "out": tool.timed_out}
    return [tool.tool, *map(str, counts.values()), _ms(tool.p50_ms), _ms(tool.p95_ms)]


def _rates(total: UsageSums) -> str:
    parts = [counted(total.model_calls, "model call")]
    if total.failed_calls:
        parts.append(f"{total.failed_calls} of them failed")
    if total.hit_rate is not None:
        parts.append(f"something found for {total.hit_rate:.0%} of the questions")
    if total.citation_rate is not None:
        parts.append(f"{total.citation_rate:.0%} of the answers cited")
    return "; ".join(parts) + "."


def _ms(ms: float | None) -> str:
    return "" if ms is None else f"{ms:,.0f}"
