"""Research in a small world: documents in memory, and a model that plays every role by script."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from model_server import (
    Body,
    ModelServer,
    Say,
    Script,
    evidence_of,
    hand_in,
    output_tool,
)
from rag_world import Shelf, World, make_world
from scripted_model import scripted_model
from weft.flows.asking import Asking, FlowOutcome, limits_of
from weft.platform.identity import local_owner

OPENED = "The Harbour Bridge was opened by Ada Lindqvist on 14 March 1932."
COST = "The Harbour Bridge cost 12 million crowns."
SHIPS = "Ships of 40 metres pass under the Harbour Bridge at high water."
QUESTION = "When was the Harbour Bridge opened?"
# How each role's instructions begin.
ROLES = {
    "You plan a report": "plan",
    "You see to it": "gaps",
    "You decide who": "select",
    "You judge what": "judge",
    "You write one section": "write",
    "You write the summary": "overview",
}


def shelf_of_three() -> Shelf:
    shelf = Shelf()
    shelf.put("opening.md", OPENED, title="Opening")
    shelf.put("cost.md", COST, title="Cost")
    shelf.put("ships.md", SHIPS, title="Ships")
    return shelf


def role_of(body: Body) -> str:
    said = str(body["messages"][0]["content"])
    return next((role for begins, role in ROLES.items() if said.startswith(begins)), "read")


def given(body: Body) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(body["messages"][1]["content"])
    return told


def output(body: Body, **values: object) -> Say:
    return Say(calls=[(output_tool(body), values)])


def plan(*sections: tuple[str, str]) -> dict[str, object]:
    outline = [{"title": title, "key_question": question} for title, question in sections]
    return {"report_title": "The Harbour Bridge", "report_outline": outline}


THREE = plan(
    ("Opening", "When was the Harbour Bridge opened?"),
    ("Cost", "What did the Harbour Bridge cost?"),
    ("Ships", "Which ships pass under the Harbour Bridge?"),
)


@dataclass(slots=True)
class Researcher:
    """A model that does as it should: it looks once for each question, and writes what it found."""

    outline: dict[str, object] = field(default_factory=lambda: THREE)
    instead: dict[str, Callable[[Body], Say]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)

    def __call__(self, body: Body) -> Say:
        role = role_of(body)
        self.asked[role] += 1
        if role in self.instead:
            return self.instead[role](body)
        return getattr(self, f"_{role}")(body)  # type: ignore[no-any-return]

    def _plan(self, body: Body) -> Say:
        return output(body, **self.outline)

    def _gaps(self, body: Body) -> Say:
        told = given(body)
        gaps = [] if "findings" in told else [told["question"]]
        return output(body, research_complete=not gaps, outstanding_gaps=gaps, thoughts="So.")

    def _select(self, body: Body) -> Say:
        tasks = [{"gap": one, "agent": "vector", "query": one} for one in given(body)["gaps"]]
        return output(body, tasks=tasks)

    def _read(self, body: Body) -> Say:
        found = evidence_of(body)
        if not found:
            return Say(calls=[("rag_search", {"query": body["messages"][1]["content"]})])
        return hand_in(body, (found[0]["text"], [found[0]["id"]]))

    def _judge(self, body: Body) -> Say:
        return output(body, sufficient=True, confidence=0.9)

    def _write(self, body: Body) -> Say:
        said = [
            {"text": one["text"], "evidence_ids": [one["id"]]}
            for one in given(body).get("findings", [])
        ]
        return output(body, sentences=said)

    def _overview(self, body: Body) -> Say:
        first = given(body)["sections"][0]["findings"][0]
        return output(body, sentences=[{"text": first["text"], "evidence_ids": [first["id"]]}])


@asynccontextmanager
async def modelled(script: Script, **options: Any) -> AsyncIterator[tuple[World, ModelServer]]:
    async with scripted_model(script) as (model, server):
        yield make_world(model=model, shelf=shelf_of_three(), **options), server


async def researched(
    world: World, question: str = QUESTION, *, mode: str = "", **budget: object
) -> FlowOutcome:
    asking = Asking(
        question=question,
        knowledge_bases=("docs",),
        flow="research",
        mode=mode,
        limits=limits_of(budget) if budget else None,
    )
    return await world.flows.run(local_owner(), asking)


def report_of(outcome: FlowOutcome) -> Any:
    return outcome.payload["report"]
