"""Ontologies are found by name: those of the workspace before those that are shipped."""

from pathlib import Path

import pytest

from weft.domain.errors import BadInput
from weft.ontology import shipped
from weft.ontology.checking import doubts
from weft.ontology.collection import Ontologies, name_of
from weft.ontology.schema import Datatype

OWN = """
name: harbour
extends: baseline
mode: strict
classes:
  crane: {parents: product, keywords: crane}
  person: {keywords: pilot}
properties:
  load: {domain: crane, datatype: number, fields: maximum load, functional: true}
relations:
  steered_by: {domain: crane, range: person, cues: steered by}
"""


def test_every_shipped_ontology_can_be_used() -> None:
    known = Ontologies()
    assert known.names() == sorted(shipped.NAMES)
    for name in known.names():
        ontology = known.named(name)
        assert ontology.name == name
        assert known.reference(name) == f"{name}@{ontology.fingerprint[:12]}"
        assert all(each.description for each in ontology.classes), name
        assert all(each.description for each in ontology.relations), name
        unled = [one for one in doubts(ontology) if "leads to it" in one]
        assert not unled, name
    assert not doubts(known.named("baseline"))
    assert not doubts(known.named("tracing"))


def test_what_is_extended_holds_too(tmp_path: Path) -> None:
    (tmp_path / "harbour.yaml").write_text(OWN, encoding="utf-8")
    harbour = Ontologies(tmp_path).named("harbour")
    crane, load = harbour.entity_class("crane"), harbour.relation("maximum load")
    assert crane is not None
    assert harbour.ancestors("crane") == {"crane", "product"}
    assert load is not None
    assert (load.datatype, load.range) == (Datatype.NUMBER, frozenset({"amount"}))
    person = harbour.entity_class("사람")
    assert person is not None
    assert {"pilot", "singer"} <= person.keywords
    owned = harbour.relation("owned_by")
    assert owned is not None
    assert owned.joins("crane", "organization")


def test_a_changed_file_is_another_version(tmp_path: Path) -> None:
    known = Ontologies(tmp_path)
    (tmp_path / "a.yaml").write_text("name: a\nextends: b\n", encoding="utf-8")
    (tmp_path / "b.yaml").write_text("name: b\nclasses: {x: {}}\n", encoding="utf-8")
    before, same = known.reference("a"), known.named("a")
    assert known.named("a") is same
    (tmp_path / "b.yaml").write_text("name: b\nclasses: {y: {}}\n", encoding="utf-8")
    assert known.reference("a") != before
    assert known.named("a").entity_class("y") is not None


def test_the_workspace_may_add_to_a_shipped_one_under_its_name(tmp_path: Path) -> None:
    text = "name: baseline\nextends: baseline\nclasses: {crane: {keywords: crane}}\n"
    (tmp_path / "baseline.yaml").write_text(text, encoding="utf-8")
    known = Ontologies(tmp_path)
    assert known.is_own("baseline")
    own = known.named("baseline")
    assert own.entity_class("crane") is not None
    assert own.entity_class("person") is not None
    assert known.reference("baseline") != Ontologies().reference("baseline")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: a\nextends: a\n", "extends"),
        ("name: a\nextends: ../b\n", "no name"),
        ("name: a\nextends: nobody\n", "nobody"),
        ("name: a\nclasses: {x: {parents: y}, y: {parents: x}}\n", "wider than itself"),
        ("name: a\nclasses: {x: {parents: z}}\n", "no class 'z'"),
        ("name: a\nclasses: {x: {}}\nproperties: {p: {domain: q}}\n", r"properties\.p\.domain"),
        (
            "name: a\nclasses: {x: {}}\nproperties: {p: {domain: x}}\n"
            "relations: {p: {domain: x, range: x}}\n",
            "relation of that name",
        ),
        ("name: a\nclasses: {x: {keywords: on}}\n", "quotes"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=said):
        Ontologies(tmp_path).named("a")


@pytest.mark.parametrize("name", ["nobody", "../baseline", "", "a" * 100])
def test_names_that_lead_nowhere_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match="There are: baseline"):
        Ontologies(tmp_path).text(name)


def test_a_base_from_before_there_were_others_has_the_baseline() -> None:
    assert name_of({}) == "baseline"
    assert name_of({"ontology": "finance@0123456789ab"}) == "finance"
