"""Each rule that a text breaks is a row, with the redacted excerpt and the run it was in."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from rag_world import MemoryAudit
from weft.domain.errors import PolicyViolation
from weft.domain.scope import Scope
from weft.platform.audit import enter_run
from weft.platform.identity import local_owner
from weft.platform.policy import apply
from weft.platform.trail.audited_policy import AuditedPolicy
from weft.ports.policy import Action, Place, Verdict, Violation
from weft.ports.records.audit import AuditDecision, Phase

pytestmark = pytest.mark.anyio
OWNER = local_owner()


class Rules:
    """Redacts numbers, blocks the word `bomb`, lets the rest pass."""

    async def check(self, scope: Scope, place: Place, text: str) -> Verdict:
        if "bomb" in text:
            return Verdict(text="", action=Action.BLOCK)
        digits = [word for word in text.split() if word.isdigit()]
        found = tuple(
            Violation(rule="number", action=Action.REDACT, excerpt="### " * 100) for _ in digits
        )
        return Verdict(text=text, action=Action.REDACT if found else Action.ALLOW, violations=found)


async def test_a_broken_rule_is_a_row_of_its_run() -> None:
    audit = MemoryAudit()
    policy = AuditedPolicy(Rules(), cast(Any, audit))

    async def run() -> None:
        enter_run("r7")
        await apply(policy, OWNER, Place.OUTPUT, text="call 5550123 or 5550124")

    await asyncio.create_task(run())
    first, second = audit.audited
    assert first.intent_id != second.intent_id
    for entry in (first, second):
        assert (entry.phase, entry.decision) == (Phase.INTENT, AuditDecision.OK)
        assert (entry.deed.action, entry.deed.target) == ("policy.violation", "policy:number")
        assert entry.deed.run_id == "r7"
        assert "5550123" not in repr(entry)
        assert len(str(entry.deed.meta["excerpt"])) <= 200


async def test_a_blocked_text_is_a_denial_and_a_clean_one_leaves_nothing() -> None:
    audit = MemoryAudit()
    policy = AuditedPolicy(Rules(), cast(Any, audit))
    await apply(policy, OWNER, Place.INPUT, text="good morning")
    assert not audit.audited
    with pytest.raises(PolicyViolation):
        await apply(policy, OWNER, Place.INPUT, text="a bomb")
    (entry,) = audit.audited
    assert (entry.decision, entry.deed.target) == (AuditDecision.DENIED, "policy:blocked")
    assert not entry.deed.run_id


class Flagging:
    """Flags, and wants a safe completion, without naming a rule."""

    async def check(self, scope: Scope, place: Place, text: str) -> Verdict:
        action = Action.SAFE_COMPLETION if "bomb" in text else Action.FLAG
        return Verdict(text=text, action=action)


@pytest.mark.parametrize(
    ("text", "decision", "rule"),
    [("a word", AuditDecision.OK, "flagged"), ("a bomb", AuditDecision.DENIED, "withheld")],
)
async def test_what_is_flagged_or_withheld_is_a_row_too(
    text: str, decision: AuditDecision, rule: str
) -> None:
    audit = MemoryAudit()
    await apply(AuditedPolicy(Flagging(), cast(Any, audit)), OWNER, Place.OUTPUT, text=text)
    (entry,) = audit.audited
    assert (entry.decision, entry.deed.target) == (decision, f"policy:{rule}")
