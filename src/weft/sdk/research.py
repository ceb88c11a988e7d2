"""What may be said of a run, and research as a run of its flow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

from weft.domain.event import RunEvent

if TYPE_CHECKING:
    from weft.flows.asking import FlowOutcome

_FLOW = "research"


class RunOptions(TypedDict, total=False):
    """What else may be said of a run.

    `sources` narrows it to sources or types, `budget` is the most that it may spend. `kb` names the
    knowledge bases of the workspace that are asked, by name, title or folder; without it, it is the
    one that is open. `pins` say which node (`node_id`) a name means, for `semantic`;
    `mode` is `iterative` or `deep`, for `research` (empty: as the question has it).
    """

    sources: Sequence[str] | None
    budget: Mapping[str, object] | None
    kb: Sequence[str]
    pins: Mapping[str, str]
    mode: str


class AsyncResearch(ABC):
    """Looks into questions by running flows."""

    @abstractmethod
    def run(
        self, flow: str, question: str, **options: Unpack[RunOptions]
    ) -> AsyncGenerator[RunEvent | FlowOutcome, None]:
        """Yield the events of a flow's run as they come, and at the end its outcome."""

    def research(
        self, question: str, **options: Unpack[RunOptions]
    ) -> AsyncGenerator[RunEvent | FlowOutcome, None]:
        """Look into a question: yield what happens, and at the end the outcome.

        Its `payload` holds the report (`report`, and as `markdown` and `html`).
        """
        return self.run(_FLOW, question, **options)


class Research(ABC):
    """Looks into questions by running flows, waited for."""

    @abstractmethod
    def run(
        self, flow: str, question: str, **options: Unpack[RunOptions]
    ) -> Iterator[RunEvent | FlowOutcome]:
        """Yield the events of a flow's run as they come, and at the end its outcome."""

    def research(
        self, question: str, **options: Unpack[RunOptions]
    ) -> Iterator[RunEvent | FlowOutcome]:
        """Look into a question: yield what happens, and at the end the outcome with the report."""
        return self.run(_FLOW, question, **options)
