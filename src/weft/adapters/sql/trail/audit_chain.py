"""The arithmetic of the audit chain: what a row's seal covers, and how a chain is checked."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, Union

from weft.domain.errors import ConfigurationError
from weft.ports.records.audit import AuditHead, AuditReport

if TYPE_CHECKING:
    from sqlalchemy import RowMapping

# The columns that a seal covers, in this order; `prev` ties a row to the one before it.
SEALED = (
    "tenant",
    "seq",
    "ts",
    "phase",
    "intent_id",
    "actor",
    "action",
    "target",
    "decision",
    "reason",
    "run_id",
    "request_id",
    "meta",
    "prev",
)
Stored: TypeAlias = Union[Mapping[str, object], "RowMapping"]

EMPTY = AuditHead(seq=0, mac="")
_SHORTEST_KEY = 16


class Sealer:
    """Makes and checks seals with one secret key."""

    def __init__(self, key: bytes) -> None:
        """Take the key; one of fewer than 16 bytes is a `ConfigurationError`."""
        if len(key) < _SHORTEST_KEY:
            raise ConfigurationError("The key of the audit log needs at least 16 bytes.")
        self._key = key

    def row(self, row: Stored) -> str:
        """Return the mac of a row: HMAC-SHA256 over its columns as they are stored."""
        return self._mac("row", [row[name] for name in SEALED])

    def head(self, tenant: str, head: AuditHead) -> str:
        """Return the seal of a head, so that an earlier one cannot be made up."""
        return self._mac("head", [tenant, head.seq, head.mac])

    def statement(self, tenant: str, values: Sequence[str | int]) -> str:
        """Return the seal of what is said of a chain; it can be neither a row's nor a head's."""
        return self._mac("statement", [tenant, *values])

    def holds(self, expected: str, found: object) -> bool:
        """Tell whether a stored seal is the expected one."""
        return isinstance(found, str) and hmac.compare_digest(expected.encode(), found.encode())

    def _mac(self, what: str, values: list[object]) -> str:
        # What is stored may be of any type once somebody has changed it: then `repr` stands for it.
        framed = json.dumps([what, *values], default=repr, separators=(",", ":"))
        return hmac.digest(self._key, framed.encode(), "sha256").hex()


class Inspection:
    """One walk along a tenant's rows in the order of `seq`, up to the first that is not right."""

    def __init__(self, sealer: Sealer, tenant: str, *, known: AuditHead | None) -> None:
        """Take the key, whose chain it is, and a head that it must still hold."""
        self._sealer = sealer
        self._tenant = tenant
        self._known = known or EMPTY
        self._last = EMPTY

    def report(self, rows: Iterable[Stored], head: Stored | None) -> AuditReport:
        """Check every row, then the end: nothing may be missing there either."""
        for row in rows:
            wrong = self._fault(row)
            if wrong:
                return self._broken(wrong)
            self._last = AuditHead(seq=self._last.seq + 1, mac=str(row["mac"]))
        wrong = self._fault_at_end(head)
        return self._broken(wrong) if wrong else AuditReport(rows=self._last.seq)

    def _fault(self, row: Stored) -> str:
        expected_seq = self._last.seq + 1
        if row["seq"] != expected_seq:
            return "a row is missing or out of place"
        if row["prev"] != self._last.mac:
            return "the row does not follow the one before"
        if not self._sealer.holds(self._sealer.row(row), row["mac"]):
            return "the row was changed"
        if expected_seq == self._known.seq and row["mac"] != self._known.mac:
            return "the row is not the one that was known"
        return ""

    def _fault_at_end(self, head: Stored | None) -> str:
        if self._last.seq < self._known.seq:
            return "rows that were known are missing at the end"
        if head is None:
            return "the head is missing" if self._last.seq else ""
        if head["seq"] != self._last.seq or head["mac"] != self._last.mac:
            return "rows are missing or were added at the end"
        if not self._sealer.holds(self._sealer.head(self._tenant, self._last), head["seal"]):
            return "the head was changed"
        return ""

    def _broken(self, reason: str) -> AuditReport:
        last = self._last.seq
        return AuditReport(rows=last, broken_at=last + 1, reason=reason)
