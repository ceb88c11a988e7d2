"""Local facts: what one passage teaches, whatever else there is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.domain.document import Span
from weft.domain.facts import DefinitionKind, LocalFacts, SpanReading
from weft.index.local_facts import local_facts
from weft.stores.packing import pack_facts, pack_terms, unpack_facts


def facts(title: str, text: str) -> LocalFacts:
    spans = [Span(start=found.start(), end=found.end()) for found in re.finditer(r"[^.]+\.?", text)]
    return local_facts(title, text, sentences=spans)


def keys(found: LocalFacts, reading: SpanReading) -> list[str]:
    return [row.key for row in found.spans if row.reading is reading]


def test_a_name_inside_a_sentence_always_counts() -> None:
    found = facts("", "He met the University of Oxford and Li Wei.")
    assert keys(found, SpanReading.ALWAYS) == [
        "university of oxford and li wei",
        "university of oxford",
        "li wei",
    ]


def test_a_name_that_begins_a_sentence_has_two_readings() -> None:
    found = facts("", "Yesterday Apollo failed.")
    assert keys(found, SpanReading.UNLESS_COMMON) == ["yesterday apollo"]
    assert keys(found, SpanReading.ONLY_IF_COMMON) == ["apollo"]
    assert {row.word0 for row in found.spans} == {"yesterday"}


def test_a_stop_word_at_the_start_leaves_the_shorter_reading_alone() -> None:
    found = facts("", "The Payments Team met.")
    assert [(row.key, row.reading) for row in found.spans] == [
        ("payments team", SpanReading.ALWAYS)
    ]


@pytest.mark.parametrize("text", ["It was 1998.", "It was March 2024.", "We saw 3 of 5."])
def test_numbers_and_dates_are_no_names(text: str) -> None:
    assert facts("", text).spans == ()


def test_definitions_are_title_subject_and_aliases() -> None:
    found = facts(
        "Mercury (planet)",
        "Robert Allen Zimmerman (born 24 May 1941), known as Bob Dylan, is a singer (RAZ).",
    )
    by_kind = {
        kind: [d.key for d in found.definitions if d.kind is kind] for kind in DefinitionKind
    }
    assert by_kind[DefinitionKind.TITLE] == ["mercury planet", "mercury"]
    assert by_kind[DefinitionKind.DEFINITION] == [
        "robert allen zimmerman",
        "robert zimmerman",
        "bob dylan",
        "raz",
    ]
    assert by_kind[DefinitionKind.FALLBACK][0] == "robert allen zimmerman"


def test_cases_count_lower_and_upper_apart() -> None:
    assert facts("", "Apple apple APPLE 12.").cases == (("apple", 1, 2),)


def test_the_title_is_in_terms_and_tokens_and_makes_no_span() -> None:
    found = facts("Apollo Runbook", "restart it")
    assert dict(found.terms) == {"apollo": 1, "runbook": 1, "restart": 1}
    assert [(t.word, t.sentence) for t in found.tokens][:2] == [("apollo", -1), ("runbook", -1)]
    assert found.spans == ()


def test_korean_is_counted_by_pairs_of_characters() -> None:
    assert dict(facts("", "서울에서").terms) == {"서울": 1, "울에": 1, "에서": 1}


@given(title=st.text(max_size=30), text=st.text(max_size=300))
def test_packing_loses_nothing(title: str, text: str) -> None:
    found = facts(title, text)
    assert unpack_facts(pack_facts(found), pack_terms(found)) == found
    assert found.length == sum(count for _, count in found.terms)


@given(title=st.text(max_size=30), text=st.text(max_size=300))
def test_the_same_passage_gives_the_same_facts(title: str, text: str) -> None:
    assert facts(title, text) == facts(title, text)
