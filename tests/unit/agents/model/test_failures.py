"""What is said of a model that failed: plain words, and none of its own."""

from __future__ import annotations

import pytest
from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelAPIError,
    ModelConnectionError,
    ModelHTTPError,
    ModelTimeoutError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)

from weft.agents.model.failures import TapedFailure, Unasked, left_alone, reason_of
from weft.domain.errors import BadModelReply

KEY = "sk-canary"


def unread() -> Exception:
    error = ModelConnectionError("m", "Connection error.")
    error.__cause__ = ValueError("wire")
    error.__cause__.__cause__ = BadModelReply("the reply is no completion")
    return error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ModelHTTPError(401, "m", {"message": KEY}), "refused the key (401)"),
        (ModelHTTPError(404, "m", {"message": KEY}), "is not known at its endpoint (404)"),
        (ModelHTTPError(408, "m"), "did not answer in time (408)"),
        (ModelHTTPError(418, "m", KEY), "refused the request (418)"),
        (ModelHTTPError(429, "m", KEY), "is asked too often (429)"),
        (ModelHTTPError(500, "m", KEY), "failed (500)"),
        (ModelHTTPError(599, "m", KEY), "failed (599)"),
        (ModelTimeoutError("m", KEY), "did not answer in time"),
        (TimeoutError(), "did not answer in time"),
        (ModelConnectionError("m", KEY), "could not be reached"),
        (unread(), "gave a reply that cannot be read"),
        (ContentFilterError(KEY), "withheld its reply (content filter)"),
        (UsageLimitExceeded(KEY), "did not come to an end"),
        (ModelAPIError("m", KEY), "failed"),
        (UnexpectedModelBehavior(KEY), "did not reply as it was asked to"),
        (AgentRunError(KEY), "did not reply as it was asked to"),
        (TapedFailure("failed (500)"), "failed (500)"),
        (Unasked("m", left_alone(3)), left_alone(3)),
    ],
)
def test_each_failure_in_words(error: Exception, said: str) -> None:
    assert reason_of(error) == said
