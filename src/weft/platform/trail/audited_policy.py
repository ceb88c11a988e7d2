"""A policy whose findings are rows of the audit log, with the redacted text only."""

from __future__ import annotations

from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.platform.audit import record
from weft.ports.policy import Action, Place, Policy, Verdict, Violation
from weft.ports.records.audit import AuditDecision, AuditTrail, Deed

_MOST_EXCERPT = 200


@dataclass(frozen=True, slots=True)
class AuditedPolicy:
    """Asks a policy and writes down each rule that a text broke, before anybody goes on with it."""

    policy: Policy
    audit: AuditTrail

    async def check(self, scope: Scope, place: Place, text: str) -> Verdict:
        """Return what the policy says."""
        verdict = await self.policy.check(scope, place, text)
        for violation in verdict.broken:
            await self._record(scope, place, violation)
        return verdict

    async def _record(self, scope: Scope, place: Place, violation: Violation) -> None:
        deed = Deed(
            action="policy.violation",
            target=f"policy:{violation.rule}",
            meta={
                "place": place.value,
                "action": violation.action.value,
                "excerpt": violation.excerpt[:_MOST_EXCERPT],
            },
        )
        is_held_back = violation.action in (Action.BLOCK, Action.SAFE_COMPLETION)
        decision = AuditDecision.DENIED if is_held_back else AuditDecision.OK
        await record(self.audit, scope, deed, decision=decision, reason=violation.action.value)
