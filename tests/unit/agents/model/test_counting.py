"""Tokens of a reply that its server did not count."""

from __future__ import annotations

from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from weft.agents.model.counting import counted, is_estimated

NO_TOOLS = ModelRequestParameters()


def test_what_a_server_counted_stays() -> None:
    reply = ModelResponse(
        parts=[TextPart(content="ready")], usage=RequestUsage(input_tokens=5, output_tokens=7)
    )
    assert counted(reply, asks=3_000, parameters=NO_TOOLS) is reply
    assert not is_estimated(reply)


def test_what_it_did_not_count_is_estimated_by_the_bytes() -> None:
    said = ModelResponse(
        parts=[TextPart(content="x" * 598), ToolCallPart(tool_name="t", args={"q": "y"})]
    )
    reply = counted(said, asks=3_000, parameters=NO_TOOLS)
    assert is_estimated(reply)
    assert reply.usage.input_tokens == 1_000
    assert 200 <= reply.usage.output_tokens < 210


def test_the_tools_that_are_shown_count_too() -> None:
    tool = ToolDefinition(name="t", description="d" * 3_000, parameters_json_schema={})
    shown = ModelRequestParameters(function_tools=[tool])
    reply = counted(ModelResponse(parts=[]), asks=0, parameters=shown)
    assert 1_000 <= reply.usage.input_tokens < 1_020
    assert reply.usage.output_tokens == 1
