"""The offline rule of the judging role: without a model the gates have the last word."""

from __future__ import annotations

from weft.agents.judging import Entailment, Judgement
from weft.agents.toolbox import Tools


async def judge_offline(given: Entailment, tools: Tools) -> Judgement:
    """Return the judgement that allows nothing."""
    del given, tools
    return Judgement(probability=0.0)
