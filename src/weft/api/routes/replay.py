"""Replays over HTTP: a run gone through once more, and where it comes out otherwise."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path
from pydantic import BaseModel, ConfigDict, Field

from weft.api.dependencies import Inside, RunScope
from weft.api.edge.trail import leaves_within
from weft.bootstrap.replay import build_replayer
from weft.domain.ids import RunId
from weft.flows.replay.reenactment import Change
from weft.flows.replay.replayer import Replay

RunName = Annotated[str, Path(alias="id", max_length=100, description="The run.")]
_NAME = 200


class ReplayWanted(BaseModel):
    """What is to be other than it was; nothing, to see whether the run comes out the same.

    `with` is a prompt's version (`answer@v2`, the file of that name among the workspace's prompts),
    `model` one as the setting `model` names it. What was not asked then is asked now.
    """

    model_config = ConfigDict(extra="forbid")

    prompt: str = Field(default="", alias="with", max_length=_NAME)
    model: str = Field(default="", max_length=_NAME)


class DifferenceShape(BaseModel):
    """Where a replay departs from the record, without any text of documents.

    `what` is event, prompt, model_request, tool_reply, document, source_deleted or rights; `part`
    is what of the event differs. Further fields name the prompt, the tool or the document.
    """

    model_config = ConfigDict(extra="allow")

    what: str
    seq: int | None
    node: str
    type: str
    part: str
    recorded: Any
    replayed: Any


class SideBySideShape(BaseModel):
    """Both answers, and where each branch first departs from the record."""

    recorded: str
    replayed: str
    differences: list[DifferenceShape]


class ReplayShape(BaseModel):
    """What came of a replay; `events` is how many the run has on record."""

    run_id: str
    equal: bool
    first_difference: DifferenceShape | None
    source_deleted: bool
    events: int
    side_by_side: SideBySideShape | None = None


router = APIRouter(prefix="/v1/runs", tags=["runs"])


@router.post("/{id}/replay", summary="Replay a run")
@leaves_within("run.replay")
async def replay(
    inside: Inside,
    scope: RunScope,
    *,
    run_id: RunName,
    wanted: Annotated[ReplayWanted | None, Body()] = None,
) -> ReplayShape:
    """Go through a run that has ended once more, by what its models and tools replied then.

    It is compared with its record under the caller's rights; nothing is changed by it. With a
    change the permission `ask` is needed too.
    """
    asked = wanted or ReplayWanted()
    change = Change(prompt=asked.prompt, model=asked.model)
    replayer = build_replayer(inside.host.app, inside.host.flows)
    return shape_of(await replayer.replay(scope, RunId(run_id), change))


def shape_of(found: Replay) -> ReplayShape:
    """Return a replay as it leaves."""
    return ReplayShape.model_validate(found.as_json())
