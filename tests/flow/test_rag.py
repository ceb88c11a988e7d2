from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from pydantic_ai.models import Model

from model_server import Body, Say, Script, evidence_of, hand_in
from patience import SOON
from rag_world import CountingPolicy, Shelf, World, make_world, plain_search
from scripted_model import scripted_model
from weft.adapters.llm.model import ModelChoice, build_model, close
from weft.adapters.llm.model_check import check
from weft.domain.answer import Answer, Outcome, Tier
from weft.domain.errors import Forbidden, PolicyViolation, StoreUnavailable
from weft.domain.event import EventType
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows.rag.flow import SPEC
from weft.platform.identity import local_owner, narrow, principal_scope
from weft.ports.policy import Action, Place, Verdict, Violation
from weft.ports.records.runs import RunStatus
from weft.ports.records.tape import TapeKind
from weft.runtime.amounts import Limits
from weft.runtime.plan import compile_flow
from weft.verification.citations import Unsupported

pytestmark = pytest.mark.anyio

OPENED = "The Harbour Bridge was opened by Ada Lindqvist on 14 March 1932."
QUESTION = "When was the Harbour Bridge opened?"


def fill(world: World) -> World:
    shelf = world.shelf
    length = "It is 1,149 metres long."
    trams = "The bridge carries two tram lines."
    shelf.put("harbour.md", f"{OPENED} {length}\n\n{trams}", title="Harbour Bridge")
    shelf.put("alpha/METADATA", "Name: alpha\nLicense: MIT\nRequires-Python: >=3.9", title="alpha")
    shelf.put("beta/METADATA", "Name: beta\nAuthor: Jane Roe", title="beta")
    shelf.put("PROJ-7", "The tram timetable is printed on blue paper.", title="Timetable",
              type="jira", metadata={"issue_key": "PROJ-7"})  # fmt: skip
    return world


def world(**options: Any) -> World:
    return fill(make_world(**options))


@asynccontextmanager
async def served(script: Script, **options: Any) -> AsyncIterator[World]:
    async with scripted_model(script, max_retries=0) as (model, _):
        yield world(model=model, **options)


@asynccontextmanager
async def chosen(name: str, base_url: str) -> AsyncIterator[Model]:
    model = build_model(ModelChoice(name=name, base_url=base_url))
    try:
        yield model
    finally:
        await close(model)


async def asked(house_world: World, question: str = QUESTION, **options: Any) -> Answer:
    return await house_world.ask(local_owner(), question, **options)


async def is_true(house_world: World, answer: Answer) -> bool:
    """Tell whether every citation stands in the store and numbers count from one."""
    numbers: list[int] = []
    for citation in (c for s in answer.sentences for c in s.citations):
        text = await house_world.shelf.text(local_owner(), citation.doc_id)
        if text[citation.start : citation.end] != citation.snippet:
            return False
        numbers.append(citation.n)
    return list(dict.fromkeys(numbers)) == list(range(1, len(set(numbers)) + 1))


def searching(then: Any) -> Script:
    """Return a script that searches once and then does what it is told."""

    def script(body: Body) -> Say:
        if not evidence_of(body):
            return Say(calls=[("rag_search", {"query": "Harbour Bridge opened"})])
        said: Say = then(body)
        return said

    return script


async def test_offline_answers_are_quoted_and_cited() -> None:
    here = world()
    answer = await asked(here)
    assert answer.answer == f"{OPENED} [1]"
    assert [s.tier for s in answer.sentences] == [Tier.QUOTE]
    assert answer.offline
    assert not answer.refused
    assert await is_true(here, answer)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who opened the Harbour Bridge?", OPENED),
        ("How long is the Harbour Bridge?", "It is 1,149 metres long."),
        ("What is the licence of alpha?", "License: MIT"),
        ("Which Python does alpha require?", "Requires-Python: >=3.9"),
        ("Who wrote beta?", "Author: Jane Roe"),
        ("On what paper is PROJ-7 printed?", "The tram timetable is printed on blue paper."),
    ],
)
async def test_the_sentence_that_answers_is_found(question: str, expected: str) -> None:
    answer = await asked(world(), question)
    shown = [s.text for s in answer.sentences] + [c.snippet for c in answer.nearest]
    assert any(one.endswith(expected) for one in shown)


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Who designed the Eiffel Tower?", "Eiffel Tower"),
        ("What is the status of PROJ-9?", "PROJ-9"),
    ],
)
async def test_a_refusal_names_what_is_missing(question: str, missing: str) -> None:
    answer = await asked(world(), question)
    assert answer.refused
    assert answer.sentences == ()
    assert missing in answer.missing
    assert f"“{missing}”" in answer.answer


async def test_what_was_found_besides_is_cited_with_numbers_that_go_on() -> None:
    there = world()
    answer = await asked(there, QUESTION)
    shown = [one.n for sentence in answer.sentences for one in sentence.citations]
    assert answer.outcome is Outcome.ANSWERED
    assert [one.n for one in answer.more] == [max(shown) + n + 1 for n in range(len(answer.more))]
    assert 1 <= len(answer.more) <= 3
    for one in answer.more:
        assert there.shelf.texts[one.doc_id][one.start : one.end] == one.snippet
        assert one.snippet not in answer.answer


async def test_nothing_is_besides_an_answer_that_was_refused() -> None:
    answer = await asked(world(), "Who designed the Eiffel Tower?")
    assert answer.more == ()


async def test_a_korean_question_is_refused_in_korean() -> None:
    answer = await asked(world(), "에펠탑은 언제 지어졌습니까?")
    assert answer.refused
    assert "찾지 못했습니다" in answer.answer


async def test_an_empty_library_refuses() -> None:
    assert (await asked(make_world())).refused


async def test_the_policy_is_asked_at_all_four_places() -> None:
    policy = CountingPolicy()
    answer = await asked(world(policy=policy))
    assert policy.seen[Place.INPUT] == 1
    assert policy.seen[Place.RETRIEVED] >= 1
    assert policy.seen[Place.TOOL_RESULT] >= 1
    # A sentence and its snippet, and what was found besides.
    assert policy.seen[Place.OUTPUT] == 2 + len(answer.more)


class Blocking(CountingPolicy):
    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place

    async def check(self, scope: Scope, place: Place, text: str) -> Verdict:
        if place is not self.place or (place is Place.RETRIEVED and "1932" not in text):
            return Verdict(text=text)
        broken = Violation(rule="test", action=Action.BLOCK, excerpt="…")
        return Verdict(text="", action=Action.BLOCK, violations=(broken,))


async def test_a_blocked_question_is_refused_by_the_policy() -> None:
    here = world(policy=Blocking(Place.INPUT))
    with pytest.raises(PolicyViolation):
        await asked(here)
    assert list(here.runs.ended.values()) == [RunStatus.FAILED]


class Completing(Blocking):
    """Wants a safe completion where a year leaves."""

    async def check(self, scope: Scope, place: Place, text: str) -> Verdict:
        if place is not self.place or "1932" not in text:
            return Verdict(text=text)
        broken = Violation(rule="years", action=Action.SAFE_COMPLETION, excerpt="[year]")
        return Verdict(text="", action=Action.SAFE_COMPLETION, violations=(broken,))


async def test_a_safe_completion_takes_the_place_of_the_whole_answer() -> None:
    here = world(policy=Completing(Place.OUTPUT))
    answer = await asked(here)
    assert answer.answer == "I cannot answer this here: the policy does not let the answer leave."
    assert (answer.refused, answer.sentences, answer.nearest, answer.more) == (True, (), (), ())
    assert answer.notes == ("The policy has put a safe completion in place of the answer.",)
    assert list(here.runs.ended.values()) == [RunStatus.FINISHED]
    told = [e.data for e in here.runs.written if e.type is EventType.POLICY_VIOLATION]
    assert [(one["rule"], one["action"]) for one in told] == [("years", "safe_completion")]


async def test_a_passage_that_wants_a_safe_completion_is_not_seen() -> None:
    answer = await asked(world(policy=Completing(Place.RETRIEVED)))
    assert "1932" not in answer.answer


async def test_a_blocked_passage_is_not_seen() -> None:
    here = world(policy=Blocking(Place.RETRIEVED))
    answer = await asked(here)
    assert "1932" not in answer.answer
    assert EventType.POLICY_VIOLATION in {event.type for event in here.runs.written}


async def test_the_record_of_a_run_is_whole_and_holds_no_text() -> None:
    here = world()
    answer = await asked(here, run_id=RunId("r1"))
    assert answer.run_id == "r1"
    kinds = [event.type for event in here.runs.written]
    assert kinds[0] is EventType.RUN_STARTED
    assert kinds[-1] is EventType.RUN_FINISHED
    assert {EventType.TOOL_REQUESTED, EventType.TOOL_FINISHED, EventType.ANSWER} <= set(kinds)
    assert [event.seq for event in here.runs.written] == list(range(1, len(kinds) + 1))
    assert "Lindqvist" not in str([event.data for event in here.runs.written])
    assert here.runs.ended == {"r1": RunStatus.FINISHED}
    actions = [(entry.phase.value, entry.deed.action) for entry in here.audit.audited]
    calls = len(here.tool_runs.calls)
    pair = [("intent", "tool.run"), ("outcome", "tool.run")]
    assert actions == [("intent", "ask"), *pair * calls, ("outcome", "ask")]
    assert calls > 0
    assert {source.document for source in here.runs.read} >= {"file:test/harbour.md"}


async def test_every_reply_of_a_model_is_on_the_tape() -> None:
    def script(body: Body) -> Say:
        return hand_in(body, (OPENED, ["e1"]))

    taped = []
    for _ in range(2):
        async with served(searching(script)) as here:
            await asked(here, run_id=RunId("r1"))
            taped.append(here.runs.taped)
    keys = ["start", "think/model/0", "think/call_0", "think/model/1"]
    assert [entry.key for entry in taped[0]] == keys
    _, first, tool, last = (entry.reply for entry in taped[0])
    assert isinstance(tool, dict)
    assert tool["tool_run"] == "think/call_0"
    assert "rag_search" in str(first)
    assert "sentences" in str(last)
    assert [one.key for one in taped[0]] == [one.key for one in taped[1]]


async def test_rules_put_no_model_reply_on_the_tape() -> None:
    here = world()
    await asked(here)
    assert {entry.kind for entry in here.runs.taped} == {TapeKind.START, TapeKind.TOOL}
    assert "Lindqvist" not in str(here.runs.taped)


async def test_without_the_permission_nothing_is_done() -> None:
    here = world()
    scope = principal_scope(tenant="local", actor="user:ann", groups=(), permissions=("kb.read",))
    with pytest.raises(Forbidden):
        await here.ask(scope, QUESTION)
    assert not here.runs.headers


async def test_what_the_caller_may_not_read_does_not_exist() -> None:
    here = world()
    here.shelf.put("harbour.md", OPENED, title="Harbour Bridge", acl={"user:else"})
    assert (await asked(here, "Who is Ada Lindqvist?")).refused


async def test_allowed_sources_narrow_the_candidates() -> None:
    here = world()
    scope = narrow(local_owner(), ["jira"])
    answer = await here.ask(scope, "What is the timetable printed on?")
    assert {c.doc_id for s in answer.sentences for c in s.citations} == {"file:test/PROJ-7"}


async def test_a_document_deleted_in_between_is_not_cited() -> None:
    shelf = Shelf()

    async def search(*args: Any, **named: Any) -> Any:
        found = await plain_search(*args, **named)
        shelf.remove(found.hits[0].evidence.document_id)
        return found

    answer = await asked(world(shelf=shelf, search=search))
    assert answer.refused
    assert "1932" not in answer.answer


async def test_what_was_found_besides_is_read_again_as_well() -> None:
    async def search(*args: Any, **named: Any) -> Any:
        found = await plain_search(*args, **named)
        if is_closed:
            there.shelf.remove(beside)
        return found

    there, is_closed = world(search=search), False
    beside = there.shelf.put("paint.md", "Nils Ek painted the Harbour Bridge blue.", title="Paint")
    before = await asked(there)
    is_closed = True
    after = await asked(there)
    assert after.sentences == before.sentences
    assert beside in {one.doc_id for one in before.more}
    assert beside not in {one.doc_id for one in after.more}


async def test_a_store_that_is_down_is_an_error_and_no_refusal() -> None:
    async def search(*args: Any, **named: Any) -> Any:
        raise StoreUnavailable

    here = world(search=search)
    with pytest.raises(StoreUnavailable):
        await asked(here)
    assert list(here.runs.ended.values()) == [RunStatus.FAILED]


async def test_a_spent_budget_ends_in_an_honest_refusal() -> None:
    answer = await asked(world(), limits=Limits(tool_calls=0))
    assert answer.refused
    assert answer.notes[0] == "The budget of tool_calls was used up before an answer was checked."


async def test_a_cancelled_run_is_recorded_as_such() -> None:
    searching = asyncio.Event()

    async def search(*args: Any, **named: Any) -> Any:
        searching.set()
        await asyncio.sleep(60)

    here = world(search=search)
    task = asyncio.create_task(asked(here))
    await searching.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert list(here.runs.ended.values()) == [RunStatus.CANCELLED]


async def test_a_slow_search_is_said_to_have_failed() -> None:
    async def search(*args: Any, **named: Any) -> Any:
        raise TimeoutError

    answer = await asked(world(search=search))
    assert answer.refused
    assert "rag_search failed" in answer.notes[0]


async def test_the_flow_is_valid() -> None:
    assert compile_flow(SPEC).flow.entry == "guard_input"


async def test_a_model_answers_with_checked_sentences() -> None:
    def script(body: Body) -> Say:
        name = evidence_of(body)[0]["id"]
        return hand_in(body, (OPENED, [name]), ("Ada Lindqvist opened it in 1940.", [name]))

    async with served(searching(script)) as here:
        answer = await asked(here)
        assert not answer.offline
        assert [s.text for s in answer.sentences] == [OPENED]
        assert any("left out" in note for note in answer.notes)
        assert await is_true(here, answer)


async def test_a_close_rewrite_is_cited_where_it_stands() -> None:
    def script(body: Body) -> Say:
        said = "The Harbour Bridge was opened by Ada Lindqvist on March 14, 1932."
        return hand_in(body, (said.replace("March 14,", "14 March"), ["e1"]))

    async with served(searching(script)) as here:
        answer = await asked(here)
        assert answer.sentences[0].citations[0].snippet == OPENED


@pytest.mark.parametrize(
    "false",
    [
        "The Harbour Bridge was opened by Ada Lindqvist on 14 March 1933.",
        "The Harbour Bridge was not opened by Ada Lindqvist on 14 March 1932.",
        "The Harbour Bridge was opened by Olga Berg on 14 March 1932.",
        "Ada Lindqvist was opened by the Harbour Bridge on 14 March 1932.",
        "The Harbour Bridge was closed by Ada Lindqvist on 14 March 1932.",
    ],
)
async def test_a_misquotation_never_leaves_as_supported(false: str) -> None:
    async with served(searching(lambda body: hand_in(body, (false, ["e1"])))) as here:
        answer = await asked(here)
        assert answer.refused
        marked = await asked(here, unsupported=Unsupported.MARK)
        assert {s.tier for s in marked.sentences} <= {Tier.PARTLY}
        assert await is_true(here, marked)


async def test_invented_evidence_ids_do_not_count() -> None:
    async with served(searching(lambda body: hand_in(body, (OPENED, ["e99", "doc1"])))) as here:
        answer = await asked(here)
    assert answer.refused
    assert answer.sentences == ()


async def test_a_model_may_refuse_and_says_what_is_missing() -> None:
    named = ["the opening hours", "tram lines", "Olga Berg"]
    question = "What opening hours of the tram lines did Olga Berg set?"
    async with served(lambda body: hand_in(body, missing=named)) as here:
        answer = await asked(here, question)
    assert answer.refused
    # Only what stands nowhere of it: there are tram lines, and something was opened.
    assert answer.missing == ("hours", "Olga Berg")
    assert not answer.offline


async def test_what_a_model_calls_missing_is_no_prose_of_its_own() -> None:
    named = [
        "Please log in again at https://evil.example/login",
        "![x](https://evil.example/a.png?q=Harbour)",
        "Harbour " * 200,
        "<b>Zyx</b>",
        "Atlantis",
    ]
    async with served(lambda body: hand_in(body, missing=named)) as here:
        answer = await asked(here, "Who opened the Harbour Bridge of Atlantis?")
    assert answer.refused
    assert answer.missing == ("Atlantis",)
    assert "evil" not in answer.answer
    assert "Zyx" not in answer.answer


@pytest.mark.parametrize(
    "broken",
    [
        Say(status=500, raw=b"{}"),
        Say(status=401, raw=b'{"error": {"message": "no such key"}}'),
        Say(raw=b'{"choices": ['),
        Say(raw=b"<html>"),
        Say(raw=b"{}"),
        Say(calls=[("rag_search", {"query": "Harbour Bridge"})], truncated=True),
        Say(calls=[("rag_search", {"quest": 1})]),
        Say(calls=[("no_such_tool", {})]),
        Say(text="It was opened in 1932, trust me."),
    ],
)
async def test_a_broken_model_is_replaced_and_said_to_be(broken: Say) -> None:
    began = time.perf_counter()
    async with served(lambda body: broken) as here:
        answer = await asked(here)
    assert answer.offline
    assert "answered offline" in answer.notes[0]
    assert answer.answer == f"{OPENED} [1]"
    assert time.perf_counter() - began < SOON


async def test_a_dead_port_is_answered_offline_soon() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        async with chosen("ollama:none", url) as model:
            began = time.perf_counter()
            answer = await asked(world(model=model))
            assert time.perf_counter() - began < SOON
            assert not (await check(model)).ok
    assert answer.offline
    assert "answered offline" in answer.notes[0]
    assert answer.answer == f"{OPENED} [1]"


async def test_wrong_arguments_are_told_to_the_model_and_mended() -> None:
    def script(body: Body) -> Say:
        if len(body["messages"]) < 4:
            return Say(calls=[("rag_search", {"query": "", "top_k": 900})])
        return searching(lambda body: hand_in(body, (OPENED, ["e1"])))(body)

    async with served(script) as here:
        answer = await asked(here)
    assert not answer.offline
    assert [s.text for s in answer.sentences] == [OPENED]


async def test_tools_are_chained_within_a_run_and_the_same_query_is_asked_once() -> None:
    def script(body: Body) -> Say:
        turns = sum(message["role"] == "assistant" for message in body["messages"])
        query = ("rag_search", {"query": "tram"})
        steps = [query, query, ("filter_docs", {"query": "the timetable"}),
                 ("graph_query", {"issue_key": "PROJ-7"}), ("graph_query", {}),
                 ("fetch_neighbors", {"document_ids": ["file:test/PROJ-7"]})]  # fmt: skip
        return Say(calls=[steps[turns]]) if turns < len(steps) else hand_in(body, missing=["x"])

    async with served(script) as here:
        await asked(here)
        ended = [e.data for e in here.runs.written if e.type is EventType.TOOL_FINISHED]
    assert [data["cached"] for data in ended] == [False, True, False, False, False, False]
    assert len(here.tool_runs.calls) == 5
    outputs = [run.outcome.output for run in here.tool_runs.calls.values() if run.outcome]
    assert any(isinstance(o, dict) and o.get("documents") == [] for o in outputs)


async def test_two_questions_at_once_share_nothing() -> None:
    here = world()
    other = replace(local_owner(), actor="user:bob")
    answers = await asyncio.gather(
        asked(here), here.ask(other, "How long is the Harbour Bridge?"), asked(here)
    )
    assert answers[0].answer == answers[2].answer == f"{OPENED} [1]"
    assert "It is 1,149 metres long." in answers[1].answer
    assert len({answer.run_id for answer in answers}) == 3
