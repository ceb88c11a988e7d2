"""A table made of another one's rows and some new ones, copied in as few pieces as there are."""

from __future__ import annotations

import numpy as np

from weft.index.tables import Ints, Longs, Table, offsets, ranges

# Beyond so many slots a piece it is quicker to copy row by row.
_LEAST = 8


def spliced(old: Table, new: Table, *, former: Longs) -> Table:
    """Return a table whose slots have their former rows, or new ones where `former` is -1."""
    kept = former >= 0
    bounds = np.append(old.ptr, old.ptr[-1])
    # One row lies between the old and the new: no piece goes over the border.
    starts = np.where(kept, bounds[former], old.size + 1 + new.ptr[:-1])
    sizes = np.where(kept, bounds[former + 1] - bounds[former], np.diff(new.ptr))
    pieces = _pieces(starts, sizes)
    return Table(
        ptr=offsets(sizes),
        columns={
            name: _copied(values, new.columns[name], pieces) for name, values in old.columns.items()
        },
    )


def _pieces(starts: Longs, sizes: Longs) -> Longs | list[tuple[int, int]]:
    """Return where each run of neighbouring rows begins and ends, or the rows if runs are short."""
    filled = np.flatnonzero(sizes)
    first, last = starts[filled], starts[filled] + sizes[filled]
    cuts = np.flatnonzero(first[1:] != last[:-1]) + 1
    if len(cuts) * _LEAST > len(filled):
        return ranges(starts, sizes)
    begins = first[np.concatenate([[0], cuts])] if len(first) else first
    ends = last[np.concatenate([cuts - 1, [-1]])] if len(last) else last
    return list(zip(begins.tolist(), ends.tolist(), strict=True))


def _copied(old: Ints, new: Ints, pieces: Longs | list[tuple[int, int]]) -> Ints:
    between = np.zeros(1, dtype=np.int32)
    if not isinstance(pieces, list):
        return np.concatenate([old, between, new])[pieces]
    border = len(old) + 1
    parts = [
        new[begin - border : end - border] if begin >= border else old[begin:end]
        for begin, end in pieces
    ]
    return np.concatenate([between[:0], *parts])
