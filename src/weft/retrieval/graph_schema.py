"""What a caller's part of the graph has: classes and relations, counted over what is readable."""

from __future__ import annotations

from collections import Counter

from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.ontology.schema import Ontology
from weft.ports.knowledge import ClaimFilter, EntityFilter
from weft.ports.store import Base

MAX_SIGHTINGS, MAX_CLAIMS = 10_000, 20_000
_MOST_ENDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassCount:
    """A class and how many names of it there are."""

    name: str
    names: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationCount:
    """A relation, how often it is stated, and between which classes, the most frequent first.

    `words` are those of the ontology that speak of it.
    """

    name: str
    claims: int
    subjects: tuple[str, ...]
    objects: tuple[str, ...]
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSchema:
    """The classes and relations of one knowledge base that may be asked for, the most first.

    `is_cut`: there is more than was counted.
    """

    knowledge_base: str
    ontology: str
    classes: tuple[ClassCount, ...]
    relations: tuple[RelationCount, ...]
    is_cut: bool

    @property
    def text(self) -> str:
        """Return it in words, a line for each class and relation, for a prompt."""
        classes = [f"- {each.name} ({each.names})" for each in self.classes]
        relations = [
            f"- {'|'.join(each.subjects)} {each.name} {'|'.join(each.objects)} ({each.claims})"
            for each in self.relations
        ]
        head = f"{self.knowledge_base} (ontology {self.ontology})"
        return "\n".join([head, "Classes:", *classes, "Relations:", *relations])


async def graph_schema(base: Base, scope: Scope, *, ontology: Ontology) -> GraphSchema:
    """Return what the readable part of a base has, in the words that a pattern may use."""
    known = EntityFilter(classes=frozenset(each.name for each in ontology.classes))
    sightings = await base.knowledge.sightings(scope, known, MAX_SIGHTINGS)
    claims = await base.knowledge.claims(scope, ClaimFilter(ends=None), MAX_CLAIMS)
    names = {(row.entity.entity_class, row.entity.name) for row in sightings}
    classes = Counter(kind for kind, _ in names)
    relations = {each.name: _Ends() for each in ontology.relations}
    for each in claims:
        ends = relations.get(each.claim.predicate)
        if ends is not None:
            ends.subjects[each.claim.subject_class] += 1
            ends.objects[each.claim.object_class or "value"] += 1
    words = {each.name: (*each.aliases, *each.fields, *each.cues) for each in ontology.relations}
    stated = {name: ends for name, ends in relations.items() if ends.subjects}
    return GraphSchema(
        knowledge_base=base.title or base.name,
        ontology=ontology.name,
        classes=tuple(ClassCount(name=name, names=count) for name, count in _ordered(classes)),
        relations=tuple(
            RelationCount(
                name=name,
                claims=count,
                subjects=_most(stated[name].subjects),
                objects=_most(stated[name].objects),
                words=words[name],
            )
            for name, count in _ordered(
                Counter({name: ends.subjects.total() for name, ends in stated.items()})
            )
        ),
        is_cut=len(sightings) == MAX_SIGHTINGS or len(claims) == MAX_CLAIMS,
    )


class _Ends:
    """How often each class stands at either end of a relation."""

    def __init__(self) -> None:
        self.subjects: Counter[str] = Counter()
        self.objects: Counter[str] = Counter()


def _most(counted: Counter[str]) -> tuple[str, ...]:
    return tuple(name for name, _ in _ordered(counted)[:_MOST_ENDS])


def _ordered(counted: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
