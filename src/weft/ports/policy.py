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
    """What is done with a text that breaks a rule."""

    ALLOW = "allow"
    FLAG = "flag"
    REDACT = "redact"
    SAFE_COMPLETION = "safe_completion"
    BLOCK = "block"


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


class Policy(Protocol):
    """One pipeline of rules for all four places."""

    async def check(self, scope: Scope, place: Place, text: str) -> Verdict:
        """Return what may pass of `text` at `place`."""
        ...
