"""Laws of comparing records: order between branches says nothing, any change in one is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from weft.domain.event import EventType, RunEvent
from weft.domain.ids import RunId
from weft.flows.replay.comparison import differences, settled

_BEGAN = datetime(2026, 11, 1, tzinfo=UTC)
_INNER = st.sampled_from([EventType.STATE_PATCHED, EventType.EVIDENCE_FOUND, EventType.TOKENS])


def event(seq: int, kind: EventType, node: str = "", **data: Any) -> RunEvent:
    at = _BEGAN + timedelta(seconds=seq)
    return RunEvent(seq=seq, run_id=RunId("r"), ts=at, type=kind, node=node, data=data)


def numbered(events: Sequence[RunEvent], *, later: int = 0) -> list[RunEvent]:
    at = _BEGAN + timedelta(hours=later)
    return [replace(one, seq=n, ts=at) for n, one in enumerate(events, start=1)]


def visit(node: str, inner: Sequence[tuple[EventType, int]]) -> list[RunEvent]:
    told = [event(0, kind, node, hash=value, ms=value) for kind, value in inner]
    return [event(0, EventType.NODE_STARTED, node), *told, event(0, EventType.NODE_FINISHED, node)]


_BRANCH = st.lists(st.tuples(_INNER, st.integers(0, 3)), max_size=5)
_BRANCHES = st.lists(_BRANCH, min_size=1, max_size=4).map(
    lambda some: [visit(f"n{number}", inner) for number, inner in enumerate(some)]
)


def interleaved(branches: Sequence[Sequence[RunEvent]], order: Sequence[int]) -> list[RunEvent]:
    """Return the events of branches side by side, each branch in its own order."""
    waiting = [list(branch) for branch in branches]
    found: list[RunEvent] = []
    for number in order:
        left = [branch for branch in waiting if branch]
        found.append(left[number % len(left)].pop(0))
    begun = event(0, EventType.RUN_STARTED, flow="f")
    return numbered([begun, *found, event(0, EventType.RUN_FINISHED)])


@st.composite
def orders(draw: st.DrawFn) -> tuple[list[RunEvent], list[RunEvent]]:
    branches = draw(_BRANCHES)
    count = sum(map(len, branches))
    order = st.lists(st.integers(0, 9), min_size=count, max_size=count)
    return interleaved(branches, draw(order)), interleaved(branches, draw(order))


@given(orders())
def test_the_order_between_branches_and_the_time_say_nothing(
    both: tuple[list[RunEvent], list[RunEvent]],
) -> None:
    then, now = both
    assert differences(then, numbered(now, later=7)) == []


@given(orders(), st.data())
def test_any_change_in_a_branch_is_found_where_it_is(
    both: tuple[list[RunEvent], list[RunEvent]], data: st.DataObject
) -> None:
    then, now = both
    places = [n for n, one in enumerate(then) if one.type is not EventType.TOKENS]
    place = data.draw(st.sampled_from(places))
    changed = [*then]
    changed[place] = replace(then[place], data={**then[place].data, "hash": "other"})
    [found] = differences(changed, now)
    assert (found.seq, found.part, found.recorded) == (then[place].seq, "hash", "other")
    [lost] = differences([*then[:place], *then[place + 1 :]], now)[:1]
    assert lost.what == "event"


@given(orders(), st.data())
def test_what_a_killed_process_had_not_saved_does_not_count(
    both: tuple[list[RunEvent], list[RunEvent]], data: st.DataObject
) -> None:
    calm, _ = both
    saved = data.draw(st.integers(1, len(calm) - 1))
    died = data.draw(st.integers(saved, len(calm) - 1))
    resumed = event(died + 1, EventType.RESUMED, after=saved)
    again = calm[saved:]
    late = [replace(one, seq=one.seq - saved + died + 1) for one in again]
    assert differences(settled([*calm[:died], resumed, *late]), calm) == []


def test_a_node_entered_again_counts_once() -> None:
    kinds = [EventType.NODE_STARTED, EventType.TOOL_REQUESTED, EventType.SUSPENDED]
    first = [event(0, kind, "ask", action_id="a") for kind in kinds]
    resumed = event(0, EventType.RESUMED, after=3)
    calm = visit("ask", [(EventType.STATE_PATCHED, 1)])
    then = numbered([*first, resumed, *calm])
    assert differences(settled(then), numbered(calm)) == []


def test_a_cancelled_run_is_compared_as_far_as_it_came() -> None:
    calm = numbered(visit("think", [(EventType.STATE_PATCHED, 1), (EventType.EVIDENCE_FOUND, 2)]))
    lengths = list(accumulate([1] * len(calm)))
    for length in lengths:
        cut = [*calm[:length], event(9, EventType.RUN_CANCELLED)]
        assert differences(cut, calm, is_cut=True) == []
        if length < len(calm):
            assert differences(cut, calm)
    call = event(2, EventType.MODEL_CALLED, "think", ok=False)
    assert differences([calm[0], call], calm, is_cut=True) == []
