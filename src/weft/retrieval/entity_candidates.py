"""From names in a question to the entities that they may mean, as far as the caller may read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum

from weft.domain.claim import LocalEntity
from weft.domain.entity import Entity
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.language.names import normalise
from weft.ports.knowledge import EntityFilter
from weft.ports.store import Base
from weft.retrieval.entities import EntityPorts, widened

MOST_CANDIDATES = 8
_MOST_SIGHTINGS = 2_000
_MOST_CONTAINING = 50
_SHORTEST = 3
_MANY = 3


class FoundBy(StrEnum):
    """How a candidate was found: by its whole name, or by a name that contains what was asked."""

    FULLTEXT = "fulltext"
    CONTAINS = "contains"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityCandidate:
    """An entity that a name may mean, the documents that name it, and how it was found."""

    knowledge_base: str
    entity: Entity
    found_by: FoundBy

    @property
    def documents(self) -> tuple[DocumentId, ...]:
        """Return the documents that name it, ordered."""
        return tuple(sorted({member.document_id for member in self.entity.members}))

    @property
    def labels(self) -> tuple[str, ...]:
        """Return its classes, the one it is mostly said to be first."""
        others = sorted({member.entity_class for member in self.entity.members})
        return tuple(dict.fromkeys((self.entity.entity_class, *others)))


@dataclass(frozen=True, slots=True, kw_only=True)
class NamesAsked:
    """Names to be looked up; `spelt` are those that are surely names and may be a part of one.

    `boost` says what a candidate of some classes gains by the question's words.
    """

    names: Sequence[str]
    spelt: Collection[str] = ()
    boost: Callable[[str, Collection[str]], float] = lambda base, classes: 0.0


async def candidates(
    bases: Sequence[Base], scope: Scope, asked: NamesAsked
) -> Mapping[str, tuple[EntityCandidate, ...]]:
    """Return for each name the entities that it may mean, the likeliest first; none is an answer.

    Those whose class the question speaks of come first, then those that more documents name.
    """
    keys = {name: key for name in asked.names if (key := normalise(name))}
    found: dict[str, list[EntityCandidate]] = {name: [] for name in asked.names}
    for base in bases:
        if base.links is None:
            continue
        ports = EntityPorts(knowledge=base.knowledge, links=base.links)
        wanted = EntityFilter(names=frozenset(keys.values()))
        rows = await base.knowledge.sightings(scope, wanted, _MOST_SIGHTINGS) if keys else []
        by_key: dict[str, set[LocalEntity]] = {}
        for row in rows:
            by_key.setdefault(row.entity.name, set()).add(row.entity)
        for name, key in keys.items():
            if key not in by_key and name in asked.spelt and len(key) >= _SHORTEST:
                held = await base.knowledge.entities(scope, key, _MOST_CONTAINING)
                found[name] += await _entities(base, ports, scope, held, FoundBy.CONTAINS)
            else:
                seeds = by_key.get(key, set())
                found[name] += await _entities(base, ports, scope, seeds, FoundBy.FULLTEXT)
    return {name: _ordered(each, asked) for name, each in found.items()}


async def _entities(
    base: Base, ports: EntityPorts, scope: Scope, seeds: Iterable[LocalEntity], found_by: FoundBy
) -> list[EntityCandidate]:
    local = set(seeds)
    if not local:
        return []
    reached = await widened(ports, scope, local)
    meant = {entity.id: entity for member, entity in reached.entities.items() if member in local}
    return [
        EntityCandidate(knowledge_base=base.name, entity=entity, found_by=found_by)
        for entity in meant.values()
    ]


def _ordered(found: Sequence[EntityCandidate], asked: NamesAsked) -> tuple[EntityCandidate, ...]:
    def likeliest(one: EntityCandidate) -> tuple[bool, float, int, str]:
        gain = asked.boost(one.knowledge_base, one.labels)
        return one.found_by is FoundBy.CONTAINS, -gain, -len(one.documents), one.entity.id

    most = max(found, key=lambda one: len(one.documents), default=None)
    kept = [one for one in found if most is None or not _is_slip(one, most)]
    return tuple(sorted(kept, key=likeliest)[:MOST_CANDIDATES])


def _is_slip(one: EntityCandidate, most: EntityCandidate) -> bool:
    """Tell whether one document alone takes for another class what many say is of one."""
    same_base = one.knowledge_base == most.knowledge_base
    other = one.entity.entity_class != most.entity.entity_class
    few = len(one.documents) == 1 and len(most.documents) >= _MANY
    return same_base and other and few and one.found_by is most.found_by
