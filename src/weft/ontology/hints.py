"""Hints from an ontology: the words that speak for a class, kept to weigh candidates by."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from weft.domain.frozen import dataclass
from weft.ontology.schema import EntityClass, Ontology, Relation, spelt

_WORD = re.compile(r"[^\W_]+")
_LONGEST = 4
# What a candidate gains whose class the question names, and one whose class only a word speaks for.
_NAMED, _SPOKEN_FOR = 0.2, 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class OntologyHints:
    """`aliases` lead to the names of classes and relations, `label_keywords` from a class to words.

    All are in lower case. `wider` has the classes above each.
    """

    ontology: str
    aliases: Mapping[str, str]
    label_keywords: Mapping[str, Sequence[str]]
    wider: Mapping[str, Collection[str]]

    def as_json(self) -> dict[str, object]:
        """Return what is kept in a file."""
        return {
            "ontology": self.ontology,
            "aliases": dict(self.aliases),
            "label_keywords": {name: list(words) for name, words in self.label_keywords.items()},
        }

    def boost(self, question: str, classes: Collection[str]) -> float:
        """Return what a candidate of some classes gains by the words of a question.

        At most `0.2`, where the question names one of its classes, or one that is wider.
        """
        phrases = _phrases(question)
        named = {self.aliases[each] for each in phrases if each in self.aliases}
        own = {wide for each in classes for wide in (each, *self.wider.get(each, ()))}
        if named & own:
            return _NAMED
        spoken = (word in phrases for each in own for word in self.label_keywords.get(each, ()))
        return _SPOKEN_FOR if any(spoken) else 0.0


def hints_of(ontology: Ontology) -> OntologyHints:
    """Return the hints of an ontology; a name or alias that two have is the first one's."""
    aliases: dict[str, str] = {}
    entries: tuple[EntityClass | Relation, ...] = (*ontology.classes, *ontology.relations)
    for entry in entries:
        for name in (entry.name, *entry.aliases):
            aliases.setdefault(spelt(name), entry.name)
    return OntologyHints(
        ontology=ontology.name,
        aliases=aliases,
        label_keywords={each.name: _keywords(each) for each in ontology.classes},
        wider={each.name: ontology.ancestors(each.name) for each in ontology.classes},
    )


def _keywords(each: EntityClass) -> list[str]:
    return sorted({*each.keywords, *map(spelt, each.aliases), spelt(each.name)})


def _phrases(text: str) -> set[str]:
    """Return the phrases of up to four words of a text, in lower case, and their singulars."""
    words = [match[0].casefold() for match in _WORD.finditer(text)]
    found = {
        " ".join(words[at : at + size])
        for size in range(1, _LONGEST + 1)
        for at in range(len(words) - size + 1)
    }
    return found | {each[:-1] for each in found if each.endswith("s")}
