"""Pictures of pages: read by tesseract where it is, and by programs that do all that is wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from unit.adapters.reader.samples import pdf, picture_pdf
from weft.adapters.reader.ocr.launch import ProgramLimits
from weft.adapters.reader.ocr.ocr import TesseractOcr
from weft.adapters.reader.ocr.process import ConfinedPrograms
from weft.adapters.reader.ocr.programs import ProgramFailed, Programs, found_programs
from weft.adapters.reader.reader import ChildReader
from weft.domain.ledger import FileStatus
from weft.domain.record import BlockKind
from weft.ingest.pictures import PictureReader

pytestmark = pytest.mark.anyio
KOREAN = Path(__file__).parent / "scans" / "report_ko.png"
LINES = ["Apollo was founded by Li Wei in Seoul.", "Its second office is in Busan."]
needs_tesseract = pytest.mark.skipif(
    bool(found_programs().missing("eng+kor")),
    reason="tesseract with English and Korean, or pdftoppm, is not installed",
)
needs_linux = pytest.mark.skipif(
    not Path("/proc/self/ns").exists(), reason="only Linux refuses what is tried here"
)


def ocr_of(programs: Programs, *, pages: int = 100, seconds: float = 60.0) -> TesseractOcr:
    confined = ConfinedPrograms(
        programs.readable, ProgramLimits(processor_seconds=20), seconds=seconds
    )
    return TesseractOcr(programs, confined, languages="eng+kor", pages=pages)


@pytest.fixture
def place() -> Iterator[Path]:
    """Return a folder that nobody's programs may enter too: they run as nobody's."""
    with tempfile.TemporaryDirectory() as made:
        os.chmod(made, 0o755)  # so that another user finds the programs in it
        yield Path(made)


def programs(place: Path, tesseract: str, pdftoppm: str = "echo P5") -> Programs:
    """Put programs of the shell's own words on a path of their own, and look for them there."""
    (place / "bin").mkdir()
    said = "--version) echo 'tesseract 9.9';; --list-langs) printf 'List\\neng\\nkor\\n'"
    bodies = {
        "tesseract": f'case "$1" in {said};; *) {tesseract};; esac',
        "pdftoppm": pdftoppm,
    }
    for name, body in bodies.items():
        program = place / "bin" / name
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
    return found_on(place / "bin")


def found_on(path: Path) -> Programs:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(path))
        return found_programs()


def scanned(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def pictures_of(folder: Path, data: bytes) -> list[bytes]:
    """Return the pages of a PDF as a scanner would see them."""
    text = scanned(folder, "text.pdf", data)
    draw = [shutil.which("pdftoppm") or "", "-jpeg", "-gray", "-r", "150", str(text)]
    subprocess.run([*draw, str(folder / "page")], check=True, timeout=60)
    return [path.read_bytes() for path in sorted(folder.glob("page-*.jpg"))]


@needs_tesseract
async def test_a_scanned_pdf_is_read(tmp_path: Path) -> None:
    scan = scanned(tmp_path, "scan.pdf", picture_pdf(pictures_of(tmp_path, pdf(LINES))))
    reader = PictureReader(ChildReader(), ocr_of(found_programs()))
    try:
        reading = await reader.read(scan)
    finally:
        await reader.close()
    (record,) = reading.records
    assert reading.status is FileStatus.READ
    assert reading.reason.startswith("ocr: tesseract ")
    assert [record.content[each.start : each.end] for each in record.blocks] == LINES
    assert [each.page for each in record.blocks] == [1, 2]
    assert record.metadata == {"reader": "ocr", "pages": 2}


@needs_tesseract
async def test_a_korean_picture_is_read() -> None:
    reader = PictureReader(ChildReader(), ocr_of(found_programs()))
    try:
        reading = await reader.read(KOREAN)
    finally:
        await reader.close()
    (record,) = reading.records
    assert record.title == "아폴로 보고서"
    assert record.blocks[0].kind is BlockKind.HEADING
    for said in ("2019년 서울에서", "설립한 회사이다.", "부산에 있으며"):
        assert said in record.content


@needs_tesseract
async def test_what_reads_pictures_is_confined() -> None:
    assert await ocr_of(found_programs()).breaches() == ()


async def test_pages_stand_in_order_and_a_failed_one_is_named(place: Path) -> None:
    # The number of a page is the fourth word after what the page is to be drawn like.
    drawn = 'if [ "$5" = 2 ]; then exit 3; fi; echo "$5"'
    read = 'read n; printf "Page %s\\n\\nSaid on it." "$n"'
    ocr = ocr_of(programs(place, read, drawn), pages=3)
    found = await ocr.read(scanned(place, "a.pdf", b"%PDF-"), pages=5)
    assert found.pages == ("Page 1\n\nSaid on it.", "", "Page 3\n\nSaid on it.")
    assert found.skipped == (
        "page 2: pdftoppm failed (exit 3)",
        "pages 4 to 5: too many (WEFT_OCR_PAGES)",
    )


async def test_of_two_layouts_the_one_that_is_sure_of_more_counts(place: Path) -> None:
    row = "5\\t1\\t1\\t1\\t1\\t1\\t0\\t0\\t9\\t9\\t%s\\t%s\\n"
    layouts = f'if [ "$6" = 3 ]; then printf "{row}" 10 long-and-wrong; echo wrong;'
    layouts += f' else printf "{row}" 90 right; echo right; fi'
    found = await ocr_of(programs(place, layouts)).read(scanned(place, "a.png", b""), pages=0)
    assert found.pages == ("right",)


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("while :; do :; done", "tesseract took longer than 2 s"),
        ("while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done", ""),
        ("exit 1", "tesseract failed (exit 1)"),
        ("kill -9 $$; exit 4", "tesseract failed (exit 4)"),
    ],
    ids=["hangs", "never ends", "fails", "may not even kill itself"],
)
async def test_a_program_that_does_not_do_its_work_is_a_named_entry(
    place: Path, does: str, said: str
) -> None:
    began = time.monotonic()
    reader = PictureReader(ChildReader(), ocr_of(programs(place, does), seconds=2.0))
    try:
        reading = await reader.read(scanned(place, "a.png", KOREAN.read_bytes()))
    finally:
        await reader.close()
    assert reading.status is FileStatus.NO_TEXT
    assert said in reading.reason
    assert time.monotonic() - began < 20.0


@needs_linux
@pytest.mark.parametrize(
    ("tried", "comes_of_it"),
    [
        ("if read x < {secret}; then echo $x; fi", {"begun"}),
        ("if read x < /etc/passwd; then echo $x; fi", {"begun"}),
        ("if echo x > {place}/written; then echo written; fi", {"begun"}),
        ("if kill -0 {own}; then echo reached; fi", {"begun"}),
        ("(echo forked)", set()),  # the shell ends where it cannot fork
        ("echo ours=$WEFT_HOME", {"begun\nours="}),
    ],
    ids=["secret", "system", "write", "signal", "fork", "environment"],
)
async def test_a_program_that_was_taken_over_reaches_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch, tried: str, comes_of_it: set[str]
) -> None:
    monkeypatch.setenv("WEFT_HOME", str(place))
    secret = scanned(place, "secret", b"the secret\n")
    secret.chmod(0o644)
    does = tried.format(secret=secret, place=place, own=os.getpid())
    ocr = ocr_of(programs(place, f"echo begun; {does}"))
    found = await ocr.read(scanned(place, "a.png", b""), pages=0)
    assert {*found.pages} == comes_of_it
    assert not (place / "written").exists()


@needs_linux
async def test_a_secret_that_is_allowed_is_read(place: Path) -> None:
    """Without this, the test above could pass for another reason."""
    secret = scanned(place, "secret", b"the secret\n")
    secret.chmod(0o644)
    found = programs(place, f"if read x < {secret}; then echo $x; fi")
    open_to_all = ConfinedPrograms([*found.readable, str(place)])
    with scanned(place, "a.png", b"").open("rb") as file:
        written = await open_to_all.run([found.tesseract, "x"], given=file, most_bytes=100)
    assert written == b"the secret\n"


async def test_what_is_not_installed_is_said_with_what_to_do(place: Path, tmp_path: Path) -> None:
    ocr = ocr_of(found_on(tmp_path))
    assert ocr.missing.endswith("apt install tesseract-ocr poppler-utils")
    assert "not installed" in ocr.version
    reader = PictureReader(ChildReader(), ocr)
    try:
        scan = await reader.read(scanned(tmp_path, "a.pdf", pdf(["", ""])))
        picture = await reader.read(scanned(tmp_path, "b.png", KOREAN.read_bytes()))
        text = await reader.read(scanned(tmp_path, "c.pdf", pdf(["Apollo."])))
    finally:
        await reader.close()
    assert (scan.status, picture.status) == (FileStatus.NO_TEXT, FileStatus.UNSUPPORTED)
    assert all("apt install" in each.reason for each in (scan, picture))
    assert text.status is FileStatus.READ
    only_english = Programs(tesseract="/usr/bin/tesseract", languages=frozenset({"eng"}))
    assert "tesseract-ocr-kor" in only_english.missing("eng+kor")


async def test_a_program_that_is_gone_is_said(place: Path) -> None:
    found = programs(place, "echo one")
    shutil.rmtree(place / "bin")
    confined = ConfinedPrograms(found.readable)
    with scanned(place, "a.png", b"").open("rb") as file, pytest.raises(ProgramFailed):
        await confined.run([found.tesseract, "stdin"], given=file, most_bytes=100)
