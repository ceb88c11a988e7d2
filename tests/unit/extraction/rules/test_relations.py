"""A claim is made only where a verb phrase, a date pattern or a field line says so."""

import pytest

from weft.domain.claim import Claim, Method
from weft.domain.document import Chunk
from weft.domain.ids import ChunkId, DocumentId
from weft.extraction.rules.columns import claims_from_columns
from weft.extraction.rules.mentions import mentions
from weft.extraction.rules.relations import claims
from weft.ontology.catalog import load_baseline


def chunk(text: str, start: int = 0) -> Chunk:
    return Chunk(
        id=ChunkId("c"), document_id=DocumentId("file:s/a"), chunk_index=0, text=text,
        start=start, end=start + len(text),
    )  # fmt: skip


def stated(text: str, title: str = "") -> list[Claim]:
    chunks = [chunk(text)]
    said = mentions(chunks, load_baseline(), text=text, title=title)
    return claims(chunks, said, ontology=load_baseline(), title=title)


def triples(text: str, title: str = "") -> set[tuple[str, str, str]]:
    return {
        (each.subject_name, each.predicate, str(each.object_name or each.value))
        for each in stated(text, title)
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Karl Schneider (born 13 March 1963 in Springfield) is a German racer.",
            {
                ("karl schneider", "born_on", "13 march 1963"),
                ("karl schneider", "born_in", "springfield"),
            },
        ),
        (
            "Claude Monet (14 November 1840 – 5 December 1926) was a French painter.",
            {
                ("claude monet", "born_on", "14 november 1840"),
                ("claude monet", "died_on", "5 december 1926"),
            },
        ),
        (
            "SpaceX was founded by Elon Musk in 2002.",
            {("spacex", "founded_by", "elon musk"), ("spacex", "founded_in", "2002")},
        ),
        (
            "Inception is a 2010 film directed by Christopher Nolan.",
            {("inception", "directed_by", "christopher nolan")},
        ),
        (
            "Fight Hub is a film written by Alice Munro and Bob Kessler.",
            {
                ("fight hub", "written_by", "alice munro"),
                ("fight hub", "written_by", "bob kessler"),
            },
        ),
        ("Microsoft acquired Acme Inc in 2018.", {("acme inc", "acquired_by", "microsoft")}),
        ("John Smith married Mary Jones.", {("john smith", "married_to", "mary jones")}),
        ("NumPy depends on Python.", {("numpy", "depends_on", "python")}),
        ("Google was not acquired by Microsoft.", set()),
        ("Google may be acquired by Microsoft.", set()),
        ("Alice Munro of Norway met Bob Kessler in Paris.", set()),
        ("김철수 교수는 서울대학교를 졸업했다.", {("김철수", "studied_at", "서울대학교")}),
        ("삼성전자는 1969년에 설립되었다.", {("삼성전자", "founded_in", "1969년")}),
        ("네이버는 카카오를 인수했다.", {("카카오", "acquired_by", "네이버")}),
        ("카카오를 네이버가 인수했다.", {("카카오", "acquired_by", "네이버")}),
    ],
)
def test_what_a_sentence_states(text: str, expected: set[tuple[str, str, str]]) -> None:
    assert triples(text) == expected


def test_a_claim_stands_on_its_sentence() -> None:
    text = "Nothing here. SpaceX was founded by Elon Musk. More text."
    (claim,) = stated(text)
    assert text[claim.start : claim.end].strip() == "SpaceX was founded by Elon Musk."
    assert claim.method is Method.GENERATED
    assert 0 < claim.confidence < 1


def test_field_lines_state_things_of_the_document() -> None:
    text = (
        "Name: numkit\nVersion: 1.26.4\nSummary: Arrays\nLicense: MIT\n"
        "Requires-Dist: pytz (>=1)\nRequires-Dist: six\n"
    )
    assert triples(text, title="numkit") >= {
        ("numkit", "summary", "Arrays"),
        ("numkit", "has_version", "1.26.4"),
        ("numkit", "licensed_under", "mit"),
        ("numkit", "depends_on", "pytz"),
        ("numkit", "depends_on", "six"),
    }


def test_a_copyright_line_names_its_holder() -> None:
    said = triples("Copyright (c) 2005-2024, NumKit Developers.\nAll rights.", title="LICENSE")
    assert ("license", "copyright_held_by", "numkit developers") in said


def test_a_single_line_with_a_colon_is_prose() -> None:
    assert not triples("Remember: the door is open.", title="Note")


def test_columns_the_ontology_knows_become_claims() -> None:
    made = claims_from_columns(
        {"license": "MIT", "founded": 1999, "colour": "red", "owner": None},
        load_baseline(),
        chunk=chunk("a row"),
        subject=("numkit", "software"),
    )
    assert [(each.predicate, each.object_name, each.value) for each in made] == [
        ("founded_in", None, 1999),
        ("licensed_under", "mit", None),
    ]
    assert {each.method for each in made} == {Method.COLUMN}
