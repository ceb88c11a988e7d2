"""Vocabularies of others brought in: OWL, RDFS and SKOS written down as YAML of ours."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import yaml

from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.ontology import rdf_words as rdf
from weft.ontology.owl import OwlReading, cues, graph_of
from weft.ontology.schema import Mode
from weft.ontology.written import MAX_CHARACTERS, WrittenOntology
from weft.ports.files.rdf import RdfStatement

_MOST_KEYWORDS = 3
_TEXT_WIDTH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A vocabulary in YAML; `missing` are the imports that were not among the files."""

    text: str
    classes: int
    properties: int
    relations: int
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """What an import is to be called, which ontology it extends, and how it binds.

    `base` is all that the extended one says, with what it extends itself.
    """

    name: str
    mode: Mode = Mode.OPEN
    extends: str = ""
    base: WrittenOntology | None = None


def imported(statements: Iterable[RdfStatement], request: ImportRequest) -> Imported:
    """Return the YAML of a vocabulary; raises `BadInput` where it declares nothing."""
    reading = OwlReading(graph_of(statements))
    classes = _classes(reading)
    values, relations = _properties(reading, taken=_taken(request.base))
    if not classes and not values and not relations:
        raise BadInput("The files declare no class, no concept and no property.")
    head: dict[str, object] = {"name": request.name, "mode": request.mode.value}
    if request.extends:
        head["extends"] = request.extends
    body = {"classes": classes, "properties": values, "relations": relations}
    text = yaml.safe_dump(
        {**head, **{key: part for key, part in body.items() if part}},
        allow_unicode=True,
        sort_keys=False,
        width=_TEXT_WIDTH,
    )
    if len(text) > MAX_CHARACTERS:
        raise BadInput(f"The vocabulary has more than {MAX_CHARACTERS} characters.")
    return Imported(
        text=text,
        classes=len(classes),
        properties=len(values),
        relations=len(relations),
        missing=tuple(reading.missing_imports()),
    )


def _taken(base: WrittenOntology | None) -> tuple[Collection[str], Collection[str]]:
    """Return the names of the relations and of the properties that are there already."""
    return ((), ()) if base is None else (base.relations, base.properties)


def _classes(reading: OwlReading) -> dict[str, dict[str, object]]:
    graph, members = reading.graph, reading.members()
    wider = _without_rings(
        {
            name: [
                reading.class_names[one]
                for one in reading.parents(address)
                if one in reading.class_names
            ]
            for address, name in reversed(reading.class_names.items())
        }
    )
    made: dict[str, dict[str, object]] = {}
    for address, name in reading.class_names.items():
        if name in made:  # the same under another address
            continue
        aliases = graph.aliases(address)
        made[name] = _filled(
            description=graph.description(address),
            parents=wider[name],
            aliases=[each for each in aliases if each != name],
            keywords=[each for each in aliases if len(each.split()) == 1],
            before=[each for each in aliases if 1 < len(each.split()) <= _MOST_KEYWORDS],
            members=members.get(name, []),
        )
    return made


def _without_rings(wider: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return the parents of classes without those that lead back: OWL lets classes be equal so."""
    kept: dict[str, list[str]] = {name: [] for name in wider}

    def leads_to(start: str, end: str) -> bool:
        left, seen = [start], {start}
        while left:
            at = left.pop()
            if at == end:
                return True
            new = [one for one in kept[at] if one not in seen]
            seen.update(new)
            left += new
        return False

    for name, parents in wider.items():
        for parent in dict.fromkeys(parents):
            if parent != name and not leads_to(parent, name):
                kept[name].append(parent)
    return kept


def _properties(
    reading: OwlReading, *, taken: tuple[Collection[str], Collection[str]]
) -> tuple[dict[str, dict[str, object]], dict[str, dict[str, object]]]:
    graph = reading.graph
    values: dict[str, dict[str, object]] = {}
    relations: dict[str, dict[str, object]] = {}
    inverse = _inverses(reading)
    for address, own in reading.property_names.items():
        domain, spread, datatype = reading.ends(address)
        types, aliases = graph.types(address), graph.aliases(address)
        functional = rdf.FUNCTIONAL in types
        name = f"{own[:58]}_value" if datatype and own in taken[0] else own
        name = f"{own[:58]}_thing" if not datatype and own in taken[1] else name
        said = _filled(
            description=graph.description(address),
            domain=domain,
            aliases=[each for each in aliases if each != name],
            functional=functional,
        )
        if datatype is not None:
            values[name] = {**said, "datatype": datatype.value}
            continue
        relations[name] = {
            **said,
            "range": spread,
            "cardinality": _cardinality(functional, rdf.INVERSE_FUNCTIONAL in types),
            **_filled(
                cues=cues(aliases),
                inverse_cues=[one for each in inverse.get(address, []) for one in cues(each)],
            ),
            "certainty": "low",
        }
    return values, relations


def _inverses(reading: OwlReading) -> dict[str, list[list[str]]]:
    """Return for each relation the names of those that say the same the other way round."""
    found: dict[str, list[list[str]]] = {}
    for address in reading.properties:
        for other in reading.graph.named(reading.graph.all(address, rdf.INVERSE)):
            found.setdefault(address, []).append(reading.graph.aliases(other))
            found.setdefault(other, []).append(reading.graph.aliases(address))
    return found


def _cardinality(functional: bool, inverse_functional: bool) -> str:
    left = "one" if inverse_functional else "many"
    return f"{left}_to_{'one' if functional else 'many'}"


def _filled(**parts: object) -> dict[str, object]:
    """Return what says something."""
    return {key: part for key, part in parts.items() if part}
