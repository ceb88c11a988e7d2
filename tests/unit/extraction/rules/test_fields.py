"""Labels in bold are fields as `Key: value` lines are."""

import pytest

from weft.extraction.rules.fields import fields, names
from weft.ontology.catalog import load_baseline


def read(text: str) -> list[tuple[str, str, list[str]]]:
    """Return the fields of a text, with the names that they list."""
    found = fields(text, load_baseline())
    for each in found:
        assert text[each.value_start : each.value_start + len(each.value)] == each.value
    return [
        (each.key, each.value, [text[one.start : one.end] for one in names(each)]) for each in found
    ]


def test_bold_labels_are_fields() -> None:
    assert read("**Owner:** Portal · **Repository**: a/b · **Tier:** 2") == [
        ("Owner", "Portal", ["Portal"]),
        ("Repository", "a/b", []),
        ("Tier", "2", []),
    ]
    assert read("- **Lead:** [Mira Okafor](people/mira.md)") == [
        ("Lead", "[Mira Okafor](people/mira.md)", ["Mira Okafor"])
    ]


@pytest.mark.parametrize(
    "text",
    ["**Note:** mind the step", "a ** b: ** c", "**Owner:**", "**:** x", "| **Owner:** | Portal |"],
)
def test_what_nobody_asks_for_is_prose(text: str) -> None:
    assert read(text) == []


def test_what_a_package_needs_is_named_without_versions() -> None:
    assert read("Requires: numpy (>=1.21)") == [("Requires", "numpy (>=1.21)", ["numpy"])]
    assert read("Requires: numpy, scipy")[0][2] == ["numpy", "scipy"]
