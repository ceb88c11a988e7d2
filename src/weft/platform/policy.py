"""The policy port as the flows use it: what may pass at a place, or a clear refusal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

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
    """Return what may pass of a text, or raise `PolicyViolation` when it is held back.

    A text that leaves may be due to be replaced by a safe completion: then the verdict says so. The
    error's fields name the place and the rules; they never hold the text.
    """
    verdict = await policy.check(scope, place, text)
    if verdict.action is Action.FLAG:
        return replace(verdict, text=text, violations=verdict.broken)
    if verdict.action is Action.BLOCK or _is_held_back(verdict, place):
        rules = [violation.rule for violation in verdict.violations]
        named = ", ".join(rules) or verdict.broken[0].rule
        raise PolicyViolation(
            f"The policy does not let this text pass ({place}): {named}.",
            place=place.value,
            rules=rules,
        )
    return replace(verdict, violations=verdict.broken)


async def passable(policy: Policy, scope: Scope, *, value: object) -> object:
    """Return a JSON value that leaves, with each string in it as it may; empty where it may not."""
    passing: dict[str, str] = {}
    for text in dict.fromkeys(_texts(value)):
        try:
            verdict = await apply(policy, scope, Place.OUTPUT, text=text)
        except PolicyViolation:
            passing[text] = ""
        else:
            passing[text] = "" if verdict.action is Action.SAFE_COMPLETION else verdict.text
    return _passed(value, passing)


def _is_held_back(verdict: Verdict, place: Place) -> bool:
    """Tell whether a safe completion is due where there is nothing to complete."""
    return verdict.action is Action.SAFE_COMPLETION and place is not Place.OUTPUT


async def screen(
    policy: Policy, scope: Scope, place: Place, *, value: object
) -> tuple[object, tuple[Violation, ...]]:
    """Return a JSON value with each string in it as it may pass, and every rule that was broken.

    A string that stands in it more than once is looked at once. Raises `PolicyViolation` when one
    is blocked.
    """
    passing: dict[str, str] = {}
    broken: list[Violation] = []
    for text in dict.fromkeys(_texts(value)):
        verdict = await apply(policy, scope, place, text=text)
        broken += verdict.violations
        if verdict.text != text:
            passing[text] = verdict.text
    return (_passed(value, passing) if passing else value), tuple(broken)


def _texts(value: object) -> Iterator[str]:
    """Yield the strings in a JSON value but for the names of its fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for inner in value.values() if isinstance(value, dict) else value:
            if not isinstance(inner, (int, float)):  # most of a reply
                yield from _texts(inner)


def _passed(value: object, passing: Mapping[str, str]) -> object:
    if isinstance(value, str):
        return passing.get(value, value)
    if isinstance(value, dict):
        return {key: _passed(inner, passing) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_passed(inner, passing) for inner in value]
    return value


def violation_data(place: Place, violation: Violation) -> dict[str, object]:
    """Return a broken rule as an event tells of it."""
    return {
        "place": place.value,
        "rule": violation.rule,
        "action": violation.action.value,
        "excerpt": violation.excerpt,
    }
