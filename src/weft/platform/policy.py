"""The policy port as the flows use it: what may pass at a place, or a clear refusal."""

from __future__ import annotations

from weft.domain.errors import PolicyViolation
from weft.domain.scope import Scope
from weft.ports.policy import Action, Place, Policy, Verdict, Violation


class OpenPolicy:
    """The profile without rules: every text passes as it is."""

    async def check(self, scope: Scope, place: Place, text: str) -> Verdict:
        """Return the text unchanged."""
        del scope, place
        return Verdict(text=text)


async def apply(policy: Policy, scope: Scope, place: Place, *, text: str) -> Verdict:
    """Return what may pass of a text, or raise `PolicyViolation` when it is blocked.

    The error's fields name the place and the rules; they never hold the text.
    """
    verdict = await policy.check(scope, place, text)
    if verdict.action is Action.BLOCK:
        rules = [violation.rule for violation in verdict.violations]
        raise PolicyViolation(
            f"The policy does not let this text pass ({place}): {', '.join(rules) or 'blocked'}.",
            place=place.value,
            rules=rules,
        )
    return verdict


async def screen(
    policy: Policy, scope: Scope, place: Place, *, value: object
) -> tuple[object, tuple[Violation, ...]]:
    """Return a JSON value with each string in it as it may pass, and every rule that was broken.

    Raises `PolicyViolation` when one of the strings is blocked.
    """
    if isinstance(value, str):
        verdict = await apply(policy, scope, place, text=value)
        return verdict.text, verdict.violations
    broken: list[Violation] = []
    if isinstance(value, dict):
        fields: dict[object, object] = {}
        for key, inner in value.items():
            fields[key], found = await screen(policy, scope, place, value=inner)
            broken += found
        return fields, tuple(broken)
    if isinstance(value, (list, tuple)):
        items: list[object] = []
        for inner in value:
            item, found = await screen(policy, scope, place, value=inner)
            items.append(item)
            broken += found
        return items, tuple(broken)
    return value, ()


def violation_data(place: Place, violation: Violation) -> dict[str, object]:
    """Return a broken rule as an event tells of it."""
    return {
        "place": place.value,
        "rule": violation.rule,
        "action": violation.action.value,
        "excerpt": violation.excerpt,
    }
