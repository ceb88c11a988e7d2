"""Graph patterns matched hop by hop: a store gives readable claims, the view says who is who."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from weft.domain.claim import LocalEntity
from weft.domain.entity import Entity
from weft.domain.frozen import dataclass
from weft.domain.pattern import (
    GraphPattern,
    LocalClaim,
    Match,
    MatchedLiteral,
    Matches,
    PatternHop,
    Shape,
    Toward,
    within_bounds,
)
from weft.domain.scope import Scope
from weft.ontology.names import in_its_words
from weft.ontology.schema import Ontology
from weft.ports.knowledge import ClaimFilter, EntityFilter
from weft.retrieval.entities import MAX_SIGHTINGS, EntityPorts, WidenedEntities, widened

MAX_CLAIMS = 20_000
MAX_WAYS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ends:
    """What one step leads to from an entity: each thing with the claims that lead there."""

    ways: Mapping[str, Mapping[Entity | MatchedLiteral, tuple[LocalClaim, ...]]]
    is_cut: bool


async def match(
    graph: EntityPorts, scope: Scope, *, pattern: GraphPattern, ontology: Ontology
) -> Matches:
    """Return the ways through the readable claims that fit a pattern.

    Raises `BadInput` for a pattern beyond the bounds or in other words than the ontology's. A node
    stands once in a way. What the caller may not read changes nothing, the cut included.
    """
    in_its_words(within_bounds(pattern), ontology)
    seeds, is_cut = await _seeds(graph, scope, pattern.start)
    start = await widened(graph, scope, seeds)
    fitting = await _fitting(graph, scope, set(start.entities.values()), shape=pattern.start)
    ways = [Match(nodes=(each,), steps=()) for each in _ordered(fitting.found)]
    is_cut |= start.is_cut or fitting.is_cut
    for hop in pattern.hops:
        is_cut |= len(ways) > MAX_WAYS
        ways = ways[:MAX_WAYS]
        ends = await _step(graph, scope, ways, hop=hop)
        is_cut |= ends.is_cut
        ways = sorted(_longer(ways, ends), key=_order)
    return Matches(found=tuple(ways[: pattern.limit]), is_cut=is_cut or len(ways) > pattern.limit)


async def _seeds(
    graph: EntityPorts, scope: Scope, shape: Shape
) -> tuple[frozenset[LocalEntity], bool]:
    """Return local entities of which any entity of that shape has at least one."""
    if not shape.names and shape.where:
        first = shape.where[0]
        wanted = ClaimFilter(ends=None, relations=frozenset({first.name}))
        stated = await graph.knowledge.claims(scope, wanted, MAX_CLAIMS)
        fitting = (each for each in stated if first.accepts(each.claim.value))
        return frozenset(each.subject for each in fitting), len(stated) == MAX_CLAIMS
    # By name alone: an entity may have its name from one member and its class from another.
    asked = EntityFilter(names=shape.names, classes=frozenset() if shape.names else shape.classes)
    rows = await graph.knowledge.sightings(scope, asked, MAX_SIGHTINGS)
    return frozenset(row.entity for row in rows), len(rows) == MAX_SIGHTINGS


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fitting:
    """The entities that have a shape."""

    found: frozenset[Entity]
    is_cut: bool = False


async def _fitting(
    graph: EntityPorts, scope: Scope, candidates: Collection[Entity], *, shape: Shape
) -> _Fitting:
    """Return the candidates that have a shape; conditions are read from their claims."""
    left = frozenset(each for each in candidates if _is_named(each, shape))
    if not shape.where or not left:
        return _Fitting(found=left)
    names = frozenset(each.name for each in shape.where)
    wanted = ClaimFilter(ends=_members(left), relations=names)
    stated = await graph.knowledge.claims(scope, wanted, MAX_CLAIMS)
    values: defaultdict[LocalEntity, list[LocalClaim]] = defaultdict(list)
    for each in stated:
        values[each.subject].append(each)
    found = frozenset(
        entity
        for entity in left
        if all(
            any(
                each.claim.predicate == asked.name and asked.accepts(each.claim.value)
                for member in entity.members
                for each in values[member]
            )
            for asked in shape.where
        )
    )
    return _Fitting(found=found, is_cut=len(stated) == MAX_CLAIMS)


def _is_named(entity: Entity, shape: Shape) -> bool:
    """Tell whether some member has one of the classes and some member one of the names."""
    classes = {member.entity_class for member in entity.members}
    names = {member.name for member in entity.members}
    return not (shape.classes and shape.classes.isdisjoint(classes)) and not (
        shape.names and shape.names.isdisjoint(names)
    )


async def _step(
    graph: EntityPorts, scope: Scope, ways: Collection[Match], *, hop: PatternHop
) -> _Ends:
    """Return where a hop leads to from the last nodes of some ways."""
    sources = [way.nodes[-1] for way in ways]
    entities = {each for each in sources if isinstance(each, Entity)}
    members = _members(entities)
    if not members:
        return _Ends(ways={}, is_cut=False)
    wanted = ClaimFilter(ends=members, toward=hop.toward, relations=hop.relations)
    stated = await graph.knowledge.claims(scope, wanted, MAX_CLAIMS)
    leads = [lead for claim in stated for lead in _leads(claim, members, hop.toward)]
    others = {other for _, other, _ in leads if isinstance(other, LocalEntity)}
    reached = await widened(graph, scope, others)
    fitting = await _fitting(graph, scope, set(reached.entities.values()), shape=hop.reaches)
    home = {member: entity for entity in entities for member in entity.members}
    ways_on: defaultdict[str, defaultdict[Entity | MatchedLiteral, list[LocalClaim]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for one, other, claim in leads:
        end = _end(other, reached, fitting.found, hop.reaches)
        if end is not None:
            ways_on[home[one].id][end].append(claim)
    return _Ends(
        ways={key: {end: tuple(told) for end, told in on.items()} for key, on in ways_on.items()},
        is_cut=len(stated) == MAX_CLAIMS or reached.is_cut or fitting.is_cut,
    )


def _leads(
    claim: LocalClaim, members: Collection[LocalEntity], toward: Toward
) -> Iterable[tuple[LocalEntity, LocalEntity | MatchedLiteral, LocalClaim]]:
    """Yield a claim's ways from one of the members to its other end."""
    subject, spoken = claim.subject, claim.object
    if toward is not Toward.SUBJECT and subject in members:
        yield subject, MatchedLiteral(value=claim.claim.value) if spoken is None else spoken, claim
    if toward is not Toward.OBJECT and spoken is not None and spoken in members:
        yield spoken, subject, claim


def _end(
    other: LocalEntity | MatchedLiteral,
    reached: WidenedEntities,
    fitting: frozenset[Entity],
    shape: Shape,
) -> Entity | MatchedLiteral | None:
    if isinstance(other, MatchedLiteral):
        return other if shape.is_empty else None
    entity = reached.entities.get(other)
    return entity if entity in fitting else None


def _longer(ways: Iterable[Match], ends: _Ends) -> Iterable[Match]:
    for way in ways:
        last = way.nodes[-1]
        on = ends.ways.get(last.id, {}) if isinstance(last, Entity) else {}
        for end, claims in on.items():
            if end not in way.nodes:
                yield Match(nodes=(*way.nodes, end), steps=(*way.steps, claims))


def _members(entities: Iterable[Entity]) -> frozenset[LocalEntity]:
    return frozenset(member for entity in entities for member in entity.members)


def _ordered(entities: Iterable[Entity]) -> list[Entity]:
    return sorted(entities, key=lambda entity: entity.id)


def _order(way: Match) -> tuple[tuple[str, str], ...]:
    return tuple(
        ("0", node.id) if isinstance(node, Entity) else ("1", f"{node.value!r}")
        for node in way.nodes
    )
