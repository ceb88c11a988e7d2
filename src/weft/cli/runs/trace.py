"""A run drawn as a tree: its steps with their times, and in each what it did and spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from rich.text import Text
from rich.tree import Tree

from weft.cli.terminal.units import took
from weft.domain.event import TERMINAL, EventType, RunEvent

_QUIET = {
    EventType.NODE_STARTED, EventType.NODE_FINISHED, EventType.RUN_STARTED,
    EventType.STATE_PATCHED, EventType.TOOL_REQUESTED,
}  # fmt: skip
_BAD = {
    EventType.NODE_FAILED, EventType.RUN_FAILED, EventType.BUDGET_EXCEEDED,
    EventType.POLICY_VIOLATION, EventType.RUN_CANCELLED,
}  # fmt: skip
_LONG = 100


def draw(run: Mapping[str, object], events: Sequence[RunEvent]) -> Tree:
    """Return the tree of a run; a step's milliseconds are counted from the run's first event."""
    begin = events[0].ts.timestamp() if events else 0.0
    tree = Tree(_head(run, events))
    branches: dict[str, Tree] = {}
    ends = {e.node: e for e in events if e.type in {EventType.NODE_FINISHED, EventType.NODE_FAILED}}
    for event in events:
        if event.type is EventType.NODE_STARTED:
            parent = branches.get(event.node.rpartition("/")[0], tree)
            branches[event.node] = parent.add(_step(event, ends.get(event.node), begin))
        elif event.type not in _QUIET:
            branches.get(event.node, tree).add(_line(event, begin))
    return tree


def totals(events: Sequence[RunEvent]) -> dict[str, object]:
    """Return what a run took in all: milliseconds, model calls, tokens, money, tool calls.

    `money` is None where the price of a call was not known.
    """
    told = [event.data for event in events if event.type is EventType.MODEL_CALLED]
    calls = [call for call in told if not call.get("recalled")]  # those were paid for before
    priced = [Decimal(str(call["money"])) for call in calls if "money" in call]
    replied = [call for call in calls if call.get("ok")]
    tokens = [
        _number(call.get(key)) for call in replied for key in ("input_tokens", "output_tokens")
    ]
    ended = bool(events) and events[-1].type in TERMINAL
    seconds = (events[-1].ts - events[0].ts).total_seconds() if ended else None
    return {
        "ms": None if seconds is None else round(seconds * 1000, 1),
        "model_calls": len(calls),
        "model_failures": len(calls) - len(replied),
        "tokens": sum(tokens),
        "money": str(sum(priced, Decimal(0))) if len(priced) == len(replied) else None,
        "tool_calls": sum(event.type is EventType.TOOL_FINISHED for event in events),
    }


def _head(run: Mapping[str, object], events: Sequence[RunEvent]) -> Text:
    spent = totals(events)
    head = Text(str(run["question"]), style="bold")
    head.append(f"\n{run['status']} · {run['flow']} · run {run['run_id']}", style="dim")
    if spent["ms"] is not None:
        head.append(f" · {took(_number(spent['ms']) / 1000)}", style="dim")
    if spent["model_calls"]:
        money = spent["money"]
        cost = "price unknown" if money is None else f"${money}"
        words = f" · {spent['model_calls']} model calls, {spent['tokens']} tokens, {cost}"
        head.append(words, style="dim")
    return head


def _step(event: RunEvent, end: RunEvent | None, begin: float) -> Text:
    line = Text(event.node, style="cyan")
    line.append(f"  +{_ms(event, begin):.0f} ms", style="dim")
    if end is not None:
        took = (end.ts - event.ts).total_seconds() * 1000
        line.append(f"  {took:.1f} ms", style="red" if end.type is EventType.NODE_FAILED else "")
    return line


def _line(event: RunEvent, begin: float) -> Text:
    line = Text(_said(event), style="red" if event.type in _BAD else "")
    line.append(f"  +{_ms(event, begin):.0f} ms", style="dim")
    return line


def _said(event: RunEvent) -> str:
    data = event.data
    if data.get("source_deleted"):
        return f"{event.type} (a document it read was deleted)"
    match event.type:
        case EventType.TOOL_FINISHED:
            cached = ", from memory" if data.get("cached") else ""
            ms = _number(data.get("latency_ms"))
            return f"{data.get('tool')} {data.get('status')} in {ms:.1f} ms{cached}"
        case EventType.EVIDENCE_FOUND:
            documents = data.get("documents")
            names = [str(one) for one in documents] if isinstance(documents, list | tuple) else []
            return _short(f"{_passages(data.get('evidence'))}: {', '.join(names)}")
        case EventType.MODEL_CALLED:
            return _call(data)
        case EventType.ANSWER:
            refusal = f"refused ({data.get('outcome', 'as it was then')})"
            kind = refusal if data.get("refused") else f"sentences: {data.get('sentences')}"
            by = "offline" if data.get("offline") else "model"
            return f"answer: {kind}, {by}, {_passages(data.get('chunks'))} cited"
    told = ", ".join(f"{key}={value}" for key, value in data.items())
    return _short(f"{event.type} {told}".strip())


def _call(data: Mapping[str, object]) -> str:
    if not data.get("ok"):
        return f"{data.get('model')} failed after {data.get('ms')} ms"
    money = f", ${data['money']}" if "money" in data else ""
    about = "about " if data.get("estimated") else ""
    tokens = f"{about}{data.get('input_tokens')} + {data.get('output_tokens')} tokens"
    if data.get("recalled"):
        return f"{data.get('model')} had replied before the run was resumed, {tokens}"
    return f"{data.get('model')} replied in {data.get('ms')} ms, {tokens}{money}"


def _ms(event: RunEvent, begin: float) -> float:
    return (event.ts.timestamp() - begin) * 1000


def _passages(value: object) -> str:
    count = len(value) if isinstance(value, list | tuple) else 0
    return f"{count} passage{'' if count == 1 else 's'}"


def _number(value: object) -> float:
    return value if isinstance(value, int | float) else 0


def _short(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"
