"""JSON and JSON lines: one record an object."""

from __future__ import annotations

import json

from weft.adapters.reader.columns import (
    RecordCollection,
    collection_of,
    narrowed,
    note_of,
    record_of,
    renamed,
)
from weft.adapters.reader.decoding import decode
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.errors import BadInput
from weft.domain.ledger import FileStatus

_LISTS = ("records", "items", "data", "documents", "rows", "results")
_LONGEST_INTEGER = 18


def read_json(source: RawFile) -> ParsedFile:
    """Return a record for each object of a list, or one for an object that is no list."""
    text = _filled(source)
    try:
        loaded = _load(text)
    except (ValueError, RecursionError) as wrong:
        raise Unread(FileStatus.CORRUPT, f"not JSON: {_reason(wrong)}") from wrong
    listed = _list_in(loaded)
    if listed is not None:
        return _whole(_collected(source, listed), FileStatus.NO_TEXT)
    if not isinstance(loaded, dict):
        loaded = {"content": loaded}
    try:
        row, _ = narrowed(loaded, source.most_columns)
        record = record_of(renamed(row, source.columns), source.name, number="")
        return ParsedFile(records=[record], skipped=note_of(loaded, source.most_columns))
    except BadInput as wrong:
        raise Unread(FileStatus.NO_TEXT, wrong.message) from wrong


def read_jsonl(source: RawFile) -> ParsedFile:
    """Return a record for each line; a line that is not JSON is named and left out."""
    found = collection_of(source)
    for number, line in enumerate(_filled(source).split("\n"), 1):
        if found.is_full:
            break
        if not line.strip():
            continue
        try:
            _add(found, _load(line), number=number)
        except (ValueError, RecursionError) as wrong:
            found.skip(number, f"not JSON: {_reason(wrong)}")
    return _whole(found, FileStatus.CORRUPT)


def _collected(source: RawFile, listed: list[object]) -> RecordCollection:
    found = collection_of(source)
    for number, item in enumerate(listed, 1):
        if found.is_full:
            break
        _add(found, item, number=number)
    return found


def _add(found: RecordCollection, item: object, *, number: int) -> None:
    if isinstance(item, dict):
        found.add(item, number)
    elif isinstance(item, str):
        found.add({"content": item}, number)
    else:
        found.skip(number, "not an object")


def _list_in(loaded: object) -> list[object] | None:
    """Return the list that a file is about: itself, its only value, or one of a usual name."""
    if isinstance(loaded, list):
        return loaded
    if not isinstance(loaded, dict):
        return None
    usual = [loaded[name] for name in _LISTS if name in loaded]
    for value in [*loaded.values()] if len(loaded) == 1 else usual:
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            return value
    return None


def _whole(found: RecordCollection, otherwise: FileStatus) -> ParsedFile:
    if found.records:
        return ParsedFile(records=found.records, skipped=found.notes())
    if found.skipped:
        raise Unread(otherwise, f"no record can be read; {found.skipped[0]}")
    raise Unread(FileStatus.NO_TEXT, "the file holds no records")


def _filled(source: RawFile) -> str:
    text = decode(source)
    if not text.strip():
        raise Unread(FileStatus.NO_TEXT, "the file holds only white space")
    return text


def _load(text: str) -> object:
    # Numbers that no column holds stay text: integers beyond 64 bits, NaN, Infinity.
    return json.loads(text, parse_int=_integer, parse_constant=str)


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else digits


def _reason(wrong: ValueError | RecursionError) -> str:
    if isinstance(wrong, RecursionError):
        return "nested too deeply"
    if isinstance(wrong, json.JSONDecodeError):
        return f"{wrong.msg}, line {wrong.lineno} column {wrong.colno}"
    return str(wrong)[:200]
