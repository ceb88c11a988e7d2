"""Ontologies from YAML: checked where they enter, and named field by field when they are wrong."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from weft.domain.errors import BadInput
from weft.domain.ids import digest
from weft.ontology import baseline
from weft.ontology.schema import (
    ANYTHING,
    Certainty,
    EntityClass,
    Life,
    Mode,
    Ontology,
    Relation,
    spelt,
)

MAX_CHARACTERS = 1_000_000
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _listed(given: object) -> object:
    """Take `a, b, c` for a list, which keeps long lists of words readable."""
    if isinstance(given, str):
        return [part for item in given.split(",") if (part := " ".join(item.split()))]
    return given


Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
Phrase = Annotated[str, Field(min_length=1, max_length=120)]
Phrases = Annotated[list[Phrase], BeforeValidator(_listed), Field(default_factory=list)]
Names = Annotated[list[Name], BeforeValidator(_listed), Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=False, hide_input_in_errors=True)


class _Class(_Strict):
    description: str = ""
    aliases: Phrases
    keywords: Phrases
    endings: Phrases
    beginnings: Phrases
    before: Phrases
    after: Phrases
    members: Phrases
    literal: bool = False


class _Relation(_Strict):
    description: str = ""
    domain: Names
    range: Names
    aliases: Phrases
    cardinality: Literal["one_to_one", "one_to_many", "many_to_one", "many_to_many"] = (
        "many_to_many"
    )
    functional: bool = False
    cues: Phrases
    inverse_cues: Phrases
    before_object: Phrases
    fields: Phrases
    certainty: Certainty = Certainty.MEDIUM
    life: Life | None = None


class _File(_Strict):
    name: Annotated[str, Field(min_length=1, max_length=120)]
    mode: Mode = Mode.OPEN
    classes: dict[Name, _Class]
    relations: dict[Name, _Relation] = Field(default_factory=dict)


@functools.cache
def load_baseline() -> Ontology:
    """Return the ontology that comes with the product, read once."""
    return parse(baseline.text(), name=baseline.NAME)


def load(path: Path) -> Ontology:
    """Return the ontology of a YAML file, or raise `BadInput` naming the file and the field."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The ontology {path} cannot be read: {error}", path=str(path)) from error
    return parse(text, name=path.name)


def parse(text: str, *, name: str) -> Ontology:
    """Return the ontology that a YAML text holds; `name` is what errors call the text."""
    if len(text) > MAX_CHARACTERS:
        raise BadInput(f"{name} is longer than {MAX_CHARACTERS} characters")
    try:
        _refuse_aliases(text, name)
        file = _File.model_validate(yaml.load(text, Loader=_Loader))  # noqa: S506 - a safe loader
    except yaml.YAMLError as error:
        raise BadInput(f"{name} is not valid YAML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the document"
        raise BadInput(f"{name}: {field}: {first['msg']}", field=field) from error
    _check_classes(file, name)
    return _ontology(file, fingerprint=digest(text))


def _refuse_aliases(text: str, name: str) -> None:
    """Refuse YAML references: a few nested ones can unfold to any size."""
    if "*" in text and any(
        isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=_Loader)
    ):
        raise BadInput(f"{name}: references (*name) are not allowed")


def _check_classes(file: _File, name: str) -> None:
    for relation, given in file.relations.items():
        for field, classes in (("domain", given.domain), ("range", given.range)):
            for each in classes:
                if each not in file.classes and each != ANYTHING:
                    place = f"relations.{relation}.{field}"
                    raise BadInput(f"{name}: {place}: there is no class '{each}'", field=place)


def _ontology(file: _File, *, fingerprint: str) -> Ontology:
    classes = tuple(_entity_class(name, given) for name, given in file.classes.items())
    relations = tuple(_relation(name, given) for name, given in file.relations.items())
    class_names = {spelt(alias): each for each in classes for alias in each.aliases}
    relation_names = {
        spelt(alias): each for each in relations for alias in (*each.aliases, *each.fields)
    }
    return Ontology(
        name=file.name,
        fingerprint=fingerprint,
        mode=file.mode,
        classes=classes,
        relations=relations,
        class_names=class_names | {spelt(each.name): each for each in classes},
        relation_names=relation_names | {spelt(each.name): each for each in relations},
    )


def _entity_class(name: str, given: _Class) -> EntityClass:
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
    )


def _relation(name: str, given: _Relation) -> Relation:
    return Relation(
        name=name,
        description=given.description,
        domain=frozenset(given.domain),
        range=frozenset(given.range),
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


def _folded(phrases: list[str]) -> frozenset[str]:
    return frozenset(phrase.casefold() for phrase in phrases)
