"""Archives and mails: what is in them is found by name, at every depth, and bombs are refused."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping
from email.message import EmailMessage
from pathlib import Path

import pytest
from bench_formats import DOCUMENTS

from unit.adapters.reader.samples import check_blocks, parsed_at, refusal, shape
from weft.adapters.reader.containers import relative_names
from weft.adapters.reader.parsed import ParsedFile, Unread
from weft.adapters.reader.reader import ChildReader
from weft.domain.ledger import FileStatus


def zipped(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in files.items():
            new.writestr(name, data)
    return out.getvalue()


def tarred(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as new:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            new.addfile(entry, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        new.addfile(link)
    return out.getvalue()


def mail(**attached: bytes) -> EmailMessage:
    made = EmailMessage()
    made["From"] = "백도현 <baek@example.org>"
    made["To"] = "board@example.org"
    made["Subject"] = "부두 점검 일정"
    made["Date"] = "Mon, 06 Jul 2026 09:12:00 +0900"
    made.set_content("Dear board,\n\nthe inspection begins on 13 July.\n\n- lamps\n- ropes\n")
    for name, data in attached.items():
        made.add_attachment(
            data, maintype="application", subtype="octet-stream", filename=name.replace("__", ".")
        )
    return made


def inside(path: Path, *names: str) -> ParsedFile:
    found = parsed_at(path, *names)
    for record in found.records:
        check_blocks(record)
    return found


def every_text(path: Path, *names: str) -> dict[str, str]:
    """Return the text of a file and of all that is in it, by path."""
    found = inside(path, *names)
    texts = {"/".join(names): "\n".join(record.content for record in found.records)}
    for member in found.members:
        texts |= every_text(path, *names, member.name)
    return {name: text for name, text in texts.items() if text}


def test_archives_within_archives_are_read(tmp_path: Path) -> None:
    table = tarred({"t/a.csv": b"id,content\n1,The pump is old.\n"})
    inner = zipped({"notes/b.md": b"# Valve\n\nIt is rusty.", "c.tgz": gzip.compress(table)})
    path = tmp_path / "a.zip"
    path.write_bytes(
        zipped({"x.docx": (DOCUMENTS / "review.pandoc.docx").read_bytes(), "n.zip": inner})
    )
    found = every_text(path)
    assert set(found) == {"x.docx", "n.zip/notes/b.md", "n.zip/c.tgz/c.tar/t/a.csv"}
    assert found["n.zip/c.tgz/c.tar/t/a.csv"] == "The pump is old."
    assert "warehouse nine" in found["x.docx"]


def test_a_mail_is_its_text_and_its_attachments(tmp_path: Path) -> None:
    outer = mail(review__docx=(DOCUMENTS / "review.pandoc.docx").read_bytes())
    thread = EmailMessage()
    thread["Subject"] = "Old thread"
    thread.set_content("The crane was sold in 2019.")
    outer.add_attachment(thread)
    path = tmp_path / "m.eml"
    path.write_bytes(outer.as_bytes())
    (record,) = inside(path).records
    assert record.title == "부두 점검 일정"
    assert record.metadata["from"] == "백도현 <baek@example.org>"
    assert record.created is not None
    assert record.created.isoformat() == "2026-07-06T00:12:00+00:00"
    assert shape(record)[-3:] == [
        ("paragraph", "the inspection begins on 13 July."),
        ("item", "- lamps"),
        ("item", "- ropes"),
    ]
    found = every_text(path)
    assert set(found) == {"", "review.docx", "Old thread.eml"}
    assert "The crane was sold" in found["Old thread.eml"]


def test_a_mail_written_as_a_page_is_read(tmp_path: Path) -> None:
    made = EmailMessage()
    made["Subject"] = "Prices"
    made.set_content(
        "<p>As agreed:</p><table><tr><th>Item</th><th>Price</th></tr>"
        "<tr><td>Rope</td><td>12</td></tr></table><script>x()</script>",
        subtype="html",
    )
    path = tmp_path / "m.eml"
    path.write_bytes(made.as_bytes())
    (record,) = inside(path).records
    assert [said for kind, said in shape(record) if kind == "row"] == [
        "| Item | Price |\n|---|---|",
        "| Rope | 12 |",
    ]
    assert "x()" not in record.content


@pytest.mark.anyio
async def test_a_mail_in_a_mail_is_read_where_nothing_can_be_loaded_any_more(
    tmp_path: Path,
) -> None:
    outer = mail()
    held = EmailMessage()
    held["Subject"] = "Old thread"
    held.set_content("The crane was sold in 2019.")
    outer.add_attachment(held)
    (tmp_path / "m.eml").write_bytes(outer.as_bytes())
    (tmp_path / "report.eml").write_bytes(REPORT)
    reader = ChildReader()
    found = await reader.read(tmp_path / "m.eml")
    assert (found.status, found.reason) == (FileStatus.READ, "")
    assert [member.name for member in found.members] == ["Old thread.eml"]
    inner = await reader.read(tmp_path / "m.eml", ("Old thread.eml",))
    assert "The crane was sold in 2019." in inner.records[0].content
    report = await reader.read(tmp_path / "report.eml")
    await reader.close()
    assert "could not be delivered to ann" in report.records[0].content
    assert [member.name for member in report.members] == ["attachment", "Lamps.eml"]


REPORT = b"""From: mailer@example.org
Subject: Undelivered
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary=x

--x
Content-Type: text/plain

It could not be delivered to ann.
--x
Content-Type: message/delivery-status

Reporting-MTA: dns; example.org

Final-Recipient: rfc822; ann@example.org
Action: failed
--x
Content-Type: message/rfc822

Subject: Lamps

Two lamps are broken.
--x--
"""


def test_each_text_of_a_mail_of_several_parts_is_read(tmp_path: Path) -> None:
    path = tmp_path / "m.eml"
    path.write_bytes(
        b"Subject: Prices\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n"
        b"--x\nContent-Type: text/html\n\n<p>The rope costs 12.</p>\n"
        b"--x\nContent-Type: text/plain\n\nSent from the list.\n--x--\n"
    )
    (record,) = inside(path).records
    assert record.content.endswith("The rope costs 12.\n\nSent from the list.")


@pytest.mark.parametrize(
    ("plain", "kept", "left"),
    [
        ("The rope costs 12 and the lamp 30.", "rope costs 12 and the lamp 30.", "fourteen"),
        ("See the page.", "fourteen", "See the page"),
        ("Your program for mails does not show HTML.", "fourteen", "Your program"),
        ("The rope is described in a page of HTML " + "and so on " * 12, "of HTML", "fourteen"),
    ],
)
def test_of_alternatives_one_is_read_that_says_something(
    tmp_path: Path, plain: str, kept: str, left: str
) -> None:
    made = mail()
    made.set_content(plain)
    words = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    made.add_alternative(f"<p>{words} and so on and on</p>", subtype="html")
    made.add_attachment("A note.", filename="note.txt")
    path = tmp_path / "m.eml"
    path.write_bytes(made.as_bytes())
    found = inside(path)
    assert kept in found.records[0].content
    assert left not in found.records[0].content
    assert [member.name for member in found.members] == ["note.txt"]


def test_a_korean_mail_in_an_old_encoding_is_read(tmp_path: Path) -> None:
    body = "똠방각하 회의는 월요일입니다.".encode("cp949")
    head = b"Subject: =?ks_c_5601-1987?B?yLjAxw==?=\nMIME-Version: 1.0\n"
    kind = (
        b'Content-Type: text/plain; charset="ks_c_5601-1987"\nContent-Transfer-Encoding: 8bit\n\n'
    )
    path = tmp_path / "m.eml"
    path.write_bytes(head + kind + body)
    (record,) = inside(path).records
    assert record.title == "회의"
    assert "똠방각하 회의는 월요일입니다." in record.content


@pytest.mark.parametrize(
    ("encoding", "charset"), [("cp949", "euc-kr"), ("utf-8", "utf-8"), ("shift_jis", "shift_jis")]
)
def test_a_head_that_was_sent_as_bytes_is_read(tmp_path: Path, encoding: str, charset: str) -> None:
    said = (
        "見積 확인" if encoding == "utf-8" else "見積の件" if encoding != "cp949" else "견적 요청"
    )
    lines = [
        b"Subject: " + said.encode(encoding),
        b"MIME-Version: 1.0",
        b'Content-Type: multipart/mixed; boundary="B"',
        b"",
        b"--B",
        f"Content-Type: text/plain; charset={charset}".encode(),
        b"",
        b"1.",
        b"--B",
        b"Content-Type: text/plain",
        b'Content-Disposition: attachment; filename="' + said.encode(encoding) + b'.txt"',
        b"",
        b"2.",
        b"--B--",
    ]
    path = tmp_path / "m.eml"
    path.write_bytes(b"\n".join(lines))
    found = inside(path)
    assert found.records[0].title == said
    if encoding != "shift_jis":
        assert [one.name for one in found.members] == [f"{said}.txt"]


def test_a_mail_is_known_without_its_ending(tmp_path: Path) -> None:
    path = tmp_path / "saved mail"
    path.write_bytes(b"Message-ID: <1@x>\r\nMIME-Version: 1.0\r\n" + mail().as_bytes())
    assert inside(path).records[0].title == "부두 점검 일정"
    path = tmp_path / "letter.txt"
    path.write_bytes(b"From: Ann\nTo: Bob\nSubject: Hello\n\nMIME-Version: 1.0 is a header.")
    assert inside(path).records[0].content.startswith("From: Ann")


def test_names_lead_nowhere_and_are_told_apart() -> None:
    said = ["../../etc/passwd", "/a.txt", "a.txt", "b\\c.txt", "x\n\0y", "..", "한글.md"]
    assert relative_names(said) == [
        *("etc/passwd", "a.txt", "a (2).txt", "b/c.txt", "x__y", "unnamed", "한글.md")
    ]


@pytest.mark.parametrize(
    ("name", "data", "status", "reason"),
    [
        ("a.zip", zipped({}), FileStatus.NO_TEXT, "holds no files"),
        ("a.gz", gzip.compress(b"\0" * (200 * 2**20), 9), FileStatus.HOSTILE, "unpacks to more"),
        ("a.gz", gzip.compress(bytes(range(256)) * 9)[:-30], FileStatus.CORRUPT, "gzip"),
        ("a.gz", b"no archive", FileStatus.CORRUPT, "content is not gz"),
        ("a.tar", tarred({"a": b"x" * 2000})[:1500], FileStatus.CORRUPT, "tar"),
        ("a.docx", zipped({"a.txt": b"x"}), FileStatus.CORRUPT, "another kind of zip"),
        ("a.eml", b"no head at all", FileStatus.CORRUPT, "content is not eml"),
    ],
)
def test_what_is_no_archive_says_why(
    tmp_path: Path, name: str, data: bytes, status: FileStatus, reason: str
) -> None:
    found = refusal(tmp_path, name, data)
    assert found[0] is status
    assert reason in found[1]


def test_an_archive_in_itself_without_end_is_refused(tmp_path: Path) -> None:
    data = zipped({"a.txt": b"words"})
    for _ in range(8):
        data = zipped({"n.zip": data})
    path = tmp_path / "n.zip"
    path.write_bytes(data)
    with pytest.raises(Unread, match="more than 5 deep") as refused:
        every_text(path)
    assert refused.value.status is FileStatus.HOSTILE


def test_a_member_with_a_password_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    data = bytearray(zipped({"open.txt": b"words", "shut.txt": b"words"}))
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    assert inside(path, "open.txt").records[0].content == "words"
    with pytest.raises(Unread, match="password") as refused:
        inside(path, "shut.txt")
    assert refused.value.status is FileStatus.ENCRYPTED


def test_each_file_of_an_archive_is_there_though_two_have_one_name(tmp_path: Path) -> None:
    said = {"a.txt": b"first", "b.txt": b"other", "c.txt": b"last", "a (2).txt": b"its own"}
    data = zipped(said).replace(b"c.txt", b"a.txt")
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    assert every_text(path) == {
        "a.txt": "last",
        "b.txt": "other",
        "a (2).txt": "its own",
        "a (3).txt": "first",
    }


@pytest.mark.anyio
async def test_a_changed_archive_is_opened_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    reader = ChildReader()
    for said in (b"first", b"second"):
        path.write_bytes(zipped({"a.txt": said}))
        assert [member.name for member in (await reader.read(path)).members] == ["a.txt"]
        found = await reader.read(path, ("a.txt",))
        assert found.records[0].content.encode() == said
    gone = await reader.read(path, ("b.txt",))
    assert (gone.status, gone.reason) == (FileStatus.CORRUPT, "there is no 'b.txt' in it")
    await reader.close()
