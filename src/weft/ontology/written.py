"""An ontology as it is written in YAML: checked where it enters, and joined to what it extends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from weft.domain.errors import BadInput
from weft.ontology.schema import ANYTHING, Certainty, Datatype, Life, Mode

MAX_CHARACTERS = 2_000_000
NAME_PATTERN = r"^[a-z][a-z0-9_]*$"
_MOST_ENTRIES = 5_000
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _listed(given: object) -> object:
    """Take `a, b, c` for a list, which keeps long lists of words readable."""
    if isinstance(given, bool):
        raise ValueError("YAML takes on, off, yes and no for true and false: put them in quotes")
    if isinstance(given, str):
        return [part for item in given.split(",") if (part := " ".join(item.split()))]
    return given


Name = Annotated[str, Field(pattern=NAME_PATTERN, max_length=64)]
Phrase = Annotated[str, Field(min_length=1, max_length=120)]
Phrases = Annotated[list[Phrase], BeforeValidator(_listed), Field(default_factory=list)]
SomeNames = Annotated[list[Name], BeforeValidator(_listed), Field(default_factory=list)]
Names = Annotated[list[Name], BeforeValidator(_listed), Field(min_length=1)]
Cardinality = Literal["one_to_one", "one_to_many", "many_to_one", "many_to_many"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=False, hide_input_in_errors=True)


class WrittenClass(_Strict):
    """A class of things and its hints; `parents` are the classes that are wider."""

    description: str = ""
    parents: SomeNames
    aliases: Phrases
    keywords: Phrases
    endings: Phrases
    beginnings: Phrases
    before: Phrases
    after: Phrases
    members: Phrases
    literal: bool = False


class WrittenProperty(_Strict):
    """A property: a relation to values of one datatype."""

    description: str = ""
    domain: Names
    datatype: Datatype = Datatype.TEXT
    aliases: Phrases
    functional: bool = False
    cues: Phrases
    before_object: Phrases
    fields: Phrases
    certainty: Certainty = Certainty.MEDIUM


class WrittenRelation(_Strict):
    """A relation between things, and the words that state it."""

    description: str = ""
    domain: Names
    range: Names
    aliases: Phrases
    cardinality: Cardinality = "many_to_many"
    functional: bool = False
    cues: Phrases
    inverse_cues: Phrases
    before_object: Phrases
    fields: Phrases
    certainty: Certainty = Certainty.MEDIUM
    life: Life | None = None


class WrittenOntology(_Strict):
    """A whole file; what it `extends` is another ontology by name, all of which holds here too."""

    name: Annotated[str, Field(min_length=1, max_length=120)]
    extends: Annotated[str, Field(max_length=64)] = ""
    mode: Mode = Mode.OPEN
    classes: Annotated[dict[Name, WrittenClass], Field(max_length=_MOST_ENTRIES)] = Field(
        default_factory=dict
    )
    properties: Annotated[dict[Name, WrittenProperty], Field(max_length=_MOST_ENTRIES)] = Field(
        default_factory=dict
    )
    relations: Annotated[dict[Name, WrittenRelation], Field(max_length=_MOST_ENTRIES)] = Field(
        default_factory=dict
    )


Entry = TypeVar("Entry", WrittenClass, WrittenProperty, WrittenRelation)


def written(text: str, *, name: str) -> WrittenOntology:
    """Return what a YAML text says; raises `BadInput` with `name` and the field that is wrong."""
    if len(text) > MAX_CHARACTERS:
        raise BadInput(f"{name} is longer than {MAX_CHARACTERS} characters")
    try:
        _refuse_references(text, name)
        return WrittenOntology.model_validate(yaml.load(text, Loader=_Loader))  # noqa: S506 - a safe loader
    except yaml.YAMLError as error:
        raise BadInput(f"{name} is not valid YAML: {error}") from error
    except RecursionError as error:
        raise BadInput(f"{name} is nested too deeply") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the document"
        raise BadInput(f"{name}: {field}: {first['msg']}", field=field) from error


def _refuse_references(text: str, name: str) -> None:
    """Refuse YAML references: a few nested ones can unfold to any size."""
    if "*" in text and any(
        isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=_Loader)
    ):
        raise BadInput(f"{name}: references (*name) are not allowed")


def joined(own: WrittenOntology, base: WrittenOntology) -> WrittenOntology:
    """Return an ontology with all of the one that it extends.

    Its own come first, so that its words win. What both have is one: words of both, and of all
    else what the file itself says.
    """
    return own.model_copy(
        update={
            "classes": _joined(own.classes, base.classes),
            "properties": _joined(own.properties, base.properties),
            "relations": _joined(own.relations, base.relations),
        }
    )


def _joined(own: Mapping[str, Entry], base: Mapping[str, Entry]) -> dict[str, Entry]:
    both = {name: _one(entry, base[name]) for name, entry in own.items() if name in base}
    return {**own, **both, **{name: base[name] for name in base if name not in own}}


def _one(own: Entry, base: Entry) -> Entry:
    said: dict[str, object] = {}
    for field in type(own).model_fields:
        mine: Any = getattr(own, field)
        theirs: Any = getattr(base, field)
        if isinstance(mine, list):
            said[field] = list(dict.fromkeys([*mine, *theirs]))
        else:
            said[field] = mine if field in own.model_fields_set else theirs
    return own.model_copy(update=said)


def check_names(file: WrittenOntology, name: str) -> None:
    """Raise `BadInput` for a class that is not there, or that is wider than itself."""
    for each, entry in file.classes.items():
        _check(entry.parents, f"classes.{each}.parents", file=file, name=name)
    for each, said in file.properties.items():
        _check(said.domain, f"properties.{each}.domain", file=file, name=name)
        if each in file.relations:
            raise BadInput(f"{name}: properties.{each}: there is a relation of that name")
    for each, given in file.relations.items():
        _check(given.domain, f"relations.{each}.domain", file=file, name=name)
        _check(given.range, f"relations.{each}.range", file=file, name=name)
    _refuse_ring(file, name)


def _check(classes: list[str], place: str, *, file: WrittenOntology, name: str) -> None:
    for each in classes:
        if each not in file.classes and each != ANYTHING:
            raise BadInput(f"{name}: {place}: there is no class '{each}'", field=place)


def _refuse_ring(file: WrittenOntology, name: str) -> None:
    """Take the classes away whose parents are gone; what is left goes round in a ring."""
    left = {each: set(entry.parents) - {ANYTHING} for each, entry in file.classes.items()}
    while left:
        free = {each for each, parents in left.items() if not parents}
        if not free:
            first = min(left)
            raise BadInput(
                f"{name}: classes.{first}.parents: '{first}' is wider than itself", field=first
            )
        left = {each: parents - free for each, parents in left.items() if each not in free}


def narrower(file: WrittenOntology) -> dict[str, frozenset[str]]:
    """Return for each class itself and all classes that are narrower."""
    children: dict[str, list[str]] = {}
    for each, entry in file.classes.items():
        for parent in entry.parents:
            children.setdefault(parent, []).append(each)
    found: dict[str, frozenset[str]] = {}
    for each in file.classes:
        below, left = {each}, [each]
        while left:
            new = [one for one in children.get(left.pop(), []) if one not in below]
            below.update(new)
            left += new
        found[each] = frozenset(below)
    return found
