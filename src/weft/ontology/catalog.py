"""Ontologies from YAML, and those that a process knows by name: the shipped ones and its own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from weft.domain.errors import BadInput
from weft.domain.ids import digest
from weft.ontology import shipped
from weft.ontology.schema import (
    EntityClass,
    Ontology,
    Relation,
    spelt,
)
from weft.ontology.written import (
    WrittenClass,
    WrittenOntology,
    WrittenProperty,
    WrittenRelation,
    check_names,
    joined,
    narrower,
    written,
)

_DEEPEST = 5

Text = Callable[[str], str]
Named = TypeVar("Named", EntityClass, Relation)


@functools.cache
def load_baseline() -> Ontology:
    """Return the ontology that documents are read by where nobody names another."""
    return parse(shipped.text(), name=shipped.BASELINE)


def load(path: Path) -> Ontology:
    """Return the ontology of a YAML file, or raise `BadInput` naming the file and the field."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The ontology {path} cannot be read: {error}", path=str(path)) from error
    return parse(text, name=path.name)


def parse(text: str, *, name: str, of: Text | None = None) -> Ontology:
    """Return the ontology that a YAML text holds; `name` is what errors call the text.

    `of` gives the text of an ontology that another one extends; the shipped ones by default.
    """
    file, texts = _whole(text, name, of=of or shipped_text)
    check_names(file, name)
    return _ontology(file, fingerprint=digest(*texts))


def whole(text: str, *, name: str, of: Text | None = None) -> WrittenOntology:
    """Return what a YAML text says, with all that it extends."""
    return _whole(text, name, of=of or shipped_text)[0]


def _whole(text: str, name: str, *, of: Text) -> tuple[WrittenOntology, list[str]]:
    own = written(text, name=name)
    texts, file = [text], own
    for _ in range(_DEEPEST):
        if not own.extends:
            return file, texts
        texts.append(of(own.extends))
        own = written(texts[-1], name=own.extends)
        file = joined(file, own)
    raise BadInput(f"{name}: extends: more than {_DEEPEST} extend each other", field="extends")


def shipped_text(name: str) -> str:
    """Return the text of a shipped ontology, or raise `BadInput` where there is none."""
    if name not in shipped.NAMES:
        known = ", ".join(shipped.NAMES)
        raise BadInput(f"There is no ontology '{name[:100]}', only {known}.", name=name[:100])
    return shipped.text(name)


def _ontology(file: WrittenOntology, *, fingerprint: str) -> Ontology:
    below = narrower(file)
    classes = tuple(_entity_class(name, given) for name, given in file.classes.items())
    literal = {each.name for each in classes if each.literal}
    relations = (
        *(_relation(name, given, below=below) for name, given in file.relations.items()),
        *(
            _property(name, given, below=below, literal=literal)
            for name, given in file.properties.items()
        ),
    )
    return Ontology(
        name=file.name,
        fingerprint=fingerprint,
        mode=file.mode,
        classes=classes,
        relations=relations,
        class_names=_by_name((each, each.aliases) for each in classes),
        relation_names=_by_name((each, (*each.aliases, *each.fields)) for each in relations),
    )


def _by_name(entries: Iterable[tuple[Named, Iterable[str]]]) -> dict[str, Named]:
    """Return things by every name: its own before another's alias, the first before the next."""
    listed = list(entries)
    found = {spelt(each.name): each for each, _ in reversed(listed)}
    for each, aliases in listed:
        for alias in aliases:
            found.setdefault(spelt(alias), each)
    return found


def _entity_class(name: str, given: WrittenClass) -> EntityClass:
    return EntityClass(
        name=name,
        description=given.description,
        aliases=tuple(given.aliases),
        keywords=_folded(given.keywords),
        endings=_folded(given.endings),
        beginnings=_folded(given.beginnings),
        before=_folded(given.before),
        after=_folded(given.after),
        members=tuple(given.members),
        literal=given.literal,
        parents=tuple(given.parents),
    )


def _relation(
    name: str, given: WrittenRelation, *, below: Mapping[str, frozenset[str]]
) -> Relation:
    return Relation(
        name=name,
        description=given.description,
        domain=_spread(given.domain, below),
        range=_spread(given.range, below),
        stated=(frozenset(given.domain), frozenset(given.range)),
        aliases=tuple(given.aliases),
        cardinality=given.cardinality,
        functional=given.functional,
        cues=tuple(cue.casefold() for cue in given.cues),
        inverse_cues=tuple(cue.casefold() for cue in given.inverse_cues),
        before_object=_folded(given.before_object),
        fields=tuple(given.fields),
        certainty=given.certainty,
        life=given.life,
    )


def _property(
    name: str,
    given: WrittenProperty,
    *,
    below: Mapping[str, frozenset[str]],
    literal: Iterable[str],
) -> Relation:
    return Relation(
        name=name,
        description=given.description,
        domain=_spread(given.domain, below),
        range=frozenset({given.datatype.literal}).intersection(literal),
        stated=(frozenset(given.domain), frozenset()),
        datatype=given.datatype,
        aliases=tuple(given.aliases),
        cardinality="many_to_one" if given.functional else "many_to_many",
        functional=given.functional,
        cues=tuple(cue.casefold() for cue in given.cues),
        before_object=_folded(given.before_object),
        fields=tuple(given.fields),
        certainty=given.certainty,
    )


def _spread(classes: Iterable[str], below: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return classes with all that are narrower: what is true of a class is true of those."""
    return frozenset().union(*(below.get(each, frozenset({each})) for each in classes))


def _folded(phrases: list[str]) -> frozenset[str]:
    return frozenset(phrase.casefold() for phrase in phrases)
