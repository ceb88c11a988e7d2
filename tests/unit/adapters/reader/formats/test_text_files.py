"""Text, Markdown, code, headers and encodings."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest

from unit.adapters.reader.samples import only, refusal, shape
from weft.domain.ledger import FileStatus

MARKDOWN = """\
# A *title* with [a link](https://x.y) ![badge](b.svg)

Some text
that goes on.

- one
  goes on
- two

1. first

| a | b |
|---|---|
| 1 | 2 |

```python
# no heading
x = 1

y = 2
```

    indented code

Under
-----
End.
"""


def test_markdown_keeps_its_source_and_shows_its_structure(tmp_path: Path) -> None:
    record = only(tmp_path, "a.md", MARKDOWN)
    assert record.content == MARKDOWN
    assert record.title == "A title with a link"
    assert shape(record) == [
        ("heading", "# A *title* with [a link](https://x.y) ![badge](b.svg)"),
        ("paragraph", "Some text\nthat goes on."),
        ("item", "- one\n  goes on"),
        ("item", "- two"),
        ("item", "1. first"),
        ("row", "| a | b |\n|---|---|"),
        ("row", "| 1 | 2 |"),
        ("code", "```python\n# no heading\nx = 1\n\ny = 2\n```"),
        ("code", "indented code"),
        ("heading", "Under\n-----"),
        ("paragraph", "End."),
    ]
    assert [block.level for block in record.blocks if block.kind == "heading"] == [1, 2]


def test_front_matter_is_metadata(tmp_path: Path) -> None:
    text = (
        "---\ntitle: The 'Plan'\ndate: 2024-03-01\ntags: [a, b]\nn: 3\nnest: {x: 1}\n"
        "updated: 2024-03-02T10:00:00+09:00\nnan: .nan\n---\n# Other\n\nBody.\n"
    )
    record = only(tmp_path, "a.md", text)
    assert record.title == "The 'Plan'"
    assert record.content == text
    assert record.created == datetime(2024, 3, 1, tzinfo=UTC)
    assert record.updated == datetime(2024, 3, 2, 1, tzinfo=UTC)
    assert record.metadata["tags"] == "a; b"
    assert record.metadata["n"] == 3
    assert record.metadata["nan"] == "nan"
    assert "nest" not in record.metadata
    assert [kind for kind, _ in shape(record)] == ["field"] * 7 + ["heading", "paragraph"]


def test_a_rule_at_the_head_is_no_front_matter(tmp_path: Path) -> None:
    record = only(tmp_path, "a.md", "---\nText: [\n---\n\nBody.\n")
    assert record.metadata == {}
    assert [kind for kind, _ in shape(record)] == ["heading", "paragraph"]


def test_a_header_is_fields_and_metadata(tmp_path: Path) -> None:
    text = (
        "Metadata-Version: 2.1\nName: thing\nVersion: 1.10\nClassifier: A\nClassifier: B :: C\n"
        "License: Long\n        text\n\n# Thing\n\nIt does things.\n"
    )
    record = only(tmp_path, "METADATA", text)
    assert record.title == "thing"
    assert record.metadata["Classifier"] == "A; B :: C"
    assert record.metadata["Version"] == "1.10"
    assert record.metadata["License"] == "Long text"
    assert shape(record)[5:] == [
        ("field", "License: Long\n        text"),
        ("heading", "# Thing"),
        ("paragraph", "It does things."),
    ]


def test_a_header_has_limits(tmp_path: Path) -> None:
    text = "\n".join(f"Key{n}: {'x' * 500}" for n in range(100))
    record = only(tmp_path, "a.txt", text)
    assert len(record.metadata) == 64
    assert {len(str(value)) for value in record.metadata.values()} == {300}
    assert len(record.blocks) == 100


def test_two_fields_are_no_header(tmp_path: Path) -> None:
    record = only(tmp_path, "a.txt", "Note: this\nToo: that\nand then some prose.\n")
    assert record.metadata == {}
    assert [kind for kind, _ in shape(record)] == ["paragraph"]


def test_plain_text_may_be_indented_and_have_underlined_headings(tmp_path: Path) -> None:
    record = only(tmp_path, "LICENSE", "    A LICENCE\n\n=====\nTerms\n=====\n\n   1. First.\n")
    assert record.title == "Terms"
    assert [kind for kind, _ in shape(record)] == ["paragraph", "heading", "item"]


def test_a_configuration_has_no_headings(tmp_path: Path) -> None:
    record = only(tmp_path, "a.toml", "# comment\n[a]\nb = 1\n\nc: 1\nd: 2\ne: 3\n")
    assert record.title == "a.toml"
    assert record.metadata == {}
    assert [kind for kind, _ in shape(record)] == ["code", "code"]


def test_code_comes_apart_at_its_definitions(tmp_path: Path) -> None:
    text = (
        '"""Doc."""\nimport x\n\n# About f.\n@wrap\ndef f():\n    def g(): ...\n\n\n'
        "class C:\n  a = 1\n"
    )
    record = only(tmp_path, "m.py", text)
    assert shape(record) == [
        ("code", '"""Doc."""\nimport x'),
        ("code", "# About f.\n@wrap\ndef f():\n    def g(): ..."),
        ("code", "class C:\n  a = 1"),
    ]


@pytest.mark.parametrize(
    ("name", "data", "wanted"),
    [
        ("a.txt", b"one\r\ntwo\rthree\n", "one\ntwo\nthree\n"),
        ("a.txt", b"\xef\xbb\xbfmarked", "marked"),
        ("a", "UTF-16 텍스트".encode("utf-16"), "UTF-16 텍스트"),
        ("a.txt", "UTF-32".encode("utf-32"), "UTF-32"),
        (
            "a.txt",
            "삼성전자는 서울에 있는 회사이다.".encode("cp949"),
            "삼성전자는 서울에 있는 회사이다.",
        ),
        ("a.md", "Le café est fermé à l'été.".encode("latin-1"), "Le café est fermé à l'été."),
        ("a.xyz", "unknown but text: é", "unknown but text: é"),
        ("a.txt", "form\x0cfeed\x1b kept", "form\x0cfeed\x1b kept"),
    ],
)
def test_encodings(tmp_path: Path, name: str, data: bytes | str, wanted: str) -> None:
    assert only(tmp_path, name, data).content == wanted


def test_korean_written_sound_by_sound_is_read_as_others_write_it(tmp_path: Path) -> None:
    apart = unicodedata.normalize("NFD", "거래처: 1억 2천만 원 ㅋㅋ, café")
    record = only(tmp_path, unicodedata.normalize("NFD", "계약.txt"), apart.encode())
    accent = unicodedata.normalize("NFD", "é")
    assert record.content == f"거래처: 1억 2천만 원 ㅋㅋ, caf{accent}"
    assert record.title == "계약.txt"


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("shift_jis", "会議は月曜日です。"),
        ("shift_jis", "氏名,部署\n田中,営業部\n佐藤,総務部"),
        ("shift_jis", "ｼｽﾃﾑ部 半角カナ"),
        ("euc_jp", "担当者は田中太郎です。"),
        ("iso2022_jp", "東京支社の電話番号は03-1234-5678です。"),
        ("iso2022_kr", "회의는 월요일입니다."),
        ("cp949", "회의는 월요일입니다."),
        ("cp949", "똠방각하 뷁"),
        ("cp949", "社規 沿革 大韓民國"),
        ("cp949", "**6. 자리**"),
        ("cp949", "해동 → 절단 → 배합 → 성형 → 증숙 → 냉각 → 급속동결"),
        ("cp949", "quayside는 고객이 예약, 추적, 청구서 확인을 하는 웹 포털입니다."),
        ("cp949", "**담당 팀:** 포털팀 · **저장소:** tessamar/quayside · **등급:** 2"),
        ("gb18030", "上海分公司电话"),
        ("cp1252", "Größe und Maß: Müller"),
    ],
)
def test_old_texts_of_east_asia_are_told_apart(tmp_path: Path, encoding: str, said: str) -> None:
    assert only(tmp_path, "a.txt", said.encode(encoding)).content == said


@pytest.mark.parametrize(
    ("name", "data", "status", "reason"),
    [
        ("a.txt", b"", FileStatus.NO_TEXT, "empty"),
        ("a.txt", b" \n\t\n", FileStatus.NO_TEXT, "white space"),
        ("a.md", b"\n", FileStatus.NO_TEXT, "white space"),
        ("a.txt", b"a\x00b", FileStatus.UNSUPPORTED, "NUL character at 1"),
        ("a.bin", b"\x80\x81\xfe\xff", FileStatus.UNSUPPORTED, "not UTF-8 text (byte 0x80 at 0)"),
        ("a.txt", b"\x80\x00\xfe\xff", FileStatus.UNSUPPORTED, "not UTF-8"),
        ("a.txt", b"\xff\xfea", FileStatus.CORRUPT, "utf-16"),
        ("a.png", b"\x89PNG\r\n\x1a\n...", FileStatus.UNSUPPORTED, "PNG"),
        ("notes.txt", b"\x89PNG\r\n\x1a\n...", FileStatus.UNSUPPORTED, "PNG"),
        ("a.docx", b"PK\x03\x04rest", FileStatus.CORRUPT, "not a readable zip file"),
        ("a.txt", b"PK\x03\x04rest", FileStatus.CORRUPT, "not a readable zip file"),
        ("a.docx", b"text", FileStatus.CORRUPT, "content is not docx"),
        ("a.parquet", b"PAR1....", FileStatus.CORRUPT, "parquet"),
        ("a.pdf", b"text", FileStatus.CORRUPT, "content is not pdf"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1..", FileStatus.CORRUPT, "Office"),
    ],
)
def test_what_is_not_read_says_why(
    tmp_path: Path, name: str, data: bytes, status: FileStatus, reason: str
) -> None:
    found = refusal(tmp_path, name, data)
    assert found[0] is status
    assert reason in found[1]
