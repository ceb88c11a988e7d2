"""The states of a research run, and of the investigations that it is made of."""

from __future__ import annotations

from dataclasses import field

from weft.agents.researching import AgentTask, ResearchMode
from weft.agents.routing import Specialist
from weft.domain.answer import Answer, AnswerSentence
from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.flows.asking import Asking, Talk
from weft.ports.knowledge import DocumentFilter
from weft.runtime.context import ChildResult


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTask:
    """One specialist, what it is asked, and the gap that it is asked for."""

    gap: str
    agent: str
    query: str

    @classmethod
    def of(cls, task: AgentTask) -> PlannedTask:
        """Return a task as a state holds it."""
        return cls(gap=task.gap, agent=str(task.agent), query=task.query)

    @property
    def specialist(self) -> Specialist:
        """Return who it is."""
        return Specialist(self.agent)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchFinding:
    """A sentence that was found for a gap, checked; `is_near` where it is no answer to it."""

    gap: str
    sentence: AnswerSentence
    is_near: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchTurn:
    """One turn: why, for which gaps, whom was asked what, and how much that found or why not."""

    thoughts: str
    gaps: tuple[str, ...]
    tool_calls: tuple[PlannedTask, ...] = ()
    findings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InvestigationState:
    """What the investigation of one question knows.

    `documents` bound where rules look (empty: everywhere), `places` are the paths at which
    specialists worked. `offline` is None until a role was filled.
    """

    question: str
    title: str = ""
    background: str = ""
    documents: tuple[str, ...] = ()
    within: DocumentFilter = field(default_factory=DocumentFilter)
    unsupported: str = ""
    suggested: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    thoughts: str = ""
    tasks: tuple[PlannedTask, ...] = ()
    turns: tuple[ResearchTurn, ...] = ()
    fresh: int = 0
    findings: tuple[ResearchFinding, ...] = ()
    places: tuple[str, ...] = ()
    written: tuple[AnswerSentence, ...] = ()
    is_written: bool = False
    offline: bool | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchSection:
    """A section of a report: how many of the answer's sentences are its own.

    The first `answering` of them answer, the others stand near. `status` is `complete`, `near`
    (nothing answers), `empty`, `partial` (cut short) or `failed`; `reason` says why it is not
    complete, `open_gaps` what was not found.
    """

    title: str
    key_question: str
    status: str = "complete"
    reason: str = ""
    size: int = 0
    answering: int = 0
    open_gaps: tuple[str, ...] = ()
    turns: tuple[ResearchTurn, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineEntry:
    """A section to be: its title, its question, and the documents in which rules look."""

    title: str
    key_question: str
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchState:
    """What a research run knows.

    `results` are the investigations as they ended; `overview` counts the sentences of the answer
    that open the report, before those of its `sections`. `ended_by` is the part of the budget that
    was used up, empty where none was.
    """

    question: str
    mode: str = ""
    talk: Talk | None = None
    within: DocumentFilter = field(default_factory=DocumentFilter)
    unsupported: str = ""
    title: str = ""
    background: str = ""
    outline: tuple[OutlineEntry, ...] = ()
    results: tuple[ChildResult, ...] = ()
    summary: tuple[AnswerSentence, ...] = ()
    is_summed_up: bool = False
    overview: int = 0
    sections: tuple[ResearchSection, ...] = ()
    ended_by: str = ""
    offline: bool | None = None
    notes: tuple[str, ...] = ()
    answer: Answer | None = None


def begin(asking: Asking) -> ResearchState:
    """Return the state that a run begins with."""
    modes = [one.value for one in ResearchMode]
    if asking.mode and asking.mode not in modes:
        raise BadInput(
            f"'{asking.mode[:100]}' is no way to research; there are: {', '.join(modes)}"
        )
    return ResearchState(
        question=asking.question,
        mode=asking.mode,
        talk=asking.talk,
        within=asking.within,
        unsupported="" if asking.unsupported is None else asking.unsupported.value,
    )
