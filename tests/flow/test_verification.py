"""A model that invents, misquotes and cites the wrong document, and a judge that always agrees."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from model_server import Body, Say, evidence_of, hand_in, output_tool
from rag_world import World, make_world
from scripted_model import scripted_model
from weft.domain.answer import Answer, Tier
from weft.platform.identity import local_owner
from weft.verification.citations import Unsupported

pytestmark = pytest.mark.anyio

OPENED = "The Harbour Bridge in Oslo was opened by Ada Lindqvist on 14 March 1932."
TRAMS = "Olga Berg drove the first tram across the bridge without a permit in 1933."
KOREAN = "하버 다리는 2024년 3월 14일에 3만 5천 명이 건넜다."
REWORDED = "The Harbour Bridge in Oslo was inaugurated by Ada Lindqvist on 14 March 1932."
FALSE = [
    OPENED.replace("14", "15"),
    OPENED.replace("March", "May"),
    OPENED.replace("1932", "1933"),
    OPENED.replace("Ada Lindqvist", "Olga Berg"),
    OPENED.replace("Oslo", "Bergen"),
    OPENED.replace("was opened", "was not opened"),
    OPENED.replace("was opened", "was never opened"),
    OPENED.replace("opened", "closed"),
    OPENED.replace("by Ada", "after Ada"),
    OPENED.replace("was opened", "may have been opened"),
    "Ada Lindqvist in Oslo was opened by the Harbour Bridge on 14 March 1932.",
    "Olga Berg drove the first tram across the bridge with a permit in 1933.",
    "Ada Lindqvist drove the first tram across the bridge in 1933.",
    "Ada Lindqvist, who was born in Malmö in 1899, opened the Harbour Bridge.",
    "The bridge collapsed in 1951 and 12 people died.",
    "하버 다리는 2024년 3월 14일에 35만 명이 건넜다.",
    "하버 다리는 2024년 4월 14일에 3만 5천 명이 건넜다.",
    "하버 다리는 2024년 3월 14일에 3만 5천 명이 건너지 않았다.",
]


def is_judge(body: Body) -> bool:
    return "probability" in str(body.get("tools"))


def judging(answer: Callable[[Body], Say], probability: float) -> Callable[[Body], Say]:
    """Return a script that searches, hands in what it is told, and judges all alike."""

    def script(body: Body) -> Say:
        if is_judge(body):
            return Say(calls=[(output_tool(body), {"probability": probability})])
        if not evidence_of(body):
            return Say(calls=[("rag_search", {"query": "Harbour Bridge tram 하버 다리"})])
        return answer(body)

    return script


def ids_with(body: Body, words: str) -> list[str]:
    return [item["id"] for item in evidence_of(body) if words in item["text"]]


@asynccontextmanager
async def served(script: Callable[[Body], Say]) -> AsyncIterator[tuple[World, Sequence[Body]]]:
    async with scripted_model(script, max_retries=0) as (model, server):
        here = make_world(model=model)
        here.shelf.put("harbour.md", f"{OPENED}\n\n{TRAMS}", title="Harbour Bridge")
        here.shelf.put("korean.md", KOREAN, title="하버 다리")
        yield here, server.requests


async def asked(here: World, **options: object) -> Answer:
    return await here.ask(local_owner(), "Who opened the bridge?", **options)


def supported(answer: Answer) -> list[str]:
    return [s.text for s in answer.sentences if s.tier in (Tier.QUOTE, Tier.CLOSE)]


def everything(body: Body, *texts: str) -> Say:
    ids = [item["id"] for item in evidence_of(body)]
    return hand_in(body, *((text, ids) for text in texts))


@pytest.mark.parametrize("policy", list(Unsupported))
async def test_a_judge_that_agrees_to_all_lets_nothing_false_out(policy: Unsupported) -> None:
    script = judging(lambda body: everything(body, *FALSE, OPENED, KOREAN), 1.0)
    async with served(script) as (here, _):
        answer = await asked(here, unsupported=policy)
    assert supported(answer) == [OPENED, KOREAN]
    assert {s.tier for s in answer.sentences} <= {Tier.QUOTE, Tier.PARTLY}
    assert all(s.missing for s in answer.sentences if s.tier is Tier.PARTLY)


async def test_a_true_sentence_with_the_wrong_document_is_not_supported() -> None:
    def wrong(body: Body) -> Say:
        return hand_in(body, (OPENED, ids_with(body, "tram")), (TRAMS, ids_with(body, "opened")))

    async with served(judging(wrong, 1.0)) as (here, _):
        answer = await asked(here)
    assert answer.refused
    assert answer.sentences == ()


@pytest.mark.parametrize(
    ("sure", "leaves"), [(1.0, True), (0.95, True), (0.7, False), (0.0, False)]
)
async def test_other_words_for_the_same_are_the_judges(sure: float, leaves: bool) -> None:
    async with served(judging(lambda body: everything(body, REWORDED), sure)) as (here, requests):
        answer = await asked(here)
    assert (supported(answer) == [REWORDED]) is leaves
    put = [str(body["messages"][-1]["content"]) for body in requests if is_judge(body)]
    assert len(put) == 1
    assert OPENED in put[0]
    assert REWORDED in put[0]
    if leaves:
        assert [c.snippet for c in answer.sentences[0].citations] == [OPENED]


async def test_quotations_and_lost_causes_are_not_put_to_the_judge() -> None:
    script = judging(lambda body: everything(body, OPENED, *FALSE), 1.0)
    async with served(script) as (here, requests):
        await asked(here)
    assert not any(is_judge(body) for body in requests)


async def test_a_judge_that_fails_allows_nothing_and_is_said_to() -> None:
    def script(body: Body) -> Say:
        if is_judge(body):
            return Say(status=500, raw=b"{}")
        return judging(lambda body: everything(body, OPENED, REWORDED), 1.0)(body)

    async with served(script) as (here, _):
        answer = await asked(here)
    assert supported(answer) == [OPENED]
    assert any("could not be asked" in note for note in answer.notes)
    assert not answer.offline


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
async def test_whatever_is_invented_never_leaves_as_supported(data: st.DataObject) -> None:
    words = [*OPENED.rstrip(".").split(), *TRAMS.rstrip(".").split(), "not", "Bergen", "1999"]
    said = [*data.draw(st.lists(st.sampled_from(words), min_size=2, max_size=14)), "Bergen"]
    text = " ".join(said) + "."
    async with served(judging(lambda body: everything(body, text), 1.0)) as (here, _):
        answer = await asked(here)
    assert supported(answer) == []
