"""Names are found where they stand, typed by what surrounds them, from one document alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.domain.claim import Mention
from weft.domain.document import Chunk
from weft.domain.ids import ChunkId, DocumentId
from weft.extraction.rules.mentions import mentions
from weft.ontology.catalog import load_baseline


def chunk(text: str, start: int = 0) -> Chunk:
    return Chunk(
        id=ChunkId(f"c{start}"), document_id=DocumentId("file:s/a"), chunk_index=start, text=text,
        start=start, end=start + len(text),
    )  # fmt: skip


def found(text: str, title: str = "") -> list[Mention]:
    return mentions([chunk(text)], load_baseline(), text=text, title=title)


def typed(text: str, title: str = "") -> dict[str, str]:
    return {each.surface: each.entity_class for each in found(text, title)}


def test_words_around_a_name_say_what_it_is() -> None:
    text = (
        "Dr. Alice Munro said that Acme Robotics Inc. moved to Springfield. "
        "The University of Oslo is in Norway. Fight Club is a 1999 film. "
        "It runs on PostgreSQL under the MIT License."
    )
    assert typed(text) == {
        "Alice Munro": "person",
        "Acme Robotics Inc": "organization",
        "Springfield": "place",
        "University of Oslo": "organization",
        "Norway": "place",
        "Fight Club": "work",
        "1999": "date",
        "PostgreSQL": "software",
        "MIT License": "license",
    }


@pytest.mark.parametrize(
    ("text", "surface", "kind"),
    [
        ("It began on 13 March 1963 at noon.", "13 March 1963", "date"),
        ("It began on June 8, 1959.", "June 8, 1959", "date"),
        ("It began on 2024-03-15.", "2024-03-15", "date"),
        ("In the late 1990s it ended.", "late 1990s", "date"),
        ("Seasons 1983–84 were good.", "1983–84", "date"),
        ("회의는 2024년 3월 15일에 열린다.", "2024년 3월 15일", "date"),
        ("It cost $3.5 million then.", "$3.5 million", "amount"),
        ("About 12 % of it.", "12 %", "amount"),
        ("It is 5 km long.", "5 km", "amount"),
        ("예산은 3조 원이다.", "3조 원", "amount"),
        ("See PROJ-123 there.", "PROJ-123", "identifier"),
        ("See https://a.example/b?c=1.", "https://a.example/b?c=1", "identifier"),
        ("Write to ann@a.example, please.", "ann@a.example", "identifier"),
        ("Since 1.26.4 it works.", "1.26.4", "identifier"),
        ("Read src/weft/api.py first.", "src/weft/api.py", "identifier"),
    ],
)
def test_dates_amounts_and_identifiers_are_one_span(text: str, surface: str, kind: str) -> None:
    assert typed(text)[surface] == kind


def test_standards_are_no_issue_keys() -> None:
    assert "UTF-8" not in {
        m.surface for m in found("It is UTF-8.") if m.entity_class == "identifier"
    }


def test_a_capital_that_begins_a_sentence_makes_no_name() -> None:
    text = "However, this works. Widgets are small. We sell widgets. Zebulon sells them too."
    assert set(typed(text)) == {"Zebulon"}


def test_shouting_makes_no_names() -> None:
    assert not found('THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND.')


def test_code_makes_no_names() -> None:
    assert not found("call self.Widget() or x = Foo_bar and $HOME")


def test_titles_in_quotes_are_works_and_speech_is_not() -> None:
    assert typed('She sang "Smoke Break" and said "we are very tired today" to all.') == {
        "Smoke Break": "work"
    }


def test_a_name_has_one_class_in_the_whole_document() -> None:
    text = "Bob Kessler said no. Later Kessler left. The report praises Kessler."
    assert {each.entity_class for each in found(text)} == {"person"}


def test_the_title_is_a_name_in_its_own_document() -> None:
    assert "numkit" in typed("Install numkit first.", title="numkit")
    assert "numkit" not in typed("Install numkit first.")


def test_field_lines_give_typed_names() -> None:
    text = "Name: numkit\nAuthor: Jane Doe <j@a.example>\nLicense: MIT\nRequires-Dist: pytz (>=1)\n"
    kinds = typed(text, title="numkit")
    assert kinds["Jane Doe"] == "person"
    assert kinds["MIT"] == "license"
    assert kinds["pytz"] == "software"
    assert "Requires-Dist" not in kinds


def test_korean_names_lose_their_particles() -> None:
    text = (
        "김철수 교수는 서울대학교를 졸업했다. 한국은행은 서울에 있다. 스페이스엑스(SpaceX)가 왔다."
    )
    kinds = typed(text)
    assert kinds["김철수"] == "person"
    assert kinds["서울대학교"] == "organization"
    assert kinds["한국은행"] == "organization"
    assert kinds["서울"] == "place"
    assert "스페이스엑스" in kinds


def test_offsets_are_those_of_the_document() -> None:
    text = "First part. Acme Robotics Inc. was founded. Then Alice Munro left Norway."
    cut = text.index("Then")
    chunks = [chunk(text[:cut]), chunk(text[cut:], cut)]
    said = mentions(chunks, load_baseline(), text=text)
    assert {each.surface for each in said} == {"Acme Robotics Inc", "Alice Munro", "Norway"}
    assert all(text[each.start : each.end] == each.surface for each in said)


PIECES = """Alice Munro| said |"|“|”|. |, |\n|\n\n|Acme Inc|2024|-|(|)|12 %|the| of |서울에서|을
|Key: Value\n|PROJ-1|http://x.y/z|İ|ß| |1""".split("|")
pieces = st.sampled_from(PIECES)


@given(st.lists(pieces, max_size=25).map("".join), st.integers(0, 50))
def test_any_text_gives_names_that_stand_in_it_and_do_not_overlap(text: str, start: int) -> None:
    said = mentions([chunk(text, start)], load_baseline(), text=text)
    end = start
    for each in said:
        assert text[each.start - start : each.end - start] == each.surface
        assert each.start >= end
        assert each.name
        end = each.end


def test_field_lines_say_of_which_class_the_document_is() -> None:
    text = "Name: numkit\nLicense: MIT\nRequires-Dist: pytz\n\nUse numkit in production."
    assert typed(text, title="numkit")["numkit"] == "software"


def test_a_contraction_is_no_name() -> None:
    assert not found("Don't go. Can’t stay.")
