"""Local entities widened to the entities of a view: all that a caller may read of the same thing.

The stores give what is readable; what follows from it is computed here, for all of them alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from weft.domain.claim import Link, LocalEntity
from weft.domain.entity import Entity, Sighting, entities
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.ports.knowledge import EntityFilter, Knowledge
from weft.ports.links import Links

MAX_SIGHTINGS = 10_000
_Name = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPorts:
    """The two ports of one knowledge base that know its entities."""

    knowledge: Knowledge
    links: Links


@dataclass(frozen=True, slots=True, kw_only=True)
class WidenedEntities:
    """The entity of each local entity that was reached; `is_cut`: not all could be looked at."""

    entities: Mapping[LocalEntity, Entity]
    is_cut: bool


@dataclass(slots=True)
class _Reached:
    """What is known while the set grows."""

    sightings: set[Sighting] = field(default_factory=set)
    links: dict[str, Link] = field(default_factory=dict)
    asked: set[_Name] = field(default_factory=set)
    is_cut: bool = False


async def widened(
    graph: EntityPorts, scope: Scope, seeds: Iterable[LocalEntity]
) -> WidenedEntities:
    """Return the entities that some local entities belong to, as the whole view has them.

    Whoever may be one with a seed is reached: who has its name and class in another document, who
    is linked with one of these, and so on. So each entity is that of the whole view, though only
    its surroundings were read.
    """
    reached = _Reached()
    names = _names(seeds)
    while names and not reached.is_cut:
        reached.asked |= names
        found = await _sighted(graph, scope, names, reached)
        links = await graph.links.touching(scope, found) if found else []
        reached.links |= {link.key: link for link in links}
        names = _names(end for link in links for end in (link.left, link.right)) - reached.asked
    made = entities(_told(reached.sightings), reached.links.values())
    return WidenedEntities(
        entities={member: entity for entity in made for member in entity.members},
        is_cut=reached.is_cut,
    )


async def _sighted(
    graph: EntityPorts, scope: Scope, names: set[_Name], reached: _Reached
) -> frozenset[LocalEntity]:
    """Look up all that have these names; the store is asked by names and classes apart."""
    wanted = EntityFilter(
        names=frozenset(name for name, _ in names), classes=frozenset(kind for _, kind in names)
    )
    rows = await graph.knowledge.sightings(scope, wanted, MAX_SIGHTINGS)
    reached.is_cut |= len(rows) == MAX_SIGHTINGS
    fitting = [row for row in rows if (row.entity.name, row.entity.entity_class) in names]
    reached.sightings.update(fitting)
    return frozenset(row.entity for row in fitting)


def _names(members: Iterable[LocalEntity]) -> set[_Name]:
    return {(member.name, member.entity_class) for member in members}


def _told(sightings: Iterable[Sighting]) -> list[Sighting]:
    """Leave out the names that claims alone give, where a mention shows how it is written."""
    mentioned = {each.entity for each in sightings if each.count}
    return [each for each in sightings if each.count or each.entity not in mentioned]
