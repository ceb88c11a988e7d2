"""A debate: one agent a knowledge base, compared and cited; who falls out is named."""

from __future__ import annotations

from typing import Any

import pytest

from debate_world import GONE, OPENED, OTHERWISE, QUESTION, Losses, debate_world, debated, shelf
from rag_world import Shelf
from weft.domain.notes import note, read_note
from weft.flows.asking import FlowOutcome
from weft.flows.debate import agents
from weft.offline.refusals import spent_text
from weft.platform.identity import local_owner, principal_scope
from weft.runtime.amounts import Limits

pytestmark = pytest.mark.anyio
THREE = ("Archive", "City", "Press")


def three() -> dict[str, Shelf]:
    return {
        "Archive": shelf(f"{OPENED} It is 1,149 metres long."),
        "City": shelf(OPENED),
        "Press": shelf(OTHERWISE),
    }


def told_by(outcome: FlowOutcome) -> dict[str, Any]:
    return dict(outcome.payload)


def statuses(payload: Any) -> dict[str, str]:
    return {one["kb"]: one["status"] for one in payload["agent_statuses"]}


async def test_what_agrees_is_said_once_and_what_contradicts_is_marked() -> None:
    outcome = await debated(debate_world(three()), local_owner(), THREE)
    answer, told = outcome.answer, told_by(outcome)
    cited = [sorted({c.knowledge_base for c in one.citations}) for one in answer.sentences]
    assert cited[:2] == [["Archive", "City"], ["Press"]]
    assert [one.text for one in answer.sentences[:2]] == [OPENED, OTHERWISE]
    assert (told["debate_state"], told["degraded"]) == ("ready", False)
    (dispute,) = told["disagreements"]
    assert [one["kbs"] for one in dispute["positions"]] == [["Archive", "City"], ["Press"]]
    codes = {read_note(said).code for said in answer.notes}
    assert "bases_disagree" in codes
    assert [one["status"] for one in told["debate_results"]] == ["answered"] * 3
    assert all(one["citations"][0]["kb"] == one["kb"] for one in told["debate_results"])


async def test_each_agent_reaches_its_own_knowledge_base_alone() -> None:
    losses = Losses()
    await debated(debate_world(three(), losses), local_owner(), THREE)
    assert set(losses.searched) == {("Archive",), ("City",), ("Press",)}


async def test_who_is_stale_dies_or_hangs_is_left_out_and_named() -> None:
    losses = Losses(stale=["Press"], dead=["City"], hanging=["Harbour"])
    shelves = {**three(), "Harbour": shelf(OTHERWISE)}
    world = debate_world(shelves, losses, agent_s=0.3)
    outcome = await debated(world, local_owner(), sorted(shelves))
    told = told_by(outcome)
    assert outcome.answer.sentences[0].text == OPENED
    assert {c.knowledge_base for s in outcome.answer.sentences for c in s.citations} == {"Archive"}
    assert told["debate_state"] == "degraded"
    assert told["degraded"] is True
    assert statuses(told) == {
        "Archive": "ready", "City": "blocked", "Harbour": "blocked", "Press": "blocked"
    }  # fmt: skip
    reasons = {one["kb"]: one["reason"] for one in told["agent_statuses"]}
    assert (reasons["City"], reasons["Press"]) == ("The server went away.", GONE)
    assert "0.3 s" in reasons["Harbour"]
    results = {one["kb"]: (one["status"], one["response"]) for one in told["debate_results"]}
    assert results["City"] == ("failed", "")
    assert "Press" not in results
    named = [read_note(said) for said in outcome.answer.notes]
    assert {one.values["base"] for one in named if one.code == "left_out"} == {
        "City", "Harbour", "Press"
    }  # fmt: skip


async def test_none_ready_is_blocked_and_explained() -> None:
    world = debate_world(three(), Losses(stale=THREE))
    outcome = await debated(world, local_owner(), THREE)
    told = told_by(outcome)
    assert (told["debate_state"], told["degraded"]) == ("blocked", True)
    assert (told["debate_results"], told["trace_steps"]) == ([], [])
    assert set(statuses(told).values()) == {"blocked"}
    assert outcome.answer.refused
    assert read_note(outcome.answer.answer).code == "none_ready"
    assert GONE in outcome.answer.answer


async def test_of_no_knowledge_bases_none_is_ready() -> None:
    outcome = await debated(debate_world(three()), local_owner(), ())
    assert told_by(outcome)["debate_state"] == "blocked"
    assert read_note(outcome.answer.answer).code == "no_bases"


async def test_none_that_answers_is_degraded_and_says_so() -> None:
    world = debate_world(three(), Losses(dead=THREE))
    outcome = await debated(world, local_owner(), THREE)
    assert told_by(outcome)["debate_state"] == "degraded"
    assert outcome.answer.refused
    assert read_note(outcome.answer.answer).code == "none_answered"


async def test_a_refusal_is_an_answer_and_the_nearest_is_shown() -> None:
    shelves = {"Archive": shelf(OPENED), "City": shelf("Trams run every ten minutes.")}
    outcome = await debated(debate_world(shelves), local_owner(), sorted(shelves))
    assert told_by(outcome)["debate_state"] == "ready"
    assert outcome.answer.sentences[0].text == OPENED
    unknown = await debated(
        debate_world(shelves), local_owner(), sorted(shelves), "Who is the king of Atlantis?"
    )
    assert unknown.answer.refused
    assert unknown.payload["debate_state"] == "ready"


async def test_its_trace_is_four_kinds_of_steps_with_edges_from_the_events() -> None:
    outcome = await debated(debate_world(three()), local_owner(), THREE)
    steps = {one["id"]: one for one in told_by(outcome)["trace_steps"]}
    kinds = [one["type"] for one in told_by(outcome)["trace_steps"]]
    assert sorted(kinds) == ["COLLECT", *["DEBATE"] * 3, "FANOUT", "SYNTHESIS"]
    fan_out, collect = steps["fan_out"], steps["collect"]
    assert fan_out["metadata"]["agent_count"] == 3
    debating = [one for one in steps.values() if one["type"] == "DEBATE"]
    assert {one["metadata"]["parent"] for one in debating} == {"fan_out"}
    assert {one["metadata"]["kb"] for one in debating} == set(THREE)
    assert set(collect["metadata"]["sources"]) == {one["id"] for one in debating}
    assert steps["synthesise"]["metadata"]["parent"] == "collect"


async def test_with_one_agent_it_collects_from_that_one() -> None:
    outcome = await debated(debate_world({"Archive": shelf(OPENED)}), local_owner(), ["Archive"])
    steps = {one["type"]: one for one in told_by(outcome)["trace_steps"]}
    assert steps["COLLECT"]["metadata"]["sources"] == [steps["DEBATE"]["id"]]
    assert outcome.answer.sentences[0].text == OPENED


async def test_hidden_documents_change_nothing() -> None:
    def told(outcome: Any) -> object:
        return outcome.answer.answer, outcome.answer.notes, _timeless(told_by(outcome))

    reader = principal_scope(
        tenant="local", actor="user:ann", groups=(), permissions={"ask", "tool.run:*", "kb.read"}
    )
    plain, more = three(), three()
    more["City"].put("secret.md", OTHERWISE, acl={"group:board"}, title="Harbour Bridge")
    more["Press"].put("secret.md", OPENED, acl={"group:board"}, title="Opening")
    without = await debated(debate_world(plain), reader, THREE)
    with_hidden = await debated(debate_world(more), reader, THREE)
    assert told(with_hidden) == told(without)


def _timeless(payload: Any) -> dict[str, Any]:
    steps = [{**step, "ms": 0} for step in payload["trace_steps"]]
    return {**payload, "trace_steps": steps}


async def test_the_question_is_the_callers_own() -> None:
    outcome = await debated(debate_world(three()), local_owner(), THREE, QUESTION)
    assert outcome.answer.rewritten_question == ""


async def test_in_a_second_round_each_is_given_what_the_others_said() -> None:
    archive = shelf(f"{OPENED}\n\nA plaque says 9 May 1935, the day of the second opening.")
    shelves = {**three(), "Archive": archive}
    outcome = await debated(debate_world(shelves), local_owner(), THREE, rounds=2)
    told = told_by(outcome)
    kinds = [one["type"] for one in told["trace_steps"]]
    assert kinds == [
        "FANOUT", *["DEBATE"] * 3, "COLLECT", "FANOUT", *["DEBATE"] * 3, "COLLECT", "SYNTHESIS"
    ]  # fmt: skip
    assert told["debate_state"] == "ready"
    results = {one["kb"]: one for one in told["debate_results"]}
    for one in results.values():
        numbers = [cited["n"] for cited in one["citations"]]
        assert numbers == list(range(1, len(numbers) + 1))
        assert all(f"[{n}]" in one["response"] for n in numbers)
    cited = {c.knowledge_base for one in outcome.answer.sentences for c in one.citations}
    assert cited == set(THREE)
    texts = [one.text for one in outcome.answer.sentences]
    assert len(texts) == len(set(texts))


async def test_with_nobody_to_answer_there_is_no_second_round() -> None:
    shelves = {"Archive": shelf(OPENED), "City": shelf("Trams run every ten minutes.")}
    asked = "Who is the king of Atlantis?"
    outcome = await debated(debate_world(shelves), local_owner(), sorted(shelves), asked, rounds=2)
    kinds = [one["type"] for one in told_by(outcome)["trace_steps"]]
    assert kinds.count("FANOUT") == 1
    assert outcome.answer.refused


async def test_more_than_may_take_part_are_left_out_and_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(agents, "MOST_AGENTS", 2)
    outcome = await debated(debate_world(three()), local_owner(), THREE)
    told = told_by(outcome)
    assert told["debate_state"] == "degraded"
    assert [one["kb"] for one in told["debate_results"]] == ["Archive", "City"]
    assert statuses(told)["Press"] == "blocked"
    assert "at most 2 agents" in told["agent_statuses"][2]["reason"]


async def test_what_was_spent_before_anybody_was_asked_is_said_to_be_that() -> None:
    world = debate_world(three())
    outcome = await debated(world, local_owner(), THREE, limits=Limits(wall_s=0.0))
    answer = outcome.answer
    assert answer.refused
    assert "may ask" not in answer.answer
    assert answer.answer == spent_text(QUESTION)
    assert answer.notes == (note("limit_reached", reason="time"),)


async def test_the_limit_that_ended_it_is_named() -> None:
    limits = Limits(tool_calls=0)
    outcome = await debated(debate_world(three()), local_owner(), THREE, limits=limits)
    assert all("budget of tool_calls" in one for one in outcome.answer.notes)


async def test_without_any_knowledge_base_none_may_be_asked() -> None:
    outcome = await debated(debate_world(three()), local_owner(), ())
    assert outcome.answer.answer == note("no_bases")
