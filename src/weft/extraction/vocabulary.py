"""What a model may call a class or a relation, by the ontology and its mode."""

from __future__ import annotations

import re

from weft.domain.frozen import dataclass
from weft.ontology.schema import Mode, Ontology, spelt

DOCUMENT_CLASS = "document"

_NAME = re.compile(r"[^\W\d_]\w{0,63}")
_AUXILIARIES = re.compile(r"^(?:(?:is|was|are|were|be|been|being|has|have|had)_)+")
_PASSIVE = re.compile(r"^(\w+(?:ed|en|wn|ne|de|ht|lt|ld|nd|ut|un|it|pt))_by$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """A relation's name; `swapped` when it was said in the passive voice, object first."""

    name: str
    swapped: bool = False


def class_of(name: str, ontology: Ontology) -> str | None:
    """Return the class that is meant, or None when the ontology does not allow it.

    In open mode an unknown class is itself, spelt as the others are. A document may always be
    called one.
    """
    known = ontology.entity_class(name)
    if known is not None:
        return known.name
    own = _snake(name)
    allowed = own == DOCUMENT_CLASS or ontology.mode is Mode.OPEN
    return own if allowed and _NAME.fullmatch(own) else None


def predicate_of(name: str, ontology: Ontology) -> Predicate | None:
    """Return the relation that is meant, or None when the ontology does not allow it.

    An unknown relation, where the mode lets it in, is spelt in the active voice.
    """
    own = _snake(name)
    for spelling in (own, _AUXILIARIES.sub("", own)):
        known = ontology.relation(spelling)
        if known is not None:
            return Predicate(name=known.name)
    if ontology.mode is Mode.STRICT:
        return None
    bare = _AUXILIARIES.sub("", own) or own
    passive = _PASSIVE.match(bare)
    active = passive[1] if passive else bare
    return Predicate(name=active, swapped=bool(passive)) if _NAME.fullmatch(active) else None


def _snake(name: str) -> str:
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.sub(r"\W+", "_", spelt(parted)).strip("_")
