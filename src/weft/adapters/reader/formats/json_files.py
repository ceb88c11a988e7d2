"""JSON and JSON lines: one record an object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from weft.adapters.reader.columns import (
    RecordCollection,
    collection_of,
    narrowed,
    note_of,
    record_of,
    renamed,
)
from weft.adapters.reader.decoding import decode_filled
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.errors import BadInput
from weft.domain.ledger import FileStatus

_LISTS = ("records", "items", "data", "documents", "rows", "results")
_LONGEST_INTEGER = 18
_FEWEST, _DEEPEST = 2, 2
_BESIDE, _READERS = "beside", "acl"


def read_json(source: RawFile) -> ParsedFile:
    """Return a record for each object of a list, or one for an object that is no list."""
    text = decode_filled(source)
    try:
        loaded = _load(text)
        listed, beside = _list_in(loaded, source.columns)
    except (ValueError, RecursionError) as wrong:
        raise Unread(FileStatus.CORRUPT, f"not JSON: {_reason(wrong)}") from wrong
    if listed is not None:
        own = _with_readers(listed, loaded, columns=source.columns)
        return _whole(_collected(source, own, beside=beside), FileStatus.NO_TEXT)
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
    for number, line in enumerate(decode_filled(source).split("\n"), 1):
        if found.is_full:
            break
        if not line.strip():
            continue
        try:
            _add(found, _load(line), number=number)
        except (ValueError, RecursionError) as wrong:
            found.skip(number, f"not JSON: {_reason(wrong)}")
    return _whole(found, FileStatus.CORRUPT)


def _collected(
    source: RawFile, listed: list[object], *, beside: dict[str, object]
) -> RecordCollection:
    """Return the records of a list, before them what stands beside it."""
    found = collection_of(source)
    if any(value not in (None, "", [], {}) for value in beside.values()):
        row, _ = narrowed(beside, source.most_columns)
        try:
            record = record_of(renamed(row, source.columns), source.name, number=_BESIDE)
        except BadInput as wrong:
            found.skip(_BESIDE, wrong.message)
        else:
            # What is no row of the list has none of its columns.
            found.put(replace(record, fragment=_BESIDE, metadata={}))
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


def _list_in(
    loaded: object, columns: Mapping[str, str]
) -> tuple[list[object] | None, dict[str, object]]:
    """Return the list that a file is about, with what stands beside it; None where there is none.

    That is the file itself, one of a usual name, or the only one of objects, if it is most of the
    file. Objects alike under their names are one too, and so are lists of one length, a column
    each.
    """
    if isinstance(loaded, list):
        return loaded, {}
    if not isinstance(loaded, dict):
        return None, {}
    inner = next(iter(loaded.values())) if len(loaded) == 1 else loaded
    is_open = isinstance(inner, dict) and _READERS not in _folded(inner, columns)
    if is_open and (found := _named(inner) or _across(inner)):
        return found, {}
    lists = {
        name: value
        for name, value in loaded.items()
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value)
    }
    usual = next((name for name in _LISTS if name in lists), "")
    if usual:
        return lists[usual], {}  # what stands beside says how many there are, and where more
    if len(lists) != 1:
        return None, {}
    ((name, listed),) = lists.items()
    beside = {key: value for key, value in loaded.items() if key != name}
    if not beside:
        return listed, {}
    is_table = len(listed) >= _FEWEST and all(map(_is_row, listed))
    is_most = is_table and len(json.dumps(listed)) >= len(json.dumps(beside))
    return (listed, beside) if is_most else (None, {})


def _is_row(item: object, *, depth: int = 1) -> bool:
    """Tell whether an object has values, lists of them and one more level of these, as a row may.

    What is deeper is no table: settings, a program, a tree.
    """
    if isinstance(item, list):
        return not any(isinstance(one, dict) for one in item)
    if not isinstance(item, dict):
        return True
    return depth <= _DEEPEST and all(_is_row(one, depth=depth + 1) for one in item.values())


def _with_readers(
    listed: list[object], loaded: object, *, columns: Mapping[str, str]
) -> list[object]:
    """Return a list whose objects have the readers that the file around it names, or their own."""
    around = renamed(loaded, columns) if isinstance(loaded, dict) else {}
    said = {name: value for name, value in around.items() if name.strip().casefold() == _READERS}
    if not said:
        return listed
    return [
        item
        if not isinstance(item, dict) or _READERS in _folded(item, columns)
        else {**item, **said}
        for item in listed
    ]


def _folded(item: dict[str, object], columns: Mapping[str, str]) -> set[str]:
    return {name.strip().casefold() for name in renamed(item, columns)}


def _named(loaded: dict[str, object]) -> list[object]:
    """Return objects with the name that each stands under, where they have the same keys."""
    items = [one for one in loaded.values() if isinstance(one, dict)]
    if len(items) < _FEWEST or len(items) < len(loaded) or not all(map(_is_row, items)):
        return []
    every = set[str]().union(*items)
    shared = every.intersection(*items)
    if not shared or 2 * len(shared) < len(every):
        return []
    key = next(one for one in ("name", "key", "") if one not in every)
    return [{key: name, **item} for name, item in zip(loaded, items, strict=True)] if key else []


def _across(loaded: dict[str, object]) -> list[object]:
    """Return the rows of columns, where there is nothing but lists of values of one length."""
    columns = [one for one in loaded.values() if isinstance(one, list)]
    lengths = {len(one) for one in columns}
    is_whole = len(columns) == len(loaded) >= _FEWEST and len(lengths) == 1
    if not is_whole or min(lengths) < _FEWEST:
        return []
    if any(isinstance(cell, dict | list) for one in columns for cell in one):
        return []
    return [dict(zip(loaded, row, strict=True)) for row in zip(*columns, strict=True)]


def _whole(found: RecordCollection, otherwise: FileStatus) -> ParsedFile:
    if found.records:
        return ParsedFile(records=found.records, skipped=found.notes())
    if found.skipped:
        raise Unread(otherwise, f"no record can be read; {found.skipped[0]}")
    raise Unread(FileStatus.NO_TEXT, "the file holds no records")


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
