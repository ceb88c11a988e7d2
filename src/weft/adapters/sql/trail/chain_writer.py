"""The audit chain as it is written: each row sealed, tied to the one before, the head moved."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from weft.adapters.sql.database.columns import as_json, clean, microseconds
from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.plain import Plain
from weft.adapters.sql.trail.audit_chain import EMPTY, Sealer
from weft.adapters.sql.trail.head_file import HeadFile
from weft.adapters.sql.trail.waiting_entries import Waiting, WaitingEntries
from weft.domain.errors import AuditBroken
from weft.domain.scope import Scope
from weft.ports.clock import Clock
from weft.ports.records.audit import AuditEntry, AuditHead

# A target is looked for by an index, and a key of an index must not be longer.
_TARGET_BYTES = 900


class ChainWriter:
    """The part of the port `Audit` that acts write."""

    def __init__(
        self, database: SqlDatabase, clock: Clock, *, key: bytes, heads: Path | None = None
    ) -> None:
        """Take the database, the time, the secret key of the seals, and a file outside for heads.

        Without that file a chain that is gone as a whole is not missed.
        """
        self._database = database
        self._clock = clock
        self._sealer = Sealer(key)
        self._heads = None if heads is None else HeadFile(heads, self._sealer)
        self._waiting = WaitingEntries(self._write_together)

    async def append(self, scope: Scope, entry: AuditEntry) -> AuditHead:
        """Write a row in the caller's name and return the new head.

        Rows that come in while another is being written share the next transaction. Raises
        `AuditBroken` when the head is not as this log left it: then nothing may be done.
        """
        given = self._waiting.put(scope, entry)
        await self._database.in_writer(partial(self._waiting.write, scope.tenant))
        return given.head()

    def extend_plain(
        self, plain: Plain, rows: Sequence[tuple[Scope, AuditEntry]]
    ) -> list[AuditHead]:
        """Write rows of one tenant within a transaction and return their heads."""
        tenant = rows[0][0].tenant
        plain.lock(f"audit:{tenant}")
        last = first = self._checked_head(plain, tenant)
        values, heads = list[dict[str, object]](), list[AuditHead]()
        for scope, entry in rows:
            row = self._sealed(scope, entry, last)
            last = AuditHead(seq=last.seq + 1, mac=str(row["mac"]))
            values.append(row)
            heads.append(last)
        plain.run_each("add_audit_row", values)
        self._move_head(plain, first, last, tenant=tenant)
        return heads

    def _write_together(self, entries: Sequence[Waiting]) -> None:
        """Write what has come in for one tenant, in the writer's thread."""
        rows = [(one.scope, one.entry) for one in entries]
        heads = self._database.plain_now(lambda plain: self.extend_plain(plain, rows), writes=True)
        for one, head in zip(entries, heads, strict=True):
            one.written = head
        if self._heads is not None:
            self._heads.keep(entries[0].scope.tenant, heads[-1])

    def _known(self, tenant: str) -> AuditHead:
        """Return the head that is kept outside; seq 0 where none is."""
        return EMPTY if self._heads is None else self._heads.known(tenant)

    def _checked_head(self, plain: Plain, tenant: str) -> AuditHead:
        found = stored_head(plain, tenant)
        if found is None:
            if plain.rows("any_audit_row", {"tenant": tenant}):
                raise AuditBroken("The head of the audit chain is missing.")
            if self._known(tenant).seq:
                raise AuditBroken(
                    "The audit chain is gone, and its head is known: put the records back from a "
                    "copy; weft doctor says what else can be done."
                )
            return EMPTY
        head = AuditHead(seq=found["seq"], mac=found["mac"])
        if not self._sealer.holds(self._sealer.head(tenant, head), found["seal"]):
            raise AuditBroken("The head of the audit chain was changed.")
        if head.seq < self._known(tenant).seq:
            raise AuditBroken("Rows are missing at the end of the audit chain.")
        return head

    def _sealed(self, scope: Scope, entry: AuditEntry, last: AuditHead) -> dict[str, object]:
        deed = entry.deed
        row: dict[str, object] = {
            "tenant": scope.tenant,
            "seq": last.seq + 1,
            "ts": microseconds(self._clock.now()),
            "phase": entry.phase.value,
            "intent_id": entry.intent_id,
            "actor": scope.actor,
            "action": deed.action,
            "target": stored_target(deed.target),
            "decision": entry.decision.value,
            "reason": clean(entry.reason),
            "run_id": clean(deed.run_id),
            "request_id": clean(deed.request_id),
            "meta": as_json(dict(deed.meta)),
            "prev": last.mac,
        }
        return row | {"mac": self._sealer.row(row)}

    def _move_head(self, plain: Plain, former: AuditHead, head: AuditHead, *, tenant: str) -> None:
        values = {"seq": head.seq, "mac": head.mac, "seal": self._sealer.head(tenant, head)}
        if not former.seq:
            plain.run("add_audit_head", {"tenant": tenant, **values})
            return
        # The former head must be the one just read, or somebody else moved it.
        whose = {"whose": tenant, "former": former.seq}
        if plain.run("move_audit_head", {**values, **whose}) != 1:
            raise AuditBroken("The head of the audit chain was changed meanwhile.")


def stored_head(plain: Plain, tenant: str) -> dict[str, Any] | None:
    """Return the row of a chain's head as it lies there, None where there is none."""
    found = plain.rows("audit_head", {"tenant": tenant})
    return found[0] if found else None


def stored_target(target: str) -> str:
    """Return a target as its column holds it: a very long one cut short, with its own hash."""
    said = clean(target)
    if len(said.encode()) <= _TARGET_BYTES:
        return said
    digest = hashlib.sha256(said.encode()).hexdigest()
    return f"{said.encode()[:_TARGET_BYTES].decode(errors='ignore')}…{digest}"
