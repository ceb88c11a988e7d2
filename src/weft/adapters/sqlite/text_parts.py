"""The index for substrings, in parts by where chunks lie in the file.

What is removed leaves traces in a part until that is written anew, which takes longer the larger it
is: so one part has a few thousand chunks, however large the knowledge base.
"""

from __future__ import annotations

from heapq import merge
from itertools import islice

from weft.adapters.sqlite import statements
from weft.adapters.sqlite.database import Connection, Parameters
from weft.stores.values import whole


def make_room(connection: Connection, chunks: int) -> None:
    """Make the parts that so many chunks more will lie in."""
    if not chunks:
        return
    last = whole(connection.run("last_chunk").fetchone()[0])
    there = set(_parts(connection))
    for part in range(_part(last + 1), _part(last + chunks) + 1):
        if part not in there:
            connection.script(statements.text_part(part))


def make_all(connection: Connection) -> None:
    """Make the parts that hold the chunks of a file that has none."""
    last = whole(connection.run("last_chunk").fetchone()[0])
    for part in range(_part(last) + 1):
        if _holds(connection, part):
            connection.script(statements.text_part(part))


def tidy(connection: Connection) -> None:
    """Take the traces of what was removed out of the parts that have some."""
    there = set(_parts(connection))
    for row in connection.run("untidy").fetchall():
        part = whole(row[0])
        if part not in there:
            continue
        if _holds(connection, part):
            connection.run("tidy_text_part", part=part)
        else:
            for name in ("drop_text_added", "drop_text_removed", "drop_text_part"):
                connection.run(name, part=part)
    connection.run("drop_untidy")


def containing(connection: Connection, wanted: Parameters, *, limit: int) -> list[str]:
    """Return the ids of the first chunks that have a phrase, by document and place."""
    found = [
        connection.run("containing", wanted, part=part).fetchall() for part in _parts(connection)
    ]
    return [row[2] for row in islice(merge(*found), limit)]


def _parts(connection: Connection) -> list[int]:
    return [whole(row[0]) for row in connection.run("text_parts").fetchall()]


def _part(place: int) -> int:
    return place >> statements.PART_BITS


def _holds(connection: Connection, part: int) -> bool:
    bits = statements.PART_BITS
    between: Parameters = {"first": part << bits, "last": ((part + 1) << bits) - 1}
    return connection.run("holds_chunks", between).fetchone() is not None
