"""What is still to be found out, who looks, and when it is enough, without a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from weft.agents.researching import (
    MOST_TASKS,
    AgentSelectionPlan,
    AgentTask,
    Investigated,
    JudgeAssessment,
    KnowledgeGap,
)
from weft.agents.routing import Specialist
from weft.agents.toolbox import RuleTools
from weft.language.hangul import has_hangul
from weft.language.terms import STOP_WORDS, plain, terms
from weft.offline.question.names import names_in
from weft.offline.research.planning import parts_of

# Findings beyond these are more than anybody reads of one section.
_ENOUGH = 12
_MOST_TURNS = 3
_MOST_NAMES, _FEWEST_TIMES, _SHORTEST = 2, 2, 4


async def gaps_offline(given: Investigated, tools: RuleTools) -> KnowledgeGap:
    """Return the parts of the question at first, then what the judge would ask next."""
    del tools
    wanted = parts_of(given.question) if given.turn == 0 else given.suggested
    gaps = [one for one in wanted if one not in given.asked]
    thoughts = ""
    if given.turn:
        names = ", ".join(gaps)
        thoughts = f"What was found speaks of what it does not explain: {names}" if gaps else ""
    return KnowledgeGap(research_complete=not gaps, outstanding_gaps=gaps, thoughts=thoughts)


async def select_offline(given: Investigated, tools: RuleTools) -> AgentSelectionPlan:
    """Return whoever reads passages and the graph for each gap, and the web where it is at hand.

    What the judge would ask next is named by documents, and is not told to the web.
    """
    del tools
    reader = Specialist.VECTOR if given.is_bound else Specialist.GRAPH
    readers = [reader if reader in given.agents else Specialist.VECTOR]
    if Specialist.WEB in given.agents and not given.is_bound and given.turn == 0:
        readers.append(Specialist.WEB)
    tasks = [AgentTask(gap=gap, agent=one, query=gap) for gap in given.gaps for one in readers]
    return AgentSelectionPlan(tasks=tasks[:MOST_TASKS])


async def judge_offline(given: Investigated, tools: RuleTools) -> JudgeAssessment:
    """Return that it is enough, unless what was found keeps naming what it does not explain."""
    del tools
    answers = [one for one in given.findings if not one.is_near]
    is_over = given.is_bound or not given.fresh or given.turn >= _MOST_TURNS
    names = [] if is_over or not answers or len(answers) >= _ENOUGH else _unexplained(given)
    asked = [_what_is(name, given.question) for name in names]
    fresh = [one for one in asked if one not in given.asked]
    confidence = min(1.0, len(answers) / 3)
    return JudgeAssessment(sufficient=not fresh, confidence=confidence, next_queries=fresh)


def _unexplained(given: Investigated) -> list[str]:
    """Return the names that several findings have and the question and their titles have not."""
    known = set(terms(given.question))
    counts: Counter[str] = Counter()
    for one in given.findings:
        own = known | set(terms(one.title))
        counts.update({name for name in _names(one.text) if not own & set(terms(name))})
    often = [(-count, name) for name, count in counts.items() if count >= _FEWEST_TIMES]
    return [name for _, name in sorted(often)[:_MOST_NAMES]]


def _names(text: str) -> Iterator[str]:
    """Yield what is written as a name within a text, not where a sentence begins."""
    taken = 0
    for named in names_in(text):
        if named.start < taken:
            continue
        said = text[named.start : named.end]
        begins = named.start == 0 or text[: named.start].rstrip()[-1:] in ".!?:;\n|-*•"
        words = [plain(word) for word in said.split()]
        is_name = said[:1].isupper() and not begins and len(said) >= _SHORTEST
        if is_name and not any(word in STOP_WORDS for word in words):
            taken = named.end
            yield said


def _what_is(name: str, question: str) -> str:
    return f"{name}: 무엇인가요?" if has_hangul(question) else f"What is {name}?"
