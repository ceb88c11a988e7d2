"""A flow as the catalogue has it: its graph, its state, its words, and how its nodes are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from weft.domain.event import RunEvent
from weft.domain.frozen import dataclass
from weft.flows.asking import Asking
from weft.flows.services import Services
from weft.flows.state import codec_of
from weft.flows.toolkits import Skipping
from weft.platform.tracing.spans import SpanNames
from weft.runtime.codec import StateCodec
from weft.runtime.context import Node
from weft.runtime.flow import FlowSpec

_Payload = Callable[[Mapping[str, object]], Mapping[str, object]]
_Trace = Callable[[Sequence[RunEvent]], Sequence[Mapping[str, object]]]


def no_payload(state: Mapping[str, object]) -> Mapping[str, object]:
    """Return nothing besides the answer."""
    del state
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """One flow.

    `state` is the frozen dataclass of its runs' state, `begin` makes its first value from what is
    asked, `nodes` makes its nodes once a process, by what the graph calls them. `labels` say in a
    few words what each node does, `payload` what a run gives besides its answer, as JSON; with a
    `trace` the steps that it makes of the run's events stand there too, as `trace_steps`.

    What a run of one that `is_kept` gives stands on its tape, to be read later. `states` are the
    dataclasses of its child runs' states. `spans` are the names
    of its spans in traces.

    A run of one that `skips_blocked` goes on without the knowledge bases that cannot be asked now,
    some or even all; its nodes find how each stands in their toolkit, and name them. One that
    `takes_meanings` tells what whoever asks says that is meant.
    """

    spec: FlowSpec
    state: type
    begin: Callable[[Asking], object]
    nodes: Callable[[Services], Mapping[str, Node]]
    summary: str
    labels: Mapping[str, str] = field(default_factory=dict)
    payload: _Payload = no_payload
    trace: _Trace | None = None
    skips_blocked: Skipping = Skipping.NONE
    takes_meanings: bool = False
    states: tuple[type, ...] = ()
    is_kept: bool = False
    spans: SpanNames = field(default_factory=SpanNames)
    version: str = "1"

    @property
    def name(self) -> str:
        """Return the flow's name."""
        return self.spec.name

    def codec(self) -> StateCodec:
        """Return what writes the states of this flow's runs, and of their child runs, as JSON."""
        return codec_of((self.state, *self.states))

    @property
    def agent(self) -> str:
        """Return what a run of this flow is filed under: name and version."""
        return f"{self.name}@{self.version}"
