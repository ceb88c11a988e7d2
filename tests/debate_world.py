"""Knowledge bases for debates: some that agree, some that contradict, and ways to lose one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from rag_world import Shelf, World, make_world, plain_search
from weft.domain.errors import StoreUnavailable
from weft.domain.readiness import Readiness, State
from weft.domain.scope import Scope
from weft.flows.asking import Asking, FlowOutcome
from weft.ports.embedder import Embedder
from weft.ports.store import Base
from weft.retrieval.hits import Found, Query

QUESTION = "When was the Harbour Bridge opened?"
OPENED = "The Harbour Bridge was opened by Ada Lindqvist on 14 March 1932."
OTHERWISE = "The Harbour Bridge was opened by Ada Lindqvist on 9 May 1935."
GONE = "Its file is gone."


def shelf(text: str, **known: Any) -> Shelf:
    """Return a knowledge base of one document."""
    made = Shelf()
    made.put("harbour.md", text, title="Harbour Bridge", **known)
    return made


class Losses:
    """Which knowledge bases are stale, die when they are searched, or hang."""

    def __init__(
        self, *, stale: Sequence[str] = (), dead: Sequence[str] = (), hanging: Sequence[str] = ()
    ) -> None:
        self.stale, self.dead, self.hanging = stale, dead, hanging
        self.searched: list[tuple[str, ...]] = []

    async def survey(self, scope: Scope, names: tuple[str, ...]) -> tuple[Readiness, ...]:
        del scope
        return tuple(self._standing(name) for name in names)

    def _standing(self, name: str) -> Readiness:
        if name in self.stale:
            return Readiness(name=name, title=name, state=State.BLOCKED, reasons=(GONE,))
        return Readiness(name=name, title=name, state=State.READY)

    async def search(
        self, bases: Sequence[Base], embedder: Embedder | None, scope: Scope, *, query: Query
    ) -> Found:
        names = tuple(base.name for base in bases)
        self.searched.append(names)
        if set(names) & set(self.dead):
            raise StoreUnavailable("The server went away.")
        if set(names) & set(self.hanging):
            await asyncio.sleep(60)
        return await plain_search(bases, embedder, scope, query=query)


def debate_world(
    shelves: Mapping[str, Shelf], losses: Losses | None = None, **options: Any
) -> World:
    """Return a world whose knowledge bases are those shelves."""
    lost = losses or Losses()
    known = {"survey": lost.survey, "search": lost.search, **options}
    return make_world(shelves=shelves, **known)


async def debated(
    world: World, scope: Scope, bases: Sequence[str], question: str = QUESTION, **options: Any
) -> FlowOutcome:
    """Ask some knowledge bases in a debate."""
    asking = Asking(question=question, knowledge_bases=tuple(bases), flow="debate", **options)
    return await world.flows.run(scope, asking)
