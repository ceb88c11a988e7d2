"""An ontology is checked where it enters; what is wrong is named."""

from pathlib import Path

import pytest

from weft.domain.errors import BadInput
from weft.ontology.catalog import load, load_baseline, parse
from weft.ontology.schema import Mode

SMALL = """
name: small
mode: strict
classes:
  robot: {aliases: "machine, droid", keywords: [robot]}
  part: {}
relations:
  has_part: {domain: robot, range: [part], cues: "has a, is made of", functional: true}
"""


def test_a_file_becomes_an_ontology(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(SMALL, encoding="utf-8")
    small = load(path)
    assert (small.name, small.mode) == ("small", Mode.STRICT)
    assert small.class_names["droid"].keywords == frozenset({"robot"})
    relation = small.relation("has part")
    assert relation is not None
    assert relation.cues == ("has a", "is made of")
    assert relation.functional


def test_the_fingerprint_is_that_of_the_content() -> None:
    assert parse(SMALL, name="a").fingerprint == parse(SMALL, name="b").fingerprint
    assert parse(SMALL + "\n", name="a").fingerprint != parse(SMALL, name="a").fingerprint


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("mode: strict", "mode: sometimes"), "mode"),
        (("functional: true", "functional: perhaps"), "relations.has_part.functional"),
        (("domain: robot", "domain: ghost"), "relations.has_part.domain"),
        (("keywords: [robot]", "colour: red"), "classes.robot.colour"),
        (("has_part: {", "Has-Part: {"), "relations.Has-Part"),
    ],
)
def test_what_is_wrong_is_named_by_file_and_field(change: tuple[str, str], named: str) -> None:
    with pytest.raises(BadInput, match=rf"small\.yaml: .*{named}"):
        parse(SMALL.replace(*change), name="small.yaml")


@pytest.mark.parametrize("text", ["a: [", "- a\n- b", "", "a: &x [1]\nb: [*x, *x]", "!!python/x 1"])
def test_what_is_no_ontology_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        parse(text, name="bad.yaml")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"missing\.yaml"):
        load(tmp_path / "missing.yaml")


def test_the_baseline_has_what_documents_speak_of() -> None:
    baseline = load_baseline()
    assert baseline is load_baseline()
    names = {each.name for each in baseline.classes}
    assert {"person", "organization", "place", "date", "amount", "identifier", "license"} <= names
    assert {each.name for each in baseline.classes if each.literal} == {
        "date",
        "amount",
        "identifier",
    }
    assert all(
        each.cues or each.inverse_cues or each.fields or each.aliases for each in baseline.relations
    )
