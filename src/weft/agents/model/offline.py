"""The offline model: a pydantic-ai model like any other, whose replies come from a rule."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pydantic_ai import RunContext
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponseStreamEvent,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from weft.agents.evidence import EvidenceBook
from weft.agents.turn import Move, Returned, Rule, Turn
from weft.domain.ids import digest

OFFLINE = "offline"


class OfflineModel(Model):
    """Answers for one role by its rule. It opens no connection and spends no tokens.

    The evidence reaches the rule through the metadata of the tool returns, where the runner puts
    the run's book: one object serves all runs and keeps nothing of them.
    """

    def __init__(self, rule: Rule) -> None:
        """Take the rule that decides."""
        super().__init__(
            profile=ModelProfile(
                supports_tools=True, default_structured_output_mode="tool", context_window=None
            )
        )
        self._rule = rule

    @property
    def model_name(self) -> str:
        """Return the name by which replies are labelled."""
        return OFFLINE

    @property
    def system(self) -> str:
        """Return the provider's name."""
        return OFFLINE

    async def _request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Return the rule's move as a reply."""
        _, parameters = self.prepare_request(model_settings, model_request_parameters)
        return ModelResponse(
            parts=self._decide(messages, parameters),
            usage=RequestUsage(),
            model_name=self.model_name,
            provider_name=OFFLINE,
        )

    @asynccontextmanager
    async def _request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[object] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Yield the same reply as a stream."""
        _, parameters = self.prepare_request(model_settings, model_request_parameters)
        yield OfflineStream(parameters, calls=self._decide(messages, parameters))

    # The framework says what these take, and in which order.
    request = _request
    request_stream = _request_stream

    def _decide(
        self, messages: Sequence[ModelMessage], parameters: ModelRequestParameters
    ) -> list[ToolCallPart]:
        turn = _read_turn(messages, parameters)
        return _calls(self._rule(turn), turn, parameters)


@dataclass
class OfflineStream(StreamedResponse):
    """A reply that was decided before the first of its events."""

    calls: list[ToolCallPart] = field(default_factory=list)
    made: datetime = field(default_factory=lambda: datetime.now(UTC))

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        for index, call in enumerate(self.calls):
            yield self._parts_manager.handle_tool_call_part(
                vendor_part_id=index,
                tool_name=call.tool_name,
                args=call.args,
                tool_call_id=call.tool_call_id,
            )

    async def close_stream(self) -> None:
        """Do nothing: there is no connection."""

    @property
    def model_name(self) -> str:
        """Return the name by which the reply is labelled."""
        return OFFLINE

    @property
    def provider_name(self) -> str:
        """Return the provider's name."""
        return OFFLINE

    @property
    def provider_url(self) -> None:
        """Return None: nothing is asked anywhere."""
        return

    @property
    def timestamp(self) -> datetime:
        """Return when the reply was made."""
        return self.made


def _parts(messages: Sequence[ModelMessage]) -> Iterator[ModelRequestPart]:
    for message in messages:
        if isinstance(message, ModelRequest):
            yield from message.parts


def _read_turn(messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> Turn:
    prompts: list[str] = []
    returned: list[Returned] = []
    book = EvidenceBook()
    for part in _parts(messages):
        if isinstance(part, UserPromptPart):
            prompts.append(part.content if isinstance(part.content, str) else "")
        elif isinstance(part, ToolReturnPart):
            failed = isinstance(part.content, dict) and "error" in part.content
            returned.append(Returned(tool=part.tool_name, failed=failed))
            if isinstance(part.metadata, EvidenceBook):
                book = part.metadata
    return Turn(
        prompt="\n".join(prompts),
        tools=frozenset(tool.name for tool in parameters.function_tools),
        returned=tuple(returned),
        book=book,
    )


def _calls(move: Move, turn: Turn, parameters: ModelRequestParameters) -> list[ToolCallPart]:
    """Return a move as tool calls: the typed output is one as well."""
    output = parameters.output_tools[0].name if parameters.output_tools else OFFLINE
    wishes = [(wish.tool, dict(wish.args)) for wish in move.calls]
    if move.output is not None and not wishes:
        wishes = [(output, dict(move.output))]
    step = len(turn.returned)
    return [
        ToolCallPart(
            tool_name=tool,
            args=args,
            tool_call_id=f"call_{digest(turn.prompt, tool, str(step + place))[:12]}",
        )
        for place, (tool, args) in enumerate(wishes)
    ]
