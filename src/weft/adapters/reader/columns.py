"""A row of named values as a record: which columns are its text, its name, its rights."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from datetime import datetime

from weft.adapters.reader.dates import instant
from weft.adapters.reader.numbers import storable
from weft.adapters.reader.outline import blocks
from weft.adapters.reader.parsed import RawFile
from weft.domain.acl import NO_PRINCIPAL, checked
from weft.domain.document import Value
from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.domain.record import Block, BlockKind, Record

Cell = object
CONTENT = ("content", "text", "document", "references")
_TITLE = ("title", "name")
_UPDATED = ("updated_at", "updated")
_CREATED = ("created_at", "created")
_OWN_MEANING = frozenset(
    {*CONTENT, *_TITLE, *_UPDATED, *_CREATED, "id", "acl", "category", "links"}
)
# What tells where a record belongs, and nothing of what it says.
_SAYS_NOTHING = frozenset({"id", "acl", "links", *_UPDATED, *_CREATED})
_MOST_RECORDS = 100_000
_MOST_NAMED = 1_000
_DEPTH = 3
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})(\.\d{1,15})?")


@dataclass(slots=True)
class RecordCollection:
    """The records of one file as they are found; a bad one is named and leaves the others alone."""

    name: str
    columns: Mapping[str, str] = field(default_factory=dict)
    most_columns: int = 1_000
    records: list[Record] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    fragments: set[str] = field(default_factory=set)
    unnamed: int = 0
    cut: int = 0
    widest: int = 0

    @property
    def is_full(self) -> bool:
        """Tell whether the file has given as many records as are taken from one."""
        return len(self.records) >= _MOST_RECORDS

    def add(self, row: Mapping[str, Cell], number: int, *, sheet: str = "") -> None:
        """Add the record that a row makes; `number` is its place in the file or sheet, from 1."""
        place = f"{sheet}!" if sheet else ""
        row, columns = narrowed(row, self.most_columns)
        if columns > self.most_columns:
            self.cut += 1
            self.widest = max(self.widest, columns)
        try:
            row = renamed(row, self.columns)
            record = record_of(row, f"{self.name} {sheet}".rstrip(), number=str(number))
        except BadInput as wrong:
            self.skip(f"{place}{number}", wrong.message)
            return
        fragment = place + record.fragment
        if fragment in self.fragments:  # an id that two rows have names neither
            fragment = f"{fragment}:{number}"
        metadata = {"sheet": sheet, **record.metadata} if sheet else record.metadata
        self.put(replace(record, fragment=fragment, metadata=metadata))

    def put(self, record: Record) -> None:
        """Add a record as it is; its fragment is its own."""
        self.fragments.add(record.fragment)
        self.records.append(record)

    def skip(self, place: int | str, reason: str) -> None:
        """Name a record that is left out by its place, and why."""
        if len(self.skipped) < _MOST_NAMED:
            self.skipped.append(f"record {place}: {reason}")
        else:
            self.unnamed += 1

    def notes(self) -> list[str]:
        """Return the names of all that was left out, and what is to be said of the rest."""
        notes = list(self.skipped)
        if self.unnamed:
            notes.append(f"and {self.unnamed} more")
        notes += self.remarks
        if self.cut:
            notes.append(_cut(self.cut, self.widest, most=self.most_columns))
        if self.is_full:
            notes.append(f"only the first {_MOST_RECORDS} records of a file are read")
        return notes


def collection_of(source: RawFile) -> RecordCollection:
    """Return an empty collection for the rows of a file."""
    return RecordCollection(
        name=source.name, columns=source.columns, most_columns=source.most_columns
    )


def renamed(row: Mapping[str, Cell], columns: Mapping[str, str]) -> Mapping[str, Cell]:
    """Return a row with its columns under the names of what they mean; the first value counts."""
    if not columns:
        return row
    meanings = {name.strip().casefold(): meaning for name, meaning in columns.items()}
    found: dict[str, Cell] = {}
    for name, value in row.items():
        meant = meanings.get(name.strip().casefold(), name)
        if not _text(found.get(meant)).strip():
            found[meant] = value
    return found


def narrowed(row: Mapping[str, Cell], most: int) -> tuple[Mapping[str, Cell], int]:
    """Return a row's first columns, those that have a meaning of their own among them, and how
    many it has. Nested names count each, however deep.
    """
    if len(row) <= most and not any(isinstance(value, dict) for value in row.values()):
        return row, len(row)
    columns = 0
    kept: dict[str, Cell] = {}
    for name, value in row.items():
        columns += sum(1 for _ in flat({name: value}))
        if columns <= most or name.strip().casefold() in _OWN_MEANING:
            kept[name] = value
    return (row, columns) if columns <= most else (kept, columns)


def note_of(row: Mapping[str, Cell], most: int) -> list[str]:
    """Return what is said of one record that has more columns than are taken; else nothing."""
    _, columns = narrowed(row, most)
    return [_cut(1, columns, most=most)] if columns > most else []


def _cut(records: int, widest: int, *, most: int) -> str:
    return (
        f"{records} records have more than {most} columns, up to {widest}: those beyond are left"
        " out (WEFT_MAX_COLUMNS)"
    )


def record_of(row: Mapping[str, Cell], name: str, *, number: str) -> Record:
    """Return the record of a row; raise `BadInput` if it has no content or a wrong ACL.

    The first content column with text is the content; without any such column all of them are,
    as lines `column: value`, where one of them says more than where the record belongs. The file's
    `name` and the row's `number` serve where the row has no title and no id.
    """
    folded = {column.strip().casefold(): value for column, value in row.items()}
    content, found = _content(row, folded)
    fragment = _first(folded, ("id",))[:200] or number
    return Record(
        content=content,
        title=_first(folded, _TITLE)[:300] or f"{name} {fragment}".rstrip(),
        fragment=fragment,
        category=_first(folded, ("category",)),
        blocks=tuple(found),
        metadata=_metadata(row),
        acl=_acl(folded.get("acl")),
        created=_time(folded, _CREATED),
        updated=_time(folded, _UPDATED),
        links=tuple(_listed(folded.get("links"), re.compile(r"[;\s]+"))),
    )


class CellText(str):
    """The text of a cell in a file that knows no types: it may spell a number or a truth value."""

    __slots__ = ()


def typed(text: str) -> Value:
    """Return a cell's text as the number or truth value it spells; anything else stays text."""
    said = text.strip()
    if found := _NUMBER.fullmatch(said):
        return float(said) if found[1] else int(said)
    if said.casefold() in ("true", "false"):
        return said.casefold() == "true"
    return said or None


def _content(row: Mapping[str, Cell], folded: Mapping[str, Cell]) -> tuple[str, list[Block]]:
    present = [name for name in CONTENT if name in folded]
    for name in present:
        text = _prose(folded[name])
        if text.strip():
            return text, blocks(text)
    if present:
        raise BadInput(f"no content in column '{present[0]}'")
    said = {name for name, value in folded.items() if _text(value).strip()}
    if said and said <= _SAYS_NOTHING:
        raise BadInput(f"no content beside {', '.join(sorted(said))}{_called(folded)}")
    return _fields(row)


def _called(folded: Mapping[str, Cell]) -> str:
    found = _first(folded, ("id",))
    return f" ({found[:80]})" if found else ""


def _fields(row: Mapping[str, Cell]) -> tuple[str, list[Block]]:
    lines: list[str] = []
    found: list[Block] = []
    at = 0
    for name, value in flat(row):
        text = _text(value).strip()
        if not text or name.strip().casefold() == "acl":
            continue
        line = f"{name.strip()}: {text}"
        found.append(Block(start=at, end=at + len(line), kind=BlockKind.FIELD))
        lines.append(line)
        at += len(line) + 1
    if not lines:
        raise BadInput("no content: every column is empty")
    return "\n".join(lines), found


def flat(
    row: Mapping[str, Cell], prefix: str = "", *, depth: int = 1
) -> Iterable[tuple[str, Cell]]:
    """Yield a row's values with dotted names, three levels deep; what is deeper stays JSON."""
    for name, value in row.items():
        if isinstance(value, dict) and value and depth < _DEPTH:
            yield from flat(value, f"{prefix}{name}.", depth=depth + 1)
        else:
            yield f"{prefix}{name}", value


def _metadata(row: Mapping[str, Cell]) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for name, value in flat(row):
        key = name.strip()
        if key.casefold() in _OWN_MEANING:
            continue
        kept = _value(value)
        if kept is not None and kept != "":
            values[key] = kept
    return values


def _value(value: Cell) -> Value:
    if isinstance(value, CellText):
        return typed(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return storable(value)
    return _text(value) or None


def _prose(value: Cell) -> str:
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n\n".join(value)
    if isinstance(value, dict):
        return "\n".join(f"{name}: {_text(part)}" for name, part in flat(value))
    return _text(value)


def _text(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and not any(isinstance(part, list | dict) for part in value):
        return "; ".join(_text(part) for part in value)
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return str(value)


def _first(folded: Mapping[str, Cell], names: tuple[str, ...]) -> str:
    said = (" ".join(_text(folded.get(name)).split()) for name in names)
    return next((text for text in said if text), "")


def _time(folded: Mapping[str, Cell], names: tuple[str, ...]) -> datetime | None:
    moments = (instant(folded.get(name)) for name in names)
    return next((moment for moment in moments if moment), None)


def _listed(value: Cell, separator: re.Pattern[str]) -> list[str]:
    parts = value if isinstance(value, list) else separator.split(_text(value))
    return [text for part in parts if (text := _text(part).strip())]


def _acl(value: Cell) -> frozenset[str] | None:
    """An empty cell says nothing; an empty list says nobody."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        return frozenset(checked(principal) for principal in _listed(value, re.compile(r"[;\n]")))
    except BadInput:
        raise BadInput(NO_PRINCIPAL) from None
