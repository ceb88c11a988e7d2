"""What an ontology is: classes with their hints, relations with their cue phrases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from weft.domain.frozen import dataclass

ANYTHING = "thing"


class Mode(StrEnum):
    """What may be said beside the ontology: anything, new relations only, or nothing."""

    OPEN = "open"
    GUIDED = "guided"
    STRICT = "strict"


class Certainty(StrEnum):
    """How far a cue phrase can be trusted: the confidence class of what it yields."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def confidence(self) -> float:
        """Return the class as a number between 0 and 1."""
        return {Certainty.HIGH: 0.9, Certainty.MEDIUM: 0.7, Certainty.LOW: 0.5}[self]


class Datatype(StrEnum):
    """What kind of value a property has."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    BOOLEAN = "boolean"
    IDENTIFIER = "identifier"

    @property
    def literal(self) -> str:
        """Return the class under which rules find such values in a text, empty if they do not."""
        found = {Datatype.NUMBER: "amount", Datatype.DATE: "date"}
        return found.get(self, "identifier" if self is Datatype.IDENTIFIER else "")


class Life(StrEnum):
    """Which end of the dates in `Name (date – date)` a relation takes."""

    START = "start"
    END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityClass:
    """A class of things, and what betrays it in a text; all words are in lower case.

    `keywords` are nouns that end a name of the class or stand beside it (`University`, `river`),
    `endings` those that only end one, `beginnings` words that begin one (given names), `before` and
    `after` phrases next to a name, `members` known names as they are written. `literal` classes
    (dates, amounts) are never a subject. What is true of its `parents` is true of a class.
    """

    name: str
    description: str = ""
    aliases: tuple[str, ...] = ()
    keywords: frozenset[str] = frozenset()
    endings: frozenset[str] = frozenset()
    beginnings: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    members: tuple[str, ...] = ()
    literal: bool = False
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A relation: `X name Y` with X in `domain` and Y in `range`, in the words of `cues`.

    Both hold the narrower classes of those that the ontology names (`stated`: domain, range). A
    property is a relation to values: it has a `datatype`, and no class of things as its range.

    `cues` stand between X and Y, `inverse_cues` between Y and X (Korean ones after both).
    `before_object`, when given, are the words one of which must stand right before Y. `fields` are
    the names of columns and of `Key: value` lines that state it.
    """

    name: str
    domain: frozenset[str]
    range: frozenset[str]
    description: str = ""
    aliases: tuple[str, ...] = ()
    cardinality: str = "many_to_many"
    functional: bool = False
    cues: tuple[str, ...] = ()
    inverse_cues: tuple[str, ...] = ()
    before_object: frozenset[str] = frozenset()
    fields: tuple[str, ...] = ()
    certainty: Certainty = Certainty.MEDIUM
    life: Life | None = None
    datatype: Datatype | None = None
    stated: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())

    def joins(self, subject_class: str, object_class: str) -> bool:
        """Tell whether the classes fit the relation's domain and range."""
        return _fits(subject_class, self.domain) and _fits(object_class, self.range)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionContext:
    """The ontology in words, for the templates of prompts."""

    entity_types: str
    relationship_types: str
    ontology_name: str

    @property
    def text(self) -> str:
        """Return all of it as one text."""
        return (
            f"{self.ontology_name}\n\nEntity types:\n{self.entity_types}"
            f"\n\nRelationship types:\n{self.relationship_types}"
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ontology:
    """Classes and relations with the mode in which they bind; equal only to itself.

    `class_names` and `relation_names` lead from every name and alias, in lower case with spaces,
    to the thing itself. `fingerprint` changes with the content.
    """

    name: str
    fingerprint: str
    mode: Mode
    classes: tuple[EntityClass, ...]
    relations: tuple[Relation, ...]
    class_names: Mapping[str, EntityClass] = field(repr=False)
    relation_names: Mapping[str, Relation] = field(repr=False)

    def entity_class(self, name: str) -> EntityClass | None:
        """Return the class of that name or alias, however it is spelt, or None."""
        return self.class_names.get(spelt(name))

    def relation(self, name: str) -> Relation | None:
        """Return the relation of that name or alias, however it is spelt, or None."""
        return self.relation_names.get(spelt(name))

    def ancestors(self, name: str) -> frozenset[str]:
        """Return a class and all that are wider than it."""
        found: set[str] = set()
        left = [name]
        while left:
            one = left.pop()
            if one not in found:
                found.add(one)
                known = self.entity_class(one)
                left += known.parents if known else ()
        return frozenset(found)

    def extraction_context(self) -> ExtractionContext:
        """Return the classes, relations and name as lines for a prompt."""
        entity_types = "\n".join(_line(each.name, each.description) for each in self.classes)
        relations = "\n".join(_line(spoken(each), each.description) for each in self.relations)
        return ExtractionContext(
            entity_types=entity_types, relationship_types=relations, ontology_name=self.name
        )


def spoken(relation: Relation) -> str:
    """Return what a relation joins, as the ontology states it: `person born_in place`."""
    domain, spread = relation.stated
    reached = relation.datatype.value if relation.datatype else _any(spread)
    return f"{_any(domain)} {relation.name} {reached}"


def spelt(name: str) -> str:
    """Return a class or relation name as it is looked up: lower case, words parted by spaces."""
    return " ".join(name.replace("_", " ").replace("-", " ").casefold().split())


def _fits(entity_class: str, allowed: frozenset[str]) -> bool:
    return entity_class in allowed or ANYTHING in allowed


def _line(head: str, description: str) -> str:
    return f"- {head}: {description}" if description else f"- {head}"


def _any(classes: frozenset[str]) -> str:
    return "|".join(sorted(classes))
