"""`GET /agents`: who answers questions here, a flow each."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from weft.api.dependencies import AskScope, Inside
from weft.api.edge.trail import leaves
from weft.api.replies import DEFAULT_AGENT
from weft.api.shapes.debate import AgentStatusShape
from weft.bases.readiness import readiness
from weft.flows.debate.concluding import agent_statuses

router = APIRouter(tags=["answers"])


class AgentShape(BaseModel):
    """An agent: `name` is what `agent_id` takes, `flow` the flow that it runs."""

    name: str
    flow: str
    version: str
    summary: str
    is_default: bool


class AgentList(BaseModel):
    """The agents of this service, the default one first.

    `bound` are those that answer from one knowledge base each, in a debate, and how they stand.
    """

    agents: list[AgentShape]
    bound: list[AgentStatusShape]


@router.get("/agents", summary="List agents")
@leaves("kb.list", "kb:*")
async def agents(inside: Inside, scope: AskScope) -> AgentList:
    """List the agents that a question may be given to, and whether their bases can be asked."""
    statuses = agent_statuses(await readiness(inside.host.app.library, scope))
    flows = inside.host.flows.catalog.flows()
    return AgentList(
        agents=[
            AgentShape(
                name=flow.name if place else DEFAULT_AGENT,
                flow=flow.name,
                version=flow.version,
                summary=flow.summary,
                is_default=place == 0,
            )
            for place, flow in enumerate(flows)
        ],
        bound=[AgentStatusShape.model_validate(one) for one in statuses],
    )
