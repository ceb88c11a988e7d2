"""The audit log written out: lines that verify by themselves, with the key and nothing else."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from datetime import datetime
from enum import StrEnum
from typing import Any

from weft import __version__
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.platform.trail.ocsf import OCSF_VERSION, milliseconds, ocsf_event
from weft.ports.records.audit import Audit, AuditHead


class ExportFormat(StrEnum):
    """Rows as they are stored, or as events of OCSF."""

    JSONL = "jsonl"
    OCSF = "ocsf"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditExport:
    """What is written out: from the first row of a time on, up to a head that was there then."""

    audit: Audit
    form: ExportFormat = ExportFormat.JSONL
    since: datetime | None = None

    async def lines(self, scope: Scope) -> AsyncIterator[str]:
        """Yield a JSON line for each row, and a last one that seals where they begin and end.

        Each event of OCSF bears a seal of its own: what is mapped cannot be changed either.
        """
        head = await self.audit.head(scope)
        first, last, time = 0, AuditHead(seq=0, mac=""), 0
        async for row in self.audit.sealed(scope, since=self.since, upto=head.seq):
            first = first or row.seq
            last, time = AuditHead(seq=row.seq, mac=row.mac), milliseconds(row)
            if self.form is ExportFormat.JSONL:
                yield _line(asdict(row))
            else:
                event = ocsf_event(row, product=__version__)
                event["unmapped"]["seal"] = await self.audit.seal(scope, ["event", _line(event)])
                yield _line(event)
        end = {"tenant": scope.tenant, "first": first, "seq": last.seq, "mac": last.mac}
        end["seal"] = await self.audit.seal(scope, ["export", _line(end)])
        if self.form is ExportFormat.JSONL:
            yield _line({"end": end})
        else:
            closing = _end_event(end, time)
            closing["unmapped"]["seal"] = await self.audit.seal(scope, ["event", _line(closing)])
            yield _line(closing)


def _end_event(end: dict[str, Any], time: int) -> dict[str, Any]:
    """Return the end as an event of no class of its own (OCSF's base event)."""
    return {
        "activity_id": 99,
        "activity_name": "Export ended",
        "category_uid": 0,
        "class_uid": 0,
        "type_uid": 99,
        "time": time,
        "severity_id": 1,
        "metadata": {
            "version": OCSF_VERSION,
            "product": {"name": "Weft", "vendor_name": "Weft", "version": __version__},
            "log_name": "audit",
        },
        "unmapped": {"end": end},
    }


def _line(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True, default=repr)
