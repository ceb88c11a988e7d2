"""A model whose every reply goes on the run's tape, and its cost on the record, before use."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import field
from decimal import Decimal
from functools import partial

from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelHTTPError,
    UnexpectedModelBehavior,
)
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from weft.agents.model.breaker import Breaker
from weft.agents.model.costs import PriceList
from weft.agents.model.counting import BYTES_A_TOKEN, counted, is_estimated
from weft.agents.model.failures import TapedFailure, Unasked, left_alone
from weft.domain.event import EventType
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId, digest
from weft.domain.scope import Scope
from weft.ports.clock import Clock
from weft.ports.records.tape import Tape, TapeEntry, TapeKind
from weft.runtime.amounts import Usage
from weft.runtime.budget import Reservation

# As much of a hash as an event tells.
_SHOWN = 16
# What a reply is expected to cost at most, as far as that can be told beforehand: few are longer
# than a few pages.
_REPLY_TOKENS = 4_000
# What a server refuses for what it was asked: it is well, and another request may pass.
_REFUSALS = frozenset({400, 413, 422})
# What the framework raises over a reply that has another form than it takes for granted.
_UNREADABLE = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError)


@dataclass(slots=True, kw_only=True)
class ModelTape:
    """The part of a run's tape that one node's model calls go on, numbered as they come."""

    tape: Tape
    scope: Scope
    run_id: RunId
    path: str
    replays: bool = False
    calls: int = field(default=0)

    async def recall(self, request_hash: str) -> ModelResponse | None:
        """Return the reply that the next call had before the run was resumed, if it had one.

        In a replay it is the reply of that call, whatever was asked: the events tell what was.
        """
        entry = await self.tape.find(self.scope, self.run_id, self._key)
        if entry is None or entry.source_deleted:
            return None
        if entry.request_hash != request_hash and not self.replays:
            return None
        self.calls += 1
        [reply] = ModelMessagesTypeAdapter.validate_python([entry.reply])
        return reply if isinstance(reply, ModelResponse) else None

    async def put(self, request_hash: str, reply: ModelResponse) -> None:
        """Keep the reply of the next call."""
        [said] = ModelMessagesTypeAdapter.dump_python([reply], mode="json")
        entry = TapeEntry(key=self._key, kind=TapeKind.MODEL, request_hash=request_hash, reply=said)
        self.calls += 1
        await self.tape.put(self.scope, self.run_id, entry)

    async def fail(self, reason: str) -> None:
        """Keep why the model filled no role here."""
        entry = TapeEntry(
            key=self._failure, kind=TapeKind.FAILURE, request_hash="", reply={"reason": reason}
        )
        await self.tape.put(self.scope, self.run_id, entry)

    async def failure(self) -> str:
        """Return of a run that is replayed why its model filled no role here; empty if it did."""
        entry = await self.tape.find(self.scope, self.run_id, self._failure)
        if not self.replays or entry is None or not isinstance(entry.reply, Mapping):
            return ""
        return str(entry.reply.get("reason", ""))

    @property
    def _key(self) -> str:
        return f"{self.path}/model/{self.calls}"

    @property
    def _failure(self) -> str:
        return f"{self.path}/model/failure"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A call of a model: whom, since when, and the hash of what it is asked."""

    model: str
    began: float
    request: str


@dataclass(slots=True, kw_only=True)
class Meter:
    """Tells the run of each call of a model behind an endpoint, and books what it costs.

    `asked_by` says the same of each call: by which prompt, and a hash of it as it was rendered.
    """

    emit: Callable[[EventType, Mapping[str, object]], None]
    clock: Clock
    prices: PriceList
    room: Reservation
    asked_by: Mapping[str, object] = field(default_factory=dict)

    def calling(self, model: str, *, asks: int) -> AbstractAsyncContextManager[None]:
        """Wait until the run's budget lets a call go that asks so many bytes of a model.

        Raises `BudgetExceeded` where a limit has been passed by then.
        """
        tokens = asks // BYTES_A_TOKEN
        money = self.prices.estimate(model, input_tokens=tokens, output_tokens=_REPLY_TOKENS)
        expected = Usage(tokens=tokens + _REPLY_TOKENS, money=money or Decimal(0))
        return self.room.calling(expected)

    def replied(self, reply: ModelResponse, call: ModelCall) -> None:
        """Tell of a reply; `money` is left out where nobody knows the price."""
        self._tell(call, ok=True, data=self._told(reply))

    def recalled(self, reply: ModelResponse, call: ModelCall) -> None:
        """Tell of a reply that was paid for before the run was resumed."""
        self._tell(call, ok=True, data={**self._told(reply), "recalled": True})

    def failed(self, call: ModelCall) -> None:
        """Tell of a call that gave nothing, all its repetitions included."""
        self._tell(call, ok=False, data={})

    def _told(self, reply: ModelResponse) -> dict[str, object]:
        cost = self.prices.cost(reply)
        self.room.book(Usage(tokens=reply.usage.total_tokens, money=cost or Decimal(0)))
        data: dict[str, object] = {
            "input_tokens": reply.usage.input_tokens,
            "output_tokens": reply.usage.output_tokens,
        }
        if is_estimated(reply):
            data["estimated"] = True
        if cost is not None:
            data["money"] = str(cost)
        return data

    def _tell(self, call: ModelCall, *, ok: bool, data: Mapping[str, object]) -> None:
        ms = round((self.clock.elapsed() - call.began) * 1000, 1)
        asked = {**self.asked_by, "request": call.request[:_SHOWN]}
        told = {"model": call.model, "ms": ms, "ok": ok, **asked, **data}
        self.emit(EventType.MODEL_CALLED, told)


class TapedModel(WrapperModel):
    """A model, the tape that its replies go on, and the meter of its calls."""

    def __init__(self, wrapped: Model, tape: ModelTape, *, meter: Meter, breaker: Breaker) -> None:
        """Take the model, the tape, the meter, and the breaker that all who ask the model share."""
        super().__init__(wrapped)
        self._tape = tape
        self._meter = meter
        self._breaker = breaker
        self._is_cut_off = False

    @property
    def is_cut_off(self) -> bool:
        """Tell whether the last call was ended from outside while the model was silent."""
        return self._is_cut_off

    async def _request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Return the model's reply, kept already; what is on the tape is not asked for again."""
        text = request_text(messages)
        asked = digest(text)
        call = self._call(asked)
        known = await self._tape.recall(asked)
        if known is not None:
            self._meter.recalled(known, call)
            return known
        if reason := await self._tape.failure():
            self._meter.failed(call)
            raise TapedFailure(reason)
        asks = len(text.encode())
        async with self._meter.calling(self.model_name, asks=asks):
            call = self._call(asked)
            send = partial(super().request, messages, model_settings, model_request_parameters)
            reply = await self._heard(call, send)
            reply = counted(reply, asks=asks, parameters=model_request_parameters)
            self._meter.replied(reply, call)
        await self._tape.put(asked, reply)
        return reply

    def _call(self, asked: str) -> ModelCall:
        began = self._meter.clock.elapsed()
        return ModelCall(model=self.model_name, began=began, request=asked)

    async def _heard(
        self, call: ModelCall, send: Callable[[], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """Return the model's reply, or raise `AgentRunError` saying why there is none."""
        self._is_cut_off = False
        if not self._breaker.admits():
            self._meter.failed(call)
            raise Unasked(self.model_name, left_alone(self._breaker.failures))
        try:
            reply = await send()
        except (AgentRunError, asyncio.CancelledError, *_UNREADABLE) as error:
            self._meter.failed(call)
            self._take_down(error)
            if isinstance(error, _UNREADABLE):
                raise UnexpectedModelBehavior("its reply has another form") from error
            raise
        self._breaker.replied()
        return reply

    def _take_down(self, error: BaseException) -> None:
        """Tell the breaker of a call that gave nothing."""
        # Whether a person or the clock has ended it, only whoever set the clock can tell.
        self._is_cut_off = isinstance(error, asyncio.CancelledError)
        is_refusal = isinstance(error, ModelHTTPError) and error.status_code in _REFUSALS
        if self._is_cut_off or is_refusal:
            self._breaker.left()
        elif isinstance(error, ModelAPIError):
            self._breaker.failed()
        else:  # it did reply
            self._breaker.replied()

    # Named by the framework, whose order of parameters it is.
    request = _request


def request_text(messages: Sequence[ModelMessage]) -> str:
    """Return what a model was asked as JSON: roles, texts, tools and arguments, no times.

    The instructions are part of it.
    """
    said = [
        [getattr(message, "instructions", None), *(_plain(part) for part in message.parts)]
        for message in messages
    ]
    return json.dumps(said, ensure_ascii=False, sort_keys=True, default=str)


def _plain(part: object) -> dict[str, object]:
    """Return a message's part as JSON."""
    wanted = ("part_kind", "tool_name", "args", "content")
    return {name: _json(getattr(part, name)) for name in wanted if hasattr(part, name)}


def _json(value: object) -> object:
    return json.loads(json.dumps(value, ensure_ascii=False, default=str))
