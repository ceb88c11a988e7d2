"""The state of a run of the `debate` flow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from weft.domain.answer import Answer, AnswerSentence
from weft.domain.frozen import dataclass
from weft.domain.readiness import Readiness, State
from weft.flows.asking import Asking, Talk
from weft.ports.knowledge import DocumentFilter
from weft.runtime.context import ChildResult


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStatus:
    """How the agent of one knowledge base stands: `ready`, `degraded` or `blocked`, and why.

    `outcome` is what came of it: `waiting`, `answered` (a refusal is an answer: nothing is there),
    `failed`, or `left_out` where it never began. People call the base by its `title`.
    """

    kb: str
    title: str
    status: str
    reason: str = ""
    outcome: str = "waiting"

    @property
    def agent(self) -> str:
        """Return the agent's name."""
        return f"Agent_{self.kb}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFinding:
    """What the agent of a knowledge base answered, checked and let pass."""

    kb: str
    answer: Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisedSentence:
    """A sentence of the supervisor that is not checked yet, with the ids of what it cites."""

    text: str
    evidence_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateState:
    """What a run knows.

    `statuses` has one for each knowledge base that was asked, by name; `results` are the child runs
    as they ended, until what they found is in `findings`. `disputed` names sentences that
    contradict each other by their places. `offline` is None until a supervisor has spoken; `round`
    counts how often the agents have spoken, of `rounds`.
    """

    question: str
    talk: Talk | None = None
    within: DocumentFilter = field(default_factory=DocumentFilter)
    unsupported: str = ""
    rounds: int = 1
    round: int = 0
    statuses: tuple[AgentStatus, ...] = ()
    results: tuple[ChildResult, ...] = ()
    findings: tuple[AgentFinding, ...] = ()
    drafts: tuple[SupervisedSentence, ...] = ()
    disputed: tuple[tuple[int, ...], ...] = ()
    offline: bool | None = None
    checked: bool = False
    sentences: tuple[AnswerSentence, ...] = ()
    notes: tuple[str, ...] = ()
    answer: Answer | None = None


def begin(asking: Asking) -> DebateState:
    """Return the state that a run begins with."""
    return DebateState(
        question=asking.question,
        talk=asking.talk,
        within=asking.within,
        unsupported="" if asking.unsupported is None else asking.unsupported.value,
        rounds=asking.rounds,
    )


def statuses_of(standing: Sequence[Readiness]) -> tuple[AgentStatus, ...]:
    """Return who takes part and who is left out, by the names of the knowledge bases."""
    return tuple(
        AgentStatus(
            kb=one.name,
            title=one.title,
            status=str(one.state),
            reason=" ".join(one.reasons),
            outcome="left_out" if one.state is State.BLOCKED else "waiting",
        )
        for one in sorted(standing, key=lambda one: one.name)
    )


def debate_state(state: DebateState) -> str:
    """Return `ready` where all that were asked answered, `blocked` where none could, `degraded`."""
    if all(one.outcome == "left_out" for one in state.statuses):
        return "blocked"
    return "ready" if all(one.outcome == "answered" for one in state.statuses) else "degraded"
