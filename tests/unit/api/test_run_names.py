"""Events of a run without the names of what is not seen any more."""

from __future__ import annotations

from datetime import UTC, datetime

from weft.api.run_names import veiled
from weft.domain.event import EventType, RunEvent
from weft.domain.ids import RunId

EVENT = RunEvent(
    seq=1,
    run_id=RunId("r"),
    ts=datetime(2026, 1, 1, tzinfo=UTC),
    type=EventType.NODE_STARTED,
    node="fan_out/Hr/search",
    parent="fan_out/Pay",
    sources=("fan_out/Open/search", "fan_out/Hrs"),
    data={"kb": "Hr"},
)


def test_hidden_bases_keep_their_steps_apart_and_no_name() -> None:
    (found,) = veiled([EVENT], named=("Hr", "Open", "Pay"), seen=frozenset({"Open"}))
    assert (found.node, found.parent) == ("fan_out/hidden/search", "fan_out/hidden2")
    assert found.sources == ("fan_out/Open/search", "fan_out/Hrs")
    assert found.data == {}


def test_where_all_is_seen_events_stay_as_they_are() -> None:
    assert veiled([EVENT], named=("Hr",), seen=frozenset({"Hr"})) == [EVENT]
