"""Names of knowledge bases in runs: those that the caller does not see now are not told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from weft.bases.library import Library
from weft.domain.event import RunEvent
from weft.domain.scope import Scope

# What stands in a step's path for a knowledge base that is not seen.
HIDDEN = "hidden"


async def seen_names(library: Library, scope: Scope) -> frozenset[str]:
    """Return the names of the knowledge bases that the caller sees at this moment."""
    return frozenset(base.name for base in await library.listed(scope))


def veiled(
    events: Iterable[RunEvent], *, named: Sequence[str], seen: frozenset[str]
) -> list[RunEvent]:
    """Return the events of a run over the bases `named` without the names of those not `seen`.

    In the paths of its steps one word stands for each, numbered from the second on so that steps
    stay apart; where any is hidden, what the events tell besides goes too.
    """
    hidden = [name for name in named if name not in seen]
    if not hidden:
        return list(events)
    words = {
        name: HIDDEN if place == 1 else f"{HIDDEN}{place}"
        for place, name in enumerate(hidden, start=1)
    }
    return [
        replace(
            event,
            node=_without(event.node, words),
            parent=_without(event.parent, words),
            sources=tuple(_without(source, words) for source in event.sources),
            data={},
        )
        for event in events
    ]


def _without(path: str, words: Mapping[str, str]) -> str:
    return "/".join(words.get(part, part) for part in path.split("/"))
