"""Counts, lists and comparisons over rows, heads of pages, tables and labelled sentences."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from weft.domain.evidence import Evidence
from weft.domain.ids import ChunkId, DocumentId
from weft.offline.evidence.found import FoundEvidence
from weft.offline.tables.counting import MOST_QUOTES, Worked, work_out
from weft.offline.tables.rows import tables_of
from weft.retrieval.families import FamilyKind
from weft.retrieval.hits import Hit

SHIPS = (
    ("Heron", "Ferry", "Tallinn", "2011-04-02", 240, "Mari Kask"),
    ("Gannet", "Freighter", "Riga", "2018-09-17", 12, "Jonas Ozols"),
    ("Osprey", "Fast Ferry", "Tallinn", "2018-03-05", 410, "Mari Kask"),
    ("Petrel", "Tug", "Turku", "2003-11-30", 6, "Aino Salo"),
)
BERTHS = (
    ("north.md", "# North quay\n\n**Warden:** Aino Salo · **Depth:** 9 m · **Class:** 1"),
    ("south.md", "# South quay\n\n**Warden:** Mari Kask · **Depth:** 12 m · **Class:** 2"),
    ("east.ko.md", "# East quay\n\n**Warden:** 김하늘 · **Depth:** 7 m · **등급:** 2"),
)
LAMPS = """Trial of lamps
Three lamps were carried to Utö on the pilot boat.
Findings
Lumo A: price 40 euro, range 9 miles, largest error 2 degrees.
Lumo B: price 65 euro, range 14 miles, largest error 1 degrees.
Ruska: price 52 euro, range 11 miles, largest error 4 degrees."""
FEES = """# Fees

| Kind | Fee | Payer |
|---|---|---|
| Mooring | 30 euro | the owner |
| Water | 5 euro | the owner |
| Pilot | 120 euro | the line |"""


def evidence(document: str, text: str, *, title: str = "") -> Hit:
    return Hit(
        evidence=Evidence(
            id=f"Port/{document}",
            knowledge_base="Port",
            document_id=DocumentId(document),
            document_type="record" if document.startswith("record:") else "file",
            title=title or document.rpartition("/")[2],
            uri=f"file:///{document}",
            chunk_id=ChunkId(document),
            chunk_index=0,
            start=0,
            end=len(text),
            page=None,
            section=None,
            text=text,
            sentences=(),
            updated=None,
            score_kind="ranked",
            path=(),
        ),
        score=0.0,
        cosine=0.0,
        cosines=(),
    )


def put(book: FoundEvidence, kind: FamilyKind, key: str, hits: Sequence[Hit]) -> None:
    book.put_beside(kind, key, hits=hits)


def ship_rows(ships: Sequence[tuple[str, str, str, str, int, str]]) -> list[Hit]:
    names = ("name", "type", "home_port", "joined", "seats", "reports_to")
    return [
        evidence(
            f"record:port/fleet/ships.csv#{number}",
            "\n".join(f"{key}: {value}" for key, value in zip(names, row, strict=True)),
        )
        for number, row in enumerate(ships)
    ]


def shelf() -> FoundEvidence:
    book = FoundEvidence()
    put(book, FamilyKind.ROWS, "port/fleet/ships.csv", ship_rows(SHIPS))
    pages = [
        evidence(f"file:port/berths/{name}", text, title=text.splitlines()[0].lstrip("# "))
        for name, text in BERTHS
    ]
    put(book, FamilyKind.PAGES, "port/berths", pages)
    lamps = [evidence("file:port/lamps.pdf", LAMPS, title="Trial of lamps")]
    put(book, FamilyKind.DOCUMENT, "port/lamps.pdf", lamps)
    fees = [evidence("file:port/fees.md", FEES, title="Fees")]
    put(book, FamilyKind.DOCUMENT, "port/fees.md", fees)
    return book


def asked(question: str, book: FoundEvidence | None = None) -> Worked | None:
    beside = book or shelf()
    return work_out(
        question, tables_of(beside), book=beside, organisation=lambda name: name == "Meripol"
    )


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("How many ships are there?", "4"),
        ("How many ships does Meripol have?", "4"),
        # A fast ferry may be meant as well, or not.
        ("How many ferries report to Mari Kask?", None),
        ("How many fast ferries are there?", "1"),
        ("Which ships report to Mari Kask?", "Heron, Osprey"),
        ("Which ships joined in 2018?", "Gannet, Osprey"),
        ("Which ships joined in September 2018?", "Gannet"),
        ("Which ships joined before 2011?", "Petrel"),
        ("Which ships have more than 100 seats?", "Heron, Osprey"),
        ("Which ship has the fewest seats?", "Petrel"),
        ("Which ship joined first?", "Petrel"),
        ("Does Heron have more seats than Osprey?", "no"),
        ("Which joined earlier, Heron or Gannet?", "Heron"),
        ("How many seats does Osprey have?", "410"),
        ("In which home ports are our ships?", "Tallinn, Riga, Turku"),
        ("Osprey보다 Heron이 더 많나요?", None),
    ],
)
def test_rows_of_a_file_are_counted_listed_and_compared(question: str, short: str | None) -> None:
    worked = asked(question)
    assert (worked.short if worked else None) == short


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("How many berths are there?", "3"),
        ("Which berths have class 2?", "South quay, East quay"),
        ("Which berth has the greatest depth?", "South quay"),
        ("Who is the warden of the North quay?", "Aino Salo"),
        # One page names its warden in other letters: it may be the same person.
        ("Which berths have Mari Kask as warden?", None),
    ],
)
def test_pages_of_a_folder_are_a_table_by_their_heads(question: str, short: str | None) -> None:
    worked = asked(question)
    parts = set(worked.short.split(", ")) if worked else None
    assert parts == (set(short.split(", ")) if short else None)


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("Which lamps were carried to Utö?", "Lumo A, Lumo B, Ruska"),
        ("How many lamps were carried to Utö?", "3"),
        ("Which of the lamps costs least?", "Lumo A"),
        ("Which lamp is the least expensive?", "Lumo A"),
        ("Is Lumo B more expensive than Ruska?", "yes"),
        ("Which lamp has the smallest error?", "Lumo B"),
        ("Which lamps cost more than 45 euro?", "Lumo B, Ruska"),
        ("Which fees does the line pay?", None),
        ("Which fee is the highest?", "Pilot"),
    ],
)
def test_tables_and_labelled_sentences_of_a_document(question: str, short: str | None) -> None:
    worked = asked(question)
    assert (worked.short if worked else None) == short


@pytest.mark.parametrize(
    "question",
    [
        "How many ships sank?",
        "How many green ships are there?",
        "How many ships are there besides Heron?",
        "How many ships do not report to Mari Kask?",
        "Which ships report to Olga Berg?",
        "Which lamps were carried to Oslo?",
        "Which ships joined in 1999?",
        "How many ships report to the owner of the ship that joined first?",
        "Who reports to the one who leads Heron?",
        "How many people work in Tallinn?",
        "What is Heron?",
    ],
)
def test_nothing_is_computed_where_a_word_stands_for_nothing(question: str) -> None:
    assert asked(question) is None


def test_a_count_stands_on_its_rows_and_says_over_how_many() -> None:
    worked = asked("How many ships report to Mari Kask?")
    assert worked is not None
    assert [quote.text.splitlines()[0] for quote in worked.quotes] == [
        "name: Heron",
        "name: Osprey",
    ]
    assert any("entries of ships.csv that you may read, 4 in all" in note for note in worked.notes)


def test_of_many_rows_the_first_are_cited_and_a_note_says_so() -> None:
    book = FoundEvidence()
    many = [(f"Tern {n}", "Ferry", "Riga", "2020-01-01", n, "Mari Kask") for n in range(20)]
    put(book, FamilyKind.ROWS, "port/fleet/ships.csv", ship_rows(many))
    worked = asked("How many ships report to Mari Kask?", book)
    assert worked is not None
    assert worked.short == "20"
    assert len(worked.quotes) == MOST_QUOTES
    assert any("20 rows" in note for note in worked.notes)


def test_two_tables_that_disagree_leave_the_question_open() -> None:
    book = FoundEvidence()
    put(book, FamilyKind.ROWS, "port/fleet/ships.csv", ship_rows(SHIPS[:2]))
    put(book, FamilyKind.ROWS, "port/other/ships.csv", ship_rows(SHIPS[1:]))
    assert asked("Which ships are there?", book) is None


def test_a_longer_list_of_the_same_counts() -> None:
    book = FoundEvidence()
    put(book, FamilyKind.ROWS, "port/fleet/ships.csv", ship_rows(SHIPS))
    worked = asked("Which ships joined in 2018?", book)
    assert worked is not None
    longer = "# New ships\n\nThree ships joined in 2018.\n\n" + "\n".join(
        f"- **{name}** came to Riga." for name in ("Gannet", "Osprey", "Dunlin")
    )
    hits = [evidence("file:port/new.md", longer, title="New ships")]
    put(book, FamilyKind.DOCUMENT, "port/new.md", hits)
    worked = asked("Which ships joined in 2018?", book)
    assert worked is not None
    assert worked.short == "Gannet, Osprey, Dunlin"


def test_rows_set_apart_are_no_passages_but_can_be_cited() -> None:
    book = shelf()
    assert book.entries() == ()
    name = book.tables[0].entries[0][0]
    found = book.hit(name)
    assert found is not None
    assert found.evidence.text.startswith("name: Heron")


LICENCE = (
    "Licence of the pump\n\nEvery copyright has a holder.\n"
    + "What follows is granted.\n" * 20
    + "Three files come with it.\nWe list two of them.\n"
    + "Description: the runtime of the pump.\nAvailability: on request.\nLicense: of its own.\n"
)


def test_what_stands_far_before_a_list_does_not_lead_to_it() -> None:
    book = FoundEvidence()
    pages = [evidence("file:port/licence.txt", LICENCE, title="licence.txt")]
    put(book, FamilyKind.DOCUMENT, "port/licence.txt", pages)
    assert asked("Who is the holder of the licence?", book) is None
