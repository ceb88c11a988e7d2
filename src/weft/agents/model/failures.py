"""What became of a model that filled no role, in words: nothing that it said, for that may be
anything, a key that it was sent included."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelAPIError,
    ModelConnectionError,
    ModelHTTPError,
    ModelTimeoutError,
    OutputTokenLimitExceeded,
    UsageLimitExceeded,
)

from weft.domain.errors import BadModelReply

_NOT_IN_TIME = "did not answer in time"
# The first that fits.
_SAID: tuple[tuple[type[Exception], str], ...] = (
    (UsageLimitExceeded, "did not come to an end"),
    (ModelTimeoutError, _NOT_IN_TIME),
    (TimeoutError, _NOT_IN_TIME),
    (ModelConnectionError, "could not be reached"),
    (ContentFilterError, "withheld its reply (content filter)"),
    (OutputTokenLimitExceeded, "broke off its reply (length)"),
    (ModelAPIError, "failed"),
)
_OTHER = "did not reply as it was asked to"
_STATUS = {
    400: "refused the request",
    401: "refused the key",
    402: "wants to be paid first",
    403: "refused the key",
    404: "is not known at its endpoint",
    408: _NOT_IN_TIME,
    413: "was asked too long a question",
    422: "refused the request",
    429: "is asked too often",
    503: "is not to be had",
    504: _NOT_IN_TIME,
}
_SERVER_ERROR = 500


class Unasked(ModelAPIError):
    """A model that was not asked since it has failed so often; `message` says that."""


class TapedFailure(AgentRunError):
    """A model that is replayed fails as it did then."""


def left_alone(failures: int) -> str:
    """Return why a model was not asked, as words that follow its name."""
    return f"is left alone for a while, as it failed {failures} times in a row"


def reason_of(error: Exception) -> str:
    """Return what became of the model, as words that follow its name."""
    if isinstance(error, TapedFailure | Unasked):
        return error.message
    if isinstance(error, ModelHTTPError):
        return _of_status(error.status_code)
    if any(isinstance(one, BadModelReply) for one in _causes(error)):
        return "gave a reply that cannot be read"
    return next((said for kind, said in _SAID if isinstance(error, kind)), _OTHER)


def _of_status(status: int) -> str:
    default = "failed" if status >= _SERVER_ERROR else "refused the request"
    return f"{_STATUS.get(status, default)} ({status})"


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause = error.__cause__ or error.__context__
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
