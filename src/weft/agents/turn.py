"""A turn of the offline model: what its rule sees, and what it may do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from weft.agents.evidence import EvidenceBook


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """A tool that was called: `failed` when it gave an error instead of a result."""

    tool: str
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The user's words, the tools on offer, what they gave so far, and the evidence in the book."""

    prompt: str
    tools: frozenset[str]
    returned: tuple[Returned, ...]
    book: EvidenceBook

    def has_called(self, tool: str) -> bool:
        """Tell whether a tool was called in an earlier turn."""
        return any(returned.tool == tool for returned in self.returned)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A tool to be called, with its arguments."""

    tool: str
    args: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Tools to be called, or, when there are none, the typed output as JSON."""

    calls: tuple[Wish, ...] = ()
    output: Mapping[str, object] | None = None


class Rule(Protocol):
    """Decides a role's turns without a model: the same turn gives the same move."""

    def __call__(self, turn: Turn) -> Move:
        """Return what to do next."""
        ...
