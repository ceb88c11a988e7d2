"""A folder of hostile and broken files, and how each of them must end in the ledger."""

from __future__ import annotations

import io
import json
import os
import socket
import stat
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from unit.adapters.reader.samples import encrypted, pdf
from weft.domain.ledger import FileStatus

READ, CORRUPT, HOSTILE = FileStatus.READ, FileStatus.CORRUPT, FileStatus.HOSTILE
UNSUPPORTED, NO_TEXT = FileStatus.UNSUPPORTED, FileStatus.NO_TEXT
ENCRYPTED, TOO_LARGE = FileStatus.ENCRYPTED, FileStatus.TOO_LARGE
Made = Iterator[tuple[str, bytes, FileStatus]]

GOOD = "Ada Lovelace wrote program {0} in London."
SECRET = "the secret of a file outside"
_BOMB = 300_000_000


def make(root: Path, outside: Path) -> Mapping[str, FileStatus]:
    """Write the folder; return how each of its files must end, by its name there.

    `outside` is a file that nothing in the folder may lead to.
    """
    root.mkdir(parents=True)
    outside.write_text(SECRET)
    wanted: dict[str, FileStatus] = {}
    for maker in (_plain, _markup(outside), _deep, _tables, _pdfs):
        for name, data, status in maker():
            (root / name).write_bytes(data)
            wanted[name] = status
    for number in range(3):
        (root / f"good{number}.txt").write_text(GOOD.format(number))
        wanted[f"good{number}.txt"] = READ
    wanted |= _no_files(root, outside)
    wanted |= _odd_names(root)
    return wanted


def _plain() -> Made:
    yield "empty.txt", b"", NO_TEXT
    yield "blank.txt", b" \n\t\n" * 1000, NO_TEXT
    yield "picture.md", b"\x89PNG\r\n\x1a\n" + bytes(100), UNSUPPORTED
    yield "words.pdf", b"Only words.", CORRUPT
    yield "pages.txt", pdf(["Words of a page."]), READ
    yield "program.txt", b"\x7fELF" + bytes(1000), UNSUPPORTED
    yield "nul.txt", b"words\0words", UNSUPPORTED
    yield "noise.txt", bytes(range(128, 256)) * 50, CORRUPT
    yield "noise.unknown", bytes(range(128, 256)) * 50, UNSUPPORTED
    yield "mark.txt", b"\xff\xfe" + b"a" * 7, CORRUPT
    yield "one-word.txt", b"a" * 400_000, READ
    yield "one-line.txt", b"Word and word, " * 20_000, READ
    yield "keys.txt", b"".join(b"Key %d: Value %d\n" % (n, n) for n in range(5_000)), READ
    yield "signs.txt", ("\u202e\u2066\x1b[31m\x07" * 1000 + "words").encode(), READ
    yield "letters.txt", ("e" + "\u0301" * 100_000).encode(), READ


def _markup(outside: Path) -> Callable[[], Made]:
    def made() -> Made:
        entity = f'<!DOCTYPE p [<!ENTITY e SYSTEM "file://{outside}">]>'
        laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
        bomb = f'<!DOCTYPE p [<!ENTITY l0 "ha">{laughs}]>'
        for name in ("html", "xml"):
            yield f"entity.{name}", f"{entity}<html><p>&e; words</p></html>".encode(), READ
            yield f"laughs.{name}", f"{bomb}<html><p>&l11; words</p></html>".encode(), READ
        yield "attributes.html", b"<html><p " + b"a=1 " * 200_000 + b">words</p>", READ
        yield "refs.html", f"<p>words</p><img src='file://{outside}'><iframe src=/>".encode(), READ
        anchors = "a0: &a0 [x]\n" + "".join(
            f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
        )
        yield "anchors.md", f"---\n{anchors}---\nWords.\n".encode(), READ

    return made


def _deep() -> Made:
    many = 50_000
    yield "deep-list.json", b"[" * many + b"]" * many, CORRUPT
    yield "deep-object.json", b'{"a":' * many + b"1" + b"}" * many, CORRUPT
    yield "deep.jsonl", b'{"text": "Words."}\n' + b"[" * many + b"\n", READ
    yield "deep.html", b"<div>" * many + b"words" + b"</div>" * many, HOSTILE
    yield "deep-inline.html", b"<p>" + b"<b>" * many + b"words", HOSTILE
    yield "deep-list.html", b"<ul><li>" * many + b"words", HOSTILE
    yield "quotes.md", b">" * many + b" words\n" + b"> " * many + b"words\n", READ
    yield "items.md", b"".join(b" " * n + b"- words\n" for n in range(0, 1_000, 2)), READ
    yield "brackets.md", b"[" * many + b"words" + b"](" * many, READ
    yield "stars.md", b"*_" * many + b"words", READ
    yield "front.md", b"---\na: " + b"[" * many + b"\n---\nWords.\n", READ


def _tables() -> Made:
    wide = ",".join(f"c{n}" for n in range(200_000))
    yield "wide.csv", f"{wide}\n{wide}\n".encode(), READ
    yield "open-quote.csv", b'id,text\n1,"open\n' + b"2,words\n" * 300, READ
    yield "cell.csv", b"id,text\n1," + b"x" * 600_000 + b"\n2,words\n", READ
    yield "ids.csv", b"id,text\n" + b"same,words\n" * 300, READ
    yield "formula.csv", b"id,text\n1,\"=cmd|'/c calc'!A1\"\n", READ
    yield "numbers.json", b'[{"text": "words", "n": ' + b"9" * 100_000 + b', "m": 1e999}]', READ
    row = {f"k{n}": {f"j{m}": m for m in range(10)} for n in range(5_000)}
    yield "wide.json", json.dumps([row]).encode(), READ


def _pdfs() -> Made:
    font = "/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    page = f"<</Type/Page/Parent 2 0 R/Contents 5 0 R{font}>>"
    root = "<</Type/Catalog/Pages 2 0 R>>"
    yield "locked.pdf", encrypted(pdf(["Words."]), "secret"), ENCRYPTED
    yield "cut.pdf", pdf(["Words."])[:200], CORRUPT
    yield "nothing.pdf", b"%PDF-1.7\n", CORRUPT
    yield "kid-of-itself.pdf", _pdf([root, "<</Type/Pages/Kids[2 0 R]/Count 1>>"]), CORRUPT
    circle = [root, "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Pages/Kids[2 0 R]/Count 1>>"]
    yield "circle.pdf", _pdf(circle), CORRUPT
    chain = [f"<</Type/Pages/Count 1/Kids[{n + 3} 0 R]>>" for n in range(3_000)]
    yield "deep-tree.pdf", _pdf([root, *chain, page]), CORRUPT
    counted = [root, f"<</Type/Pages/Kids[3 0 R]/Count {10**9}>>", page]
    yield "counted.pdf", _pdf(counted), NO_TEXT
    yield "itself.pdf", _pdf(["1 0 R", "2 0 R"]), CORRUPT
    yield "previous.pdf", _pdf([root], trailer="/Prev 9"), CORRUPT
    launch = root.replace(">>", "/OpenAction<</S/Launch/F(/bin/sh)>>>>", 1)
    kids = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
    shown = b"BT /F 9 Tf (Words of a page.) Tj ET"
    yield "launch.pdf", _pdf([launch, kids, page, "null", (b"", shown)]), READ
    much = zlib.compress(b"BT /F 9 Tf " + b"(Words) Tj " * (_BOMB // 11) + b"ET", 9)
    flate = (b"/Filter/FlateDecode", much)
    yield "bomb.pdf", _pdf([root, kids, page, "null", flate]), CORRUPT
    twice = (b"/Filter[/FlateDecode/FlateDecode]", zlib.compress(much, 9))
    yield "bomb-in-bomb.pdf", _pdf([root, kids, page, "null", twice]), CORRUPT
    form = "<</Type/Page/Parent 2 0 R/Contents 5 0 R/Resources<</XObject<</X 6 0 R>>>>>>"
    again = (b"/Type/XObject/Subtype/Form/Resources<</XObject<</X 6 0 R>>>>", b"/X Do")
    yield "form-of-itself.pdf", _pdf([root, kids, form, "null", (b"", b"/X Do"), again]), NO_TEXT
    image = (b"/Subtype/Image/Width 99999/Height 99999/Filter/FlateDecode", much)
    yield "image.pdf", _pdf([root, kids, form, "null", (b"", b"/X Do"), image]), NO_TEXT
    yield "pages.pdf", pdf([f"Page {n}." for n in range(10_000)]), READ


def _pdf(bodies: Sequence[str | tuple[bytes, bytes]], *, trailer: str = "") -> bytes:
    """Return a PDF of these objects, a stream where there are a head and data."""
    out = io.BytesIO(b"%PDF-1.7\n")
    out.seek(0, io.SEEK_END)
    places = []
    for number, body in enumerate(bodies, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n" % number)
        if isinstance(body, str):
            out.write(body.encode())
        else:
            out.write(b"<<%b/Length %d>>\nstream\n%b\nendstream" % (body[0], len(body[1]), body[1]))
        out.write(b"\nendobj\n")
    start = out.tell()
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(bodies) + 1
    out.write(f"xref\n0 {size}\n0000000000 65535 f \n{rows}".encode())
    again = trailer.replace("9", str(start))
    out.write(f"trailer\n<</Size {size}/Root 1 0 R{again}>>\nstartxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()


def _no_files(root: Path, outside: Path) -> dict[str, FileStatus]:
    """Links, pipes, devices, and a file of two gigabytes that takes no space."""
    (root / "out.txt").symlink_to(outside)
    (root / "folder.txt").symlink_to(root)
    (root / "loop.txt").symlink_to("loop.txt")
    (root / "lost.txt").symlink_to("is-not-there")
    (root / "inside.txt").symlink_to("good0.txt")
    inner = root / "inner"
    inner.mkdir()
    (inner / "up").symlink_to(root)
    (inner / "system").symlink_to("/")
    os.mkfifo(root / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.getcwd()
        os.chdir(root)  # such a name may not be longer than 100 bytes
        try:
            listening.bind("listens.txt")
        finally:
            os.chdir(here)
    with (root / "sparse.txt").open("wb") as sparse:
        sparse.truncate(2**31)
    names = ["out.txt", "folder.txt", "loop.txt", "lost.txt", "pipe.txt", "listens.txt"]
    wanted = dict.fromkeys([*names, "inner/up", "inner/system"], UNSUPPORTED)
    if os.geteuid() == 0:
        try:
            os.mknod(root / "zeros.txt", stat.S_IFCHR | 0o600, os.makedev(1, 5))
            wanted["zeros.txt"] = UNSUPPORTED
        except OSError:
            pass  # a container may not
    return wanted | {"inside.txt": READ, "sparse.txt": TOO_LARGE}


def _odd_names(root: Path) -> dict[str, FileStatus]:
    """Names with every character that a file system takes."""
    names = [
        b"line\nbreak.txt",
        b"tab\tbell\x07.txt",
        b"\x1b[31mred\x1b]0;title\x07.txt",
        b"-rf",
        b"--help.txt",
        b"quote'\"`$(touch x);|&.txt",
        b"%00%2e%2e%2f.txt",
        b"back\\slash\\..\\up.txt",
        b"<img src=x onerror=alert(1)>.txt",
        b"bytes\xff\xfe\x80.txt",
        "right\u202etxt.exe.txt".encode(),
        "zero\u200bwidth\ufeff.txt".encode(),
        "e\u0301.txt".encode(),
        "\u00e9.txt".encode(),
        b"#hash?query&x=1.txt",
        b"a" * 251 + b".txt",
        b" " * 3 + b".txt",
        "가".encode() * 83 + b".txt",
    ]
    for name in names:
        with open(os.path.join(os.fsencode(root), name), "wb") as file:
            file.write(GOOD.format("odd").encode())
    return {name.decode("utf-8", "backslashreplace"): READ for name in names}
