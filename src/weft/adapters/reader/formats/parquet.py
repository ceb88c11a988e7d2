"""Parquet files: one record a row, read group by group."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import pyarrow as arrow
from pyarrow import parquet

from weft.adapters.reader.columns import Cell, collection_of
from weft.adapters.reader.grids.grid import whole
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.ledger import FileStatus

_ROWS_AT_ONCE = 1_000
_LARGEST_GROUP = 256 * 2**20


def read_parquet(source: RawFile) -> ParsedFile:
    """Return a record for each row, its columns meaning what those of any table mean."""
    # One thread: a parser process has one share of the processor and no memory for more.
    arrow.set_cpu_count(1)
    arrow.set_io_thread_count(1)
    found = collection_of(source)
    try:
        file = parquet.ParquetFile(arrow.BufferReader(source.data))
        _refuse_large(file.metadata)
        number = 0
        for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, use_threads=False):
            for row in batch.to_pylist():
                number += 1
                if found.is_full:
                    return whole(found)
                found.add({name: _cell(value) for name, value in row.items()}, number)
    except (arrow.ArrowException, OSError) as wrong:
        if "encrypted" in str(wrong).casefold():
            raise Unread(FileStatus.ENCRYPTED, "the parquet file is encrypted") from wrong
        reason = f"not a readable parquet file ({str(wrong)[:150]})"
        raise Unread(FileStatus.CORRUPT, reason) from wrong
    return whole(found)


def _refuse_large(facts: parquet.FileMetaData) -> None:
    sizes = (facts.row_group(at).total_byte_size for at in range(facts.num_row_groups))
    if max(sizes, default=0) > _LARGEST_GROUP:
        reason = f"a group of its rows unpacks to more than {_LARGEST_GROUP} bytes"
        raise Unread(FileStatus.TOO_LARGE, reason)


def _cell(value: object) -> Cell:
    """Return a value as tables have it: times as ISO writes them, bytes as the text they are."""
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8") if _is_text(value) else ""
    if isinstance(value, Decimal | timedelta):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): _cell(part) for name, part in value.items()}
    return [_cell(part) for part in value] if isinstance(value, list | tuple) else value


def _is_text(value: bytes) -> bool:
    try:
        return "\0" not in value.decode("utf-8")
    except UnicodeDecodeError:
        return False
