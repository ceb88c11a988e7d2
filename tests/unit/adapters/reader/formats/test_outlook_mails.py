"""Mails of Outlook: the same as other mails, out of another file."""

from __future__ import annotations

from pathlib import Path

import pytest

from unit.adapters.reader.compound import SENT, compound, outlook_mail
from unit.adapters.reader.samples import parsed_at, refusal
from weft.adapters.reader.parsed import ParsedFile
from weft.domain.ledger import FileStatus


def read(path: Path, *inside: str) -> ParsedFile:
    return parsed_at(path, *inside)


@pytest.mark.parametrize("name", ["a.msg", "a.doc", "a"])
def test_a_mail_is_its_text_and_its_attachments(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(outlook_mail())
    found = read(path)
    (record,) = found.records
    assert record.title == "부두 점검 일정"
    assert record.metadata["from"] == "백도현 <baek@example.org>"
    assert record.metadata["to"] == "Harbour Board"
    assert record.created == SENT
    assert record.content.endswith("the inspection begins on 13 July.")
    assert [member.name for member in found.members] == ["검토.docx", "지난 편지.eml"]
    assert "warehouse nine" in read(path, "검토.docx").records[0].content
    (old,) = read(path, "지난 편지.eml").records
    assert old.title == "지난 편지"
    assert "기중기는 2019년에 팔렸다." in old.content


@pytest.mark.parametrize(
    ("stream", "status", "reason"),
    [
        ("EncryptedPackage", FileStatus.ENCRYPTED, "save it without"),
        ("WordDocument", FileStatus.UNSUPPORTED, "save it as docx"),
        ("BodyText", FileStatus.UNSUPPORTED, "hwp"),
        ("Other", FileStatus.UNSUPPORTED, "of an unknown kind"),
    ],
)
def test_other_compound_files_say_what_to_do(
    tmp_path: Path, stream: str, status: FileStatus, reason: str
) -> None:
    data = compound({(stream,): b"x" * 5000, ("More",): b"y" * 70})
    found = refusal(tmp_path, "a.docx", data)
    assert found[0] is status
    assert reason in found[1]


def test_a_broken_compound_file_is_named(tmp_path: Path) -> None:
    assert refusal(tmp_path, "a.msg", outlook_mail()[:700])[0] is FileStatus.CORRUPT
