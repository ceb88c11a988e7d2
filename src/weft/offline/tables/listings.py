"""Tables inside one document: Markdown tables, and sentences or items that begin with a label."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field, replace

from weft.domain.evidence import Evidence
from weft.domain.frozen import dataclass
from weft.language.hangul import SYLLABLES
from weft.language.patterns import pattern
from weft.offline.evidence.found import FamilyEntries
from weft.offline.tables.records import Field, Quote, Table, TableRecord, forms_of
from weft.offline.tables.words import table_words

_RULE = pattern(r"^\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?$")
_HEADING = pattern(r"^#{1,6}\s+(.*)$")
_LABEL = pattern(r"^(?!\d+\.)([^\W\d_][\w&' -]{1,40}?):\s+(?=\S)")
_ITEM = pattern(r"^(?:[-*+•]|\d{1,3}[.)])\s+(?:\*\*|__)(.+?)(?:\*\*|__)")
_EMPHASISED = pattern(r"(?:(?<=[.!?] )|^)[*_](\w[^*_\n]{0,40})[*_] (?=[a-z])", re.MULTILINE)
_LISTS = pattern(
    r"^\s*\||^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\*\*|__)|^[^\W\d_][\w&' -]{1,40}:\s+\S"
    r"|(?:^|[.!?] )[*_]\w",
    re.MULTILINE,
)
_STOP = pattern(r"[.!?](?=\s|$)")
_PART = pattern(r",\s+")
_FIGURE = pattern(r"\d")
# So many lines before a list may lead to it.
_LEAD = 12
_NUMBER = pattern(rf"[A-Za-z]+|[{SYLLABLES}]+")


@dataclass(slots=True, kw_only=True)
class _Section:
    """A stretch of a document under one heading: its items, each with the text before it."""

    heading: str
    items: list[tuple[str, Quote]] = field(default_factory=list)
    leads: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line of a document in the passage that it stands in."""

    evidence_id: str
    text: str


def may_list(evidence: Evidence) -> bool:
    """Tell whether a page's passage has a table's row, or what may be one of several items."""
    row = evidence.document_id.startswith("record:")
    return not row and bool(_LISTS.search(evidence.text))


def listings(beside: FamilyEntries) -> list[Table]:
    """Return the tables of one document."""
    if not beside.entries:
        return []
    title = beside.entries[0][1].evidence.title
    lines = [
        _Line(evidence_id=name, text=line.strip())
        for name, hit in beside.entries
        for line in hit.evidence.text.splitlines()
        if line.strip()
    ]
    around = f"{title} {beside.key.rpartition('/')[2]}"
    found = [*_tables(lines, around), *_labelled(lines, around), *_emphasised(beside, around)]
    return [replace(table, title=table.title or title) for table in found]


def _tables(lines: Sequence[_Line], around: str) -> Iterator[Table]:
    """Yield the Markdown tables, one that is cut by passages joined again."""
    heading, at = "", 0
    while at < len(lines):
        match = _HEADING.match(lines[at].text)
        heading = match[1] if match else heading
        if at + 1 < len(lines) and "|" in lines[at].text and _RULE.match(lines[at + 1].text):
            header = _cells(lines[at].text)
            rows: list[TableRecord] = []
            end = at + 2
            while end < len(lines) and lines[end].text.startswith("|"):
                rows.append(_table_row(header, lines[end]))
                end += 1
            whole = [row for row in rows if row.fields]
            if whole and len(whole) == len(rows):
                yield _table(tuple(whole), header=header, heading=heading, around=around)
            at = end
        else:
            at += 1


def _table(
    records: tuple[TableRecord, ...], *, header: Sequence[str], heading: str, around: str
) -> Table:
    return Table(
        title=heading,
        names=forms_of(heading or around),
        near=forms_of(f"{heading} {around}"),
        records=records,
        is_labelled=not header[0],
    )


def _cells(line: str) -> list[str]:
    return [cell.strip().strip("*`") for cell in line.strip().strip("|").split("|")]


def _table_row(header: Sequence[str], line: _Line) -> TableRecord:
    cells = _cells(line.text)
    quote = Quote(evidence_id=line.evidence_id, text=line.text)
    if len(cells) != len(header):
        return TableRecord(name="", fields=())
    fields = tuple(
        Field(name=name, value=value, quote=quote)
        for name, value in zip(header, cells, strict=True)
        if name
    )
    return TableRecord(name="" if header[0] else cells[0], fields=fields)


def _labelled(lines: Sequence[_Line], around: str) -> Iterator[Table]:
    """Yield the lists of labelled sentences and of items that begin in bold, section by section."""
    section, before = _Section(heading=""), list[str]()
    for number, line in enumerate(lines):
        match = _HEADING.match(line.text)
        if match:
            yield from _listed(section, around)
            section = _Section(heading=match[1])
            continue
        item = _item(lines, number)
        if item is not None:
            section.items.append(item)
            section.leads.append(" ".join([section.heading, around, *before[-_LEAD:]]))
        else:
            before.append(line.text)
    yield from _listed(section, around)


def _item(lines: Sequence[_Line], number: int) -> tuple[str, Quote] | None:
    line = lines[number]
    bold, label = _ITEM.match(line.text), _LABEL.match(line.text)
    if bold is None and label is None:
        return None
    said = [line.text if bold is None else line.text[bold.start(1) - 2 :]]
    for other in lines[number + 1 :]:
        if _STOP.search(said[-1]) or other.evidence_id != line.evidence_id:
            break
        said.append(other.text)
    whole = "\n".join(said)
    stop = _STOP.search(whole)
    text = whole[: stop.end()] if stop else whole
    name = bold[1] if bold else label[1] if label else ""
    return name.rstrip(":. "), Quote(evidence_id=line.evidence_id, text=text)


def _listed(section: _Section, around: str) -> Iterator[Table]:
    """Yield the items as a table: those whose number the text before them says, else all."""
    starts = range(len(section.items) - 1)
    told = (at for at in starts if _announces(section.leads[at], len(section.items) - at))
    first = next(told, None)
    at = first or 0
    if not starts:
        return
    yield Table(
        title=section.heading,
        names=forms_of(f"{around} {section.heading}"),
        near=frozenset(),
        records=tuple(
            TableRecord(name=name, fields=tuple(_parts(name, quote)))
            for name, quote in section.items[at:]
        ),
        lead=forms_of(section.leads[at]),
        is_labelled=True,
        announced=first is not None,
    )


def _parts(name: str, quote: Quote) -> Iterator[Field]:
    """Yield the item itself, and what it says with figures: "price 61 euro, battery 9 months"."""
    yield Field(name="", value=name, quote=quote)
    said = quote.text.removeprefix("**").removeprefix(name).lstrip("*: ").rstrip(".")
    for part in _PART.split(" ".join(said.split())):
        figure = _FIGURE.search(part)
        words = part[: figure.start()].strip() if figure else ""
        if figure and 0 < len(words.split()) <= 3 and words.replace(" ", "").isalpha():
            yield Field(name=words, value=part[figure.start() :], quote=quote)


def _emphasised(beside: FamilyEntries, around: str) -> Iterator[Table]:
    """Yield the lists of sentences that begin with a word in italics, passage by passage."""
    for name, hit in beside.entries:
        text = hit.evidence.text
        for block in text.split("\n\n"):
            found = list(_EMPHASISED.finditer(block))
            if len(found) < 2:
                continue
            heading = _heading_before(text, block)
            records: list[TableRecord] = []
            for match in found:
                stop = _STOP.search(block, match.end())
                said = block[match.start() : stop.end() if stop else len(block)]
                quote = Quote(evidence_id=name, text=said)
                own = Field(name="", value=match[1], quote=quote)
                records.append(TableRecord(name=match[1], fields=(own,)))
            yield Table(
                title=heading,
                names=forms_of(f"{heading} {around}"),
                near=frozenset(),
                records=tuple(records),
                lead=forms_of(f"{heading} {around}"),
                is_labelled=True,
                announced=_announces(heading, len(records)),
            )


def _heading_before(text: str, block: str) -> str:
    at = text.find(block)
    headings = [m[1] for line in text[:at].splitlines() if (m := _HEADING.match(line.strip()))]
    return headings[-1] if headings else ""


def _announces(text: str, count: int) -> bool:
    """Tell whether a text says that there are so many: "Three loggers were carried to Lyon"."""
    numbers = table_words().numbers
    said = (match.group().casefold() for match in _NUMBER.finditer(text))
    return any(numbers.get(word) == count for word in said) or bool(
        re.search(rf"(?<![\w.,-]){count} [a-z]{{3,}}s\b", text)
    )
