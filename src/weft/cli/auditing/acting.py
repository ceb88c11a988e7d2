"""What a verb does, written down as an act of the owner of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.platform.audit import AuditedAct, audited
from weft.platform.identity import local_owner
from weft.ports.records.audit import Deed

if TYPE_CHECKING:
    from weft.bootstrap.app import App


def acting(opened: App, action: str, *, target: str) -> AuditedAct:
    """Return the act of `async with acting(...)`; its body is what is audited."""
    return audited(opened.records.audit, local_owner(), Deed(action=action, target=target))
