"""Audit rows as events of OCSF 1.3 (Open Cybersecurity Schema Framework), one JSON object each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from weft.platform.trail.audited_actions import ACTIONS, Effect
from weft.ports.records.audit import AuditDecision, SealedRow

OCSF_VERSION = "1.3.0"
_API, _ACCOUNT, _AUTHENTICATION, _ENTITY = 6003, 3001, 3002, 3004
_OTHER = 99
# What each class calls an effect.
_ACTIVITIES: Mapping[int, Mapping[Effect, int]] = {
    _API: {Effect.CREATE: 1, Effect.READ: 2, Effect.UPDATE: 3, Effect.DELETE: 4},
    _ENTITY: {Effect.CREATE: 1, Effect.READ: 2, Effect.UPDATE: 3, Effect.DELETE: 4},
    _ACCOUNT: {Effect.CREATE: 1, Effect.DELETE: 6},
    _AUTHENTICATION: {Effect.LOGIN: 1, Effect.LOGOUT: 2},
}
_USERS = "admin.user."
_ENTITIES = ("admin.", "kb.create", "kb.change", "kb.drop")
_INFORMATIONAL, _LOW, _MEDIUM = 1, 2, 3
_UNKNOWN, _SUCCESS, _FAILURE = 0, 1, 2


def ocsf_event(row: SealedRow, *, product: str) -> dict[str, Any]:
    """Return a row as an event; `unmapped` holds the row as it is stored, so that it verifies."""
    kind = _class_of(str(row.action))
    action = ACTIONS.get(str(row.action))
    effect = Effect.OTHER if action is None else action.effect
    activity = _ACTIVITIES[kind].get(effect, _OTHER)
    status, severity = _standing(row)
    return {
        "activity_id": activity,
        "activity_name": effect.value.capitalize(),
        "category_uid": kind // 1000,
        "class_uid": kind,
        "type_uid": kind * 100 + activity,
        "time": milliseconds(row),
        "severity_id": severity,
        "status_id": status,
        "status": row.decision,
        "status_detail": row.reason,
        "message": str(row.action) if action is None else action.says,
        "metadata": {
            "version": OCSF_VERSION,
            "product": {"name": "Weft", "vendor_name": "Weft", "version": product},
            "log_name": "audit",
            "sequence": row.seq,
            "uid": f"{row.intent_id}-{row.phase}",
            "correlation_uid": row.run_id or row.request_id or row.intent_id,
            "tenant_uid": row.tenant,
            # Without this one the class says nothing of who acted.
            **({"profiles": ["host"]} if kind == _ENTITY else {}),
        },
        "actor": {"user": _user(row.actor)},
        **_of_class(kind, row),
        "unmapped": {"row": asdict(row)},
    }


def milliseconds(row: SealedRow) -> int:
    """Return a row's time as OCSF has it; 0 where somebody put something else in its place."""
    ts: object = row.ts
    return ts // 1000 if isinstance(ts, int) else 0


def _class_of(action: str) -> int:
    if action in {"session.sign_in", "session.sign_out"}:
        return _AUTHENTICATION
    if action.startswith(_USERS):
        return _ACCOUNT
    return _ENTITY if action.startswith(_ENTITIES) else _API


def _standing(row: SealedRow) -> tuple[int, int]:
    """Return the status and how severe it is; an intent has no status yet."""
    if row.decision == AuditDecision.OK:
        return _SUCCESS, _INFORMATIONAL
    if row.decision == AuditDecision.DENIED:
        return _FAILURE, _MEDIUM
    return (_FAILURE, _LOW) if row.decision == AuditDecision.FAILED else (_UNKNOWN, _INFORMATIONAL)


def _of_class(kind: int, row: SealedRow) -> dict[str, Any]:
    """Return what a class demands beside what all of them have."""
    if kind == _ACCOUNT:
        return {"user": _user(row.target)}
    if kind == _AUTHENTICATION:
        return {"user": _user(row.target), "service": {"name": "weft"}}
    what, _, name = str(row.target).partition(":")
    if kind == _ENTITY:
        return {"entity": {"name": name or row.target, "type": what, "uid": row.target}}
    request = {"uid": row.request_id} if row.request_id else {"uid": row.intent_id}
    return {
        "api": {"operation": row.action, "service": {"name": "weft"}, "request": request},
        "src_endpoint": {"svc_name": "weft"},
        "resources": [{"name": name or row.target, "type": what, "uid": row.target}],
    }


def _user(principal: object) -> dict[str, str]:
    said = str(principal)
    return {"name": said.partition(":")[2] or said, "uid": said}
