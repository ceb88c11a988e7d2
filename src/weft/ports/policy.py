"""What may pass: asked at four places, of every text."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from weft.domain.frozen import dataclass
from weft.domain.scope import Scope


class Place(StrEnum):
    """Where a text is about to pass."""

    INPUT = "input"
    RETRIEVED = "retrieved"
    TOOL_RESULT = "tool_result"
    OUTPUT = "output"


class Action(StrEnum):
    """What is done with a text that breaks a rule.

    One that is flagged passes as it was, and a redacted one as the verdict has it. A blocked one
    ends what was to be done with it. Where an answer leaves, a safe completion takes the place of
    all of it; anywhere else there is nothing to complete, and the text is held back as a blocked
    one is. Each is told by an event and by an audit row.
    """

    ALLOW = "allow"
    FLAG = "flag"
    REDACT = "redact"
    SAFE_COMPLETION = "safe_completion"
    BLOCK = "block"


# What a rule is called that has no name, by what it does.
_UNNAMED = {
    Action.FLAG: "flagged",
    Action.REDACT: "redacted",
    Action.SAFE_COMPLETION: "withheld",
    Action.BLOCK: "blocked",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A rule that a text broke; `excerpt` is redacted."""

    rule: str
    action: Action
    excerpt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The text as it may pass, what was done with it, and why."""

    text: str
    action: Action = Action.ALLOW
    violations: tuple[Violation, ...] = ()

    @property
    def broken(self) -> tuple[Violation, ...]:
        """Return the rules that were broken; where none is named, one without a name."""
        if self.violations or self.action is Action.ALLOW:
            return self.violations
        return (Violation(rule=_UNNAMED[self.action], action=self.action, excerpt=""),)


class Policy(Protocol):
    """One pipeline of rules for all four places."""

    async def check(self, scope: Scope, place: Place, text: str) -> Verdict:
        """Return what may pass of `text` at `place`."""
        ...
