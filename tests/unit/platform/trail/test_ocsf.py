"""Every action as an event of OCSF 1.3: what each class demands is there, and nothing else."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from weft.platform.trail.audited_actions import ACTIONS
from weft.platform.trail.ocsf import ocsf_event
from weft.ports.records.audit import AuditDecision, Phase, SealedRow

BASE = {"activity_id", "category_uid", "class_uid", "metadata", "severity_id", "time", "type_uid"}
BASE |= {"actor", "activity_name", "message", "status", "status_detail", "status_id", "unmapped"}
# What a class has besides; all of it is demanded, or recommended and always known here.
CLASSES = {
    3001: {"user"},
    3002: {"user", "service"},
    3004: {"entity"},
    6003: {"api", "src_endpoint", "resources"},
}


def event(done: str, decision: AuditDecision = AuditDecision.OK, **more: Any) -> dict[str, Any]:
    values: dict[str, Any] = {
        "tenant": "acme",
        "seq": 7,
        "ts": 1_795_383_711_132_917,
        "phase": Phase.OUTCOME.value,
        "intent_id": "ab",
        "actor": "user:ann",
        "action": done,
        "target": "user:bob",
        "decision": decision.value,
        "reason": "",
        "run_id": "",
        "request_id": "q7",
        "meta": "{}",
        "prev": "",
        "mac": "00",
        **more,
    }
    return ocsf_event(SealedRow(**values), product="0.1")


@pytest.mark.parametrize(
    ("action", "decision"), list(itertools.product(ACTIONS, list(AuditDecision)))
)
def test_every_action_is_an_event_of_a_class(action: str, decision: AuditDecision) -> None:
    made = event(action, decision)
    assert set(made) == BASE | CLASSES[made["class_uid"]]
    assert made["category_uid"] == made["class_uid"] // 1000
    assert made["type_uid"] == made["class_uid"] * 100 + made["activity_id"]
    assert made["time"] == 1_795_383_711_132
    assert made["metadata"]["version"] == "1.3.0"
    assert set(made["metadata"]["product"]) >= {"name", "vendor_name"}
    assert made["unmapped"]["row"]["ts"] == 1_795_383_711_132_917


@pytest.mark.parametrize(
    ("action", "kind", "activity"),
    [
        ("document.read", 6003, 2),
        ("document.delete", 6003, 4),
        ("tool.run", 6003, 99),
        ("admin.user.add", 3001, 1),
        ("admin.user.remove", 3001, 6),
        ("admin.key.revoke", 3004, 4),
        ("kb.create", 3004, 1),
        ("session.sign_in", 3002, 1),
        ("something.new", 6003, 99),
    ],
)
def test_what_is_done_has_the_number_that_the_class_gives_it(
    action: str, kind: int, activity: int
) -> None:
    made = event(action)
    assert (made["class_uid"], made["activity_id"]) == (kind, activity)


def test_how_it_ended_is_told() -> None:
    told = {
        decision: (made["status_id"], made["severity_id"])
        for decision in AuditDecision
        for made in [event("ask", decision)]
    }
    assert told == {"pending": (0, 1), "ok": (1, 1), "denied": (2, 3), "failed": (2, 2)}


def test_a_row_that_was_changed_is_exported_as_it_lies_there() -> None:
    made = event("ask", ts="yesterday", action=7, target=None)
    assert made["time"] == 0
    assert made["unmapped"]["row"]["ts"] == "yesterday"
