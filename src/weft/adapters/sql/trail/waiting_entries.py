"""Entries that wait for the one writer: what has come in meanwhile is written together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from weft.domain.errors import StoreUnavailable, WeftError
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.ports.records.audit import AuditEntry, AuditHead


@dataclass(slots=True, kw_only=True)
class Waiting:
    """An entry, and once it was its turn the head it made or why it could not be written."""

    scope: Scope
    entry: AuditEntry
    written: AuditHead | None = None
    error: Exception | None = None

    def head(self) -> AuditHead:
        """Return the head that the entry made, or raise what kept it from being written."""
        if self.error is not None:
            raise self.error
        if self.written is None:
            raise StoreUnavailable("The audit log did not take the row.")
        return self.written


Write = Callable[[Sequence[Waiting]], None]


class WaitingEntries:
    """What waits to be written, by tenant: each tenant has a chain of its own."""

    def __init__(self, write: Write) -> None:
        """Take what writes some entries of one tenant in one transaction."""
        self._write = write
        self._turn = threading.Lock()
        self._by_tenant: dict[str, list[Waiting]] = {}

    def put(self, scope: Scope, entry: AuditEntry) -> Waiting:
        """Put an entry in line."""
        given = Waiting(scope=scope, entry=entry)
        with self._turn:
            self._by_tenant.setdefault(scope.tenant, []).append(given)
        return given

    def write(self, tenant: str) -> None:
        """Write all that waits for a tenant; nothing where another turn has written it."""
        with self._turn:
            entries = self._by_tenant.pop(tenant, [])
        if not entries:
            return
        try:
            self._write(entries)
        except (WeftError, ValueError, TypeError, OSError) as error:
            self._one_by_one(entries, error)

    def _one_by_one(self, entries: Sequence[Waiting], error: Exception) -> None:
        """Write each for itself: one that cannot be written must not keep the others out."""
        if len(entries) == 1 or entries[0].written is not None:
            for one in entries:
                one.error = error
            return
        for one in entries:
            try:
                self._write([one])
            except (WeftError, ValueError, TypeError, OSError) as own:
                one.error = own
