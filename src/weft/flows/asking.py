"""What is asked of a flow, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from weft.agents.rewriting import PastTurn
from weft.domain.answer import Answer
from weft.domain.ids import RunId
from weft.ports.knowledge import DocumentFilter
from weft.ports.records.conversations import MessageSource
from weft.ports.records.tape import RunSource
from weft.runtime.budget import Limits
from weft.verification.citations import Unsupported


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """The conversation that a question goes on from.

    `turns` are its turns, the oldest first, `documents` those of the last one, checked against the
    scope already, and `read` all documents that the turns have words of.
    """

    turns: tuple[PastTurn, ...] = ()
    documents: tuple[MessageSource, ...] = ()
    read: tuple[RunSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question to a flow; `flow` is the default one and `run_id` made up when not given.

    `within` narrows the documents that it is answered from, inside every search; `unsupported` is
    what becomes of sentences that are borne out in part (None: what the settings say).
    """

    question: str
    knowledge_bases: tuple[str, ...]
    flow: str = ""
    talk: Talk | None = None
    within: DocumentFilter = field(default_factory=DocumentFilter)
    unsupported: Unsupported | None = None
    limits: Limits | None = None
    run_id: RunId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowOutcome:
    """What a run gave: its answer, and what its flow gives besides, as JSON."""

    answer: Answer
    payload: Mapping[str, object] = field(default_factory=dict)
