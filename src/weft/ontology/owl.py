"""OWL, RDFS and SKOS as an ontology of ours: classes, properties and relations with their words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import count

from weft.domain.frozen import dataclass
from weft.language.sentences import sentences
from weft.ontology import rdf_words as rdf
from weft.ontology.schema import ANYTHING, Datatype
from weft.ports.files.rdf import RdfStatement, Term, TermKind

_LONGEST_PHRASE, _MOST_ALIASES, _MOST_MEMBERS = 120, 40, 2_000
_DESCRIPTION = 240
_DEEPEST = 8
_MOST_CUE_WORDS = 6
_OPAQUE = re.compile(r"[A-Za-z]*[_-]?\d[\d_-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwlGraph:
    """The statements of a vocabulary, and what they say of each address."""

    said: Mapping[str, Mapping[str, Sequence[Term]]]
    kinds: Mapping[str, TermKind] = field(default_factory=dict)

    def all(self, subject: str, *predicates: str) -> list[Term]:
        """Return what is stated of a subject by some predicates."""
        known = self.said.get(subject, {})
        return [term for each in predicates for term in known.get(each, ())]

    def types(self, subject: str) -> set[str]:
        """Return the types of a subject."""
        return {term.value for term in self.all(subject, rdf.TYPE)}

    def named(self, terms: Iterable[Term], *, depth: int = 0) -> Iterator[str]:
        """Yield the addresses that terms come to: of a union or intersection, its members."""
        for term in terms:
            if term.kind is TermKind.IRI:
                yield term.value
            elif term.kind is TermKind.BLANK and depth < _DEEPEST:
                for head in self.all(term.value, rdf.UNION, rdf.INTERSECTION):
                    yield from self.named(self.items(head), depth=depth + 1)

    def items(self, head: Term) -> Iterator[Term]:
        """Yield the members of a list; one that leads into itself ends there."""
        seen: set[str] = set()
        at = head.value
        while at != rdf.NIL and at not in seen:
            seen.add(at)
            yield from self.all(at, rdf.FIRST)
            rest = self.all(at, rdf.REST)
            at = rest[0].value if rest else rdf.NIL

    def labels(self, subject: str) -> list[str]:
        """Return the labels of a subject, the English ones first, then those of no language."""
        found = [each for each in self.all(subject, *rdf.LABELS) if _is_phrase(each)]
        found.sort(key=lambda each: _preference(each.language))
        return list(dict.fromkeys(_plain(each.value) for each in found))

    def aliases(self, subject: str) -> list[str]:
        """Return all other names of a subject."""
        known = self.said.get(subject, {})
        others = [
            _plain(term.value)
            for predicate, terms in known.items()
            if rdf.last_part(predicate) in rdf.ALIASES
            for term in terms
            if _is_phrase(term)
        ]
        spoken = rdf.in_words(subject)
        both = [*self.labels(subject), *others, *([spoken] if not is_opaque(subject) else [])]
        return list(dict.fromkeys(each.casefold() for each in both))[:_MOST_ALIASES]

    def description(self, subject: str) -> str:
        """Return the first sentence of what a subject is said to be."""
        found = [
            each
            for each in self.all(subject, *rdf.DEFINITIONS)
            if each.kind is TermKind.LITERAL and each.value.strip()
        ]
        if not found:
            return ""
        said = _plain(min(found, key=lambda each: _preference(each.language)).value)
        first = sentences(said)[:1]
        return said[: first[0].end if first else None][:_DESCRIPTION].rstrip()


def graph_of(statements: Iterable[RdfStatement]) -> OwlGraph:
    """Return statements by subject and predicate, each once."""
    said: defaultdict[str, defaultdict[str, dict[Term, None]]]
    said = defaultdict(lambda: defaultdict(dict))
    kinds: dict[str, TermKind] = {}
    for each in statements:
        said[each.subject.value][each.predicate][each.object] = None
        kinds[each.subject.value] = each.subject.kind
    return OwlGraph(
        said={key: {one: list(terms) for one, terms in told.items()} for key, told in said.items()},
        kinds=kinds,
    )


class OwlReading:
    """What a vocabulary declares, under names of ours: lower case, words joined by `_`."""

    def __init__(self, graph: OwlGraph) -> None:
        """Take the statements."""
        self.graph = graph
        self._subjects = sorted(
            each
            for each, kind in graph.kinds.items()
            if kind is TermKind.IRI and not rdf.is_own(each) and not self._is_gone(each)
        )

    @cached_property
    def properties(self) -> list[str]:
        """Return the addresses of properties, those of annotations left out."""
        graph = self.graph
        wanted = {*rdf.OBJECT_PROPERTIES, rdf.DATATYPE_PROPERTY, rdf.PROPERTY, rdf.FUNCTIONAL}
        return [
            each
            for each in self._subjects
            if (types := graph.types(each)) & wanted and rdf.ANNOTATION_PROPERTY not in types
        ]

    @cached_property
    def classes(self) -> list[str]:
        """Return the addresses of classes and concepts, those that are only named among them."""
        graph, known = self.graph, set(self.properties)
        declared = {
            each
            for each in self._subjects
            if graph.types(each) & {*rdf.CLASSES, rdf.CONCEPT} or self.parents(each)
        }
        named = {parent for each in declared for parent in self.parents(each)}
        for each in self.properties:
            named.update(graph.named(graph.all(each, *rdf.DOMAINS, *rdf.RANGES)))
        found = {
            each
            for each in declared | named
            if not rdf.is_own(each)
            and rdf.datatype_of(each) is None
            and each not in rdf.ANYTHINGS
            and not self._is_gone(each)
        }
        return sorted(found - known)

    @cached_property
    def class_names(self) -> dict[str, str]:
        """Return the names of classes by address; one that is only said to equal another has its.

        So `foaf:Organization` is no second organisation beside the one that equals it.
        """
        graph, equal = self.graph, dict[str, str]()
        for each in self.classes:
            if graph.types(each) & {*rdf.CLASSES, rdf.CONCEPT}:
                for other in graph.named(graph.all(each, rdf.EQUIVALENT)):
                    equal.setdefault(other, each)
        for each in self.classes:
            if graph.types(each):
                equal.pop(each, None)
        names = self._names([each for each in self.classes if each not in equal], taken={ANYTHING})
        return names | {other: names[each] for other, each in equal.items() if each in names}

    @cached_property
    def property_names(self) -> dict[str, str]:
        """Return the names of properties and relations by address."""
        return self._names(self.properties, taken=set())

    @cached_property
    def fillers(self) -> dict[str, tuple[list[str], list[str]]]:
        """Return for properties the classes that restrict them, and what they restrict them to."""
        graph = self.graph
        found: defaultdict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
        for each in self.classes:
            for term in graph.all(each, rdf.SUBCLASS, rdf.EQUIVALENT):
                for on in graph.all(term.value, rdf.ON_PROPERTY):
                    found[on.value][0].append(each)
                    found[on.value][1].extend(graph.named(graph.all(term.value, *rdf.FILLERS)))
        return dict(found)

    def parents(self, address: str) -> list[str]:
        """Return the addresses of wider classes."""
        terms = self.graph.all(address, rdf.SUBCLASS, rdf.BROADER)
        return [each for each in self.graph.named(terms) if each != address]

    def ends(self, address: str) -> tuple[list[str], list[str], Datatype | None]:
        """Return the names of a property's domain and range, and its datatype if it has values."""
        domain = self._stated(address, rdf.DOMAINS)
        spread = self._stated(address, rdf.RANGES)
        restricted = self.fillers.get(address, ([], []))
        datatypes = [kind for each in spread if (kind := rdf.datatype_of(each))]
        datatype = datatypes[0] if datatypes and len(datatypes) == len(spread) else None
        if datatype is None and rdf.DATATYPE_PROPERTY in self.graph.types(address):
            datatype = Datatype.TEXT
        return (
            self._class_names(domain or restricted[0]),
            self._class_names(spread or restricted[1]),
            datatype,
        )

    def members(self) -> dict[str, list[str]]:
        """Return what files say is of a class, by the class's name."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        others = {*self.class_names, *self.properties}
        for each in self._subjects:
            for kind in sorted(self.graph.types(each)) if each not in others else ():
                name = self.class_names.get(kind)
                if name and len(found[name]) < _MOST_MEMBERS:
                    spoken = [] if is_opaque(each) else [rdf.in_words(each)]
                    found[name] += (self.graph.labels(each) or spoken)[:3]
        return found

    def missing_imports(self) -> list[str]:
        """Return the addresses that the files import and that are none of theirs."""
        own = {each for each in self.graph.said if rdf.ONTOLOGY in self.graph.types(each)}
        wanted = {term.value for each in own for term in self.graph.all(each, rdf.IMPORTS)}
        return sorted(wanted - own)

    def _stated(self, address: str, predicates: Sequence[str]) -> list[str]:
        """Return a property's domain or range, else that of the nearest property above it."""
        at, seen = [address], {address}
        while at:
            found = [
                one for each in at for one in self.graph.named(self.graph.all(each, *predicates))
            ]
            if found:
                return found
            above = [term.value for each in at for term in self.graph.all(each, rdf.SUBPROPERTY)]
            at = [each for each in above if each not in seen]
            seen.update(at)
        return []

    def _class_names(self, addresses: Iterable[str]) -> list[str]:
        names = [self.class_names[each] for each in addresses if each in self.class_names]
        return list(dict.fromkeys(names)) or [ANYTHING]

    def _names(self, addresses: Sequence[str], *, taken: set[str]) -> dict[str, str]:
        """Return a name for each address; of two that would have one, the second is numbered."""
        found: dict[str, str] = {}
        for each in addresses:
            own = self._name(each)
            name = own
            for number in count(2):
                if name not in taken:
                    break
                name = f"{own[:60]}_{number}"
            taken.add(name)
            found[each] = name
        return found

    def _name(self, address: str) -> str:
        spoken = [] if is_opaque(address) else [rdf.in_words(address)]
        for phrase in [*spoken, *self.graph.labels(address), rdf.in_words(address)]:
            name = re.sub(r"[^a-z0-9]+", "_", phrase.casefold()).strip("_")[:64].rstrip("_")
            if name and phrase.isascii():
                return name if name[0].isalpha() else f"n{name}"[:64]
        return "named"

    def _is_gone(self, address: str) -> bool:
        return any(term.value in ("true", "1") for term in self.graph.all(address, rdf.DEPRECATED))


def is_opaque(address: str) -> bool:
    """Tell whether an address ends with a number instead of a word (`GO_0008150`, `P31`)."""
    return _OPAQUE.fullmatch(rdf.last_part(address)) is not None


def cues(phrases: Iterable[str]) -> list[str]:
    """Return the phrases that may state a relation between two names: not single nouns."""
    found = []
    for phrase in phrases:
        words = re.findall(r"[^\W_]+", phrase)
        is_verb = len(words) == 1 and words[0].endswith("ed")
        if is_verb or 2 <= len(words) <= _MOST_CUE_WORDS:
            found.append(phrase.casefold())
    return list(dict.fromkeys(found))


def _is_phrase(term: Term) -> bool:
    return (
        term.kind is TermKind.LITERAL
        and 0 < len(_plain(term.value)) <= _LONGEST_PHRASE
        and any(char.isalnum() for char in term.value)
    )


def _plain(text: str) -> str:
    return " ".join(text.split())


def _preference(language: str) -> tuple[int, str]:
    return (0 if language.startswith("en") else 1 if not language else 2, language)
