"""The labels and relationship types that claims and entities may have in the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from weft.domain.frozen import dataclass
from weft.ontology.schema import Ontology

# What a class or a relation becomes that the ontology does not know.
ANY_LABEL = "Entity"
ANY_TYPE = "RELATED_TO"
_LABELS = "Kb Document Chunk Evidence Entity Handle AclClass Fence Deleted Link Source File".split()
_TYPES = f"PART_OF OF MENTIONS STATES HAS NAMES REFERENCES {ANY_TYPE}".split()


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """`labels` by class name and `types` by relation name, none of them the store's own."""

    labels: Mapping[str, str]
    types: Mapping[str, str]

    def label(self, entity_class: str) -> str:
        """Return the label of a class, by exact match."""
        return self.labels.get(entity_class, ANY_LABEL)

    def type(self, predicate: str) -> str:
        """Return the relationship type of a relation, by exact match."""
        return self.types.get(predicate, ANY_TYPE)

    def all_types(self) -> list[str]:
        """Return every relationship type that a claim may have, sorted."""
        return sorted({*self.types.values(), ANY_TYPE})


# From what a knowledge base was made with to its words.
WordsOf = Callable[[Mapping[str, str]], Vocabulary]


def vocabulary(ontology: Ontology) -> Vocabulary:
    """Return the labels (`FamousPerson`) and types (`WORKS_FOR`) of an ontology's names."""
    labels = {each.name: _label(each.name) for each in ontology.classes}
    # A property leads to values, which are kept on their chunk: it needs no type, and no index.
    types = {each.name: _type(each.name) for each in ontology.relations if not each.datatype}
    return Vocabulary(labels=MappingProxyType(labels), types=MappingProxyType(types))


def _label(name: str) -> str:
    label = "".join(word.capitalize() for word in name.split("_"))
    return f"{label}Entity" if label in _LABELS else label


def _type(name: str) -> str:
    kind = name.upper()
    return f"{kind}_CLAIM" if kind in _TYPES else kind
