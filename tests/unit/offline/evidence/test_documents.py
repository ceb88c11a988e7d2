from __future__ import annotations

from dataclasses import replace

import pytest

from hopping_world import hit
from weft.domain.ids import ChunkId
from weft.offline.chains.fields import best_saying, field_saying
from weft.offline.chains.persons import names_of_people
from weft.offline.evidence.documents import Sheet, pairs_of, sheets_of, values_of
from weft.offline.question.things import things


def sheet(title: str, text: str, *, uri: str = "") -> Sheet:
    """Return a document of one passage."""
    made = hit(title, text)
    return Sheet(hits=(replace(made, evidence=replace(made.evidence, uri=uri)),))


CHARTER = sheet(
    "Coast: charter",
    "# Coast: charter\n\n- **Lead:** Ann Oak\n- **Where:** Aarhus\n- **Channel:** #coast\n\n"
    "Bo Elm is the deputy and paints the ships himself.",
    uri="file:///docs/teams/coast.md",
)
TICKET = sheet(
    "FOG-1: Lamps too dark",
    "# FOG-1: Lamps too dark\n\n**Reporter:** Cy Fir · **Component:** lighthouse\n\n"
    "**Bo Elm, 3 May, 9:15.** New lamps were put in.\n\n"
    "**Cy Fir, 4 May.** Thank you.",
    uri="file:///docs/tickets/FOG-1.md",
)


def test_fields_are_read_from_lines_rows_and_heads() -> None:
    assert list(pairs_of("**Owner:** Coast (before: Data) · **Tier:** 2")) == [
        ("Owner", "Coast (before: Data)"),
        ("Tier", "2"),
    ]
    assert list(pairs_of("- **담당 팀:** 등대팀")) == [("담당 팀", "등대팀")]
    assert list(pairs_of("It runs on two sites.")) == []
    assert values_of("Coast (before: Data)") == ("Coast",)
    assert values_of("lighthouse, buoy") == ("lighthouse", "buoy")


def test_a_document_is_of_a_kind_by_its_folder_or_title_and_has_a_name() -> None:
    kinds = things().kinds
    assert CHARTER.is_of(kinds["team"])
    assert not CHARTER.is_of(kinds["service"])
    assert CHARTER.name_as(kinds["team"]) == "Coast"
    assert TICKET.is_of(kinds["ticket"])
    assert TICKET.name_as(kinds["ticket"]) == "FOG-1"
    korean = sheet("등대팀 소개", "- **팀장:** 김하나")
    assert korean.is_of(kinds["team"])
    assert korean.name_as(kinds["team"]) == "등대팀"


def test_passages_of_one_document_make_one_sheet() -> None:
    first = hit("A", "One.")
    second = replace(first, evidence=replace(first.evidence, chunk_id=ChunkId("A2")))
    assert [len(one.hits) for one in sheets_of([first, hit("B", "Two."), second, first])] == [2, 1]


def test_a_comment_is_read_and_no_signature_alone() -> None:
    said = [one.text for one in TICKET.sentences]
    assert "New lamps were put in." in said
    assert not any("Bo Elm, 3 May" in text for text in said)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who leads Coast?", "**Lead:** Ann Oak"),
        ("In which town does Coast work?", "**Where:** Aarhus"),
        ("Which channel belongs to Coast?", "**Channel:** #coast"),
    ],
)
def test_a_field_answers_by_role_by_kind_or_by_its_key(question: str, expected: str) -> None:
    found = field_saying(question, "Coast", sheets=[CHARTER])
    assert found is not None
    assert found.text == expected


def test_what_no_field_says_is_left_to_the_sentences() -> None:
    assert field_saying("Who is the deputy in Coast?", "Coast", sheets=[CHARTER]) is None
    found = best_saying("Who paints ships in Coast?", "Coast", sheets=[CHARTER], terms=())
    assert found is not None
    assert found.text.startswith("Bo Elm")
    assert best_saying("Who sank Coast?", "Coast", sheets=[CHARTER], terms=()) is None


def test_names_of_people_are_found_in_fields_and_sentences() -> None:
    assert next(names_of_people("**Reporter:** Cy Fir · **Tier:** 2", frozenset())) == "Cy Fir"
    assert list(names_of_people("On 3 May 2021 Ann Oak met Bo Elm.", frozenset({"bo"}))) == [
        "Ann Oak"
    ]
