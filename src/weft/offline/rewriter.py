"""The offline rule of the rewriting role: a follow-up question made whole by rules."""

from __future__ import annotations

from dataclasses import replace

from weft.agents.rewriting import Rewriting, RewrittenQuestion
from weft.agents.toolbox import RuleTools
from weft.offline.question.followups import rewrite

_LONGEST = 2000
_ANSWER = 1500
_ABOUT = 300


async def rewrite_offline(given: Rewriting, tools: RuleTools) -> RewrittenQuestion:
    """Return the message made whole by the turns before it, or what it goes on from."""
    del tools
    turns = [replace(one, answer=one.answer[:_ANSWER]) for one in given.turns]
    found = rewrite(given.message, turns)
    question = found.question[:_LONGEST] or given.message
    return RewrittenQuestion(
        question=question, points_to_documents=found.points, about=found.about[:_ABOUT]
    )
