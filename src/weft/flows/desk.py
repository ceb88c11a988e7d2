"""What one question is answered with: the house around it and the evidence on the desk."""

from __future__ import annotations

from dataclasses import dataclass, field

from weft.agents.evidence import EvidenceBook
from weft.agents.model.runner import Runner
from weft.agents.tools.knowledge import Library
from weft.domain.ids import RunId
from weft.offline.question.topics import Said
from weft.platform.memory import SharedMemory
from weft.ports.clock import Clock
from weft.ports.knowledge import DocumentFilter
from weft.ports.policy import Policy
from weft.ports.records.audit import Audit
from weft.ports.records.conversations import MessageSource
from weft.ports.records.runs import Runs
from weft.ports.records.tape import RunSource
from weft.runtime.budget import Limits
from weft.verification.citations import Unsupported


@dataclass(frozen=True, slots=True, kw_only=True)
class RagHouse:
    """What the flow needs: the library and its agents, the records, the clock.

    `unsupported` is what becomes of sentences that are borne out in part, where nothing else is
    said for one question.
    """

    library: Library
    runner: Runner
    runs: Runs
    audit: Audit
    clock: Clock
    unsupported: Unsupported = Unsupported.DROP

    @property
    def policy(self) -> Policy:
        """Return the policy of all four places."""
        return self.library.policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """The conversation that a question goes on from.

    `turns` are its turns, the oldest first, `documents` those of the last one, checked against the
    scope already, and `read` all documents that the turns have words of.
    """

    turns: tuple[Said, ...] = ()
    documents: tuple[MessageSource, ...] = ()
    read: tuple[RunSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """How one question is answered; `run_id` is made up when not given.

    `within` narrows the documents that it is answered from, inside every search.
    """

    talk: Talk | None = None
    within: DocumentFilter = field(default_factory=DocumentFilter)
    unsupported: Unsupported | None = None
    limits: Limits | None = None
    run_id: RunId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What belongs to one question: its evidence and the results of its tools."""

    house: RagHouse
    options: AskOptions
    book: EvidenceBook = field(default_factory=EvidenceBook)
    memory: SharedMemory = field(default_factory=SharedMemory)
