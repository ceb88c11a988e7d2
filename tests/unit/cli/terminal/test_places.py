"""Where a passage stands: a line is that of the file as it is on the disk, or none is given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from weft.cli.terminal.places import PlacedText, heading_of, line_of, place_of

LINES = ["---", "title: Cranes", "---", "", "# Cranes", "", "Old.", "It lifts 120 t.", "It lifts."]


def placed(file: Path, text: str, words: str, **more: object) -> PlacedText:
    found = PlacedText(
        document=f"file:docs/{file.name}",
        uri=file.as_uri(),
        start=text.index(words),
        text=words,
        title="Cranes",
    )
    return replace(found, **more)  # type: ignore[arg-type]  # fields by name


@pytest.mark.parametrize(
    ("encoding", "end"),
    [("utf-8", "\n"), ("utf-8", "\r\n"), ("utf-8-sig", "\r"), ("utf-16", "\n"), ("cp949", "\r\n")],
)
def test_a_line_is_that_of_the_file(tmp_path: Path, encoding: str, end: str) -> None:
    text = "\n".join(["크레인 회의록", *LINES])
    file = tmp_path / "회의록.txt"
    file.write_bytes(text.replace("\n", end).encode(encoding))
    given = placed(file, text, "It lifts 120 t.")
    assert line_of(given, file) == 9
    assert place_of(given, here=tmp_path) == "회의록.txt:9"
    # The second of two lines that begin alike, by where it stands.
    assert line_of(replace(given, start=text.rindex("It lifts."), text="It lifts."), file) == 10


def test_there_is_no_line_where_the_file_is_not_what_was_read(tmp_path: Path) -> None:
    text, file = "\n".join(LINES), tmp_path / "page.html"
    file.write_text(f"<html>\n<body>\n{text}\n")
    given = placed(file, text, "It lifts 120 t.")
    assert place_of(given, here=tmp_path) == "page.html"
    file.unlink()
    assert place_of(given, here=tmp_path) == "page.html"


def test_a_row_has_the_line_that_holds_all_of_it(tmp_path: Path) -> None:
    file = tmp_path / "staff.csv"
    file.write_text(
        'id,name,role\n\np1,Ada Novak,pilot\np2,"Novak, Ben",pilot\np3,Ada Novak,cook\n'
    )
    cells = "name: Ada Novak\nrole: pilot"
    row = placed(file, cells, cells, document="record:docs/staff.csv#p1")
    assert place_of(row, here=tmp_path) == "staff.csv:3"
    quoted = replace(row, text="name: Novak, Ben", document="record:docs/staff.csv#p2")
    assert line_of(quoted, file) == 4
    # `p3` is no part of `p31`.
    file.write_text("id,name,role\np31,Ada Novak,cook\np3,Ada Novak,cook\n")
    cook = replace(row, text="name: Ada Novak\nrole: cook", document="record:docs/staff.csv#p3")
    assert line_of(cook, file) == 3
    # Two rows say it, and their number is no proof of either.
    unsure = replace(row, text="name: Ada Novak", document="record:docs/staff.csv#1")
    assert line_of(unsure, file) is None


def test_a_page_stands_in_place_of_a_line(tmp_path: Path) -> None:
    given = placed(tmp_path / "log.pdf", "words", "words", page=3, section="Cranes > Old ones")
    place = place_of(given, here=tmp_path)
    assert place == "log.pdf p. 3"
    assert heading_of(given, place) == "Cranes"


def test_what_is_elsewhere_has_its_whole_address(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("One.\nTwo.\n")
    given = placed(file, "One.\nTwo.\n", "Two.")
    assert place_of(given, here=tmp_path / "below") == f"{file.as_uri()}:2"
    assert place_of(replace(given, uri="https://x.org/a"), here=tmp_path) == "https://x.org/a"


def test_an_address_has_the_letters_of_its_names(tmp_path: Path) -> None:
    given = PlacedText(
        document="d", uri="file:///x/%ED%95%9C%EB%B9%9B.pdf", start=0, text="가", page=2
    )
    assert place_of(given, here=tmp_path) == "file:///x/한빛.pdf p. 2"
    for kept in ("file:///x/%1B[1m.pdf", "file:///x/%ED%95.pdf"):
        assert place_of(replace(given, uri=kept), here=tmp_path) == f"{kept} p. 2"


@pytest.mark.parametrize(
    ("title", "section", "said"),
    [
        ("Cranes", "Cranes > Old ones", "Cranes · Old ones"),
        ("Cranes", "Cranes", "Cranes"),
        ("page.html", "Old ones", "Old ones"),
        ("page.html p4", None, "p4"),
        ("page", None, ""),
    ],
)
def test_a_title_is_said_once(tmp_path: Path, title: str, section: str | None, said: str) -> None:
    given = placed(tmp_path / "page.html", "words", "words", title=title, section=section)
    assert heading_of(given, place_of(given, here=tmp_path)) == said
