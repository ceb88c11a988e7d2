"""The one place that runs pydantic-ai agents."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Generic, TypeVar

from pydantic import BaseModel
from pydantic_ai import Agent, RunContext, Tool, ToolReturn
from pydantic_ai.exceptions import AgentRunError, UsageLimitExceeded
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage, UsageLimits

from weft.agents.evidence import EvidenceBook
from weft.agents.model.costs import Tariff
from weft.agents.model.offline import OfflineModel
from weft.agents.model.prompts import Prompts
from weft.agents.model.tape import Meter, ModelTape, TapedModel
from weft.agents.roles import Role
from weft.domain.errors import BadModelReply
from weft.domain.notes import note
from weft.platform.manifest import ToolManifest
from weft.platform.tools import CallContext, Dispatcher
from weft.ports.records.tape import Tape
from weft.ports.records.tool_runs import ToolStatus
from weft.runtime.budget import NO_USAGE, Usage

Out = TypeVar("Out", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a role is given: the words, the run it belongs to, and the run's evidence.

    `path` names the node, so that the actions of two agents of a run are told apart.
    """

    prompt: str
    call: CallContext
    book: EvidenceBook
    path: str
    tape: Tape


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleReply(Generic[Out]):
    """A role's typed output, who made it, what it took and what went wrong on the way."""

    output: Out
    offline: bool
    usage: Usage = NO_USAGE
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """On what terms a model works: its seconds for one role's task, and its price if set."""

    deadline_s: float = 60.0
    tariff: Tariff | None = None


@dataclass(slots=True, kw_only=True)
class _Deps:
    """What the tools of one agent run share."""

    task: Task
    seen: Counter[str] = field(default_factory=Counter)
    trouble: list[str] = field(default_factory=list)

    def action_id(self, tool_call_id: str) -> str:
        """Return the id of the next action; a model may give two calls the same id."""
        self.seen[tool_call_id] += 1
        again = self.seen[tool_call_id]
        return f"{self.task.path}/{tool_call_id}" + (f"#{again}" if again > 1 else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cast:
    """A role's agent and its offline model, built once."""

    agent: Agent[_Deps, BaseModel]
    offline: OfflineModel


class Runner:
    """Runs roles on the configured model, or offline; a dead model is replaced and said to be."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        prompts: Prompts,
        *,
        model: Model | None = None,
        terms: Terms | None = None,
    ) -> None:
        """Take the dispatcher all tools go through, the prompts, and the model (None: offline)."""
        self._terms = terms or Terms()
        self._dispatcher = dispatcher
        self._prompts = prompts
        self._model = model
        self._casts: dict[str, _Cast] = {}

    @property
    def is_offline(self) -> bool:
        """Tell whether no model is configured."""
        return self._model is None

    def prepare(self, role: Role[Out]) -> None:
        """Build a role's agent now rather than at its first use."""
        self._cast(role)

    async def run(self, role: Role[Out], task: Task) -> RoleReply[Out]:
        """Return a role's output.

        Raises `BudgetExceeded` when the task's limits are used up, and whatever the tools raise
        (a store that is down ...). A model that fails is replaced by the offline rule, which
        works from what was found so far, and the reply's notes say so.
        """
        cast = self._cast(role)
        if self._model is None:
            return await self._attempt(role, task, model=cast.offline)
        usage, meter = RunUsage(), self._meter(task)
        try:
            async with asyncio.timeout(role.settings.timeout_s or self._terms.deadline_s):
                return await self._attempt(role, task, model=self._model, spent=(usage, meter))
        except UsageLimitExceeded:
            reason = "did not come to an end"
        except (AgentRunError, TimeoutError) as error:
            reason = _reason(error)
        said = note("model_replaced", model=self._model.model_name, reason=reason)
        task = replace(task, path=f"{task.path}/offline")
        reply = await self._attempt(role, task, model=cast.offline)
        spent = Usage(tokens=usage.total_tokens, money=meter.money)
        return replace(reply, usage=spent, notes=(said, *reply.notes))

    def _meter(self, task: Task) -> Meter:
        clock = self._dispatcher.clock
        return Meter(emit=task.call.emit, clock=clock, tariff=self._terms.tariff)

    async def _attempt(
        self,
        role: Role[Out],
        task: Task,
        *,
        model: Model,
        spent: tuple[RunUsage, Meter] | None = None,
    ) -> RoleReply[Out]:
        """Run the role; `spent` adds up what a model behind an endpoint takes, even if it fails."""
        usage, meter = spent or (RunUsage(), None)
        deps = _Deps(task=task)
        call = task.call
        tape = ModelTape(tape=task.tape, scope=call.scope, run_id=call.run_id, path=task.path)
        result = await self._cast(role).agent.run(
            task.prompt,
            model=TapedModel(model, tape, meter=meter),
            deps=deps,
            usage=usage,
            usage_limits=UsageLimits(
                request_limit=role.settings.max_turns,
                total_tokens_limit=role.settings.max_tokens,
            ),
        )
        if not isinstance(result.output, role.output):
            raise BadModelReply("the model handed in something of another type")
        return RoleReply(
            output=result.output,
            offline=isinstance(model, OfflineModel),
            usage=Usage(tokens=usage.total_tokens, money=meter.money if meter else Decimal(0)),
            notes=tuple(deps.trouble),
        )

    def _cast(self, role: Role[Out]) -> _Cast:
        if role.name not in self._casts:
            self._casts[role.name] = self._build(role)
        return self._casts[role.name]

    def _build(self, role: Role[Out]) -> _Cast:
        settings = ModelSettings(temperature=role.settings.temperature)
        manifests = [self._dispatcher.manifest(name) for name in role.tools]
        offline = OfflineModel(role.rule)
        agent: Agent[_Deps, BaseModel] = Agent(
            offline,
            deps_type=_Deps,
            name=role.name,
            output_type=role.output,
            instructions=self._prompts.render(role.prompt),
            tools=[_tool(self._dispatcher, manifest) for manifest in manifests],
            retries=role.settings.retries,
            model_settings=settings,
        )
        return _Cast(agent=agent, offline=offline)


def _tool(dispatcher: Dispatcher, manifest: ToolManifest) -> Tool[_Deps]:
    """Return a tool that does nothing but ask the dispatcher."""

    async def call(ctx: RunContext[_Deps], **args: object) -> ToolReturn:
        task = ctx.deps.task
        action_id = ctx.deps.action_id(ctx.tool_call_id or manifest.name)
        outcome = await dispatcher.call(task.call, manifest.name, args=args, action_id=action_id)
        if outcome.status in (ToolStatus.ERROR, ToolStatus.TIMEOUT):
            ctx.deps.trouble.append(_told(manifest.name, outcome.output))
        return ToolReturn(return_value=outcome.output, metadata=task.book)

    return Tool.from_schema(
        call,
        name=manifest.name,
        description=manifest.description,
        json_schema=dict(manifest.input_schema),
        takes_ctx=True,
    )


def _told(tool: str, output: object) -> str:
    message = output.get("message", "") if isinstance(output, Mapping) else ""
    return note("tool_failed", tool=tool, reason=message or "no reason given")


def _reason(error: Exception) -> str:
    """Return what became of the model, in words; what it said itself may be anything."""
    if isinstance(error, TimeoutError):
        return "did not answer in time"
    kind = type(error).__name__.lstrip("_").removeprefix("HTTP").removesuffix("Error")
    words = "".join(f" {char.lower()}" if char.isupper() else char for char in kind).strip()
    return f"failed ({words})"
