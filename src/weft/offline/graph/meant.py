"""Answers about the things that a question means, where a person may have said which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from weft.agents.answering import AskedQuestion, DraftAnswer, DraftSentence
from weft.agents.toolbox import RuleTools
from weft.domain.frozen import dataclass
from weft.offline.answerer import answer_offline
from weft.offline.answering import Chosen
from weft.offline.graph.stated import Stated, follow


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """The nodes that a question means; `without` are documents of others of the same name.

    `pinned` are those of the nodes that a person chose.
    """

    nodes: tuple[Mapping[str, str], ...] = ()
    without: frozenset[str] = frozenset()
    pinned: tuple[Mapping[str, str], ...] = ()


async def follow_meant(question: str, meant: Meant, *, tools: RuleTools) -> Stated | None:
    """Return what the claims state of the nodes in the relations that a question names."""
    return await follow(question, meant.pinned or meant.nodes, tools=tools)


async def answer_meant(
    given: AskedQuestion, tools: RuleTools, *, meant: Meant, stated: Sequence[Chosen]
) -> DraftAnswer:
    """Return what is stated of the nodes, else what passages say, of nobody else of the name."""
    draft = await answer_offline(replace(given, without=meant.without), tools)
    if draft.sentences or not stated:
        return draft
    return DraftAnswer(
        sentences=[DraftSentence(text=one.text, evidence_ids=[one.evidence_id]) for one in stated]
    )
