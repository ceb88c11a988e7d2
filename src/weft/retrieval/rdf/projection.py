"""A knowledge base as RDF, as far as its caller may read: what the ontology says, what is claimed.

Nothing is kept: whoever may read less has another projection, so that a hidden document changes no
statement in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from weft.domain.claim import LocalEntity
from weft.domain.entity import Entity, entities
from weft.domain.frozen import dataclass
from weft.domain.pattern import LocalClaim
from weft.domain.scope import Scope
from weft.ontology.schema import ANYTHING, EntityClass, Ontology, Relation
from weft.ports.files.rdf import RdfStatement, Term, TermKind
from weft.ports.knowledge import ClaimFilter, EntityFilter
from weft.ports.store import Base
from weft.retrieval.rdf.addresses import OWL, RDF, RDFS, SKOS, term_address, thing_address

MAX_SIGHTINGS, MAX_CLAIMS = 20_000, 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """The statements of a base, and its things by their addresses; `is_cut`: there are more."""

    ontology: Ontology
    statements: tuple[RdfStatement, ...]
    things: Mapping[str, Entity]
    is_cut: bool


async def projected(base: Base, scope: Scope, ontology: Ontology) -> Projection:
    """Return what an ontology and the readable claims of a base state."""
    known = frozenset(each.name for each in ontology.classes)
    found = await base.knowledge.sightings(scope, EntityFilter(classes=known), MAX_SIGHTINGS)
    seen = frozenset(row.entity for row in found)
    links = await base.links.touching(scope, seen) if base.links is not None and seen else []
    made = entities(found, links)
    of = {member: each for each in made for member in each.members}
    claims = await base.knowledge.claims(scope, ClaimFilter(ends=None), MAX_CLAIMS)
    statements = dict.fromkeys(
        [
            *(one for each in ontology.classes for one in _of_class(each)),
            *(one for each in ontology.relations for one in _of_relation(each)),
            *(one for each in made for one in _of_thing(each)),
            *(one for each in claims for one in _of_claim(each, of, ontology)),
        ]
    )
    return Projection(
        ontology=ontology,
        statements=tuple(statements),
        things={thing_address(each): each for each in made},
        is_cut=len(found) == MAX_SIGHTINGS or len(claims) == MAX_CLAIMS,
    )


def _of_class(each: EntityClass) -> Iterator[RdfStatement]:
    own = term_address(each.name)
    yield _stated(own, f"{RDF}type", _address(f"{OWL}Class"))
    yield from _named(own, each.name, each.aliases, each.description)
    for parent in each.parents:
        yield _stated(own, f"{RDFS}subClassOf", _address(term_address(parent)))


def _of_relation(each: Relation) -> Iterator[RdfStatement]:
    own = term_address(each.name)
    kind = "ObjectProperty" if each.datatype is None else "DatatypeProperty"
    yield _stated(own, f"{RDF}type", _address(f"{OWL}{kind}"))
    if each.functional:
        yield _stated(own, f"{RDF}type", _address(f"{OWL}FunctionalProperty"))
    yield from _named(own, each.name, each.aliases, each.description)
    domain, reached = each.stated
    for name in sorted(domain - {ANYTHING}):
        yield _stated(own, f"{RDFS}domain", _address(term_address(name)))
    for name in sorted(reached - {ANYTHING}) if each.datatype is None else (each.datatype.value,):
        yield _stated(own, f"{RDFS}range", _address(term_address(name)))


def _of_thing(each: Entity) -> Iterator[RdfStatement]:
    own = thing_address(each)
    for name in sorted({member.entity_class for member in each.members}):
        yield _stated(own, f"{RDF}type", _address(term_address(name)))
    yield from _named(own, each.name, each.aliases, "")


def _of_claim(
    local: LocalClaim, of: Mapping[LocalEntity, Entity], ontology: Ontology
) -> Iterator[RdfStatement]:
    subject, reached, claim = of.get(local.subject), local.object, local.claim
    if subject is None or ontology.relation(claim.predicate) is None:
        return
    own, relation = thing_address(subject), term_address(claim.predicate)
    if reached is None:
        yield _stated(own, relation, _value(str(claim.value)))
    elif reached in of:
        yield _stated(own, relation, _address(thing_address(of[reached])))


def _named(
    own: str, name: str, aliases: tuple[str, ...], description: str
) -> Iterator[RdfStatement]:
    yield _stated(own, f"{RDFS}label", _value(name))
    for alias in aliases:
        yield _stated(own, f"{SKOS}altLabel", _value(alias))
    if description:
        yield _stated(own, f"{RDFS}comment", _value(description))


def _stated(subject: str, predicate: str, stated: Term) -> RdfStatement:
    return RdfStatement(subject=_address(subject), predicate=predicate, object=stated)


def _address(value: str) -> Term:
    return Term(value=value)


def _value(text: str) -> Term:
    return Term(value=text, kind=TermKind.LITERAL)
