"""`POST /ask`: a question in, a checked answer out."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from weft.agents.rag import ask as ask_flow
from weft.api.gate import Gate
from weft.api.house import House
from weft.domain.scope import Scope
from weft.platform.identity import narrow


class Question(BaseModel):
    """What is asked; `kb` names knowledge bases (all of them if empty), `sources` narrows."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(min_length=1, max_length=2000)
    kb: list[str] = Field(default_factory=list, max_length=32)
    sources: list[str] = Field(default_factory=list, max_length=64)


def questions(house: House, gate: Gate) -> APIRouter:
    """Return the route that answers questions."""
    router = APIRouter(tags=["answers"])
    allowed: Scope = Depends(gate.needs("ask"))

    @router.post("/ask")
    async def ask(asked: Question, scope: Scope = allowed) -> dict[str, Any]:
        """Answer a question with citations that were checked against the stored text."""
        chosen = narrow(scope, asked.sources) if asked.sources else scope
        flow, left_out = await house.answering(chosen, asked.kb)
        answer = await ask_flow(flow, chosen, asked.question)
        return asdict(replace(answer, notes=(*answer.notes, *left_out)))

    return router
