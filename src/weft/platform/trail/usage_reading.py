"""Reading what was used, which the audit log tells; and its sums as people are shown them."""

from __future__ import annotations

from weft.domain.scope import Scope
from weft.platform.access import require
from weft.platform.audit import audited
from weft.ports.records.audit import AuditTrail, Deed
from weft.ports.records.usage import (
    ToolSums,
    UsageBy,
    UsageFilter,
    UsageRecords,
    UsageSheet,
    UsageSums,
)

TARGET = "usage:tenant"


async def read_usage(
    usage: UsageRecords, audit: AuditTrail, scope: Scope, *, wanted: UsageFilter, by: UsageBy
) -> UsageSheet:
    """Return what the caller's tenant used; raise `Forbidden` without `usage.read`."""
    require(scope, "usage.read", TARGET)
    meta = {
        "by": by.value,
        "since": wanted.since.isoformat() if wanted.since else "",
        "until": wanted.until.isoformat() if wanted.until else "",
    }
    async with audited(audit, scope, Deed(action="usage.read", target=TARGET, meta=meta)):
        return await usage.sheet(scope, wanted, by=by)


def sheet_data(sheet: UsageSheet) -> dict[str, object]:
    """Return all sums as JSON: dollars as decimals in text, milliseconds, shares from 0 to 1."""
    return {
        "total": _sums_data(sheet.total),
        "rows": [_sums_data(one) for one in sheet.rows],
        "tools": [_tool_data(one) for one in sheet.tools],
    }


def _sums_data(sums: UsageSums) -> dict[str, object]:
    return {
        "key": sums.key,
        "runs": sums.runs,
        "questions": sums.questions,
        "ended": dict(sums.ended),
        "hit_rate": _share(sums.hit_rate),
        "citation_rate": _share(sums.citation_rate),
        "model_calls": sums.model_calls,
        "failed_calls": sums.failed_calls,
        "tokens": sums.tokens,
        "input_tokens": sums.input_tokens,
        "output_tokens": sums.output_tokens,
        "money": format(sums.money.normalize(), "f"),
        "unpriced": sums.unpriced,
        "p50_ms": sums.p50_ms,
        "p95_ms": sums.p95_ms,
    }


def _tool_data(tool: ToolSums) -> dict[str, object]:
    return {
        "tool": tool.tool,
        "calls": tool.calls,
        "failed": tool.failed,
        "timed_out": tool.timed_out,
        "rejected": tool.rejected,
        "p50_ms": tool.p50_ms,
        "p95_ms": tool.p95_ms,
    }


def _share(found: float | None) -> float | None:
    return None if found is None else round(found, 4)
