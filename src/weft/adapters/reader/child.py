"""The parser process: takes open files on its input, gives records on its output, one at a time."""

from __future__ import annotations

import errno
import json
import logging
import os
import socket
import warnings
from collections.abc import Iterator
from typing import BinaryIO

from weft.adapters.reader import frames, parsing
from weft.adapters.reader.confinement.breaches import breaches
from weft.adapters.reader.confinement.calls import leave_calls
from weft.adapters.reader.confinement.files import leave_files
from weft.adapters.reader.confinement.rights import leave_rights
from weft.adapters.reader.limits import ReaderLimits, bind, refuse_in_python, renew, rest
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
    ImportError,  # nothing can be loaded any more: see `parsing.prepare`
)
_BATCH_CHARACTERS = 4_000_000
_BATCH_RECORDS = 2_000
HEAVY = "heavy"

Message = dict[str, object]


def main(arguments: list[str]) -> None:
    """Serve until the input ends: limits as JSON, the parent's number, whether all is loaded."""
    limits = ReaderLimits(**json.loads(arguments[0]))
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    # Nothing a parser prints may come between the messages.
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    with socket.socket(fileno=0) as requests, out:
        parsing.prepare(heavy=HEAVY in arguments[2:])
        confine(limits, int(arguments[1]))
        _send(out, {"ready": True, "breaches": breaches(limits.memory_bytes)})
        serve(requests, out, limits=limits)


def confine(limits: ReaderLimits, parent: int) -> None:
    """Bind this process for good, before it sees the first byte of a file.

    All that parsing needs is imported by now: afterwards nothing can be opened by its name.
    """
    leave_rights(parent)
    bind(limits)
    leave_files()
    refuse_in_python()
    leave_calls()


def serve(requests: socket.socket, out: BinaryIO, *, limits: ReaderLimits) -> None:
    """Answer each request with messages of records and a last one that says how it ended."""
    while (request := frames.received(requests)) is not None:
        message, handle = request
        renew(limits)
        try:
            for part in answer(frames.OpenFile.of(message, handle), limits=limits):
                _send(out, part)
        except MemoryError:
            _send(out, _end(FileStatus.HOSTILE, "takes more memory than a parser may have"))
            return
        finally:
            os.close(handle)
        rest()


def answer(file: frames.OpenFile, *, limits: ReaderLimits) -> Iterator[Message]:
    """Yield a file's records in batches, then one message that says how it ended."""
    try:
        parsed = parsing.parse(file, most_bytes=limits.file_bytes, most_columns=limits.columns)
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
