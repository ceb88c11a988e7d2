"""Containers and XML of strangers: bombs, entities and broken parts are named, never obeyed."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from bench_formats import DOCUMENTS

from unit.adapters.reader.samples import only, parsed, refusal
from weft.adapters.reader.packed import package
from weft.adapters.reader.packed.package import Package
from weft.adapters.reader.parsed import Unread
from weft.domain.ledger import FileStatus

DOCX = DOCUMENTS / "report_en.pandoc.docx"
# The part with the text of each kind of document.
PARTS = {
    "report_en.pandoc.docx": "word/document.xml",
    "notes.pandoc.pptx": "ppt/slides/slide2.xml",
    "budget.libreoffice.xlsx": "xl/worksheets/sheet1.xml",
    "report_en.libreoffice.odt": "content.xml",
    "budget.libreoffice.ods": "content.xml",
    "notes.libreoffice.odp": "content.xml",
    "report_en.pandoc.epub": "META-INF/container.xml",
}


def rewritten(path: Path, parts: Mapping[str, bytes]) -> bytes:
    """Return a container with some of its parts replaced."""
    out = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, parts.get(name, old.read(name)))
    return out.getvalue()


def declaring(path: Path, part: str, declaration: str) -> bytes:
    """Return a container, one part of which declares an entity and uses it."""
    with zipfile.ZipFile(path) as old:
        text = old.read(part).decode("utf-8")
    start = text.index("<", text.index("?>") + 2) if text.startswith("<?xml") else 0
    root = text[start:].split(">", 1)
    head = f'<?xml version="1.0"?><!DOCTYPE x [{declaration}]>'
    used = f"{root[0]}>&boom;" if not root[0].endswith("/") else text[start:]
    return rewritten(path, {part: f"{head}{used}{root[1]}".encode()})


LAUGHS = '<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {after} "{f"&{before};" * 20}">'
    for before, after in zip("abcdefgh", [*"bcdefgh", "boom"], strict=True)
)


def outcome(folder: Path, name: str, data: bytes) -> str:
    """Return all that is said of a file: why it is refused, or its text and what was left out."""
    try:
        found = parsed(folder, name, data)
    except Unread as refused:
        return f"{refused.status} {refused.message}"
    return f"{found.skipped} {''.join(record.content for record in found.records)}"


@pytest.mark.parametrize(("name", "part"), PARTS.items())
def test_entities_are_never_resolved(tmp_path: Path, name: str, part: str) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the-secret")
    for declaration in (LAUGHS, f'<!ENTITY boom SYSTEM "file://{secret}">'):
        data = declaring(DOCUMENTS / name, part, declaration)
        said = outcome(tmp_path, name, data)
        assert part in said
        assert "the-secret" not in said
        assert "haha" not in said


def test_an_entity_in_an_attribute_does_not_grow(tmp_path: Path) -> None:
    part = "word/document.xml"
    data = rewritten(
        DOCX,
        {
            part: f'<?xml version="1.0"?><!DOCTYPE w [{LAUGHS}]><w:document w:a="&boom;" '
            'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>'.encode()
        },
    )
    assert refusal(tmp_path, "a.docx", data)[0] in (FileStatus.CORRUPT, FileStatus.HOSTILE)


def zipped(parts: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in parts.items():
            new.writestr(name, data)
    return out.getvalue()


def test_what_unpacks_to_much_more_than_itself_is_refused_unopened() -> None:
    with pytest.raises(Unread, match="more than 250 times its own size") as refused:
        Package(zipped({"a.txt": b"\0" * (40 * 2**20)}))
    assert refused.value.status is FileStatus.HOSTILE


def test_too_many_files_or_bytes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zipped({f"{number}.txt": b"words" for number in range(20)})
    monkeypatch.setattr(package, "MOST_MEMBERS", 19)
    with pytest.raises(Unread, match="holds more than 19 files"):
        Package(data)
    monkeypatch.setattr(package, "MOST_MEMBERS", 20)
    monkeypatch.setattr(package, "MOST_BYTES", 99)
    with pytest.raises(Unread, match="unpacks to more than 99 bytes"):
        Package(data)


def test_files_that_share_bytes_are_refused() -> None:
    data = bytearray(zipped({"a.txt": b"one" * 50, "b.txt": b"one" * 50}))
    second = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 4)
    struct.pack_into("<L", data, second + 42, 0)  # both begin where the first does
    with pytest.raises(Unread, match="share the same bytes"):
        Package(bytes(data))


def test_a_member_gives_no_more_than_the_directory_says() -> None:
    data = bytearray(zipped({"a.txt": b"words " * 1000}))
    at = data.index(b"PK\x01\x02")
    struct.pack_into("<L", data, at + 24, 10)  # the size that it claims
    with pytest.raises(Unread, match="cannot be unpacked"):
        Package(bytes(data)).read("a.txt")


def test_names_in_an_old_korean_encoding_are_read() -> None:
    data = zipped({"xxxxxx.txt": b"words"}).replace(b"xxxxxx", "보고서".encode("cp949"))
    assert list(Package(data)) == ["보고서.txt"]


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(DOCX) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            if name != "word/document.xml":
                new.writestr(name, old.read(name))
    status, reason = refusal(tmp_path, "a.docx", out.getvalue())
    assert (status, reason) == (FileStatus.CORRUPT, "its part 'word/document.xml' is missing")


def test_a_macro_is_left_alone(tmp_path: Path) -> None:
    types = "[Content_Types].xml"
    with zipfile.ZipFile(DOCX) as old:
        said = old.read(types).replace(
            b"vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
            b"vnd.ms-word.document.macroEnabled.main+xml",
        )
    data = rewritten(DOCX, {types: said})
    with zipfile.ZipFile(out := io.BytesIO(data), "a") as more:
        more.writestr("word/vbaProject.bin", b"Sub AutoOpen()")
    record = only(tmp_path, "a.docm", out.getvalue())
    assert "AutoOpen" not in record.content
    assert "The eastern quay" in record.content


def test_a_broken_slide_or_sheet_leaves_the_others(tmp_path: Path) -> None:
    slides = rewritten(DOCUMENTS / "notes.pandoc.pptx", {"ppt/slides/slide2.xml": b"<not"})
    assert "두 사람이 함께 잠수한다" in only(tmp_path, "a.pptx", slides).content


def test_an_encrypted_document_says_what_to_do(tmp_path: Path) -> None:
    manifest = b'<manifest><file-entry full-path="content.xml"><encryption-data/></file-entry>'
    data = rewritten(
        DOCUMENTS / "report_en.libreoffice.odt",
        {"META-INF/manifest.xml": manifest + b"</manifest>"},
    )
    status, reason = refusal(tmp_path, "a.odt", data)
    assert status is FileStatus.ENCRYPTED
    assert "save it without" in reason


def test_a_row_that_stands_for_a_million_is_cut_and_named(tmp_path: Path) -> None:
    spaces = " ".join(
        f'xmlns:{key}="urn:oasis:names:tc:opendocument:xmlns:{key}:1.0"'
        for key in ("office", "table", "text")
    )
    cell = '<table:table-cell office:value-type="string"><text:p>same</text:p></table:table-cell>'
    text = (
        f"<office:document-content {spaces}><office:body><office:spreadsheet>"
        f'<table:table table:name="S"><table:table-row table:number-rows-repeated="1048576">'
        f"{cell * 2}</table:table-row></table:table>"
        "</office:spreadsheet></office:body></office:document-content>"
    )
    data = rewritten(DOCUMENTS / "budget.libreoffice.ods", {"content.xml": text.encode()})
    found = parsed(tmp_path, "a.ods", data)
    assert len(found.records) == 1000
    assert found.skipped == ["record S!1: stands for 1048576 rows; the first 1000 are read"]
