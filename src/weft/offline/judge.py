"""The offline rule of the judging role: without a model the gates have the last word."""

from __future__ import annotations

from weft.agents.judging import Entailment, Judgement
from weft.agents.toolbox import RuleTools


async def judge_offline(given: Entailment, tools: RuleTools) -> Judgement:
    """Return the judgement that allows nothing."""
    del given, tools
    return Judgement(probability=0.0)
