"""Documents that other programs wrote: their text, their structure, their own data."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_formats import DOCUMENTS, in_order, known_files, recovered, valid_spans

from unit.adapters.reader.samples import check_blocks, parsed_at, refusal, shape
from weft.adapters.reader.parsed import ParsedFile
from weft.domain.ledger import FileStatus
from weft.domain.record import Record

LEAST = 0.98
OLD = {".doc", ".xls"}
READ = [path for path, _ in known_files(DOCUMENTS) if path.suffix not in OLD]


def read(name: str) -> ParsedFile:
    found = parsed_at(DOCUMENTS / name)
    for record in found.records:
        check_blocks(record)
    return found


def only(name: str) -> Record:
    (record,) = read(name).records
    return record


def headings(record: Record) -> list[tuple[int, str]]:
    return [
        (b.level, record.content[b.start : b.end])
        for b in record.blocks
        if b.kind.value == "heading"
    ]


@pytest.mark.parametrize("path", READ, ids=lambda path: str(path.name))
def test_the_known_text_is_recovered_and_every_span_holds(path: Path) -> None:
    known = (DOCUMENTS / "known" / f"{path.name.partition('.')[0]}.txt").read_text("utf-8")
    found = read(path.name).records
    text = "\n".join(f"{record.title}\n{record.content}" for record in found)
    assert recovered(known, text) >= LEAST
    if not path.name.startswith("budget"):  # a row of a sheet is given with its columns' names
        assert in_order(known, text) >= LEAST
    chunks, valid = valid_spans(found)
    assert chunks == valid > 0


@pytest.mark.parametrize(
    "name", ["report_en.pandoc.docx", "report_en.libreoffice.odt", "report_en.pandoc.epub"]
)
def test_headings_items_and_rows_are_kept(name: str) -> None:
    record = only(name)
    assert record.title == "Harbour Maintenance Report"
    assert record.metadata["author"] == "Ines Halvorsen"
    assert record.created is not None
    assert (2, "Findings") in headings(record)
    assert (3, "Measurements") in headings(record)
    assert ("item", "- missing zinc anodes below the waterline,") in shape(record)
    assert ("item", "- Install new anodes on every pile.") in shape(record)
    rows = [said for kind, said in shape(record) if kind == "row"]
    assert rows[:2] == [
        "| Pile | Depth (m) | Loss (%) | Action |\n|---|---|---|---|",
        "| E-07 | 6.5 | 31 | replace |",
    ]


@pytest.mark.parametrize(
    "name", ["report_ko.libreoffice.docx", "report_ko.pandoc.odt", "report_ko.libreoffice.rtf"]
)
def test_footnotes_stand_under_a_heading_in_the_language_of_the_text(name: str) -> None:
    assert shape(only(name))[-2:] == [
        ("heading", "각주"),
        ("paragraph", "백도현은 2015년에 서쪽 부두를 조사했다."),
    ]


@pytest.mark.parametrize(
    "name", ["review.pandoc.docx", "review.libreoffice.odt", "review.libreoffice.rtf"]
)
def test_comments_are_kept_apart_and_deletions_are_not_read(name: str) -> None:
    record = only(name)
    assert "The lease of warehouse nine ends in May" in record.content
    assert "The rent is paid monthly." in record.content
    assert shape(record)[-2:] == [
        ("heading", "Comments"),
        ("paragraph", "Mira Okafor: Is this the old address?"),
    ]
    assert record.title == "Lease Review"
    assert record.links == (() if name.endswith("rtf") else ("https://example.org/terms",))


@pytest.mark.parametrize(
    "name", ["notes.pandoc.pptx", "notes.libreoffice.pptx", "notes.libreoffice.odp"]
)
def test_slides_are_pages_with_their_notes(name: str) -> None:
    record = only(name)
    said = [(b.page, b.kind.value, b.level, record.content[b.start : b.end]) for b in record.blocks]
    assert said[0] == (1, "heading", 1, "Training of Divers")
    assert said[1:6] == [
        (2, "heading", 1, "Equipment"),
        (2, "item", 0, "- Dry suits for water below eight degrees"),
        (2, "item", 0, "- Two lamps for each diver"),
        (2, "heading", 2, "Speaker notes"),
        (2, "paragraph", 0, "Mention that lamp batteries are charged on Fridays."),
    ]
    assert said[-1] == (3, "paragraph", 0, "지난해 사고를 설명한다.")
    assert record.metadata["pages"] == 3


@pytest.mark.parametrize("name", ["budget.libreoffice.xlsx", "budget.libreoffice.ods"])
def test_a_row_of_a_sheet_is_a_record_of_stored_values(name: str) -> None:
    found = {record.fragment: record for record in read(name).records}
    assert list(found) == [
        *("Costs", "Costs!4", "Costs!5", "Costs!6"),
        *("인력!2", "인력!3", "인력!4", "Remarks"),
    ]
    assert found["Costs!5"].metadata == {
        "sheet": "Costs",
        "Item": "Piles",
        "Quay": "East",  # merged with the cell above
        "Amount": 980000.5,
        "Due": "2026-11-15",
        "Net": 784000.4,  # a formula's stored value
    }
    assert (
        found["인력!2"].content == "이름: 백도현\n직책: 조사 책임자\n시작일: 2026-03-02\n시간: 420"
    )
    assert ("paragraph", "Harbour budget 2026") in shape(found["Costs"])
    assert found["Costs"].content.endswith("Mira Okafor: Price rose twice this year.")
    assert [kind for kind, _ in shape(found["Remarks"])] == ["heading", "paragraph", "paragraph"]


@pytest.mark.parametrize("suffix", ["zip", "txt", "pdf", "csv", "html"])
def test_a_misnamed_document_is_read_as_what_it_is(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    path.write_bytes((DOCUMENTS / "report_en.pandoc.docx").read_bytes())
    (record,) = parsed_at(path).records
    assert (2, "Findings") in headings(record)


@pytest.mark.parametrize(
    ("name", "advice"), [("report_en.libreoffice.doc", "docx"), ("budget.libreoffice.xls", "xlsx")]
)
def test_an_old_office_file_says_what_to_do(tmp_path: Path, name: str, advice: str) -> None:
    status, reason = refusal(tmp_path, name, (DOCUMENTS / name).read_bytes())
    assert status is FileStatus.UNSUPPORTED
    assert reason.endswith(f"save it as {advice}")


@pytest.mark.parametrize("name", ["report_en.libreoffice.rtf", "report_en.pandoc.rtf"])
def test_rich_text_keeps_headings_items_and_rows(name: str) -> None:
    found = shape(only(name))
    assert ("heading", "Findings") in found
    assert ("item", "- missing zinc anodes below the waterline,") in found
    assert ("row", "| E-07 | 6.5 | 31 | replace |") in found


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (rb"{\rtf1\ansi\ansicpg949 \'8c\'63\'b9\'e6\'b0\'a2\'c7\'cf\par}", "똠방각하"),
        (rb"{\rtf1{\fonttbl{\f1\fcharset129 Batang;}}\f1 \'8cc\'8c\'64\par}", "똠똡"),
        (rb"{\rtf1\uc1 \u-10179?\u-8704? and \u44032\'b0\par}", "😀 and 가"),
        (
            rb"{\rtf1 open{\v hidden}{\*\unknown gone} words {\pict 89504e}\bin4 }}}}end}",
            "open words end",
        ),
        (rb"{\rtf1{\shp{\*\shpinst{\sp{\sn n}{\sv v}}{\shptxt In a box\par}}}}", "In a box"),
        (rb"{\rtf1 unclosed {\b bold", "unclosed bold"),
    ],
)
def test_rich_text_is_read_in_every_way_of_writing(
    tmp_path: Path, written: bytes, said: str
) -> None:
    path = tmp_path / "a.rtf"
    path.write_bytes(written)
    (record,) = parsed_at(path).records
    assert record.content == said
