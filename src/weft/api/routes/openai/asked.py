"""What a request of OpenAI's clients asks, of whom, and who there is to ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from weft.api.dependencies import AskScope, Dependencies, Inside
from weft.api.edge.trail import leaves
from weft.api.replies import Begun, Wanted
from weft.domain.errors import BadInput, NotFound
from weft.domain.scope import Scope
from weft.flows.asking import checked_question
from weft.flows.catalog import FlowCatalog
from weft.language.terms import words

MODEL = "weft"
_CREATED = 1767225600  # when this list of models was made; clients want a number
_NO_MODEL = f"There is no model '{{model}}' here; '{MODEL}' is the default agent."
_TEXTS = frozenset({"text", "input_text", "output_text"})


class TextPart(BaseModel):
    """A part of a message; only its text is read."""

    model_config = ConfigDict(extra="ignore")

    type: str = "text"
    text: str = Field(default="", max_length=200_000)


class MessageBody(BaseModel):
    """A message of the conversation; its parts are of OpenAI's older or newer kind."""

    model_config = ConfigDict(extra="ignore")

    role: str = Field(max_length=20)
    content: Annotated[str, Field(max_length=200_000)] | list[TextPart] | None = None

    @property
    def text(self) -> str:
        """Return the message's words."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type in _TEXTS).strip()
        return (self.content or "").strip()


class AnswerFormat(BaseModel):
    """How an answer is to be written; only `text` is."""

    model_config = ConfigDict(extra="ignore")

    type: str = Field(default="text", max_length=100)


class ModelShape(BaseModel):
    """An agent as OpenAI's clients know models."""

    id: str
    object: Literal["model"] = "model"
    created: int = _CREATED
    owned_by: str = "weft"


class ModelList(BaseModel):
    """All agents that the caller may ask."""

    object: Literal["list"] = "list"
    data: list[ModelShape]


ModelName = Annotated[str, Path(max_length=200, examples=[MODEL], description="Its id.")]
router = APIRouter(prefix="/v1", tags=["openai"])


@router.get("/models", summary="List agents as models")
@leaves("kb.list", "kb:*")
async def models(inside: Inside, scope: AskScope) -> ModelList:
    """List `weft`, which asks all knowledge bases, every other flow, and one a knowledge base."""
    return ModelList(data=[ModelShape(id=name) for name in await _models(inside, scope)])


@router.get("/models/{model:path}", summary="Show an agent as a model")
@leaves("kb.list", "kb:*")
async def one_model(inside: Inside, scope: AskScope, *, model: ModelName) -> ModelShape:
    """Show a model of the list by its id, or of any other flow and knowledge base that is asked."""
    _, bases = _meant(model, inside.host.flows.catalog)
    seen = {base.name for base in await inside.teller.host.app.library.listed(scope)}
    if any(name not in seen for name in bases):
        raise NotFound(_NO_MODEL.format(model=model))
    return ModelShape(id=model)


async def _models(inside: Dependencies, scope: Scope) -> list[str]:
    listed = await inside.teller.host.app.library.listed(scope)
    flows = [flow.name for flow in inside.host.flows.catalog.flows()[1:]]
    return [MODEL, *flows, *(f"{MODEL}:{base.name}" for base in listed)]


def refuse_other_than_text(field: str, wanted: AnswerFormat | None) -> None:
    """Raise `BadInput` for an answer that is to be JSON: what is said here is quoted and cited."""
    if wanted is not None and wanted.type != "text":
        raise BadInput(f"{field}: answers are text here; leave it out.", field=field)


def refuse_demanded_tools(choice: object) -> None:
    """Raise `BadInput` where a tool of the caller's must be called: none of them ever is."""
    kind = choice.get("type") if isinstance(choice, dict) else choice
    if kind in ("required", "function", "custom"):
        raise BadInput("tool_choice: no tool of yours is called here.", field="tool_choice")


def question_of(messages: Sequence[MessageBody], *, field: str) -> str:
    """Return what the last user message asks; raises `BadInput`, which names the field."""
    said = [message.text for message in messages if message.role == "user"]
    question = said[-1] if said else ""
    if not question:
        raise BadInput(f"{field}: there is no user message with text.", field=field)
    return checked_question(question)


async def begun_of(inside: Dependencies, scope: Scope, *, question: str, model: str) -> Begun:
    """Begin the run that answers a question; raises `NotFound` for what is no model here."""
    flow, bases = _meant(model, inside.host.flows.catalog)
    return await inside.teller.begin(scope, Wanted(question=question, kb=bases, flow=flow))


def counted(question: str, answer: str) -> tuple[int, int]:
    """Return the words of both: what the face itself took in and gave out."""
    return len(words(question)), len(words(answer))


def _meant(model: str, catalog: FlowCatalog) -> tuple[str, list[str]]:
    """Return the flow and the knowledge bases that a model stands for."""
    name, _, base = model.partition(":")
    flows = {flow.name for flow in catalog.flows()}
    if name != MODEL and name not in flows:
        raise NotFound(_NO_MODEL.format(model=model), field="model")
    return ("" if name == MODEL else name), [base] if base else []
