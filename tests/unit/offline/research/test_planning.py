"""What a question is made of, how it is looked into, and what a report of it is called."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from weft.agents.researching import Investigated, ReportQuestion, ResearchMode
from weft.agents.routing import Specialist
from weft.offline.research.gaps import gaps_offline, judge_offline, select_offline
from weft.offline.research.planning import mode_of, parts_of, plan_offline, topic_of


class NoTools:
    async def use(self, tool: str, **args: object) -> Mapping[str, Any]:
        return {}


@pytest.mark.parametrize(
    ("question", "mode"),
    [
        ("When was the bridge opened?", ResearchMode.ITERATIVE),
        ("Write a report on the bridge", ResearchMode.DEEP),
        ("Who paid for the bridge, and when was it opened?", ResearchMode.DEEP),
        ("Compare the two harbours", ResearchMode.DEEP),
        ("항만 보안에 대한 보고서를 써 줘", ResearchMode.DEEP),
        ("항구는 언제 열렸나요?", ResearchMode.ITERATIVE),
    ],
)
def test_how_a_question_is_looked_into(question: str, mode: ResearchMode) -> None:
    assert mode_of(question) is mode


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Who paid for it, and when was it opened?", ["Who paid for it", "when was it opened?"]),
        ("Who paid? When did it open?", ["Who paid?", "When did it open?"]),
        ("Which ships and boats pass?", ["Which ships and boats pass?"]),
        ("What is salt and pepper?", ["What is salt and pepper?"]),
    ],
)
def test_the_parts_of_a_question(question: str, parts: list[str]) -> None:
    assert parts_of(question) == parts


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Write a report on the harbour", "the harbour"),
        ("Please give me a short overview of access rights", "access rights"),
        ("항만 보안에 대한 보고서를 써 줘", "항만 보안"),
        ("Who wrote the report?", "Who wrote the report?"),
    ],
)
def test_what_a_report_is_asked_about(question: str, topic: str) -> None:
    assert topic_of(question) == topic


def test_where_nothing_is_found_the_question_is_the_only_section() -> None:
    plan = asyncio.run(plan_offline(ReportQuestion(question="Report on salt"), NoTools()))
    assert [one.key_question for one in plan.report_outline] == ["Report on salt"]


def test_gaps_are_asked_for_once() -> None:
    first = Investigated(question="Who paid? When did it open?")
    gaps = asyncio.run(gaps_offline(first, NoTools()))
    assert gaps.outstanding_gaps == ["Who paid?", "When did it open?"]
    again = Investigated(
        question=first.question,
        turn=1,
        asked=tuple(gaps.outstanding_gaps),
        suggested=("Who paid?",),
    )
    assert asyncio.run(gaps_offline(again, NoTools())).research_complete


def test_the_web_is_asked_where_it_is_at_hand() -> None:
    agents = (Specialist.VECTOR, Specialist.GRAPH, Specialist.WEB)
    given = Investigated(question="Q?", gaps=("Q?",), agents=agents)
    chosen = asyncio.run(select_offline(given, NoTools())).tasks
    assert [one.agent for one in chosen] == [Specialist.GRAPH, Specialist.WEB]
    bound = Investigated(question="Q?", gaps=("Q?",), agents=agents, is_bound=True)
    assert [one.agent for one in asyncio.run(select_offline(bound, NoTools())).tasks] == [
        Specialist.VECTOR
    ]


def test_nothing_new_is_enough() -> None:
    assert asyncio.run(judge_offline(Investigated(question="Q?", turn=1), NoTools())).sufficient
