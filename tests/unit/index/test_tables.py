"""Tables made of former rows and new ones, by pieces or row by row."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.index.tables import SlotTable, distinct, joined, offsets, spliced

rows = st.lists(st.integers(0, 99), max_size=3)
tables = st.lists(rows, max_size=60)


def made(slots: list[list[int]]) -> SlotTable:
    sizes = np.array([len(slot) for slot in slots], dtype=np.int64)
    keys = np.array([key for slot in slots for key in slot], dtype=np.int32)
    return SlotTable(ptr=offsets(sizes), columns={"key": keys})


def slots_of(table: SlotTable) -> list[list[int]]:
    values = table.columns["key"].tolist()
    return [values[first:last] for first, last in zip(table.ptr, table.ptr[1:], strict=False)]


@given(
    old=tables,
    new=st.dictionaries(st.integers(0, 59), rows, max_size=4),
    gone=st.sets(st.integers(0, 59)),
)
def test_few_changes_leave_the_rest(
    old: list[list[int]], new: dict[int, list[int]], gone: set[int]
) -> None:
    former = np.arange(len(old), dtype=np.int64)
    changed = {at for at in {*new, *gone} if at < len(old)}
    former[sorted(changed)] = -1
    fresh = [new.get(at, []) if at in changed else [] for at in range(len(old))]
    wanted = [fresh[at] if at in changed else slot for at, slot in enumerate(old)]
    assert slots_of(spliced(made(old), made(fresh), former=former)) == wanted


@given(old=tables, new=tables, data=st.data())
def test_slots_may_come_from_anywhere(
    old: list[list[int]], new: list[list[int]], data: st.DataObject
) -> None:
    places = st.integers(-1, len(old) - 1)
    chosen = data.draw(st.lists(places, min_size=len(new), max_size=len(new)))
    fresh = [slot if at < 0 else [] for slot, at in zip(new, chosen, strict=True)]
    wanted = [slot if at < 0 else old[at] for slot, at in zip(new, chosen, strict=True)]
    former = np.array(chosen, dtype=np.int64)
    assert slots_of(spliced(made(old), made(fresh), former=former)) == wanted


@given(values=st.lists(st.integers(-(2**62), 2**62)), others=st.lists(st.integers(-9, 9)))
def test_values_are_in_order_each_once(values: list[int], others: list[int]) -> None:
    one, other = np.array(values, dtype=np.int64), np.array(others, dtype=np.int64)
    assert distinct(one).tolist() == sorted(set(values))
    assert joined(one, other).tolist() == sorted({*values, *others})
    assert distinct(other).dtype == np.int64
