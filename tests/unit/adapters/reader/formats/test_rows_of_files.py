"""Tables, JSON and JSON lines: one record a row, and a bad one leaves the others alone."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from unit.adapters.reader.samples import only, parsed, refusal, shape
from weft.domain.ledger import FileStatus


def test_a_row_is_a_record(tmp_path: Path) -> None:
    text = (
        "id,text,title,category,acl,uri,updated_at,n,price,ok,code\n"
        '7,"Line one\nline ""two""",T,c,group:a; user:b,http://x,2024-01-02T03:04:05Z,3,1.5,true,007\n'
    )
    record = only(tmp_path, "t.csv", text)
    assert record.fragment == "7"
    assert record.content == 'Line one\nline "two"'
    assert (record.title, record.category) == ("T", "c")
    assert record.acl == frozenset({"group:a", "user:b"})
    assert record.updated == datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert record.metadata == {"uri": "http://x", "n": 3, "price": 1.5, "ok": True, "code": "007"}


def test_without_a_content_column_all_columns_are_the_content(tmp_path: Path) -> None:
    found = parsed(tmp_path, "t.csv", "city,people,rate\nSeoul,9400000,1.50\nBusan,,2\n")
    first, second = found.records
    assert first.content == "city: Seoul\npeople: 9400000\nrate: 1.50"
    assert shape(first)[0] == ("field", "city: Seoul")
    assert (first.title, first.fragment) == ("t.csv 1", "1")
    assert first.metadata == {"city": "Seoul", "people": 9400000, "rate": 1.5}
    assert second.content == "city: Busan\nrate: 2"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "a;b\n1,5;x\n2,5;y\n"),
        ("t.tsv", "a\tb\n1,5\tx\n2,5\ty\n"),
        ("t.csv", "a|b\n1,5|x\n2,5|y\n"),
        ("t.csv", "a\tb\r\n1,5\tx\r\n2,5\ty\r\n"),
    ],
)
def test_separators_are_found(tmp_path: Path, name: str, text: str) -> None:
    found = parsed(tmp_path, name, text)
    assert [record.content for record in found.records] == ["a: 1,5\nb: x", "a: 2,5\nb: y"]


def test_blanks_before_a_quotation_mark_are_no_part_of_a_cell(tmp_path: Path) -> None:
    found = parsed(tmp_path, "t.csv", 'name,   country\n"Bolt, Usain",   "JAM"\n')
    assert [one.content for one in found.records] == ["name: Bolt, Usain\ncountry: JAM"]


def test_a_first_row_of_data_is_a_record(tmp_path: Path) -> None:
    found = parsed(tmp_path, "t.csv", "Seoul,2024-01-01\nBusan,2024-01-02\n")
    assert [record.fragment for record in found.records] == ["1", "2"]
    assert found.records[0].content == "column1: Seoul\ncolumn2: 2024-01-01"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("country,2019,2020\nKenya,52.6,53.8\n", "country: Kenya\n2019: 52.6\n2020: 53.8"),
        ("country,2010,2015,2020\nKenya,1,2,3\n", "country: Kenya\n2010: 1\n2015: 2\n2020: 3"),
        ("name,Name,wind\nIda5,Ida,80\n", "name: Ida5\nName 2: Ida\nwind: 80"),
        ("x,x,x 2,n\na,b,c,4\nd,e,f,NA\ng,h,i,1\nk,l,m,2\n", "x: a\nx 3: b\nx 2: c\nn: 4"),
        ("item,2024-01,2024-02\npens,5,7\n", "item: pens\n2024-01: 5\n2024-02: 7"),
        ("who,1,2,3\nAda,5,4,7\nBen,2,2,9\n", "who: Ada\n1: 5\n2: 4\n3: 7"),
        # Rows of data, whose columns have no names.
        ("Kenya,2019,2020\nGhana,2018,2020\n", "column1: Kenya\ncolumn2: 2019\ncolumn3: 2020"),
        ("Kenya,2019,52\nGhana,2018,31\n", "column1: Kenya\ncolumn2: 2019\ncolumn3: 52"),
        ("Ada,1,2,3\nBen,2,3,4\n", "column1: Ada\ncolumn2: 1\ncolumn3: 2\ncolumn4: 3"),
        ("Ida,2024-01-02,9\nBen,2024-02-03,8\n", "column1: Ida\ncolumn2: 2024-01-02\ncolumn3: 9"),
        ("yes,yes,no\nno,yes,no\n", "column1: yes\ncolumn2: yes\ncolumn3: no"),
    ],
)
def test_columns_are_named_by_years_and_names_that_are_there_twice(
    tmp_path: Path, text: str, lines: str
) -> None:
    first, *_ = parsed(tmp_path, "table.csv", text).records
    assert first.content == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Room,Seats,\n,in,out\nBlue,40,80\n", "Room: Blue\nSeats in: 40\nSeats out: 80"),
        ("place,temp,rain\n,(C),(mm)\nAlta,-3,12\n", "place: Alta\ntemp (C): -3\nrain (mm): 12"),
        # A first row of data, of which something is not known.
        ("who,role,floor\n,cook,\nAda,smith,2\n", "role: cook"),
        ("who,role,\n,cook,day\nAda,smith,night\n", "role: cook\ncolumn3: day"),
    ],
)
def test_columns_are_named_by_two_rows(tmp_path: Path, text: str, lines: str) -> None:
    first, *_ = parsed(tmp_path, "table.csv", text).records
    assert first.content == lines


def test_a_row_with_readers_of_its_own_names_no_column(tmp_path: Path) -> None:
    text = "who,pay,,acl\n,boss,chief,user:ann\nAda,5,3,\nBen,6,2,\n"
    first, *others = parsed(tmp_path, "pay.csv", text).records
    assert first.acl is not None
    assert not any("boss" in one.content or "chief" in one.content for one in others)


def test_what_stands_above_a_table_is_no_header(tmp_path: Path) -> None:
    text = "Sales of 2024,,\n,,\nRegion,Q1,Q2\nNorth,12,13\nSouth,9,10\n"
    above, north, south = parsed(tmp_path, "sales.csv", text).records
    assert (above.content, above.fragment) == ("Sales of 2024", "above")
    assert north.content == "Region: North\nQ1: 12\nQ2: 13"
    assert (north.fragment, south.fragment) == ("1", "2")


def test_a_bad_row_is_named_and_the_others_are_kept(tmp_path: Path) -> None:
    text = (
        'id,text,acl\n1,one,\n2,two,bob\n3,,\n4,four,,,extra\n\n5,five\n6,"open,\n7,seven,\n'
        '1,again,\n8,say "hi" now,\n'
    )
    found = parsed(tmp_path, "t.csv", text)
    kept = {record.fragment: record.content for record in found.records}
    assert kept == {"1": "one", "5": "five", "7": "seven", "1:8": "again", "8": 'say "hi" now'}
    assert [note.split(":")[0] for note in found.skipped] == [f"record {n}" for n in (2, 3, 4, 6)]
    # The value is not told: whoever sees the reason may be none of those it names.
    assert "its acl has what is not a principal" in found.skipped[0]
    assert "bob" not in found.skipped[0]
    assert "no content in column 'text'" in found.skipped[1]
    assert "5 cells where the header has 3" in found.skipped[2]


def test_content_columns_have_an_order(tmp_path: Path) -> None:
    rows = '{"references": "r", "text": "t"}\n{"document": "d", "content": ""}\n{"references": "x"}'
    found = parsed(tmp_path, "t.jsonl", rows)
    assert [record.content for record in found.records] == ["t", "d", "x"]


def test_json_values_keep_their_types(tmp_path: Path) -> None:
    text = (
        '{"id": 1, "title": "T", "a": {"b": {"c": {"d": 1}}, "e": [1, "x"]}, "f": 1.5, "g": null,'
        ' "h": false, "big": 123456789012345678901234567890, "nan": NaN, "day": "2024-01-01",'
        ' "links": ["http://x"], "acl": [], "created": "2024-01-01"}'
    )
    record = only(tmp_path, "t.json", text)
    assert record.metadata == {
        "a.b.c": '{"d": 1}',
        "a.e": "1; x",
        "f": 1.5,
        "h": False,
        "big": "123456789012345678901234567890",
        "nan": "NaN",
        "day": "2024-01-01",
    }
    assert record.acl == frozenset()
    assert record.links == ("http://x",)
    assert record.created == datetime(2024, 1, 1, tzinfo=UTC)
    assert record.fragment == "1"
    assert "a.b.c: " in record.content
    assert "acl" not in record.content


@pytest.mark.parametrize(
    "text",
    [
        '[{"text": "a"}, {"text": "b"}, 3]',
        '{"anything": [{"text": "a"}, {"text": "b"}]}',
        '{"total": 2, "items": [{"text": "a"}, {"text": "b"}]}',
        '["a", "b"]',
    ],
)
def test_lists_of_records_are_found(tmp_path: Path, text: str) -> None:
    found = parsed(tmp_path, "t.json", text)
    assert [record.content for record in found.records] == ["a", "b"]
    assert [record.fragment for record in found.records] == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ('{"A": {"n": 1, "m": 2}, "B": {"n": 3}}', ["name: A\nn: 1\nm: 2", "name: B\nn: 3"]),
        ('{"s": {"A": {"name": 1}, "B": {"name": 3}}}', ["key: A\nname: 1", "key: B\nname: 3"]),
        ('{"town": ["A", "B"], "n": [1, 2]}', ["town: A\nn: 1", "town: B\nn: 2"]),
        (
            '{"of": 2024, "rows of it": [{"n": 10}, {"n": 11}]}',
            ["of: 2024", "n: 10", "n: 11"],
        ),
    ],
)
def test_tables_of_json_are_found(tmp_path: Path, text: str, contents: list[str]) -> None:
    found = parsed(tmp_path, "t.json", text)
    assert [record.content for record in found.records] == contents


@pytest.mark.parametrize(
    "text",
    [
        '{"scripts": {"a": 1}, "needs": {"b": 2}}',
        '{"A": {"n": 1}, "B": 3}',
        '{"a": [1, 2], "b": [1]}',
        '{"name": "petrel", "about": "a long text of what it does", "by": [{"n": 1}, {"n": 2}]}',
        '{"a": [{"n": 1}, {"n": 2}], "b": [{"n": 1}, {"n": 2}]}',
        '{"v": 1, "rules": [{"if": [{"is": "a"}], "then": "b"}, {"if": [{"is": "c"}]}]}',
        '{"A": {"n": {"m": {"k": 1}}}, "B": {"n": {"m": {"k": 2}}}}',
    ],
)
def test_an_object_of_several_things_is_one_document(tmp_path: Path, text: str) -> None:
    assert len(parsed(tmp_path, "t.json", text).records) == 1


def test_a_plain_object_is_one_document(tmp_path: Path) -> None:
    record = only(tmp_path, "package.json", '{"name": "p", "files": ["a", "b"], "n": 1}')
    assert (record.title, record.fragment) == ("p", "")
    assert record.content == "name: p\nfiles: a; b\nn: 1"


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    found = parsed(tmp_path, "t.jsonl", '{"text": "a"}\n{oops\n\n[1]\n{"text": "b"}\n')
    assert [record.fragment for record in found.records] == ["1", "5"]
    assert [note.split(":")[0] for note in found.skipped] == ["record 2", "record 4"]


@pytest.mark.parametrize(
    ("name", "text", "status"),
    [
        ("t.json", '{"a": ', FileStatus.CORRUPT),
        ("t.json", "[" * 100_000, FileStatus.CORRUPT),
        ("t.json", "[]", FileStatus.NO_TEXT),
        ("t.json", "[1, 2]", FileStatus.NO_TEXT),
        ("t.json", "{}", FileStatus.NO_TEXT),
        ("t.json", "null", FileStatus.NO_TEXT),
        ("t.jsonl", "{oops\n", FileStatus.CORRUPT),
        ("t.csv", "a,b\n", FileStatus.NO_TEXT),
        ("t.csv", "\n\n", FileStatus.NO_TEXT),
        ("t.csv", "a,b\n1,2,3\n", FileStatus.CORRUPT),
    ],
)
def test_files_without_a_record(tmp_path: Path, name: str, text: str, status: FileStatus) -> None:
    assert refusal(tmp_path, name, text)[0] is status


def test_a_file_gives_so_many_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.adapters.reader.columns._MOST_RECORDS", 100)
    found = parsed(tmp_path, "t.csv", "n\n" + "\n".join(map(str, range(110))))
    assert len(found.records) == 100
    assert found.skipped == ["only the first 100 records of a file are read"]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("t.json", '[{"id": 1}, {"id": 2, "text": "a"}]', "no content beside id (1)"),
        ("t.jsonl", '{"id": "k-7", "created": "2024-01-01"}\n{"id": 2, "text": "a"}', "(k-7)"),
        ("t.json", '[{"id": 1, "content": " "}, {"text": "a"}]', "in column 'content'"),
        ("t.csv", "id,content\n1,\n2,a\n", "in column 'content'"),
        ("t.csv", "id,updated,note\n1,2024-01-01,\n2,,a\n", "no content beside id, updated (1)"),
    ],
)
def test_a_record_without_content_is_named_and_the_others_are_read(
    tmp_path: Path, name: str, text: str, reason: str
) -> None:
    found = parsed(tmp_path, name, text)
    assert [record.content.splitlines()[-1][-1] for record in found.records] == ["a"]
    (skipped,) = found.skipped
    assert skipped.startswith("record 1: ")
    assert reason in skipped


def test_a_file_of_one_record_without_content_says_so(tmp_path: Path) -> None:
    status, reason = refusal(tmp_path, "t.json", '{"id": 1}')
    assert (status, reason) == (FileStatus.NO_TEXT, "no content beside id (1)")


def test_what_names_things_alone_is_content(tmp_path: Path) -> None:
    found = parsed(tmp_path, "t.csv", "id,name\n1,Ada\n")
    assert found.records[0].content == "id: 1\nname: Ada"


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.json"])
def test_columns_beyond_the_cap_are_named(tmp_path: Path, name: str) -> None:
    names = [f"c{number}" for number in range(3_000)]
    row = {each: f"v{each}" for each in names}
    text = {
        "t.csv": ",".join(names) + "\n" + ",".join(row.values()) + "\n",
        "t.jsonl": json.dumps(row) + "\n",
        "t.json": json.dumps({"rest": 1, "deep": {"in": row}, "text": "Words."}),
    }[name]
    found = parsed(tmp_path, name, text)
    (record,) = found.records
    assert len(record.metadata) == (1 if name == "t.json" else 1_000)
    assert record.content.startswith("Words." if name == "t.json" else "c0: vc0\nc1: vc1\n")
    widest = 3_002 if name == "t.json" else 3_000
    assert found.skipped == [
        f"1 records have more than 1000 columns, up to {widest}: those beyond are left out"
        " (WEFT_MAX_COLUMNS)"
    ]
