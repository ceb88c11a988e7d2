"""Mails (eml): what was written, under the lines of its head; attachments are files within it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from email import message_from_bytes, policy
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime

from weft.adapters.reader.containers import relative_names
from weft.adapters.reader.dates import instant
from weft.adapters.reader.draft import TextDraft
from weft.adapters.reader.formats.webpage import page_text
from weft.adapters.reader.outline import Style, blocks
from weft.adapters.reader.parsed import RawFile, Unread
from weft.domain.document import Value
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileStatus
from weft.domain.record import BlockKind, Record
from weft.ports.reader import Member

_SHOWN = ("Subject", "From", "To", "Cc", "Date")
_LONGEST_LINE = 2_000
_LONGEST_FACT = 300
_MOST_PARTS = 1_000
_DEEPEST = 30
# Programs name the smaller sets of letters and write the larger ones.
_REALLY = {"euc-kr": "cp949", "ks_c_5601-1987": "cp949", "gb2312": "gb18030", "us-ascii": "utf-8"}
_FORMAT_ENDINGS = {"message/rfc822": ".eml", "text/calendar": ".ics", "text/html": ".html"}
# An alternative in plain text of less than this share of the page's words only points to the page.
_STUB = 0.2
# So does a short one that speaks of HTML where the page does not.
_SHORT = 40
_OF_PAGES = re.compile(r"\bhtml\b", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
MAIL_FAULTS = (HeaderParseError, LookupError, ValueError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail as a container: its text is its record, its attachments are its members."""

    record: Record
    attached: dict[str, bytes]

    @property
    def records(self) -> Sequence[Record]:
        """Return the mail's own text; none where nothing was written."""
        return [self.record] if self.record.content else []

    @property
    def members(self) -> Sequence[Member]:
        """Return the attachments, mails among them."""
        return [Member(name=name, size=len(data)) for name, data in self.attached.items()]

    def read(self, name: str) -> bytes:
        """Return an attachment's bytes."""
        return self.attached[name]


def open_mail(source: RawFile) -> Mail:
    """Return a mail with its attachments; raise `Unread` for one that cannot be taken apart."""
    try:
        return mail_of(message_from_bytes(source.data, policy=policy.compat32), source.name)
    except MAIL_FAULTS as wrong:
        reason = f"not a readable mail ({type(wrong).__name__}: {str(wrong)[:150]})"
        raise Unread(FileStatus.CORRUPT, reason) from wrong


def mail_of(message: Message, name: str) -> Mail:
    """Return a message as a container; `name` is its title if it has no subject."""
    parts = _Parts([], [])
    _sort(message, parts)
    attached = parts.attached
    said = {each: _header(message, each) for each in _SHOWN}
    draft = TextDraft()
    for key, value in said.items():
        draft.add(f"{key}: {value}" if value else "", BlockKind.FIELD)
    if not any(said.values()) and not parts.written and not attached:
        raise Unread(FileStatus.CORRUPT, "not a mail: it has no head")
    for part in parts.written:
        _write(part, draft)
    metadata: dict[str, Value] = {
        key.casefold(): value[:_LONGEST_FACT] for key, value in said.items() if value
    }
    metadata.pop("subject", None)
    record = Record(
        content=draft.content,
        title=said["Subject"][:_LONGEST_FACT] or name,
        blocks=tuple(draft.found),
        metadata=metadata,
        created=_moment(said["Date"]),
    )
    names = relative_names([_file_name(each) for each in attached])
    return Mail(record, dict(zip(names, map(_bytes, attached), strict=True)))


@dataclass(slots=True)
class _Parts:
    """What was written, as text or as pages, and what was attached, each in order."""

    written: list[Message]
    attached: list[Message]


def _sort(message: Message, parts: _Parts, *, depth: int = 0) -> None:
    """Tell what was written from what was attached; of alternatives one is what was written."""
    if len(parts.attached) + len(parts.written) > _MOST_PARTS or depth > _DEEPEST:
        raise Unread(FileStatus.HOSTILE, f"more than {_MOST_PARTS} parts, or {_DEEPEST} deep")
    kind = message.get_content_type()
    named = bool(message.get_filename()) or message.get_content_disposition() == "attachment"
    if kind.startswith("multipart/") and message.is_multipart():
        ways = list[list[Message]]()
        for part in message.get_payload():
            if isinstance(part, Message):
                before = len(parts.written)
                _sort(part, parts, depth=depth + 1)
                ways.append(parts.written[before:])
        if kind == "multipart/alternative":
            del parts.written[len(parts.written) - sum(map(len, ways)) :]
            parts.written += _chosen([way for way in ways if way])
    elif named or kind not in ("text/plain", "text/html"):
        parts.attached.append(message)
    else:
        parts.written.append(message)


def _chosen(ways: Sequence[list[Message]]) -> list[Message]:
    """Return what says it in plain text, or the page where that says next to nothing."""
    plain = next((way for way in ways if not any(map(_is_page, way))), [])
    page = next((way for way in ways if any(map(_is_page, way))), [])
    if not (plain and page):
        return plain or page
    return page if _is_stub(_said(plain), _said(page)) else plain


def _is_stub(plain: str, page: str) -> bool:
    words, of_page = len(plain.split()), len(page.split())
    if words < _STUB * of_page:
        return True
    speaks_of_it = _OF_PAGES.search(plain) and not _OF_PAGES.search(page)
    return of_page > 0 and words < _SHORT and bool(speaks_of_it)


def _is_page(part: Message) -> bool:
    return part.get_content_type() == "text/html"


def _said(parts: Sequence[Message]) -> str:
    """Return the text of some parts; a page that cannot be read has none."""
    texts: list[str] = []
    for part in parts:
        try:
            texts.append(_page(part).content if _is_page(part) else _text(part))
        except Unread:
            continue
    return "\n".join(texts)


def _write(part: Message, draft: TextDraft) -> None:
    """Add what a part says that is text or a page; an empty one says nothing."""
    if not _is_page(part):
        text = _text(part)
        for block in blocks(text, style=Style.PLAIN):
            draft.add(text[block.start : block.end], block.kind, level=block.level)
        return
    try:
        page = _page(part)
    except Unread as wrong:
        if wrong.status is not FileStatus.NO_TEXT:
            raise
        return
    for block in page.found:
        draft.add(page.content[block.start : block.end], block.kind, level=block.level)


def _page(part: Message) -> TextDraft:
    return page_text(RawFile(data=_text(part).encode("utf-8", "replace"), name="mail.html"))


def _text(message: Message) -> str:
    data = message.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    named = (message.get_content_charset() or "utf-8").casefold()
    for charset in (_REALLY.get(named, named), "utf-8", "cp949"):
        try:
            return data.decode(charset).replace("\r\n", "\n").replace("\r", "\n")
        except (LookupError, UnicodeError):
            continue
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


def _raw(message: Message, name: str) -> str:
    """Return a line of the head; one that was sent as bytes is in the letters of the mail's text.

    Such a line breaks the rules of mails and is common all the same.
    """
    said = next(
        (value for key, value in message.raw_items() if key.casefold() == name.casefold()), ""
    )
    line = str(said)[:_LONGEST_LINE]
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        data = line.encode("utf-8", "surrogateescape")
        named = {part.get_content_charset() or "" for part in message.walk()}
        for charset in ("utf-8", *sorted(_REALLY.get(one, one) for one in named if one), "cp949"):
            try:
                return data.decode(charset)
            except (LookupError, UnicodeError):
                continue
        return data.decode("utf-8", "replace")
    return line


def _header(message: Message, name: str) -> str:
    parts = []
    for part, charset in decode_header(_raw(message, name)):
        if isinstance(part, bytes):
            named = (charset or "utf-8").casefold()
            try:
                part = part.decode(_REALLY.get(named, named))
            except (LookupError, UnicodeError):
                part = part.decode("cp949", "replace")
        parts.append(part)
    return " ".join(_CONTROL.sub(" ", "".join(parts)).split())


def _moment(said: str) -> datetime | None:
    try:
        return instant(parsedate_to_datetime(said))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _file_name(message: Message) -> str:
    kind = message.get_content_type()
    name = message.get_filename() or ""
    if "\ufffd" in name:  # bytes that no rule allows, as in a line of the head
        holder = Message()
        for line in ("Content-Disposition", "Content-Type"):
            holder[line] = _raw(message, line)
        name = holder.get_filename() or name
    if "=?" in name:
        holder = Message()
        holder["n"] = name
        name = _header(holder, "n")
    if not name and kind == "message/rfc822":
        name = _header(_inner(message), "Subject") or "mail"
    ending = _FORMAT_ENDINGS.get(kind, "")
    plain = (name or "attachment").replace("/", "_")
    return plain if plain.casefold().endswith(ending) else plain + ending


def _inner(message: Message) -> Message:
    held = message.get_payload()
    return held[0] if isinstance(held, list) and held and isinstance(held[0], Message) else message


def _bytes(message: Message) -> bytes:
    if message.get_content_type() == "message/rfc822":
        return _inner(message).as_bytes()
    data = message.get_payload(decode=True)
    return data if isinstance(data, bytes) else message.as_bytes()
