"""A model whose every reply goes on the run's tape before anyone acts on it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from weft.domain.ids import RunId, digest
from weft.domain.scope import Scope
from weft.ports.tape import Tape, TapeEntry, TapeKind


@dataclass(slots=True, kw_only=True)
class ModelTape:
    """The part of a run's tape that one node's model calls go on, numbered as they come."""

    tape: Tape
    scope: Scope
    run_id: RunId
    path: str
    calls: int = field(default=0)

    async def put(self, request_hash: str, reply: object) -> None:
        """Keep the reply of the next call."""
        key = f"{self.path}/model/{self.calls}"
        self.calls += 1
        entry = TapeEntry(key=key, kind=TapeKind.MODEL, request_hash=request_hash, reply=reply)
        await self.tape.put(self.scope, self.run_id, entry)


class TapedModel(WrapperModel):
    """A model and the tape that its replies go on."""

    def __init__(self, wrapped: Model, tape: ModelTape) -> None:
        """Take the model and the tape."""
        super().__init__(wrapped)
        self._tape = tape

    async def _request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Return the model's reply, kept already."""
        reply = await super().request(messages, model_settings, model_request_parameters)
        await self._tape.put(request_hash(messages), [_plain(part) for part in reply.parts])
        return reply

    # Named by the framework, whose order of parameters it is.
    request = _request


def request_hash(messages: Sequence[ModelMessage]) -> str:
    """Return the hash of what a model was asked: roles, texts, tools and arguments, no times."""
    said = [[_plain(part) for part in message.parts] for message in messages]
    return digest(json.dumps(said, ensure_ascii=False, sort_keys=True, default=str))


def _plain(part: object) -> dict[str, object]:
    """Return a message's part as JSON."""
    wanted = ("part_kind", "tool_name", "args", "content")
    return {name: _json(getattr(part, name)) for name in wanted if hasattr(part, name)}


def _json(value: object) -> object:
    return json.loads(json.dumps(value, ensure_ascii=False, default=str))
