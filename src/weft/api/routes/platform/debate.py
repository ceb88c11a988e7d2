"""`POST /run_debate`: one agent for each knowledge base, and a supervisor that compares them."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from weft.api.dependencies import AskScope, Inside
from weft.api.edge.streams import DESCRIBED
from weft.api.edge.trail import leaves_within
from weft.api.replies import Wanted, wants_stream
from weft.api.shapes.budget import BudgetShape
from weft.api.shapes.debate import DebateReply, debate_reply
from weft.api.shapes.platform import AgentQuestion, Overrides
from weft.domain.errors import BadInput
from weft.flows.asking import checked_question

FLOW = "debate"


class DebateBody(AgentQuestion):
    """A question to be debated; things are pinned for `/run_agent_semantic`, not here.

    In a second of two `rounds` each agent is given what the others have said.
    """

    entity_overrides: Overrides = Field(default_factory=list)
    budget: BudgetShape | None = None
    rounds: int = Field(default=1, ge=1, le=2)


router = APIRouter(tags=["answers"])


@router.post(
    "/run_debate",
    summary="Ask one agent for each knowledge base and compare them",
    response_model=DebateReply,
    responses={200: {"content": DESCRIBED}},
)
@leaves_within("ask")
async def run_debate(
    inside: Inside, scope: AskScope, *, asked: DebateBody, request: Request, response: Response
) -> DebateReply | StreamingResponse:
    """Have an agent for each knowledge base answer by itself, then compare what they say.

    An agent that dies, hangs or cannot begin is left out of the answer and named under
    `agent_statuses`. Where none can be asked, `debate_state` is `blocked` and the response says
    why. Contradictions are shown side by side, never settled.
    """
    if asked.entity_overrides:
        raise BadInput("entity_overrides: a debate takes none; /run_agent_semantic does.")
    wanted = Wanted(
        question=checked_question(asked.query),
        kb=asked.bases(),
        flow=FLOW,
        limits=None if asked.budget is None else asked.budget.limits(),
        rounds=asked.rounds,
    )
    begun = await inside.teller.begin(scope, wanted)
    if wants_stream(request, asked.stream):
        return inside.teller.stream(begun, wanted)
    return debate_reply(await inside.teller.whole(begun, request=request, response=response))
