"""Two records of one run held against each other, branch by branch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from weft.domain.event import EventType, RunEvent
from weft.domain.frozen import dataclass
from weft.ports.policy import Place

# How the run came through, and the pieces of an answer that was still being written.
_LEFT_OUT = frozenset(
    {EventType.TOKENS, EventType.SUSPENDED, EventType.RESUMED, EventType.RUN_CANCELLED}
)
_OF_TOOLS = frozenset({EventType.TOOL_REQUESTED, EventType.TOOL_FINISHED})
_OF_ACTIONS = frozenset({EventType.ACTION_REQUESTED, EventType.ACTION_FINISHED})
# Times, prices of the day, and whether something was remembered or had to be looked up again.
_CHANCE = frozenset({"ms", "latency_ms", "money", "cached", "recalled"})

# A tool tells of these itself: a tool that is not called again tells of nothing.
_WITHIN_TOOLS = frozenset({Place.RETRIEVED.value, Place.TOOL_RESULT.value})

_Branch = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Where a replay departs from the record; nothing in it quotes a document.

    `what` is its kind: event, prompt, model_request, tool_reply, document, source or rights. `seq`
    is the recorded event's (0: none), `part` what of it differs; `named` says more.
    """

    what: str
    seq: int = 0
    node: str = ""
    type: str = ""
    part: str = ""
    recorded: object = None
    replayed: object = None
    named: Mapping[str, object] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """Return the difference as JSON."""
        told: dict[str, object] = {
            "what": self.what,
            "seq": self.seq or None,
            "node": self.node,
            "type": self.type,
            "part": self.part,
            "recorded": self.recorded,
            "replayed": self.replayed,
        }
        return {**told, **self.named}


def settled(events: Sequence[RunEvent]) -> list[RunEvent]:
    """Return of a record what counts in the end.

    What a process did that was killed before it was saved was done again: of a node that was
    entered twice on one visit the last time counts.
    """
    lost: set[int] = set()
    for event in events:
        after = event.data.get("after")
        if event.type is EventType.RESUMED and isinstance(after, int):
            lost.update(range(after + 1, event.seq))
    kept = [one for one in events if one.seq not in lost]
    entered = {one.node: one.seq for one in kept if one.type is EventType.NODE_STARTED}
    return [one for one in kept if one.seq >= entered.get(one.node, 0)]


def differences(
    recorded: Sequence[RunEvent], replayed: Sequence[RunEvent], *, is_cut: bool = False
) -> list[Difference]:
    """Return the first difference of every branch, in the order of the record.

    Ids of events, times and pieces of answers are left out. A record that `is_cut` ends before the
    run did: the replay may go on.
    """
    then, now = _branches(recorded), _branches(replayed)
    if is_cut:
        then = {key: _until_cut(branch) for key, branch in then.items()}
    found = [
        difference
        for key in dict.fromkeys((*then, *now))
        if (difference := _first(then.get(key, []), now.get(key, []), is_cut=is_cut)) is not None
    ]
    return sorted(found, key=lambda one: one.seq or len(recorded) + 1)


def _first(then: Sequence[RunEvent], now: Sequence[RunEvent], *, is_cut: bool) -> Difference | None:
    for one, other in zip(then, now, strict=False):
        differing = _differing(one, other)
        if differing is not None:
            return differing
    if len(then) > len(now):
        return _alone(then[len(now)], recorded=True)
    if len(now) > len(then) and not is_cut:
        return _alone(now[len(then)], recorded=False, after=then[-1].seq if then else 0)
    return None


def _differing(one: RunEvent, other: RunEvent) -> Difference | None:
    then, now = _content(one), _content(other)
    for name in dict.fromkeys((*then, *now)):
        if then.get(name) == now.get(name):
            continue
        what, named = _kind(one, name)
        return Difference(
            what=what,
            seq=one.seq,
            node=one.node,
            type=str(one.type),
            part=name,
            recorded=then.get(name),
            replayed=now.get(name),
            named=named,
        )
    return None


def _kind(event: RunEvent, name: str) -> tuple[str, Mapping[str, object]]:
    prompt = {"prompt": event.data.get("prompt")}
    if event.type is EventType.MODEL_CALLED and name in ("prompt", "instructions"):
        return "prompt", prompt
    if event.type is EventType.MODEL_CALLED and name == "request":
        return "model_request", prompt
    return "event", {}


def _alone(event: RunEvent, *, recorded: bool, after: int = 0) -> Difference:
    content = _content(event)
    return Difference(
        what="event",
        seq=event.seq if recorded else after,
        node=event.node,
        type=str(event.type),
        recorded=content if recorded else None,
        replayed=None if recorded else content,
    )


def _content(event: RunEvent) -> dict[str, object]:
    """Return what of an event must be equal, by name."""
    data = {name: value for name, value in event.data.items() if name not in _CHANCE}
    return {
        "type": str(event.type),
        "parent": event.parent,
        "sources": list(event.sources),
        **data,
    }


def _branches(events: Iterable[RunEvent]) -> dict[_Branch, list[RunEvent]]:
    """Return events by where they happened: a node, who asks at it, or the run itself.

    A node's tool calls, and the calls of a model by those who work there, have no order.
    """
    found: dict[_Branch, list[RunEvent]] = {}
    at_work: dict[str, set[str]] = {}
    for event in events:
        working = at_work.setdefault(event.node, set())
        if event.type in _LEFT_OUT or _is_within(event, working):
            continue
        action = str(event.data.get("action_id", "")) if event.type in _OF_TOOLS else ""
        if event.type is EventType.MODEL_CALLED:
            action = str(event.data.get("path", ""))
        if event.type is EventType.TOOL_REQUESTED:
            working.add(action)
        elif event.type is EventType.TOOL_FINISHED:
            working.discard(action)
        found.setdefault((event.node, action, _side(event)), []).append(event)
    return found


def _is_within(event: RunEvent, working: set[str]) -> bool:
    """Tell whether a tool that is at work has written an event."""
    if event.type in _OF_ACTIONS:
        return event.data.get("id") in working
    is_violation = event.type is EventType.POLICY_VIOLATION
    return bool(working) and is_violation and event.data.get("place") in _WITHIN_TOOLS


def _side(event: RunEvent) -> str:
    """Return what tells apart those events of the run itself that have no order."""
    if event.node:
        return ""
    return f"{event.type}:{','.join(event.sources)}"


def _until_cut(branch: Sequence[RunEvent]) -> list[RunEvent]:
    """Return a branch without the call of a model that the end of its run has cut off."""
    is_cut_off = branch[-1].type is EventType.MODEL_CALLED and not branch[-1].data.get("ok")
    return list(branch[:-1] if is_cut_off else branch)
