"""Models behind an endpoint: faults in small numbers, hanging up, prices, and the check of one."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from model_chaos import OPENED, QUESTION, chaos, searching
from model_server import Body, Fault, Say, evidence_of, output_tool
from patience import SOON
from rag_world import StillClock, make_world
from scripted_model import scripted_model
from weft.adapters.llm.model_check import CheckTerms, check
from weft.agents.model.breaker import MOST_FAILURES, PAUSE_S
from weft.agents.model.costs import PriceList, Tariff, read_prices
from weft.agents.model.failures import reason_of
from weft.agents.model.runner import ModelTerms
from weft.domain.errors import BadInput
from weft.domain.event import EventType
from weft.flows.asking import Asking, limits_of
from weft.platform.identity import local_owner

pytestmark = pytest.mark.anyio


def searching_on(body: Body) -> list[tuple[str, object]]:
    """Search for ever."""
    return [("rag_search", {"query": f"Harbour {len(body['messages'])}"})]


def raw_reply(calls: Sequence[tuple[str, object]], usage: object) -> bytes:
    """Return a completion whose usage is as a test has it; None leaves it out."""
    made = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(a)}}
        for n, (name, a) in enumerate(calls)
    ]
    choice = {
        "index": 0,
        "finish_reason": "tool_calls",
        "message": {"role": "assistant", "content": None, "tool_calls": made},
    }
    reply = {
        "id": "r",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [choice],
    }
    return json.dumps(reply if usage is None else {**reply, "usage": usage}).encode()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("flow", ["rag", "router", "semantic"])
async def test_a_model_that_misbehaves_now_and_then(flow: str) -> None:
    tally = await chaos(0.2, 24, seed=7, flow=flow)
    assert (tally.runs, tally.hung, tally.wrong, tally.tools_twice) == (24, 0, 0, 0)
    assert tally.by_model >= 20
    assert sum(tally.faults.values()) >= 5


@pytest.mark.parametrize("fault", [one for one in Fault if one is not Fault.TRUNCATED])
async def test_each_fault_is_asked_again_and_passes(fault: Fault) -> None:
    failed = False

    def script(body: Body) -> Say:
        nonlocal failed
        if not failed:
            failed = True
            return Say(fault=fault)
        return searching(body)

    async with scripted_model(script, max_retries=1, timeout_s=3.0) as (model, server):
        world = make_world(model=model)
        world.shelf.put("harbour.md", OPENED, title="Harbour Bridge")
        answer = await world.ask(local_owner(), QUESTION)
        assert not answer.offline
        assert OPENED in answer.answer
        assert len(server.requests) == 3


@pytest.mark.parametrize("fault", [Fault.ENDLESS, Fault.SILENCE, Fault.HUGE])
async def test_what_would_never_end_ends_soon(fault: Fault) -> None:
    async with scripted_model(lambda body: Say(fault=fault), timeout_s=0.5, max_retries=0) as (
        model,
        _,
    ):
        world = make_world(model=model)
        world.shelf.put("harbour.md", OPENED, title="Harbour Bridge")
        began = time.monotonic()
        answer = await world.ask(local_owner(), QUESTION)
        assert time.monotonic() - began < SOON
        assert answer.offline
        assert "answered offline" in answer.notes[0]


async def test_a_cancelled_run_hangs_up_on_the_model_soon() -> None:
    async with scripted_model(
        lambda body: Say(fault=Fault.SILENCE), timeout_s=60, max_retries=0
    ) as (model, server):
        world = make_world(model=model)
        task = asyncio.create_task(world.ask(local_owner(), QUESTION))
        while not server.requests:  # noqa: ASYNC110  # the server is a thread
            await asyncio.sleep(0.01)
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while not server.hung_up:
            await asyncio.sleep(0.01)
            assert time.monotonic() - began < SOON
        assert server.hung_up[0] - began < SOON


async def test_a_run_tells_what_its_model_cost() -> None:
    async with scripted_model(searching, max_retries=0) as (model, _):
        terms = ModelTerms(prices=PriceList([Tariff(input=Decimal(1), output=Decimal(2))]))
        world = make_world(model=model, terms=terms)
        world.shelf.put("harbour.md", OPENED, title="Harbour Bridge")
        await world.ask(local_owner(), QUESTION)
        calls = [e.data for e in world.runs.written if e.type is EventType.MODEL_CALLED]
        assert [call["money"] for call in calls] == ["0.000019", "0.000019"]  # 5 in, 7 out
        summary = next(iter(world.runs.summaries.values()))
        assert (summary["tokens"], Decimal(str(summary["money"]))) == (24, Decimal("0.000038"))


async def test_the_table_knows_the_price_of_a_known_model() -> None:
    async with scripted_model(searching, name="openai:gpt-4o-mini", max_retries=0) as (model, _):
        world = make_world(model=model)
        world.shelf.put("harbour.md", OPENED, title="Harbour Bridge")
        await world.ask(local_owner(), QUESTION)
        calls = [e.data for e in world.runs.written if e.type is EventType.MODEL_CALLED]
        assert calls
        assert all(Decimal(str(call["money"])) > 0 for call in calls)


def test_prices_are_read_and_dated() -> None:
    assert read_prices("").of("gpt-5", date(2026, 1, 1)) is None
    every = read_prices("0.15/0.60").of("anything", date(2026, 1, 1))
    assert every == Tariff(input=Decimal("0.15"), output=Decimal("0.60"))
    some = read_prices("gpt-5*=1.25/10, GPT-5*@2026-12-01=1/8, 3/4")
    found = [
        some.of(model, date(2026, month, 1))
        for model, month in (("gpt-5-mini", 11), ("gpt-5-mini", 12), ("o9", 12))
    ]
    assert [(str(one.input), str(one.output)) for one in found if one] == [
        ("1.25", "10"),
        ("1", "8"),
        ("3", "4"),
    ]


@pytest.mark.parametrize("text", ["1", "gpt=x/y", "gpt@soon=1/2", "gpt@2026-13-01=1/2", "1/2/3"])
def test_what_is_no_price_is_named(text: str) -> None:
    with pytest.raises(BadInput, match=re.escape(text.partition("@")[2].partition("=")[0] or text)):
        read_prices(text)


def test_an_estimate_is_by_the_price_of_today() -> None:
    assert (
        read_prices("mine=1/2").estimate("mine", input_tokens=1_000_000, output_tokens=500_000) == 2
    )
    assert read_prices("").estimate("scripted", input_tokens=10, output_tokens=10) is None
    table = read_prices("").estimate("gpt-4o-mini", input_tokens=10**6, output_tokens=0)
    assert table is not None
    assert table > 0


def able(body: Body) -> Say:
    names = [tool["function"]["name"] for tool in body.get("tools", [])]
    if "look_up" in names:
        return Say(calls=[("look_up", {"word": "harbour"})])
    return Say(calls=[(output_tool(body), {"word": "harbour"})]) if names else Say(text="ready")


async def test_the_check_tells_what_a_model_can_do_and_costs() -> None:
    async with scripted_model(able, name="openai:gpt-4o-mini", max_retries=0) as (model, _):
        found = await check(model)
    assert {one.name: one.error for one in found.abilities} == {
        "words": "", "tools": "", "structured output": "", "streaming": "",
    }  # fmt: skip
    assert found.ok
    assert found.tokens == 36
    assert found.money is not None
    assert found.money > 0


async def test_a_model_without_tools_is_found_out() -> None:
    async with scripted_model(lambda body: Say(text="ready"), max_retries=0) as (model, _):
        found = await check(model)
    assert not found.ok
    assert found.money is None
    assert {one.name for one in found.abilities if one.ok} == {"words", "streaming"}


async def test_a_model_that_refuses_the_key_is_asked_once() -> None:
    async with scripted_model(lambda body: Say(status=401, raw=b"{}"), max_retries=0) as (
        model,
        server,
    ):
        found = await check(model)
        assert len(server.requests) == 1
    assert not found.ok
    assert "401" in found.error


async def test_a_check_repeats_nothing_of_a_server_that_repeats_the_key() -> None:
    said = b'{"error": {"message": "Incorrect API key provided: sk-canary"}}'
    async with scripted_model(
        lambda body: Say(status=401, raw=said), timeout_s=5.0, max_retries=0
    ) as (model, _):
        found = await check(model)
        told = await check(model, terms=CheckTerms(said=reason_of))
    assert "sk-canary" not in found.error
    assert told.error == "refused the key (401)"


async def test_a_check_costs_what_the_price_that_is_set_says() -> None:
    prices = PriceList([Tariff(input=Decimal(1), output=Decimal(2))])
    async with scripted_model(able, timeout_s=5.0, max_retries=0) as (model, _):
        found = await check(model, terms=CheckTerms(price=prices.cost))
    assert found.money == Decimal("0.000057")  # of three replies: 5 in, 7 out


async def test_a_model_that_is_down_is_left_alone_and_asked_again_after_a_while() -> None:
    down = True

    def script(body: Body) -> Say:
        return Say(status=500, raw=b"{}") if down else searching(body)

    clock = StillClock()
    async with scripted_model(script, timeout_s=5.0, max_retries=0) as (model, server):
        world = make_world(model=model, clock=clock)
        world.shelf.put("harbour.md", OPENED, title="Harbour Bridge")
        answers = [await world.ask(local_owner(), QUESTION) for _ in range(MOST_FAILURES + 2)]
        assert len(server.requests) == MOST_FAILURES
        assert all(OPENED in one.answer and one.offline for one in answers)
        assert "failed (500)" in answers[0].notes[0]
        assert "left alone for a while" in answers[-1].notes[0]
        down, clock.seconds = False, PAUSE_S
        assert not (await world.ask(local_owner(), QUESTION)).offline


async def test_a_silent_model_is_left_alone_though_only_the_deadline_ends_its_calls() -> None:
    async with scripted_model(
        lambda body: Say(fault=Fault.SILENCE), timeout_s=30, max_retries=0
    ) as (model, server):
        world = make_world(model=model, terms=ModelTerms(deadline_s=0.2))
        world.shelf.put("harbour.md", OPENED, title="Harbour Bridge")
        for _ in range(MOST_FAILURES + 2):
            assert (await world.ask(local_owner(), QUESTION)).offline
        assert len(server.requests) == MOST_FAILURES


@pytest.mark.parametrize(
    "usage", [None, {"prompt_tokens": 10**25, "completion_tokens": 1, "total_tokens": 1}]
)
async def test_a_server_that_does_not_count_is_held_to_the_budget_all_the_same(
    usage: object,
) -> None:
    def script(body: Body) -> Say:
        return Say(raw=raw_reply(searching_on(body), usage))

    async with scripted_model(script, timeout_s=5.0, max_retries=0) as (model, server):
        world = make_world(model=model)
        world.shelf.put("harbour.md", OPENED, title="Harbour Bridge")
        asking = Asking(
            question=QUESTION, knowledge_bases=("docs",), limits=limits_of({"tokens": 9_000})
        )
        answer = (await world.flows.run(local_owner(), asking)).answer
        assert answer is not None
        calls = [e.data for e in world.runs.written if e.type is EventType.MODEL_CALLED]
        assert len(server.requests) == len(calls) < 6  # of the eight that a role may take
        assert all(one["estimated"] and int(str(one["input_tokens"])) > 1000 for one in calls)


async def test_what_was_found_before_the_budget_ended_is_checked_and_told() -> None:
    async with scripted_model(searching, timeout_s=5.0, max_retries=0) as (model, server):
        world = make_world(model=model)
        world.shelf.put("harbour.md", OPENED, title="Harbour Bridge")
        asking = Asking(
            question=QUESTION, knowledge_bases=("docs",), limits=limits_of({"tokens": 10})
        )
        answer = (await world.flows.run(local_owner(), asking)).answer
    assert len(server.requests) == 1  # of twelve tokens
    assert (answer.offline, OPENED in answer.answer) == (True, True)
    assert "The budget of tokens was used up: this is what there was by then." in answer.notes


async def test_what_a_budget_ended_before_anything_was_written_shows_the_nearest() -> None:
    async with scripted_model(searching, timeout_s=5.0, max_retries=0) as (model, _):
        terms = ModelTerms(prices=PriceList([Tariff(input=Decimal(1), output=Decimal(2))]))
        world = make_world(model=model, terms=terms)
        world.shelf.put("harbour.md", OPENED, title="Harbour Bridge")
        limits = limits_of({"money": "0.00001"})  # less than the first reply
        asking = Asking(question=QUESTION, knowledge_bases=("docs",), limits=limits)
        answer = (await world.flows.run(local_owner(), asking)).answer
    assert answer.refused
    assert "used up first" in answer.answer
    assert [one.snippet for one in answer.nearest] == [OPENED]
    assert answer.notes == ("The budget of money was used up before an answer was checked.",)


@pytest.mark.parametrize(("price", "asked"), [(Decimal(1), 0), (Decimal(0), 2), (None, 2)])
async def test_with_no_money_only_a_model_that_takes_none_is_asked(
    price: Decimal | None, asked: int
) -> None:
    tariffs = [] if price is None else [Tariff(input=price, output=price)]
    async with scripted_model(searching, timeout_s=5.0, max_retries=0) as (model, server):
        world = make_world(model=model, terms=ModelTerms(prices=PriceList(tariffs)))
        world.shelf.put("harbour.md", OPENED, title="Harbour Bridge")
        asking = Asking(
            question=QUESTION, knowledge_bases=("docs",), limits=limits_of({"money": 0})
        )
        answer = (await world.flows.run(local_owner(), asking)).answer
    assert OPENED in answer.answer
    assert len(server.requests) == asked
    assert any("No money may be spent" in one for one in answer.notes) == (asked == 0)


async def test_a_reply_of_another_form_is_one_more_way_to_fail() -> None:
    async with scripted_model(
        lambda body: Say(raw=b'{"choices": 5}'), timeout_s=5.0, max_retries=0
    ) as (model, _):
        world = make_world(model=model)
        world.shelf.put("harbour.md", OPENED, title="Harbour Bridge")
        answer = await world.ask(local_owner(), QUESTION)
    assert OPENED in answer.answer
    assert "gave a reply that cannot be read" in answer.notes[0]


async def test_half_characters_of_a_model_end_no_run() -> None:
    def script(body: Body) -> Say:
        calls = [("rag_search", {"query": "Harbour"})]
        return Say(calls=calls, text="\ud800") if not evidence_of(body) else searching(body)

    async with scripted_model(script, timeout_s=5.0, max_retries=0) as (model, _):
        world = make_world(model=model)
        world.shelf.put("harbour.md", OPENED, title="Harbour Bridge")
        answer = await world.ask(local_owner(), QUESTION)
    assert not answer.offline
    assert OPENED in answer.answer


async def test_a_prompt_of_the_workspace_may_name_the_day_and_the_knowledge_bases(
    tmp_path: Path,
) -> None:
    (tmp_path / "answer.jinja").write_text("{{ today }}: {{ knowledge_bases | join(' + ') }}.")
    async with scripted_model(searching, max_retries=0) as (model, server):
        world = make_world(model=model, prompts=tmp_path)
        world.shelf.put("harbour.md", OPENED, title="Harbour Bridge")
        await world.ask(local_owner(), QUESTION)
    first = server.requests[0]["messages"][0]
    assert first["content"].startswith("2026-01-01: docs.")
