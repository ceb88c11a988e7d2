"""Files made for the tests: PDFs byte by byte, and parsing in this process."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path

from pypdf import PdfReader, PdfWriter

from weft.adapters.reader.frames import OpenFile
from weft.adapters.reader.parsed import ParsedFile, Unread
from weft.adapters.reader.parsing import parse
from weft.domain.ledger import FileStatus
from weft.domain.record import Record


def pdf(pages: Sequence[str], title: str = "") -> bytes:
    """Return a PDF with a line of text a page; an empty text gives a page without any."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        shown = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET" if text else ""
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R"
            f" >> >> /Contents {5 + 2 * number} 0 R >>",
            f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream",
        ]
    objects.append(f"<< /Title ({title}) /CreationDate (D:20240102030405+09'00') >>")
    return _file(objects)


def system_font_pdf(said: str, *, encoding: str, codec: str) -> bytes:
    """Return a PDF of one line in a font of the system, as Korean and Japanese programs write."""
    shown = f"BT /F1 12 Tf 72 700 Td <{said.encode(codec).hex()}> Tj ET"
    return _file(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            f"<< /Type /Font /Subtype /Type0 /BaseFont /HYSMyeongJo-Medium /Encoding /{encoding}"
            " /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /DW 1000"
            " /BaseFont /HYSMyeongJo-Medium >>] >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R"
            " >> >> /Contents 5 0 R >>",
            f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream",
            "<< /Title () >>",
        ]
    )


def placed_pdf(words: Sequence[tuple[int, int, str]]) -> bytes:
    """Return a PDF of one page with words at their places, in points from the lower left."""
    shown = "\n".join(
        f"BT /F1 10 Tf 1 0 0 1 {left} {low} Tm ({word}) Tj ET" for left, low, word in words
    )
    return _file(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R"
            " >> >> /Contents 5 0 R >>",
            f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream",
            "<< /Title () >>",
        ]
    )


def picture_pdf(pages: Sequence[bytes]) -> bytes:
    """Return a PDF as a scanner makes it: a JPEG picture a page, and no text."""
    kids = " ".join(f"{3 + 3 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
    ]
    for number, jpeg in enumerate(pages):
        first, shown = 3 + 3 * number, "612 0 0 792 0 0 cm /P Do"
        width, height, colours = _frame(jpeg)
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /XObject"
            f" << /P {first + 2} 0 R >> >> /Contents {first + 1} 0 R >>",
            f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream",
            f"<< /Type /XObject /Subtype /Image /Width {width} /Height {height} /BitsPerComponent 8"
            f" /ColorSpace /Device{colours} /Filter /DCTDecode /Length {len(jpeg)} >>\nstream\n"
            f"{jpeg.decode('latin-1')}\nendstream",
        ]
    return _file([*objects, "<< /Producer (a scanner) >>"])


def _frame(jpeg: bytes) -> tuple[int, int, str]:
    """Return the width, the height and the colours of a baseline JPEG."""
    at = jpeg.index(b"\xff\xc0") + 5
    height, width = (int.from_bytes(jpeg[each : each + 2], "big") for each in (at, at + 2))
    return width, height, "Gray" if jpeg[at + 4] == 1 else "RGB"


def _file(objects: Sequence[str]) -> bytes:
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, io.SEEK_END)
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1"))
    start = out.tell()
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    trailer = f"<< /Size {size} /Root 1 0 R /Info {len(objects)} 0 R >>"
    out.write(f"xref\n0 {size}\n0000000000 65535 f \n{rows}trailer\n{trailer}\n".encode())
    out.write(f"startxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()


def encrypted(data: bytes, password: str) -> bytes:
    """Return a PDF that asks for a password."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def parsed_at(path: Path, *inside: str, most_bytes: int = 1 << 26) -> ParsedFile:
    """Return what the parsers make of a file that is there, or of one inside it."""
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        opened = OpenFile(
            handle=file.fileno(),
            name=path.name,
            stamp=(status.st_ino, status.st_mtime_ns, status.st_size),
            inside=inside,
        )
        return parse(opened, most_bytes=most_bytes, most_columns=1_000)


def parsed(folder: Path, name: str, data: bytes | str) -> ParsedFile:
    """Return what the parsers make of a file of this name and content."""
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    found = parsed_at(path)
    for record in found.records:
        check_blocks(record)
    return found


def only(folder: Path, name: str, data: bytes | str) -> Record:
    """Return the one record of such a file."""
    (record,) = parsed(folder, name, data).records
    return record


def refusal(folder: Path, name: str, data: bytes | str) -> tuple[FileStatus, str]:
    """Return why such a file cannot be read."""
    try:
        found = parsed(folder, name, data)
    except Unread as refused:
        return refused.status, refused.message
    raise AssertionError(f"read as {found.records!r}")


def shape(record: Record) -> list[tuple[str, str]]:
    """Return the kind and the text of each block."""
    return [(b.kind.value, record.content[b.start : b.end]) for b in record.blocks]


def check_blocks(record: Record) -> None:
    """Hold blocks to what they promise: in order, apart, with all the text but white space."""
    at = 0
    for block in record.blocks:
        assert at <= block.start < block.end <= len(record.content)
        assert not record.content[at : block.start].strip()
        at = block.end
    assert not record.content[at:].strip()
