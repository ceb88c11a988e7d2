"""The last known heads of the audit chains in a file of their own, outside the database."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

from weft.adapters.sql.trail.audit_chain import EMPTY, Sealer
from weft.domain.errors import AuditBroken, StoreUnavailable
from weft.platform.secret import random_hex
from weft.ports.records.audit import AuditHead


class HeadFile:
    """Keeps the newest head of each tenant's chain, sealed: whoever empties the tables is seen.

    It may lag behind the chain, never run ahead of it: it is written after the rows are.
    """

    def __init__(self, path: Path, sealer: Sealer) -> None:
        """Take the file, which need not be there yet, and what seals."""
        self._path = path
        self._sealer = sealer
        self._turn = threading.Lock()

    def known(self, tenant: str) -> AuditHead:
        """Return the head that was kept last; seq 0 where none was.

        Raises `AuditBroken` where the file is not as it was written.
        """
        row = self._heads().get(tenant)
        if row is None:
            return EMPTY
        head = AuditHead(seq=int(row.get("seq", 0)), mac=str(row.get("mac", "")))
        if not self._sealer.holds(self._sealer.head(tenant, head), row.get("seal")):
            raise _changed()
        return head

    def keep(self, tenant: str, head: AuditHead) -> None:
        """Keep a head, unless a newer one is kept.

        Raises `StoreUnavailable` where the file cannot be written: what is kept stays as it was.
        """
        try:
            with self._turn:
                self._keep(tenant, head)
        except OSError as error:
            said = error.strerror or str(error)
            raise StoreUnavailable(
                f"The head of the audit log cannot be kept in the workspace: {said}."
            ) from error

    def _keep(self, tenant: str, head: AuditHead) -> None:
        heads = self._heads()
        if int(heads.get(tenant, {}).get("seq", 0)) >= head.seq:
            return
        seal = self._sealer.head(tenant, head)
        heads[tenant] = {"seq": head.seq, "mac": head.mac, "seal": seal}
        draft = f"{self._path}.{random_hex(4)}"
        # Some ten times a question: `Path` would take as long as all else here.
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(file, "w", encoding="utf-8") as held:
                held.write(json.dumps(heads, sort_keys=True))
            os.replace(draft, self._path)
        except OSError:
            os.unlink(draft)
            raise

    def _heads(self) -> dict[str, dict[str, Any]]:
        try:
            held = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise _changed() from error
        if not isinstance(held, dict) or not all(isinstance(one, dict) for one in held.values()):
            raise _changed()
        return held


def _changed() -> AuditBroken:
    return AuditBroken("The head of the audit chain that is kept beside the database was changed.")
