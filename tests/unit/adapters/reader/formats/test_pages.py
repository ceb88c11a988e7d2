"""Web pages and PDFs."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, read_object

from unit.adapters.reader.samples import (
    encrypted,
    only,
    pdf,
    picture_pdf,
    refusal,
    shape,
    system_font_pdf,
)
from weft.adapters.reader.formats.pdf import laid_out, read_pdf
from weft.adapters.reader.parsed import RawFile
from weft.adapters.reader.reader import ChildReader
from weft.domain.ledger import FileStatus

PAGE = """<!DOCTYPE html><html><head><title>The  page</title><style>p {color: red}</style>
<meta name="author" content="Ann"><meta property="article:published_time" content="2024-05-06">
<script>var secret = 1;</script></head><body><nav><a href="/home">Home</a></nav>
<main><article><h1>Main heading</h1><p>The first paragraph of this page has <b>bold</b> words and a
<a href="https://x.y/z">link</a> in it, and is long enough to be taken for text.</p>
<h2>Second heading</h2><ul><li>first item of the list</li><li>second item of the list</li></ul>
<table><tr><th>City</th><th>People</th></tr><tr><td>Seoul</td><td>9400000</td></tr></table>
<p>A second paragraph follows here, so that there is more than one of them to be found.</p>
<noscript>no script text</noscript></article></main>
<script>alert("x")</script></body></html>"""


def test_a_page_gives_its_main_text(tmp_path: Path) -> None:
    record = only(tmp_path, "p.html", PAGE)
    assert record.title == "The page"
    found = shape(record)
    assert ("heading", "Main heading") in found
    assert ("heading", "Second heading") in found
    assert ("item", "- first item of the list") in found
    assert ("row", "| Seoul | 9400000 |") in found
    assert any("has bold words and a link in it" in text for _, text in found)
    for absent in ("secret", "alert", "color", "no script text"):
        assert absent not in record.content
    assert record.metadata == {"author": "Ann"}
    assert record.created == datetime(2024, 5, 6, tzinfo=UTC)
    assert record.links == ("/home", "https://x.y/z")


def test_a_short_page_is_read_whole(tmp_path: Path) -> None:
    record = only(tmp_path, "p.htm", "<p>Hello <i>you</i><br>there</p><script>no()</script>tail")
    assert record.content == "Hello you there\n\ntail"
    assert record.title == "p.htm"


def test_a_page_is_known_by_its_content(tmp_path: Path) -> None:
    assert (
        only(tmp_path, "page", "<html><body><p>Some words</p></body></html>").content
        == "Some words"
    )


def test_a_page_names_its_encoding(tmp_path: Path) -> None:
    page = '<html><head><meta charset="euc-kr"></head><body><p>서울</p></body></html>'
    assert only(tmp_path, "p.html", page.encode("euc-kr")).content == "서울"


@pytest.mark.parametrize("text", ["<html></html>", "<script>x</script>", "<!-- -->"])
def test_a_page_without_text(tmp_path: Path, text: str) -> None:
    assert refusal(tmp_path, "p.html", text)[0] is FileStatus.NO_TEXT


def test_a_deep_page_is_read(tmp_path: Path) -> None:
    page = "<div>" * 200 + "deep words" + "</div>" * 200
    assert only(tmp_path, "p.html", page).content == "deep words"


def test_a_pdf_gives_pages(tmp_path: Path) -> None:
    record = only(tmp_path, "a.pdf", pdf(["First page.", "", "Third page."], title="A report"))
    assert record.content == "First page.\n\nThird page."
    assert [block.page for block in record.blocks] == [1, 3]
    assert record.title == "A report"
    assert record.metadata == {"pages": 3}
    assert record.created == datetime(2024, 1, 1, 18, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize("title", ["", "Microsoft Word - x.doc", "untitled", "report.indd", "12"])
def test_a_title_that_names_a_file_is_none(tmp_path: Path, title: str) -> None:
    assert only(tmp_path, "a.pdf", pdf(["Words."], title=title)).title == "a.pdf"


def test_a_pdf_is_known_by_its_content(tmp_path: Path) -> None:
    assert only(tmp_path, "a.txt", pdf(["Words."])).content == "Words."


@pytest.mark.parametrize(
    ("encoding", "codec", "said"),
    [
        ("KSCms-UHC-H", "cp949", "지게차 제한 속도는 시속 10km"),
        ("KSC-EUC-V", "euc_kr", "안전관리자"),
        ("UniKS-UTF16-H", "utf-16-be", "안전모 착용"),
        ("90msp-RKSJ-H", "cp932", "安全第一"),
    ],
)
def test_a_pdf_in_fonts_of_the_system_is_read(
    tmp_path: Path, encoding: str, codec: str, said: str
) -> None:
    data = system_font_pdf(said, encoding=encoding, codec=codec)
    assert only(tmp_path, "a.pdf", data).content == said


def test_half_a_sign_of_a_pdf_is_no_text(tmp_path: Path) -> None:
    data = system_font_pdf("가", encoding="Identity-H", codec="utf-16-be")
    data = data.replace(b"<ac00>", b"<d92e>")
    assert only(tmp_path, "a.pdf", data).content == "\ufffd"


def test_a_pdf_with_a_password(tmp_path: Path) -> None:
    data = pdf(["Words."])
    assert refusal(tmp_path, "a.pdf", encrypted(data, "secret"))[0] is FileStatus.ENCRYPTED
    assert only(tmp_path, "b.pdf", encrypted(data, "")).content == "Words."


@pytest.mark.parametrize("keep", [9, 60, 200, 280])
def test_a_damaged_pdf_is_corrupt(tmp_path: Path, keep: int) -> None:
    status, reason = refusal(tmp_path, "a.pdf", pdf(["Words."] * 3)[:keep])
    assert status is FileStatus.CORRUPT
    assert reason.startswith("not a readable PDF")


def test_a_long_pdf_comes_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.adapters.reader.formats.pdf._BATCH_SECONDS", 0.0)
    source = RawFile(data=pdf(["One.", "Two.", "Three."]), name="a.pdf")
    pages, at = [], 0
    while True:
        batch = read_pdf(source, at)
        pages.append((batch.records[0].content, batch.records[0].blocks[0].page))
        at = batch.next_page
        if not at:
            break
    assert pages == [("One.", 1), ("Two.", 2), ("Three.", 3)]


def test_a_short_page_keeps_its_headings(tmp_path: Path) -> None:
    page = "<body><h1>Tides</h1><p>The highest is in March.</p><ul><li>One</li></ul></body>"
    record = only(tmp_path, "p.html", page)
    assert shape(record) == [
        ("heading", "Tides"),
        ("paragraph", "The highest is in March."),
        ("item", "- One"),
    ]


PAPER = """Code of conduct
Why we have one
We carry other people's food and medicine. A lie about a temperature can make
somebody ill. This page is short because it should be read, and it is signed,
on the first day, by everybody.
What we expect
Tell the truth about measurements. Nobody is punished for a bad number and the
end of working here is changing one."""


def test_headings_of_a_laid_out_page_are_cut_from_what_follows() -> None:
    parts = [" ".join(PAPER[start:end].split()) for start, end in laid_out(PAPER)]
    assert parts[:2] == ["Code of conduct", "Why we have one"]
    assert parts[2].startswith("We carry other people's food")
    assert parts[2].endswith("by everybody.")
    assert parts[3] == "What we expect"
    assert len(parts) == 5
    assert "".join(PAPER[start:end] for start, end in laid_out(PAPER)) == PAPER


TABLE = """<html><body><h1>Hours</h1><p>Every branch is open.</p><table>
<tr><th colspan=4>Summer</th></tr>
<tr><th rowspan=2>Branch</th><th colspan=2>Opening 2024</th><th rowspan=2>Staff</th></tr>
<tr><th>weekdays</th><th>weekend</th></tr>
<tr><td rowspan=2>Mill Lane</td><td>8:00</td><td>10:00</td><td>12</td></tr>
<tr><td>9:00</td><td>11:00</td><td>3</td></tr></table></body></html>"""


def test_cells_that_reach_over_several_places_are_in_each(tmp_path: Path) -> None:
    text = only(tmp_path, "hours.html", TABLE).content
    assert "Summer" in text
    assert (
        "| Branch | Opening 2024 weekdays | Opening 2024 weekend | Staff |\n|---|---|---|---|"
        in text
    )
    assert "| Mill Lane | 8:00 | 10:00 | 12 |\n| Mill Lane | 9:00 | 11:00 | 3 |" in text


def test_a_figure_over_several_places_is_there_once_so_that_it_adds_up(tmp_path: Path) -> None:
    rows = (
        "<tr><th>Year</th><th>Team</th><th>Budget</th><th>Spent</th></tr>"
        "<tr><td rowspan=2>2024</td><td>Ops</td><td rowspan=2>500</td><td>1</td></tr>"
        "<tr><td>Web</td><td>2</td></tr><tr><td>2025</td><td>Lab</td><td colspan=2>70</td></tr>"
    )
    page = f"<html><body><h1>Budgets</h1><p>All teams.</p><table>{rows}</table></body></html>"
    text = only(tmp_path, "budgets.html", page).content
    assert "| 2024 | Ops | 500 | 1 |\n| 2024 | Web |  | 2 |\n| 2025 | Lab | 70 |  |" in text


@pytest.mark.parametrize("reach", ["9999", "-1", "x", "0", "99999999999"])
def test_a_cell_that_reaches_too_far_leaves_the_table_as_it_is(tmp_path: Path, reach: str) -> None:
    hostile = TABLE.replace("rowspan=2>Mill", f"rowspan={reach} colspan={reach}>Mill")
    text = only(tmp_path, "hours.html", hostile).content
    assert "Mill Lane" in text
    assert text.count("Mill Lane") <= 4


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("<p>100</p><p>200</p>", "100; 200"),
        ("100<br>200", "100; 200"),
        ("<ul><li>Pia</li><li>Siv</li></ul>", "Pia Siv"),
        ("<div><b>10</b>0</div> <div>EUR</div>", "100 EUR"),
        ("1<i>00</i>", "100"),
    ],
)
@pytest.mark.parametrize("before", ["", f"<article><p>{'Words that are long. ' * 20}</p>"])
def test_what_stands_below_each_other_in_a_cell_is_not_one_word(
    tmp_path: Path, cell: str, said: str, before: str
) -> None:
    """In a page of tables alone, and in one with a text around them."""
    record = only(
        tmp_path,
        "t.html",
        f"<html><body>{before}<table><tr><th>Who</th><th>What</th></tr>"
        f"<tr><td>a</td><td>{cell}</td></tr></table></body></html>",
    )
    assert ("row", f"| a | {said} |") in shape(record)


def test_a_title_of_two_lines_over_a_table_keeps_its_words_apart(tmp_path: Path) -> None:
    page = (
        "<table><tr><th colspan=2><div>Visitors</div><div>of all days</div></th></tr>"
        "<tr><th>Day</th><th>Count</th></tr><tr><td>Monday</td><td>3</td></tr></table>"
    )
    assert "Visitors of all days" in only(tmp_path, "t.html", page).content


@pytest.mark.parametrize(
    "hidden",
    [
        "<p hidden>It costs 99.</p>",
        '<p style="color: red; DISPLAY:none !important">It costs 99.</p>',
        '<div style="visibility: hidden"><p>It costs 99.</p></div>',
        '<table><tr><td>Rope</td><td style="display:none">99</td></tr></table>',
    ],
)
def test_what_nobody_sees_is_not_read(tmp_path: Path, hidden: str) -> None:
    seen = '<body style="display:none"><p style="display:block" hidden>It costs 12.</p>'
    record = only(tmp_path, "p.html", f"<html>{seen}{hidden}tail</body></html>")
    assert "99" not in record.content
    assert "It costs 12." in record.content
    assert record.content.endswith("tail")


def _annotated(data: bytes, *notes: str) -> bytes:
    """Return a PDF with annotations on its first page, each given as PDF writes it."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    held = ArrayObject()
    for note in notes:
        made = read_object(io.BytesIO(note.encode("latin-1")), None)
        assert isinstance(made, DictionaryObject)
        if "/Parent" in made:
            made[NameObject("/Parent")] = writer._add_object(made["/Parent"])
        held.append(writer._add_object(made))
    writer.pages[0][NameObject("/Annots")] = writer._add_object(held)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_what_is_filled_in_or_noted_on_a_page_stands_at_its_end(tmp_path: Path) -> None:
    data = _annotated(
        pdf(["A form of the yard.", "The next page."]),
        "<</Subtype /Widget /FT /Tx /T (tenant) /V (Kari Nordmann)>>",
        "<</Subtype /Widget /T (town) /Parent <</T (home) /V (Oslo)>>>>",
        "<</Subtype /Widget /FT /Btn /T (paid) /V /Yes>>",
        "<</Subtype /Widget /FT /Btn /T (late) /V /Off>>",
        "<</Subtype /Widget /FT /Tx /T (key) /Ff 8192 /V (secret)>>",
        "<</Subtype /Widget /FT /Tx /T (empty)>>",
        "<</Subtype /FreeText /Contents (The gate was moved.)>>",
        "<</Subtype /Text /Contents (Ask Ann.)>>",
        "<</Subtype /Text /F 2 /Contents (hidden)>>",
        "<</Subtype /Popup /Contents (again)>>",
        "<</Subtype 7>>",
    )
    record = only(tmp_path, "a.pdf", data)
    assert [(record.content[block.start : block.end], block.page) for block in record.blocks] == [
        ("A form of the yard.", 1),
        ("tenant: Kari Nordmann", 1),
        ("home.town: Oslo", 1),
        ("paid: Yes", 1),
        ("The gate was moved.", 1),
        ("Ask Ann.", 1),
        ("The next page.", 2),
    ]


@pytest.mark.parametrize("broken", ["7", "[7 null]", "[<</Subtype /Widget /Parent 7 /V 7>>]"])
def test_broken_notes_leave_the_page(tmp_path: Path, broken: str) -> None:
    data = pdf(["Words."]).replace(
        b"/Contents 5 0 R", b"/Contents 5 0 R /Annots " + broken.encode()
    )
    assert only(tmp_path, "a.pdf", data).content == "Words."


JPEG = b"\xff\xd8\xff\xc0\x00\x0b\x08\x00\x01\x00\x01\x01\x01\x11\x00\xff\xd9"


@pytest.mark.anyio
async def test_pages_that_are_pictures_are_named_beside_others(tmp_path: Path) -> None:
    writer = PdfWriter()
    drawn = pdf(["x" * 60]).replace(
        f"BT /F1 12 Tf 72 700 Td ({'x' * 60}) Tj ET".encode(),
        b"q BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q".ljust(60 + 31),
    )
    for data in (pdf(["Words."]), picture_pdf([JPEG]), pdf([""]), drawn):
        writer.append(io.BytesIO(data))
    with (tmp_path / "a.pdf").open("wb") as file:
        writer.write(file)
    scanned = _annotated(picture_pdf([JPEG]), "<</Subtype /Text /Contents (Ask Ann.)>>")
    (tmp_path / "b.pdf").write_bytes(scanned)
    reader = ChildReader()
    mixed, scan = [await reader.read(tmp_path / name) for name in ("a.pdf", "b.pdf")]
    await reader.close()
    assert (mixed.status, mixed.records[0].content) == (FileStatus.READ, "Words.")
    assert mixed.skipped == tuple(
        f"page {page}: no text layer, it may be a scanned image" for page in (2, 4)
    )
    assert (scan.status, scan.pages) == (FileStatus.NO_TEXT, 1)
