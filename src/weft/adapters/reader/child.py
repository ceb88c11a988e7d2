"""The parser process: takes paths on its input, gives records on its output, one file at a time."""

from __future__ import annotations

import errno
import json
import logging
import os
import sys
import warnings
from collections.abc import Iterator
from typing import BinaryIO

from weft.adapters.reader import frames, parsing
from weft.adapters.reader.limits import ReaderLimits, confine, renew, rest
from weft.adapters.reader.parsed import ParsedFile, Unread
from weft.domain.ledger import FileStatus
from weft.domain.record import Record

# What broken files make parsers raise. Anything else ends the process, and the parent says so.
FAULTS = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    RuntimeError,
    OSError,
    EOFError,
)
_BATCH_CHARACTERS = 4_000_000
_BATCH_RECORDS = 2_000

Message = dict[str, object]


def main(arguments: list[str]) -> None:
    """Serve until the input ends; `arguments` are the limits as JSON and the parent's number."""
    limits = ReaderLimits(**json.loads(arguments[0]))
    confine(limits, int(arguments[1]))
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    with os.fdopen(os.dup(1), "wb", buffering=0) as out:
        # Nothing a parser prints may come between the messages.
        os.dup2(2, 1)
        serve(sys.stdin.buffer, out, limits=limits)


def serve(requests: BinaryIO, out: BinaryIO, *, limits: ReaderLimits) -> None:
    """Answer each request with messages of records and a last one that says how it ended."""
    _send(out, {"ready": True})
    while (request := frames.received(requests)) is not None:
        renew(limits)
        try:
            for message in answer(frames.FileRequest.of(request), limits=limits):
                _send(out, message)
        except MemoryError:
            _send(out, _end(FileStatus.HOSTILE, "takes more memory than a parser may have"))
            return
        rest()


def answer(wanted: frames.FileRequest, *, limits: ReaderLimits) -> Iterator[Message]:
    """Yield a file's records in batches, then one message that says how it ended."""
    try:
        parsed = parsing.parse(
            wanted.path,
            first_page=wanted.first_page,
            most_bytes=limits.file_bytes,
            inside=wanted.inside,
            columns=wanted.columns,
        )
    except Unread as refused:
        yield _end(refused.status, refused.message)
    except FAULTS as fault:
        if isinstance(fault, OSError) and fault.errno == errno.ENOMEM:
            raise MemoryError from fault
        yield _end(FileStatus.CORRUPT, f"{type(fault).__name__}: {str(fault)[:200]}")
    else:
        yield from _batches(parsed)
        end = _end(FileStatus.READ, "")
        members = [(each.name, each.size) for each in parsed.members]
        yield {
            **end,
            "skipped": parsed.skipped,
            "next_page": parsed.next_page,
            "members": members,
        }


def _batches(parsed: ParsedFile) -> Iterator[Message]:
    batch: list[Message] = []
    size = 0
    for record in parsed.records:
        batch.append(_as_message(record))
        size += len(record.content)
        if size >= _BATCH_CHARACTERS or len(batch) >= _BATCH_RECORDS:
            yield {"records": batch}
            batch, size = [], 0
    if batch:
        yield {"records": batch}


def _as_message(record: Record) -> Message:
    return {
        "content": record.content,
        "title": record.title,
        "fragment": record.fragment,
        "category": record.category,
        "blocks": [(b.start, b.end, b.kind.value, b.level, b.page) for b in record.blocks],
        "metadata": dict(record.metadata),
        "acl": None if record.acl is None else sorted(record.acl),
        "created": record.created.isoformat() if record.created else None,
        "updated": record.updated.isoformat() if record.updated else None,
        "links": list(record.links),
    }


def _end(status: FileStatus, reason: str) -> Message:
    return {"status": status.value, "reason": reason}


def _send(out: BinaryIO, message: Message) -> None:
    data = memoryview(frames.packed(message))
    while data:  # a raw pipe may take less than it is given
        data = data[out.write(data) :]
