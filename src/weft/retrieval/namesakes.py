"""Who bears a name: one thing or several, what else each is called, and where it is named."""

from __future__ import annotations

from collections.abc import Sequence

from weft.domain.claim import LocalEntity
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.language.names import normalise
from weft.ports.knowledge import EntityFilter
from weft.ports.store import Base
from weft.retrieval.entities import EntityPorts, widened

_MOST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Namesake:
    """One thing of a name: its other names, and (knowledge base, document) of where it is named."""

    names: tuple[str, ...]
    documents: frozenset[tuple[str, DocumentId]]


async def namesakes(bases: Sequence[Base], scope: Scope, name: str) -> tuple[Namesake, ...]:
    """Return the things that are called by a name, those that more documents name first.

    Two are one where a curator says so (`same_as`), or where name and class are the same and no
    curator tells them apart. Bases without links know of none.
    """
    found: list[Namesake] = []
    own = normalise(name)
    for base in bases:
        if base.links is None:
            continue
        wanted = EntityFilter(names=frozenset({own}))
        seen = await base.knowledge.sightings(scope, wanted, _MOST)
        seeds = {row.entity for row in seen}
        if not seeds:
            continue
        graph = EntityPorts(knowledge=base.knowledge, links=base.links)
        reached = await widened(graph, scope, seeds)
        entities = {entity.id: entity for entity in reached.entities.values()}
        for entity in entities.values():
            if seeds.isdisjoint(entity.members):
                continue
            others = (one for one in (entity.name, *entity.aliases) if normalise(one) != own)
            found.append(
                Namesake(
                    names=tuple(dict.fromkeys(others)),
                    documents=frozenset(_document(base, one) for one in entity.members),
                )
            )
    return tuple(sorted(found, key=lambda one: (-len(one.documents), sorted(one.documents))))


def _document(base: Base, member: LocalEntity) -> tuple[str, DocumentId]:
    return base.name, member.document_id
