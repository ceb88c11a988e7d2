"""Entities as a view: what the readable local entities and links come to, and nothing more."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from weft.domain.claim import Link, LinkKind, LocalEntity
from weft.domain.frozen import dataclass

PERSON_METHOD = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A local entity under one of its surfaces, and how often its document writes it so."""

    entity: LocalEntity
    surface: str
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """Local entities that are one: `id` is the smallest member's key, members are in that order."""

    id: str
    name: str
    entity_class: str
    aliases: tuple[str, ...]
    members: tuple[LocalEntity, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCandidate:
    """A thing that a name may mean: its node in a knowledge base, what it is called and is.

    `labels` are its classes, `documents` the ids of those that name it, `titles` the first few of
    them, by which people tell it from others; `score_kind` says what the
    order of candidates is, `source` how this one was found.
    """

    database: str
    node_id: str
    display_name: str
    labels: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    score_kind: str = "ranked"
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionEntity:
    """A name of a question, and what it may mean, the likeliest first."""

    question_entity: str
    candidates: tuple[NodeCandidate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityOverride:
    """A person's word that a name of the question means a certain node.

    `database` is the knowledge base's name; `display_name` and `labels` only say it to people.
    """

    question_entity: str
    node_id: str
    database: str = ""
    display_name: str = ""
    labels: tuple[str, ...] = ()


def entities(sightings: Iterable[Sighting], links: Iterable[Link]) -> list[Entity]:
    """Return the entities of the given sightings, ordered by id, whatever the order of the input.

    Links with an end that was not sighted are as if they were not there. A person's links join
    first, then equal name and class, then all others by score and key; none joins two components
    that a `not_same_as` pair holds apart.
    """
    surfaces: defaultdict[LocalEntity, Counter[str]] = defaultdict(Counter)
    for sighting in sightings:
        surfaces[sighting.entity][sighting.surface] += sighting.count
    readable = [link for link in links if link.left in surfaces and link.right in surfaces]
    components = _Components(surfaces, readable)
    same = [link for link in readable if link.kind is LinkKind.SAME_AS]
    for link in _ordered(link for link in same if link.method == PERSON_METHOD):
        components.join(link.left, link.right)
    for namesakes in _namesakes(surfaces):
        _join_namesakes(components, namesakes)
    for link in _ordered(link for link in same if link.method != PERSON_METHOD):
        components.join(link.left, link.right)
    made = [_entity(members, surfaces) for members in components.all()]
    return sorted(made, key=lambda entity: entity.id)


class _Components:
    """Disjoint sets of local entities, each with those it may never be joined with."""

    def __init__(self, members: Iterable[LocalEntity], links: Iterable[Link]) -> None:
        self._root = {member: member for member in members}
        self._members = {member: {member} for member in self._root}
        self._barred: dict[LocalEntity, set[LocalEntity]] = {m: set() for m in self._root}
        for link in links:
            if link.kind is LinkKind.NOT_SAME_AS:
                self._barred[link.left].add(link.right)
                self._barred[link.right].add(link.left)

    def root(self, member: LocalEntity) -> LocalEntity:
        """Return the member that stands for a member's component."""
        while (parent := self._root[member]) != member:
            self._root[member] = member = self._root[parent]
        return member

    def join(self, left: LocalEntity, right: LocalEntity) -> None:
        """Make one component of two, unless a pair across them is barred."""
        small, large = sorted(
            (self.root(left), self.root(right)), key=lambda root: len(self._members[root])
        )
        if small == large or not self._barred[large].isdisjoint(self._members[small]):
            return
        self._root[small] = large
        self._members[large] |= self._members.pop(small)
        self._barred[large] |= self._barred.pop(small)

    def all(self) -> Iterable[set[LocalEntity]]:
        """Return the members of each component."""
        return self._members.values()


def _ordered(links: Iterable[Link]) -> list[Link]:
    return sorted(links, key=lambda link: (-link.score, link.key))


def _namesakes(members: Iterable[LocalEntity]) -> list[list[LocalEntity]]:
    groups: defaultdict[tuple[str, str], list[LocalEntity]] = defaultdict(list)
    for member in members:
        groups[member.entity_class, member.name].append(member)
    return [sorted(groups[key], key=lambda member: member.key) for key in sorted(groups)]


def _join_namesakes(components: _Components, namesakes: list[LocalEntity]) -> None:
    """Try every pair in order; a member whose component has been tried need not be again."""
    tried: set[LocalEntity] = set()
    for number, member in enumerate(namesakes):
        if components.root(member) in tried:
            continue
        for other in namesakes[number + 1 :]:
            components.join(member, other)
        tried = {components.root(each) for each in namesakes[: number + 1]}


def _entity(members: Iterable[LocalEntity], surfaces: Mapping[LocalEntity, Counter[str]]) -> Entity:
    ordered = tuple(sorted(members, key=lambda member: member.key))
    written: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    for member in ordered:
        written.update(surfaces[member])
        classes[member.entity_class] += surfaces[member].total()
    names = sorted(written, key=lambda name: (-written[name], -len(name), name))
    return Entity(
        id=ordered[0].key,
        name=names[0],
        entity_class=min(classes, key=lambda each: (-classes[each], each)),
        aliases=tuple(sorted(names[1:])),
        members=ordered,
    )
