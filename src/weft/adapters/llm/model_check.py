"""Trying a model with tiny requests: what it can do, how long it takes, what it costs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import field
from decimal import Decimal
from time import perf_counter

from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.exceptions import AgentRunError, ModelHTTPError
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from weft.domain.frozen import dataclass

_MOST_TOKENS = 200
_WORD = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}
_LOOK_UP = ToolDefinition(
    name="look_up", description="Look a word up.", parameters_json_schema=_WORD
)
_HAND_IN = ToolDefinition(
    name="final_result", description="Hand the result in.", parameters_json_schema=_WORD
)
_USES_A_TOOL = ModelRequestParameters(function_tools=[_LOOK_UP])
_HANDS_IN = ModelRequestParameters(
    output_mode="tool", output_tools=[_HAND_IN], allow_text_output=False
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ability:
    """One thing tried: whether it works, in how many milliseconds, and if not why."""

    name: str
    ok: bool
    ms: float
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCheck:
    """What tiny requests showed: the abilities tried, and what all of them took.

    `ok` when the model replies at all; without tools and structured output it answers nothing and
    Weft falls back to its offline rules. `money` is None where nobody knows the price.
    """

    model: str
    abilities: tuple[Ability, ...]
    tokens: int = 0
    money: Decimal | None = None

    @property
    def ok(self) -> bool:
        """Tell whether everything that answering needs works: words, tools, structured output."""
        return all(one.ok for one in self.abilities if one.name != "streaming")

    @property
    def latency_ms(self) -> float:
        """Return how long the plain reply took."""
        return self.abilities[0].ms

    @property
    def error(self) -> str:
        """Return the first thing that went wrong, empty if nothing did."""
        return next((one.error for one in self.abilities if not one.ok), "")


def _status_of(error: Exception) -> str:
    """Return what went wrong without a word of the server's: it may repeat the key it was sent."""
    return f"HTTP {error.status_code}" if isinstance(error, ModelHTTPError) else "no reply"


def _table_price(reply: ModelResponse) -> Decimal | None:
    try:
        return reply.cost().total_price
    except (LookupError, ValueError, AssertionError):
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckTerms:
    """On what terms a model is tried: its seconds for each request, its price, words for a fault.

    `said` is given what was raised; `price` gives dollars, None where nobody knows them.
    """

    timeout_s: float = 30.0
    price: Callable[[ModelResponse], Decimal | None] = _table_price
    said: Callable[[Exception], str] = _status_of


@dataclass(slots=True)
class _Trial:
    """A model being tried, and what its replies took so far."""

    model: Model
    terms: CheckTerms
    usage: RequestUsage = field(default_factory=RequestUsage)
    money: Decimal | None = Decimal(0)

    async def reply(
        self, prompt: str, parameters: ModelRequestParameters | None = None
    ) -> ModelResponse:
        """Return the model's reply to a few words."""
        reply = await model_request(
            self.model,
            [ModelRequest.user_text_prompt(prompt)],
            model_settings=ModelSettings(max_tokens=_MOST_TOKENS),
            model_request_parameters=parameters,
        )
        self.usage += reply.usage
        self.money = _sum(self.money, self.terms.price(reply))
        return reply

    async def words(self) -> str:
        """Ask for a word; return what is wrong with it."""
        reply = await self.reply("Reply with the word ready.")
        return "" if reply.parts else "it replied nothing"

    async def tools(self) -> str:
        """Have a tool called; return what is wrong with the call."""
        prompt = "Call look_up with the word 'harbour'."
        return _called(await self.reply(prompt, _USES_A_TOOL), _LOOK_UP.name)

    async def structured(self) -> str:
        """Have a typed result handed in; return what is wrong with it."""
        prompt = "Hand in the word 'harbour' as the result."
        return _called(await self.reply(prompt, _HANDS_IN), _HAND_IN.name)

    async def streaming(self) -> str:
        """Have words streamed; return what is wrong with the stream."""
        request = [ModelRequest.user_text_prompt("Reply with the word ready.")]
        settings = ModelSettings(max_tokens=_MOST_TOKENS)
        events = 0
        async with model_request_stream(self.model, request, model_settings=settings) as stream:
            async for _ in stream:
                events += 1
        return "" if events else "nothing came"


async def check(model: Model, *, terms: CheckTerms | None = None) -> ModelCheck:
    """Try a model and return what came of it; a failure is an outcome.

    When the first request fails, the others are not made.
    """
    trial = _Trial(model, terms or CheckTerms())
    found = [await _tried("words", trial)]
    if found[0].ok:
        found += [await _tried(name, trial) for name in ("tools", "structured output", "streaming")]
    return ModelCheck(
        model=model.model_name,
        abilities=tuple(found),
        tokens=trial.usage.total_tokens,
        money=trial.money,
    )


async def _tried(name: str, trial: _Trial) -> Ability:
    ways = {
        "words": trial.words,
        "tools": trial.tools,
        "structured output": trial.structured,
        "streaming": trial.streaming,
    }
    began = perf_counter()
    try:
        async with asyncio.timeout(trial.terms.timeout_s):
            error = await ways[name]()
    except TimeoutError:
        error = f"no reply within {trial.terms.timeout_s:g} s"
    except AgentRunError as raised:
        error = trial.terms.said(raised)
    return Ability(name=name, ok=not error, ms=(perf_counter() - began) * 1000, error=error)


def _called(reply: ModelResponse, name: str) -> str:
    calls = [part for part in reply.parts if isinstance(part, ToolCallPart)]
    if not calls:
        return "it called no tool"
    try:
        args = calls[0].args_as_dict(raise_if_invalid=True)
    except ValueError:
        return "its arguments are no JSON"
    right = calls[0].tool_name == name and isinstance(args.get("word"), str)
    return "" if right else "its arguments do not fit"


def _sum(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or other is None else one + other
