"""Make the PDF documents of the example organisation from the texts in `office/`.

Usage: python examples/make_office.py. Plain code and no clock: the same texts give the same bytes.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
# A line of three dashes in a text begins a new page.
PAGE_BREAK = "\n---\n"
DOCUMENTS: Mapping[str, str] = {
    "handbook/policies/code-of-conduct.pdf": "code-of-conduct.txt",
    "handbook/legal/nurisum-contract.ko.pdf": "nurisum-contract.ko.txt",
    "engineering/reviews/architecture-review-2025.ko.pdf": "architecture-review.ko.txt",
    "engineering/reviews/logger-comparison.pdf": "vendor-comparison.txt",
}
_TOP, _LEFT, _LEADING = 790, 60, 17
_WIDTHS = {"latin": 88, "korean": 46}


@dataclass(frozen=True, slots=True)
class Script:
    """How a text is shown: its font objects and how a line becomes a string of the page."""

    name: str
    fonts: tuple[bytes, ...]

    def shown(self, line: str) -> bytes:
        """Return a line as a hexadecimal string in the font's code."""
        code = "cp1252" if self.name == "latin" else "utf-16-be"
        return b"<" + line.encode(code).hex().encode() + b">"


def main() -> int:
    """Write every document."""
    for target in DOCUMENTS:
        path = HERE / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made(target))
    return 0


def made(target: str) -> bytes:
    """Return the bytes of one document."""
    text = (HERE / "office" / DOCUMENTS[target]).read_text(encoding="utf-8")
    return pdf(text)


def pdf(text: str) -> bytes:
    """Return a text as a PDF: its first line is the title, `---` on a line begins a page."""
    script = _korean(text) if any(char > "\u1100" for char in text) else _latin()
    pages = [_page(page, script) for page in text.strip().split(PAGE_BREAK)]
    first = 4 + len(script.fonts)
    kids = b" ".join(b"%d 0 R" % (first + 2 * number) for number in range(len(pages)))
    title = b"\xfe\xff" + text.split("\n", 1)[0].encode("utf-16-be")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(pages), kids),
        b"<< /Title <%s> /Producer (examples/make_office.py) >>" % title.hex().encode(),
        *script.fonts,
    ]
    for number, content in enumerate(pages):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            b"/Resources << /Font << /F1 4 0 R >> >> /Contents %d 0 R >>" % (first + 2 * number + 1)
        )
        objects.append(_stream(content))
    return _file(objects)


def _page(text: str, script: Script) -> bytes:
    begin = b"BT /F1 11 Tf %d %d Td %d TL" % (_LEFT, _TOP, _LEADING)
    lines = _lines(text, _WIDTHS[script.name])
    rows = [script.shown(line) + b" Tj T*" if line else b"T*" for line in lines]
    return b"\n".join([begin, *rows, b"ET"])


def _lines(text: str, width: int) -> Iterator[str]:
    for paragraph in text.strip().split("\n\n"):
        yield from textwrap.wrap(" ".join(paragraph.split()), width, break_long_words=False)
        yield ""


def _latin() -> Script:
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    return Script("latin", (font,))


def _korean(text: str) -> Script:
    """Return a font that every viewer with Korean fonts has, its codes being UTF-16 itself."""
    top = (
        b"<< /Type /Font /Subtype /Type0 /BaseFont /HYGoThic-Medium "
        b"/Encoding /UniKS-UTF16-H /DescendantFonts [5 0 R] /ToUnicode 7 0 R >>"
    )
    below = (
        b"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HYGoThic-Medium /DW 1000 "
        b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Korea1) /Supplement 1 >> "
        b"/W [1 95 500] /FontDescriptor 6 0 R >>"
    )
    descriptor = (
        b"<< /Type /FontDescriptor /FontName /HYGoThic-Medium /Flags 4 /ItalicAngle 0 "
        b"/FontBBox [-6 -145 1003 880] /Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 >>"
    )
    return Script("korean", (top, below, descriptor, _stream(_to_unicode(text))))


def _to_unicode(text: str) -> bytes:
    """Return the table by which readers get the text back: each code is its own character."""
    codes = sorted({char.encode("utf-16-be").hex().encode() for char in text if char != "\n"})
    groups = [codes[at : at + 100] for at in range(0, len(codes), 100)]
    rows = [
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
        b"/CMapName /Adobe-Korea1-UCS2 def /CMapType 2 def",
        b"1 begincodespacerange <0000> <FFFF> endcodespacerange",
    ]
    for group in groups:
        pairs = b"\n".join(b"<%s> <%s>" % (code, code) for code in group)
        rows.append(b"%d beginbfchar\n%s\nendbfchar" % (len(group), pairs))
    return b"\n".join([*rows, b"endcmap CMapName currentdict /CMap defineresource pop end end"])


def _stream(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)


def _file(objects: list[bytes]) -> bytes:
    """Return the objects, numbered from 1, with the table of where each begins."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    begins, size = len(out), len(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info 3 0 R >>\n" % size
    out += b"startxref\n%d\n%%%%EOF\n" % begins
    return bytes(out)


if __name__ == "__main__":
    sys.exit(main())
