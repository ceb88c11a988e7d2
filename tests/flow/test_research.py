"""Research: one question or sections side by side, budgets that end it, a report that holds."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from decimal import Decimal
from typing import Any

import pytest

from model_server import Body, Fault, Say
from rag_world import make_world
from research_world import (
    COST,
    OPENED,
    SHIPS,
    Researcher,
    given,
    modelled,
    output,
    plan,
    report_of,
    researched,
    role_of,
    shelf_of_three,
)
from weft.agents.model.costs import PriceList, Tariff
from weft.agents.model.runner import ModelTerms
from weft.domain.answer import Tier
from weft.domain.errors import BadInput
from weft.domain.event import EventType
from weft.flows.research.investigation import SelectAgents
from weft.runtime.context import NodeResult, RunContext

pytestmark = pytest.mark.anyio
DEEP = "deep"


def sections(report: Any) -> dict[str, tuple[str, list[str]]]:
    return {
        one["title"]: (one["status"], [said["text"] for said in one["sentences"]])
        for one in report["sections"]
    }


def check_references(report: Any, markdown: str) -> None:
    """Every mark has one reference, every reference a mark, and the numbers are 1, 2, 3 …"""
    said = [*report["summary"], *(s for one in report["sections"] for s in one["sentences"])]
    marks = {n for one in said for n in one["citations"]}
    numbers = [one["n"] for one in report["references"]]
    assert all(one["citations"] for one in said)
    assert numbers == list(range(1, len(numbers) + 1)) == sorted(marks)
    body, _, references = markdown.partition("## References")
    assert {int(n) for n in re.findall(r"\[(\d+)\]", body)} == marks
    assert len(re.findall(r"^\d+\. ", references, re.M)) == len(numbers)


async def test_a_deep_report_has_its_sections_and_one_list_of_references() -> None:
    script = Researcher()
    async with modelled(script) as (world, _):
        outcome = await researched(world, mode=DEEP)
    report = report_of(outcome)
    assert sections(report) == {
        "Opening": ("complete", [OPENED]),
        "Cost": ("complete", [COST]),
        "Ships": ("complete", [SHIPS]),
    }
    assert [one["text"] for one in report["summary"]] == [OPENED]
    assert (report["mode"], report["offline"], report["is_partial"]) == (DEEP, False, False)
    check_references(report, str(outcome.payload["markdown"]))
    assert script.asked == {
        "plan": 1,
        "gaps": 3,
        "select": 3,
        "read": 6,
        "judge": 3,
        "write": 3,
        "overview": 1,
    }
    assert all(one.tier is Tier.QUOTE for one in outcome.answer.sentences)
    assert len(outcome.payload["iterations"]) == 3  # type: ignore[arg-type]


async def test_complete_at_the_first_check_is_written_once_and_at_once() -> None:
    def complete(body: Body) -> Say:
        return output(body, research_complete=True)

    script = Researcher(instead={"gaps": complete})
    async with modelled(script) as (world, _):
        outcome = await researched(world, mode="iterative")
        ways = [e.node for e in world.runs.written if e.type is EventType.NODE_STARTED]
    assert script.asked == {"gaps": 1}
    assert [one for one in ways if one.endswith("write")] == ["investigate/s1/write"]
    assert sections(report_of(outcome)) == {"When was the Harbour Bridge opened": ("empty", [])}
    assert outcome.answer.refused


async def test_it_goes_on_until_the_judge_is_content_and_no_longer() -> None:
    asked: list[str] = []

    def gaps(body: Body) -> Say:
        asked.append(f"Question {len(asked) + 1} on the Harbour Bridge?")
        return output(body, research_complete=False, outstanding_gaps=asked[-1:])

    def never(body: Body) -> Say:
        return output(body, sufficient=False, next_queries=["And then?"])

    script = Researcher(instead={"gaps": gaps, "judge": never})
    async with modelled(script) as (world, _):
        outcome = await researched(world, mode="iterative")
    assert script.asked["judge"] == 5
    assert script.asked["write"] == 1
    assert len(outcome.payload["iterations"]) == 5  # type: ignore[arg-type]


async def test_all_chosen_agents_work_at_the_same_time_and_each_for_itself() -> None:
    def both(body: Body) -> Say:
        tasks = [
            {"gap": "a", "agent": "vector", "query": "When was the Harbour Bridge opened?"},
            {"gap": "b", "agent": "vector", "query": "What did the Harbour Bridge cost?"},
            {"gap": "c", "agent": "web", "query": "There is no web here."},
        ]
        return output(body, tasks=tasks)

    async with modelled(Researcher(instead={"select": both})) as (world, _):
        outcome = await researched(world, mode="iterative")
    turns: Any = outcome.payload["iterations"]
    assert len(turns) == 1
    assert {one["agent"] for one in turns[0]["tool_calls"]} == {"vector"}
    assert set(turns[0]["findings"]) == {OPENED, COST}


async def test_what_a_model_calls_things_leads_nobody_anywhere() -> None:
    lure = "call +44 20 7946 0000 or http://evil.example/?q=it"

    def gaps(body: Body) -> Say:
        told = "findings" in given(body)
        return output(
            body, research_complete=told, outstanding_gaps=[f"Bridge, {lure}"], thoughts=lure
        )

    def never(body: Body) -> Say:
        return output(body, sufficient=False, next_queries=[f"Who, {lure}"])

    outline = {**plan((f"Opening, {lure}", f"Opened? {lure}")), "report_title": f"Title, {lure}"}
    script = Researcher(outline=outline, instead={"gaps": gaps, "judge": never})
    async with modelled(script) as (world, _):
        outcome = await researched(world, mode=DEEP)
    report = report_of(outcome)
    assert report["title"] == "Title, call … or …"
    assert report["sections"][0]["title"] == "Opening, call … or …"
    turns: Any = outcome.payload["iterations"]
    assert (turns[0]["gaps"], turns[0]["thoughts"]) == (["Bridge, call … or …"], "call … or …")
    assert "7946" not in str(outcome.payload)
    assert "evil" not in str(outcome.payload)


async def test_one_section_that_fails_leaves_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = SelectAgents.run

    async def run(self: SelectAgents, ctx: RunContext) -> NodeResult:
        if ctx.state["title"] == "Cost":
            raise ZeroDivisionError("a fault of the program")
        return await sound(self, ctx)

    monkeypatch.setattr(SelectAgents, "run", run)
    async with modelled(Researcher()) as (world, _):
        outcome = await researched(world, mode=DEEP)
    found = sections(report_of(outcome))
    assert found["Opening"] == ("complete", [OPENED])
    assert found["Ships"] == ("complete", [SHIPS])
    assert found["Cost"][0] == "failed"
    assert any("Cost" in one for one in outcome.answer.notes)
    assert "This section failed" in str(outcome.payload["markdown"])
    check_references(report_of(outcome), str(outcome.payload["markdown"]))


SPENT = [
    {"tokens": 150},
    {"money": "0.00010"},
    {"tool_calls": 2},
    {"iterations": 1},
    {"time": 0.0},
]


@pytest.mark.parametrize("mode", ["iterative", DEEP])
@pytest.mark.parametrize("budget", SPENT, ids=lambda one: next(iter(one)))
async def test_each_part_of_a_budget_ends_it_with_what_there_is(
    budget: dict[str, Any], mode: str
) -> None:
    (part,) = budget
    turn = itertools.count(1)

    def never(body: Body) -> Say:
        return output(body, sufficient=False, next_queries=["And what did the bridge cost?"])

    def gaps(body: Body) -> Say:
        return output(
            body,
            research_complete=False,
            outstanding_gaps=[f"Harbour Bridge opened, turn {next(turn)}?"],
        )

    script = Researcher(instead={"judge": never, "gaps": gaps})
    prices = PriceList([Tariff(input=Decimal(1), output=Decimal(1))])
    async with modelled(script, terms=ModelTerms(prices=prices)) as (world, _):

        def late(body: Body) -> Say:
            world.clock.seconds += 60.0
            return never(body)

        if part == "time":
            budget, script.instead["judge"] = {"time": 10.0}, late
        outcome = await researched(world, mode=mode, **budget)
    report = report_of(outcome)
    events = [e for e in world.runs.written if e.type is EventType.BUDGET_EXCEEDED]
    assert events
    assert (report["is_partial"], report["ended_by"]) == (True, part)
    assert OPENED in [s["text"] for one in report["sections"] for s in one["sentences"]]
    check_references(report, str(outcome.payload["markdown"]))
    assert any(part in one for one in outcome.answer.notes)
    assert report["missing"]
    # Of tokens and money it is never more than a call beyond, sections side by side or not.
    summary = next(iter(world.runs.summaries.values()))
    if part == "tokens":
        assert int(str(summary["tokens"])) <= 150 + 12
    if part == "money":
        assert Decimal(str(summary["money"])) <= Decimal("0.00010") + Decimal("0.000012")


async def test_without_a_model_it_is_quotations_and_says_so() -> None:
    world = make_world(shelf=shelf_of_three())
    outcome = await researched(world, "Write a report on the Harbour Bridge")
    report = report_of(outcome)
    assert (report["mode"], report["offline"], outcome.answer.offline) == (DEEP, True, True)
    assert {one.tier for one in outcome.answer.sentences} == {Tier.QUOTE}
    assert {OPENED, COST, SHIPS} <= {one.text for one in outcome.answer.sentences}
    assert "without a model" in str(outcome.payload["markdown"])
    check_references(report, str(outcome.payload["markdown"]))


async def test_the_same_question_gives_the_same_report() -> None:
    found = [
        (await researched(make_world(shelf=shelf_of_three()), "Report on the bridge")).payload
        for _ in range(2)
    ]
    assert found[0] == found[1]


async def test_two_runs_at_once_share_nothing() -> None:
    async with modelled(Researcher()) as (world, _):
        alone = await researched(world, mode=DEEP)
        both = await asyncio.gather(
            researched(world, mode=DEEP),
            researched(world, "What did the Harbour Bridge cost?", mode="iterative"),
        )
    assert both[0].payload["report"] == alone.payload["report"]
    assert sections(report_of(both[1])) == {
        "What did the Harbour Bridge cost": ("complete", [COST])
    }


@pytest.mark.parametrize("fault", [Fault.BROKEN, Fault.MALFORMED, Fault.RESET])
async def test_a_model_that_always_fails_is_replaced_by_rules(fault: Fault) -> None:
    def failing(body: Body) -> Say:
        return Say(fault=fault)

    async with modelled(failing) as (world, _):
        outcome = await researched(world, mode="iterative")
    assert outcome.answer.offline
    assert OPENED in outcome.answer.answer
    assert any("model" in one for one in outcome.answer.notes)


async def test_what_a_model_makes_up_does_not_leave() -> None:
    def liar(body: Body) -> Say:
        ids = [one["id"] for one in json.loads(body["messages"][1]["content"])["findings"]]
        made_up = {"text": "The Harbour Bridge was opened in 1871.", "evidence_ids": ids}
        return output(body, sentences=[made_up])

    async with modelled(Researcher(instead={"write": liar})) as (world, _):
        outcome = await researched(world, mode="iterative")
    assert "1871" not in json.dumps(outcome.payload)
    assert not outcome.answer.sentences


async def test_the_page_of_a_report_holds_text_alone() -> None:
    hostile = "The Harbour Bridge <script>alert(1)</script> was opened **by** [x](javascript:a)."
    shelf = shelf_of_three()
    shelf.put("hostile.md", hostile, title="<b>Hostile</b>")
    world = make_world(shelf=shelf)
    outcome = await researched(world, "Report on the Harbour Bridge <script>")
    page, markdown = str(outcome.payload["html"]), str(outcome.payload["markdown"])
    assert "alert(1)" in page
    assert "<script" not in page
    assert "<b>" not in page
    assert not re.search(r"(?<!\\)\](?=\()", markdown)


def test_roles_are_told_apart() -> None:
    assert role_of({"messages": [{"content": "You plan a report that"}]}) == "plan"
    assert plan(("a", "b"))["report_outline"] == [{"title": "a", "key_question": "b"}]


async def test_a_way_that_there_is_not_is_refused() -> None:
    with pytest.raises(BadInput, match="iterative, deep"):
        await researched(make_world(shelf=shelf_of_three()), mode="wild")
