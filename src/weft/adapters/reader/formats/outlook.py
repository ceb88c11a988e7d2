"""Mails of Outlook (msg): taken out of their compound file, then read like any mail."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage, Message
from email.utils import format_datetime

from olefile import OleFileIO

from weft.adapters.reader.formats.mail import MAIL_FAULTS, Mail, mail_of
from weft.adapters.reader.parsed import RawFile, Unread
from weft.domain.ledger import FileStatus

# Properties by their numbers in Microsoft's list of message properties (MS-OXPROPS).
_SUBJECT, _BODY, _HTML = "0037", "1000", "1013"
_SENDER, _SENDER_ADDRESS, _SENDER_SMTP = "0C1A", "0C1F", "5D01"
_TO, _CC = "0E04", "0E03"
_SENT, _DELIVERED = 0x0039_0040, 0x0E06_0040
_CODEPAGES = (0x3FDE_0003, 0x3FFD_0003)
_LONG_NAME, _SHORT_NAME, _DATA = "3707", "3704", "3701"
_UNICODE, _ANSI, _BINARY = "001F", "001E", "0102"
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
# The streams of fixed properties begin with a head: longer for the mail itself, shorter within.
_HEAD, _HEAD_WITHIN = 32, 24
_PROPERTY = 16
_PROPERTIES = "__properties_version1.0"
_ATTACHED = "__attach_version1.0_"
_EMBEDDED = f"__substg1.0_{_DATA}000D"
_DEEPEST = 10
_MOST_ATTACHED = 1_000
_UTF8_PAGE = 65_001


def open_outlook(source: RawFile) -> Mail:
    """Return a mail with its attachments; raise `Unread` for one that cannot be taken apart."""
    try:
        with OleFileIO(io.BytesIO(source.data)) as file:
            return mail_of(_message(_Store(file), (), depth=0), source.name)
    except (*MAIL_FAULTS, OSError, struct.error) as wrong:
        reason = f"not a readable Outlook mail ({type(wrong).__name__}: {str(wrong)[:150]})"
        raise Unread(FileStatus.CORRUPT, reason) from wrong


Place = tuple[str, ...]


class _Store:
    """The streams of a compound file, by their path."""

    def __init__(self, file: OleFileIO) -> None:
        self._file = file
        self._names = {tuple(entry) for entry in file.listdir(storages=True)}

    def read(self, place: Place) -> bytes:
        """Return a stream, empty if there is none."""
        if place not in self._names or self._file.get_type(list(place)) != 2:
            return b""
        data: bytes = self._file.openstream(list(place)).read()
        return data

    def has(self, place: Place) -> bool:
        """Tell whether there is a stream or storage."""
        return place in self._names

    def attachments(self, place: Place) -> list[Place]:
        """Return the storages of a mail's attachments, in order."""
        depth = len(place) + 1
        found = {
            name[:depth]
            for name in self._names
            if name[: len(place)] == place and len(name) >= depth
            if name[depth - 1].startswith(_ATTACHED)
        }
        return sorted(found)[:_MOST_ATTACHED]

    def text(self, place: Place, number: str, *, codepage: str) -> str:
        """Return a property that is a text, in either of the ways in which one is kept."""
        wide = self.read((*place, f"__substg1.0_{number}{_UNICODE}"))
        if wide:
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        narrow = self.read((*place, f"__substg1.0_{number}{_ANSI}"))
        return _decoded(narrow, codepage).rstrip("\0")

    def fixed(self, place: Place) -> dict[int, bytes]:
        """Return the properties of fixed size, by number and type."""
        data = self.read((*place, _PROPERTIES))
        head = _HEAD_WITHIN if place else _HEAD
        return dict(_entries(data[head:]))


def _entries(data: bytes) -> Iterator[tuple[int, bytes]]:
    for at in range(0, len(data) - _PROPERTY + 1, _PROPERTY):
        (key,) = struct.unpack_from("<I", data, at)
        yield key, data[at + 8 : at + _PROPERTY]


def _message(store: _Store, place: Place, *, depth: int) -> Message:
    if depth > _DEEPEST:
        raise Unread(FileStatus.HOSTILE, f"mails within mails, more than {_DEEPEST} deep")
    fixed = store.fixed(place)
    codepage = _codepage(fixed)
    made = Message()
    for name, value in _head(store, place, fixed=fixed, codepage=codepage):
        if value:
            made[name] = " ".join(value.split())
    made["Content-Type"] = "multipart/mixed"
    made.set_payload([])
    body = store.text(place, _BODY, codepage=codepage)
    page = store.read((*place, f"__substg1.0_{_HTML}{_BINARY}"))
    if body.strip():
        made.attach(_part(body, "plain"))
    elif page:
        made.attach(_part(_decoded(page, codepage), "html"))
    for each in store.attachments(place):
        made.attach(_attachment(store, each, codepage=codepage, depth=depth))
    return made


def _head(
    store: _Store, place: Place, *, fixed: dict[int, bytes], codepage: str
) -> Iterator[tuple[str, str]]:
    def said(number: str) -> str:
        return store.text(place, number, codepage=codepage)

    yield "Subject", said(_SUBJECT)
    name, address = said(_SENDER), said(_SENDER_SMTP) or said(_SENDER_ADDRESS)
    shown = address if "@" in address else ""
    yield "From", f"{name} <{shown}>" if name and shown and name != shown else name or shown
    yield "To", said(_TO)
    yield "Cc", said(_CC)
    sent = _moment(fixed.get(_SENT, b"")) or _moment(fixed.get(_DELIVERED, b""))
    yield "Date", format_datetime(sent) if sent else ""


def _attachment(store: _Store, place: Place, *, codepage: str, depth: int) -> Message:
    name = store.text(place, _LONG_NAME, codepage=codepage)
    name = name or store.text(place, _SHORT_NAME, codepage=codepage)
    if store.has((*place, _EMBEDDED)):
        made = Message()
        made["Content-Type"] = "message/rfc822"
        made.set_payload([_message(store, (*place, _EMBEDDED), depth=depth + 1)])
        return made
    part = EmailMessage()
    data = store.read((*place, f"__substg1.0_{_DATA}{_BINARY}"))
    part.set_content(data, "application", "octet-stream", cte="base64")
    part.add_header("Content-Disposition", "attachment", filename=_one_line(name) or "attachment")
    return part


def _one_line(name: str) -> str:
    return "".join(c for c in name if c.isprintable())


def _part(text: str, subtype: str) -> Message:
    made = EmailMessage()
    made.set_content(text, subtype=subtype, charset="utf-8", cte="base64")
    return made


def _decoded(data: bytes, codepage: str) -> str:
    try:
        return data.decode(codepage)
    except (LookupError, UnicodeError):
        return data.decode("utf-8", "replace")


def _codepage(fixed: dict[int, bytes]) -> str:
    for key in _CODEPAGES:
        if len(fixed.get(key, b"")) >= 4:
            (number,) = struct.unpack_from("<I", fixed[key])
            return "utf-8" if number == _UTF8_PAGE else f"cp{number}"
    return "cp1252"


def _moment(data: bytes) -> datetime | None:
    if len(data) < 8:
        return None
    (ticks,) = struct.unpack("<Q", data[:8])
    try:
        return _EPOCH + timedelta(microseconds=ticks // 10) if ticks else None
    except OverflowError:
        return None
