"""Another process at work on the same records; the contract tests start it and may kill it."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime

from contract.records_world import ANN, KEY
from weft.adapters.sql.records import Records, open_records
from weft.ports.records.audit import AuditDecision, AuditEntry, Deed, Phase
from weft.ports.records.worklist import lease_of


class _Wall:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def elapsed(self) -> float:
        return 0.0


def _say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


async def _claim_and_hang(records: Records) -> None:
    job = await records.worklist.claim(records.worker, kinds=["work"], lease_seconds=3600)
    _say(job.id if job else "nothing")
    sys.stdin.read()


async def _claim_all(records: Records) -> None:
    _say("ready")
    sys.stdin.readline()
    while job := await records.worklist.claim(records.worker, kinds=["work"], lease_seconds=3600):
        _say(job.id)
        await records.worklist.finish(lease_of(job), {"by": records.worker})


async def _append(records: Records, tag: str) -> None:
    _say("ready")
    sys.stdin.readline()
    for number in range(40):
        entry = AuditEntry(
            phase=Phase.INTENT,
            intent_id=f"{tag}{number}",
            deed=Deed(action="kb.read", target="kb:Docs"),
            decision=AuditDecision.PENDING,
        )
        await records.audit.append(ANN, entry)


async def _act(act: str, records: Records, rest: list[str]) -> None:
    if act == "claim_and_hang":
        await _claim_and_hang(records)
    elif act == "claim_all":
        await _claim_all(records)
    elif act == "append":
        await _append(records, rest[0])
    await records.close()


if __name__ == "__main__":
    opened = open_records(sys.argv[2], audit_key=KEY, clock=_Wall())
    asyncio.run(_act(sys.argv[1], opened, sys.argv[3:]))
