"""The head of the audit log as it is kept elsewhere: a sealed line of JSON, or `SEQ:MAC`."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

from weft.domain.errors import BadInput
from weft.domain.scope import Scope
from weft.ports.records.audit import Audit, AuditHead

_SHORT = re.compile(r"(\d{1,18}):([0-9a-f]{64})")


async def kept_head(audit: Audit, scope: Scope) -> dict[str, str | int]:
    """Return the head of the caller's chain, sealed, to be kept where nobody here can write."""
    head = await audit.head(scope)
    seal = await audit.seal(scope, ["kept", head.seq, head.mac])
    return {"tenant": scope.tenant, "seq": head.seq, "mac": head.mac, "seal": seal}


def short_head(given: str) -> AuditHead | None:
    """Return the head that `SEQ:MAC` names; None for anything else."""
    found = _SHORT.fullmatch(given.strip())
    return None if found is None else AuditHead(seq=int(found[1]), mac=found[2])


async def read_head(audit: Audit, scope: Scope, given: str) -> AuditHead:
    """Return a head from a file that `kept_head` filled, or from `SEQ:MAC`.

    Raises `BadInput` for anything else, another tenant's head, and one that was changed.
    """
    if short := short_head(given):
        return short
    try:
        said = json.loads(await asyncio.to_thread(Path(given).read_text, encoding="utf-8"))
        head = AuditHead(seq=int(said["seq"]), mac=str(said["mac"]))
        tenant, seal = said["tenant"], said["seal"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(
            f"'{given}' is no head: give SEQ:MAC, or the file that weft audit head made."
        ) from error
    if tenant != scope.tenant:
        raise BadInput(f"This is the head of the tenant '{tenant}', not of '{scope.tenant}'.")
    if seal != await audit.seal(scope, ["kept", head.seq, head.mac]):
        raise BadInput(f"The head in '{given}' was changed, or was sealed with another key.")
    return head
