"""The one place that runs pydantic-ai agents."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import field, replace
from decimal import Decimal
from typing import Any

import pydantic_ai
from pydantic_ai import Agent, RunContext, Tool
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import UsageLimits

from weft.agents.model.breaker import Breaker
from weft.agents.model.costs import PriceList
from weft.agents.model.failures import reason_of
from weft.agents.model.prompts import Prompts
from weft.agents.model.tape import Meter, ModelTape, TapedModel
from weft.agents.roles import Briefing, Given, ModelFailure, Out, Role, RoleReply
from weft.agents.toolbox import Toolbox
from weft.domain.document import file_name
from weft.domain.errors import BadModelReply
from weft.domain.frozen import dataclass
from weft.domain.ids import digest
from weft.platform.manifest import ToolManifest
from weft.platform.tools import Dispatcher

# The framework would greet whoever sits at a terminal; standard error is ours.
pydantic_ai.BANNER_ENABLED = False
# As much of a hash as an event tells.
_SHOWN = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTerms:
    """On what terms a model works: its seconds for one role's task, and its price if set."""

    deadline_s: float = 60.0
    prices: PriceList = field(default_factory=PriceList)


@dataclass(slots=True, kw_only=True)
class _Deps:
    """What one agent run is about: its tools, and its instructions."""

    tools: Toolbox
    instructions: str


@dataclass(slots=True, kw_only=True)
class _Asking:
    """A model that is asked to fill one role: by what words, on which tape, for what at most."""

    instructions: str
    tape: ModelTape
    model: TapedModel
    max_tokens: int


class ModelAgents:
    """Fills roles with a language model: an agent a role, built once."""

    def __init__(
        self,
        model: Model,
        prompts: Prompts,
        *,
        dispatcher: Dispatcher,
        terms: ModelTerms | None = None,
    ) -> None:
        """Take the model, the prompts, and the dispatcher that knows the tools' manifests."""
        self._model = model
        self._prompts = prompts
        self._dispatcher = dispatcher
        self._terms = terms or ModelTerms()
        self._agents: dict[str, Agent[_Deps, object]] = {}
        self._breaker = Breaker(dispatcher.clock)

    @property
    def name(self) -> str:
        """Return the model's name."""
        return self._model.model_name

    def price(self, input_tokens: int, output_tokens: int) -> Decimal | None:
        """Return dollars for so many tokens; None where nobody knows the price."""
        return self._terms.prices.estimate(
            self.name, input_tokens=input_tokens, output_tokens=output_tokens
        )

    async def fill(
        self, role: Role[Given, Out], briefing: Briefing[Given]
    ) -> RoleReply[Out] | ModelFailure:
        """Return the model's output for a role, or why there is none.

        Raises `BudgetExceeded` when the run's limits are used up, and whatever the tools raise
        (a store that is down ...).
        """
        asking = self._asking(role, briefing)
        try:
            async with asyncio.timeout(role.settings.timeout_s or self._terms.deadline_s):
                output = await self._run(role, briefing, asking)
        except (AgentRunError, TimeoutError) as error:
            if isinstance(error, TimeoutError) and asking.model.is_cut_off:
                self._breaker.failed()
            reason = reason_of(error)
        else:
            notes = tuple(briefing.tools.trouble)
            return RoleReply(output=output, offline=False, notes=notes)
        await asking.tape.fail(reason)
        return ModelFailure(reason=reason)

    async def _run(self, role: Role[Given, Out], briefing: Briefing[Given], asking: _Asking) -> Out:
        result = await self._agent(role).run(
            role.tell(briefing.given),
            model=asking.model,
            deps=_Deps(tools=briefing.tools, instructions=asking.instructions),
            usage_limits=UsageLimits(
                request_limit=role.settings.max_turns,
                total_tokens_limit=asking.max_tokens,
            ),
        )
        if not isinstance(result.output, role.output):
            raise BadModelReply("the model handed in something of another type")
        return result.output

    def _asking(self, role: Role[Given, Out], briefing: Briefing[Given]) -> _Asking:
        tools = briefing.tools
        run = tools.run
        instructions = self._prompts.render(role.prompt, **briefing.variables)
        shown = digest(instructions)[:_SHOWN]
        asked_by = {"path": tools.path, "prompt": role.prompt, "instructions": shown}
        tape = ModelTape(
            tape=tools.tape,
            scope=run.scope,
            run_id=run.run_id,
            path=tools.path,
            replays=run.recorded is not None and run.recorded.is_all,
        )
        meter = Meter(
            emit=run.emit,
            clock=self._dispatcher.clock,
            prices=self._terms.prices,
            room=briefing.room,
            asked_by=asked_by,
        )
        return _Asking(
            instructions=instructions,
            tape=tape,
            model=TapedModel(self._model, tape, meter=meter, breaker=self._breaker),
            max_tokens=briefing.room.estimate.tokens,
        )

    def _agent(self, role: Role[Given, Out]) -> Agent[_Deps, object]:
        if role.name not in self._agents:
            self._agents[role.name] = self._built(role)
        return self._agents[role.name]

    def _built(self, role: Role[Given, Out]) -> Agent[_Deps, object]:
        manifests = [self._dispatcher.manifest(name) for name in role.tools]
        made: Agent[_Deps, object] = Agent(
            self._model,
            deps_type=_Deps,
            name=role.name,
            output_type=role.output,
            instructions=_instructions,
            tools=[_tool(manifest) for manifest in manifests],
            retries=role.settings.retries,
            model_settings=ModelSettings(temperature=role.settings.temperature),
        )
        return made


def _instructions(ctx: RunContext[_Deps]) -> str:
    return ctx.deps.instructions


def _tool(manifest: ToolManifest) -> Tool[_Deps]:
    """Return a tool that does nothing but ask the role's toolbox."""

    async def call(ctx: RunContext[_Deps], **args: object) -> object:
        tools = ctx.deps.tools
        outcome = await tools.call(manifest.name, args, call_id=ctx.tool_call_id or "")
        return shown(outcome.output, manifest.unshown)

    async def described(ctx: RunContext[_Deps], made: ToolDefinition) -> ToolDefinition:
        told = await ctx.deps.tools.summary(manifest.name)
        return replace(made, description=f"{manifest.description}\n{told}") if told else made

    tool: Tool[_Deps] = Tool.from_schema(
        call,
        name=manifest.name,
        description=manifest.description,
        json_schema=dict(manifest.input_schema),
        takes_ctx=True,
    )
    tool.prepare = described
    return tool


def shown(reply: Any, unshown: tuple[str, ...]) -> Any:
    """Return of a tool's reply what a model is shown."""
    if isinstance(reply, Mapping):
        kept = {key: one for key, one in reply.items() if key not in unshown}
        return {
            key: _place(one) if key == "uri" else shown(one, unshown) for key, one in kept.items()
        }
    if isinstance(reply, list):
        return [shown(one, unshown) for one in reply]
    return reply


def _place(uri: Any) -> Any:
    """Return where a document is from; of a file its name, without the folders of this machine."""
    if not isinstance(uri, str) or not uri.lower().startswith("file:"):
        return uri
    return file_name(uri)
