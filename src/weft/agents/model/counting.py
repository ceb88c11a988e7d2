"""The tokens of a reply, where its server does not count them: as many as its bytes may be."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.usage import RequestUsage

# Of texts in any language at least three bytes are a token.
BYTES_A_TOKEN = 3
_ESTIMATED = "tokens_estimated"


def counted(
    reply: ModelResponse, *, asks: int, parameters: ModelRequestParameters
) -> ModelResponse:
    """Return a reply with its tokens: those its server counted, else an estimate.

    `asks` is in bytes, the tools not among them. Without an estimate the budget of a run would hold
    nothing back where a server does not count.
    """
    if reply.usage.total_tokens:
        return reply
    tools = [*parameters.function_tools, *parameters.output_tools]
    asked = asks + _size(
        [tool.name, tool.description, tool.parameters_json_schema] for tool in tools
    )
    said = _size(
        getattr(part, name)
        for part in reply.parts
        for name in ("content", "tool_name", "args")
        if hasattr(part, name)
    )
    usage = RequestUsage(
        input_tokens=_tokens(asked),
        output_tokens=_tokens(said),
    )
    details = {**(reply.provider_details or {}), _ESTIMATED: True}
    return replace(reply, usage=usage, provider_details=details)


def is_estimated(reply: ModelResponse) -> bool:
    """Tell whether the tokens of a reply are an estimate."""
    return bool((reply.provider_details or {}).get(_ESTIMATED))


def _size(values: Iterable[object]) -> int:
    return sum(
        len(json.dumps(one, ensure_ascii=False, default=str).encode("utf-8", "replace"))
        for one in values
    )


def _tokens(size: int) -> int:
    return max(1, size // BYTES_A_TOKEN)
