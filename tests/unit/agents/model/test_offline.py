from __future__ import annotations

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models import override_allow_model_requests

from weft.agents.evidence import EvidenceBook
from weft.agents.model.offline import OFFLINE, OfflineModel
from weft.agents.turn import Move, Returned, Turn, Wish
from weft.offline.answerer import answer_offline

pytestmark = pytest.mark.anyio
ALL = frozenset({"rag_search", "graph_query", "fetch_neighbors", "filter_docs"})


class Word(BaseModel):
    word: str


def rule(turn: Turn) -> Move:
    """Look the word up once, then hand it in with what was asked."""
    if not turn.has_called("look_up"):
        return Move(calls=(Wish(tool="look_up", args={"word": turn.prompt}),))
    return Move(output={"word": turn.prompt.upper()})


def agent() -> tuple[Agent[None, Word], list[str]]:
    asked: list[str] = []

    async def look_up(word: str) -> str:
        asked.append(word)
        return word

    return Agent(OfflineModel(rule), output_type=Word, tools=[look_up]), asked


async def test_a_rule_calls_tools_and_hands_in_typed_output() -> None:
    made, asked = agent()
    with override_allow_model_requests(False):
        result = await made.run("oak")
    assert result.output == Word(word="OAK")
    assert asked == ["oak"]
    assert result.usage.total_tokens == 0
    assert result.response.model_name == OFFLINE


async def test_a_stream_says_the_same() -> None:
    made, asked = agent()
    async with made.run_stream("oak") as stream:
        output = await stream.get_output()
    assert output == Word(word="OAK")
    assert asked == ["oak"]


def turn(prompt: str, *called: str) -> Turn:
    returned = tuple(Returned(tool=name, failed=False) for name in called)
    return Turn(prompt=prompt, tools=ALL, returned=returned, book=EvidenceBook())


@pytest.mark.parametrize(
    ("prompt", "tools"),
    [
        ("Who wrote it?", ["rag_search"]),
        ("What is PROJ-12 about?", ["rag_search", "graph_query"]),
        ("What does src/weft/a.py do?", ["rag_search", "graph_query"]),
    ],
)
def test_identifiers_are_asked_for_by_themselves(prompt: str, tools: list[str]) -> None:
    assert [wish.tool for wish in answer_offline(turn(prompt)).calls] == tools


def test_after_the_search_comes_the_answer() -> None:
    move = answer_offline(turn("Who wrote it?", "rag_search"))
    assert move.calls == ()
    assert move.output is not None
    assert move.output["sentences"] == []
