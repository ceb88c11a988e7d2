"""The rules of the routing roles."""

from __future__ import annotations

from weft.agents.routing import GraphSide, Routed, Sided, Specialist, ToRoute
from weft.agents.toolbox import RuleTools
from weft.language.patterns import pattern
from weft.offline.routing.router import ReadQuestion, side_for, specialist_for

_CLAUSES = pattern(r",? (?:and|as well as|along with|together with|plus) |[,;] |그리고|하고 |및 ")


async def route_offline(given: ToRoute, tools: RuleTools) -> Routed:
    """Return the likeliest of the specialists that are there."""
    del tools
    return Routed(specialist=specialist_for(_read(given), among=given.among).choice)


async def side_offline(given: ToRoute, tools: RuleTools) -> Sided:
    """Return the likeliest side of the graph."""
    del tools
    return Sided(side=side_for(_read(given)).choice)


def best_of_all(given: ToRoute) -> Specialist:
    """Return who would be best, there or not."""
    return specialist_for(_read(given)).choice


def _read(given: ToRoute) -> ReadQuestion:
    return ReadQuestion(text=given.question, vector=given.vector, read_by=given.read_by)


def part_of_graph(question: str) -> str:
    """Return what of a question to both sides is asked of the graph, in whole clauses."""
    clauses = [one.strip() for one in _CLAUSES.split(question) if one.strip()]
    kept = [one for one in clauses if side_for(ReadQuestion(text=one)).choice is GraphSide.LPG]
    return " and ".join(kept) or question
