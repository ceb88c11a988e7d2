"""Debates of a scripted model: what the supervisor is told, and what becomes of what it says."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from debate_world import OPENED, OTHERWISE, Losses, debate_world, debated, shelf
from model_server import (
    Body,
    Fault,
    ModelServer,
    Say,
    Script,
    evidence_of,
    hand_in,
    output_tool,
)
from rag_world import Shelf, World
from scripted_model import scripted_model
from weft.domain.errors import StoreUnavailable
from weft.domain.scope import Scope
from weft.flows.asking import FlowOutcome
from weft.platform.identity import local_owner
from weft.ports.embedder import Embedder
from weft.ports.store import Base
from weft.retrieval.hits import Found, Query

pytestmark = pytest.mark.anyio
EIGHT = tuple(f"Base{number}" for number in range(8))
DEAD, HANGING, STALE = EIGHT[5:]
LAST_WORDS = "The Harbour Bridge was opened by the late Quokkaberg on 1 May 1901."


def is_supervisor(body: Body) -> bool:
    return "Several agents answered" in json.dumps(body["messages"][0])


def conclusions(body: Body) -> list[dict[str, Any]]:
    told = json.loads(body["messages"][-1]["content"])
    found: list[dict[str, Any]] = told["conclusions"]
    return found


def agreeing(body: Body) -> Say:
    """Search once and quote; as the supervisor, repeat what the first agent concluded."""
    if is_supervisor(body):
        first = conclusions(body)[0]["sentences"][0]
        ids = [one for each in conclusions(body) for one in each["sentences"][0]["evidence_ids"]]
        draft = {"text": first["text"], "evidence_ids": ids}
        return Say(calls=[(output_tool(body), {"sentences": [draft], "disagreements": []})])
    if not evidence_of(body):
        return Say(calls=[("rag_search", {"query": "Harbour Bridge opened"})])
    found = evidence_of(body)[0]
    return hand_in(body, (found["text"].partition(". ")[0].removesuffix(".") + ".", [found["id"]]))


@asynccontextmanager
async def modelled(script: Script, shelves: dict[str, Shelf], losses: Losses | None = None,
             **options: Any) -> AsyncIterator[tuple[World, ModelServer]]:  # fmt: skip
    async with scripted_model(script) as (model, server):
        yield debate_world(shelves, losses, model=model, **options), server


def told_by(outcome: FlowOutcome) -> dict[str, Any]:
    return dict(outcome.payload)


class DiesAfterFinding(Losses):
    """One that dies once it has found something."""

    async def search(
        self, bases: Sequence[Base], embedder: Embedder | None, scope: Scope, *, query: Query
    ) -> Found:
        if any(base.name == DEAD for base in bases) and (DEAD,) in self.searched:
            raise StoreUnavailable("The server went away.")
        return await super().search(bases, embedder, scope, query=query)


def with_one_that_hangs_and_one_that_goes_on_to_search(body: Body) -> Say:
    found = evidence_of(body)
    if found and found[0]["knowledge_base"] == HANGING:
        return Say(fault=Fault.SILENCE)
    if len(found) == 1 and found[0]["knowledge_base"] == DEAD:
        return Say(calls=[("rag_search", {"query": "Quokkaberg"})])
    return agreeing(body)


async def test_of_eight_one_dies_one_hangs_and_one_is_stale() -> None:
    shelves = {name: shelf(OPENED) for name in EIGHT}
    shelves[DEAD] = shelf(LAST_WORDS)
    shelves[HANGING] = shelf(OTHERWISE)
    losses = DiesAfterFinding(stale=[STALE])
    script = with_one_that_hangs_and_one_that_goes_on_to_search
    async with modelled(script, shelves, losses, agent_s=4.0) as (world, server):
        outcome = await debated(world, local_owner(), EIGHT)
    told = told_by(outcome)
    assert told["debate_state"] == "degraded"
    assert not outcome.answer.offline
    assert [one.text for one in outcome.answer.sentences] == [OPENED]
    cited = {c.knowledge_base for one in outcome.answer.sentences for c in one.citations}
    assert cited == set(EIGHT[:5])
    blocked = {s["kb"]: s["reason"] for s in told["agent_statuses"] if s["status"] == "blocked"}
    assert set(blocked) == {DEAD, HANGING, STALE}
    assert all(blocked.values())
    dead = [body for body in server.requests if LAST_WORDS in json.dumps(body)]
    assert dead
    (asked,) = filter(is_supervisor, server.requests)
    said = json.dumps(asked)
    assert not any(word in said for word in ("Quokkaberg", DEAD, HANGING, STALE, OTHERWISE))
    assert not any(reason in said for reason in blocked.values())


async def test_a_model_may_not_settle_a_contradiction_nor_make_one_up() -> None:
    def settling(body: Body) -> Say:
        if not is_supervisor(body):
            return agreeing(body)
        first = conclusions(body)[0]["sentences"][0]
        made_up = {"text": "It was opened twice by Quokkaberg.", "evidence_ids": ["e1", "e9"]}
        disputes = [[0, 1], [0, 7], [-1]]
        output = {"sentences": [first, made_up], "disagreements": disputes}
        return Say(calls=[(output_tool(body), output)])

    shelves = {"Archive": shelf(OPENED), "Press": shelf(OTHERWISE)}
    async with modelled(settling, shelves) as (world, _):
        outcome = await debated(world, local_owner(), sorted(shelves))
    assert [one.text for one in outcome.answer.sentences] == [OPENED, OTHERWISE]
    (dispute,) = told_by(outcome)["disagreements"]
    assert [one["kbs"] for one in dispute["positions"]] == [["Archive"], ["Press"]]


async def test_agents_and_supervisor_take_their_time_side_by_side() -> None:
    def slow(body: Body) -> Say:
        time.sleep(0.3)
        return agreeing(body)

    async with modelled(slow, {name: shelf(OPENED) for name in EIGHT}) as (world, server):
        outcome = await debated(world, local_owner(), EIGHT)
    assert len(server.requests) == 2 * len(EIGHT) + 1
    assert told_by(outcome)["debate_state"] == "ready"


async def test_where_the_model_of_all_fails_the_rules_answer_and_it_is_said() -> None:
    shelves = {"Archive": shelf(OPENED), "Press": shelf(OTHERWISE)}
    async with modelled(lambda body: Say(status=400), shelves) as (world, _):
        outcome = await debated(world, local_owner(), sorted(shelves))
    assert outcome.answer.offline
    assert [one.text for one in outcome.answer.sentences] == [OPENED, OTHERWISE]
    assert any("answered offline" in said for said in outcome.answer.notes)


async def test_in_a_second_round_a_model_is_told_what_the_others_said() -> None:
    shelves = {"Archive": shelf(OPENED), "Press": shelf(OTHERWISE)}
    async with modelled(agreeing, shelves) as (world, server):
        outcome = await debated(world, local_owner(), sorted(shelves), rounds=2)
    asked = [body["messages"][1]["content"] for body in server.requests if not is_supervisor(body)]
    second = [one for one in asked if "goes on from" in one]
    assert any(OTHERWISE in one and OPENED not in one for one in second)
    assert any(OPENED in one and OTHERWISE not in one for one in second)
    assert {one.text for one in outcome.answer.sentences} == {OPENED, OTHERWISE}
