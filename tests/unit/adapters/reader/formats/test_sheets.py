"""Sheets made cell by cell: what their formats say of their numbers, and formulas."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from bench_formats import DOCUMENTS

from unit.adapters.reader.samples import parsed
from weft.adapters.reader.parsed import ParsedFile

_OFFICE = "http://schemas.openxmlformats.org"
_MAIN = f'xmlns="{_OFFICE}/spreadsheetml/2006/main"'
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_RELATIONS = f"{_OFFICE}/officeDocument/2006/relationships"


def number(value: float, style: int = 0) -> str:
    return f'<c s="{style}"><v>{value}</v></c>'


def text(said: str) -> str:
    return f'<c t="inlineStr"><is><t>{escape(said)}</t></is></c>'


def workbook(
    rows: Sequence[Sequence[str]], formats: Sequence[str] = (), *, shapes: str = ""
) -> bytes:
    """Return a workbook of one sheet "S"; style 1 has the first format, style 2 the second.

    `shapes` is what its drawing has.
    """
    relation = '<Relationship Id="{0}" Type="{1}/{2}" Target="{3}"/>'
    relations = f'<Relationships xmlns="{_OFFICE}/package/2006/relationships">'
    codes = "".join(
        f'<numFmt numFmtId="{at}" formatCode={quoteattr(code)}/>'
        for at, code in enumerate(formats, 165)
    )
    styles = "".join(f'<xf numFmtId="{at}"/>' for at in (0, *range(165, 165 + len(formats))))
    lines = "".join(f"<row>{''.join(row)}</row>" for row in rows)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_OFFICE}/package/2006/content-types">'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/></Types>',
        "_rels/.rels": relations
        + relation.format("r1", _RELATIONS, "officeDocument", "xl/workbook.xml")
        + "</Relationships>",
        "xl/workbook.xml": f'<workbook {_MAIN} xmlns:r="{_RELATIONS}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations
        + relation.format("r1", _RELATIONS, "worksheet", "worksheets/sheet1.xml")
        + relation.format("r2", _RELATIONS, "styles", "styles.xml")
        + "</Relationships>",
        "xl/styles.xml": f"<styleSheet {_MAIN}><numFmts>{codes}</numFmts>"
        f"<cellXfs>{styles}</cellXfs></styleSheet>",
        "xl/worksheets/sheet1.xml": f"<worksheet {_MAIN}><sheetData>{lines}</sheetData>"
        "</worksheet>",
    }
    if shapes:
        parts["xl/worksheets/_rels/sheet1.xml.rels"] = (
            relations
            + relation.format("r1", _RELATIONS, "drawing", "../drawings/drawing1.xml")
            + "</Relationships>"
        )
        parts["xl/drawings/drawing1.xml"] = f'<d xmlns:x="x" xmlns:a="a">{shapes}</d>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as new:
        for name, said in parts.items():
            new.writestr(name, said)
    return out.getvalue()


def rows_of(found: ParsedFile) -> list[str]:
    return [one.content.replace("\n", "; ") for one in found.records]


def test_a_currency_and_leading_zeros_stand_with_the_number(tmp_path: Path) -> None:
    data = workbook(
        [
            [text("Item"), text("Price"), text("Postcode")],
            [text("Rope"), number(100, 1), number(1067, 3)],
            [text("Lamp"), number(200.5, 2), number(80331, 3)],
            [text("Dock"), number(-7), number(4109, 3)],
        ],
        ["#,##0.00\\ [$EUR]", "[$$-409]#,##0.00", "00000"],
    )
    found = parsed(tmp_path, "a.xlsx", data)
    assert rows_of(found) == [
        "Item: Rope; Price: 100 EUR; Postcode: 01067",
        "Item: Lamp; Price: $200.5; Postcode: 80331",
        "Item: Dock; Price: -7; Postcode: 04109",
    ]


def test_formulas_that_nobody_computed_keep_their_column_and_are_named(tmp_path: Path) -> None:
    data = workbook(
        [
            [text("Item"), text("Price"), text("Total")],
            [text("Rope"), number(12), "<c><f>B2*2</f><v></v></c>"],
            [text("Lamp"), number(30), '<c><f t="shared" si="0"/></c>'],
            [text("Dock"), number(7), "<c><f>B4*2</f><v>14</v></c>"],
            [text("Quay"), number(8), '<c t="str"><f>""</f><v></v></c>'],
        ]
    )
    found = parsed(tmp_path, "a.xlsx", data)
    assert rows_of(found) == [
        "Item: Rope; Price: 12; Total: =B2*2",
        "Item: Lamp; Price: 30; Total: =…",
        "Item: Dock; Price: 7; Total: 14",
        "Item: Quay; Price: 8",
    ]
    assert found.skipped == [
        "sheet S: 2 formulas have no stored value (column 3); open and save it in a program for"
        " sheets"
    ]


def test_shares_and_currencies_of_open_sheets_are_kept(tmp_path: Path) -> None:
    spaces = " ".join(
        f'xmlns:{key}="urn:oasis:names:tc:opendocument:xmlns:{key}:1.0"'
        for key in ("office", "table", "text")
    )

    def line(*cells: str) -> str:
        return f"<table:table-row>{''.join(cells)}</table:table-row>"

    def said(words: str) -> str:
        kind = 'office:value-type="string"'
        return f"<table:table-cell {kind}><text:p>{words}</text:p></table:table-cell>"

    def held(kind: str, value: str) -> str:
        return f'<table:table-cell office:value-type="{kind}" office:value="{value}"/>'

    body = line(said("Item"), said("Share"), said("Price")) + line(
        said("Rope"), held("percentage", "0.25"), held('currency" office:currency="EUR', "100")
    )
    content = (
        f"<office:document-content {spaces}><office:body><office:spreadsheet>"
        f'<table:table table:name="S">{body}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    out = io.BytesIO()
    with (
        zipfile.ZipFile(DOCUMENTS / "budget.libreoffice.ods") as old,
        zipfile.ZipFile(out, "w") as new,
    ):
        for name in old.namelist():
            new.writestr(name, content if name == "content.xml" else old.read(name))
    found = parsed(tmp_path, "a.ods", out.getvalue())
    assert rows_of(found) == ["Item: Rope; Share: 25%; Price: 100 EUR"]


def shape(*paragraphs: str, hidden: bool = False) -> str:
    """Return a text box of a sheet."""
    said = "".join(f"<a:p><a:r><a:t>{escape(one)}</a:t></a:r></a:p>" for one in paragraphs)
    own = ' hidden="1"' if hidden else ""
    return f"<x:sp><x:nvSpPr><x:cNvPr{own}/></x:nvSpPr><x:txBody>{said}</x:txBody></x:sp>"


def test_text_boxes_of_a_sheet_are_read_and_hidden_ones_are_not(tmp_path: Path) -> None:
    rows = [[text("지점"), text("매출")], [text("서울"), number(12)], [text("부산"), number(7)]]
    boxes = shape("대외비", "작성: 기획팀") + shape("옛 글", hidden=True)
    found = parsed(tmp_path, "a.xlsx", workbook(rows, shapes=boxes))
    assert found.records[0].content == "S\n\n대외비\n\n작성: 기획팀"
    assert len(found.records) == 3
    broken = parsed(tmp_path, "b.xlsx", workbook(rows, shapes="<x:sp>"))
    assert len(broken.records) == 2


def test_units_of_formats_stand_with_the_number(tmp_path: Path) -> None:
    data = workbook(
        [
            [text("품목"), text("재고"), text("무게"), text("매출")],
            [text("판재"), number(320, 1), number(12.5, 2), number(12_500_000, 3)],
            [text("선재"), number(75, 1), number(25, 2), number(8_000_000, 3)],
        ],
        ['#,##0"개"', '0.0 "kg"', '#,##0,"천원"'],
    )
    assert rows_of(parsed(tmp_path, "a.xlsx", data)) == [
        "품목: 판재; 재고: 320개; 무게: 12.5 kg; 매출: 12500000",
        "품목: 선재; 재고: 75개; 무게: 25 kg; 매출: 8000000",
    ]


def test_a_caption_over_a_sheet_says_what_its_figures_are_in(tmp_path: Path) -> None:
    data = workbook(
        [
            [text("영업 실적")],
            [text("(단위: 백만원)")],
            [text("지역"), text("1분기"), text("직원수"), text("비중(%)"), text("연도")],
            [text("서울"), number(1350), number(12), number(60), number(2023)],
            [text("부산"), number(760), number(8), number(40), number(2024)],
        ]
    )
    assert rows_of(parsed(tmp_path, "a.xlsx", data))[1:] == [
        "지역: 서울; 1분기 (백만원): 1350; 직원수: 12; 비중(%): 60; 연도: 2023",
        "지역: 부산; 1분기 (백만원): 760; 직원수: 8; 비중(%): 40; 연도: 2024",
    ]
