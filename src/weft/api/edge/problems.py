"""Errors as problem documents (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException

from weft.api.edge.refusals import tell_refusal
from weft.domain.errors import (
    BadInput,
    BudgetExceeded,
    Cancelled,
    FetchFailed,
    Forbidden,
    IndexMismatch,
    KnowledgeBaseExists,
    MadeAlready,
    ModelUnavailable,
    NotFound,
    PolicyViolation,
    RunSuspended,
    StoreUnavailable,
    TooManyRequests,
    Unauthenticated,
    UnknownKnowledgeBase,
    VersionConflict,
    WeftError,
)

STATUS: tuple[tuple[type[WeftError], int], ...] = (
    (Unauthenticated, 401),
    (Forbidden, 403),
    (PolicyViolation, 403),
    (NotFound, 404),
    (UnknownKnowledgeBase, 404),
    (VersionConflict, 409),
    (MadeAlready, 409),
    (KnowledgeBaseExists, 409),
    (IndexMismatch, 409),
    (Cancelled, 409),
    (RunSuspended, 409),
    (BadInput, 422),
    (BudgetExceeded, 429),
    (TooManyRequests, 429),
    (FetchFailed, 502),
    (StoreUnavailable, 503),
    (ModelUnavailable, 503),
)
_CODES = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "unsupported_media_type",
    421: "misdirected_request",
}
_RETRY_SECONDS = "2"
MEDIA_TYPE = "application/problem+json"


class Problem(BaseModel):
    """What went wrong: `code` is the stable name, `detail` says it in words."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": "about:blank",
                "title": "not_found",
                "status": 404,
                "detail": "There is no such document.",
                "code": "not_found",
                "request_id": "5f0c2a9e7d3b4a11",
            }
        }
    )

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    request_id: str = ""
    field: str | None = None


def problem(
    code: str, detail: str, *, status: int, request_id: str = "", field: str | None = None
) -> JSONResponse:
    """Return a problem document; 429 and 503 say when to try again."""
    return JSONResponse(
        problem_body(code, detail, status=status, request_id=request_id, field=field),
        status_code=status,
        media_type=MEDIA_TYPE,
        headers=headers_of(status),
    )


def problem_body(
    code: str, detail: str, *, status: int, request_id: str = "", field: str | None = None
) -> dict[str, Any]:
    """Return a problem document's JSON."""
    shown = Problem(
        title=code, status=status, detail=detail, code=code, request_id=request_id, field=field
    )
    return shown.model_dump(exclude_none=True)


def headers_of(status: int) -> dict[str, str] | None:
    """Return the headers that go with a status."""
    if status == 401:
        return {"WWW-Authenticate": "Bearer"}
    return {"Retry-After": _RETRY_SECONDS} if status in {429, 503} else None


def status_of(error: WeftError) -> int:
    """Return the HTTP status of an error: that of its nearest kin in the table, else 500."""
    return next((status for kind, status in STATUS if isinstance(error, kind)), 500)


def body_of(error: WeftError, request_id: str = "") -> dict[str, Any]:
    """Return an error as a problem document's JSON; what is ours alone stays unsaid."""
    status = status_of(error)
    detail = error.message if status < 500 or status == 503 else "Something went wrong."
    named = error.fields.get("field")
    field = named if isinstance(named, str) else None
    return problem_body(error.code, detail, status=status, request_id=request_id, field=field)


def request_id_of(request: Request) -> str:
    """Return the id that the middleware gave to a request."""
    return str(getattr(request.state, "request_id", ""))


def add_problems(app: FastAPI) -> None:
    """Let every error leave as a problem document."""

    @app.exception_handler(WeftError)
    async def of_weft(request: Request, error: WeftError) -> JSONResponse:
        await tell_refusal(request, error)
        body = body_of(error, request_id_of(request))
        wait = error.fields.get("retry_after")
        # Whoever knows how long it takes says so; otherwise a moment.
        headers = {"Retry-After": f"{wait:.0f}"} if isinstance(wait, float) else None
        return _reply(request, body, headers=headers)

    @app.exception_handler(RequestValidationError)
    async def of_input(request: Request, error: RequestValidationError) -> JSONResponse:
        first = _telling(error.errors())
        name = ".".join(part for part in map(str, first["loc"]) if not _is_a_kind(part))
        if first["type"] == "json_invalid":
            name = "body"  # the rest of the place is a number of bytes
        said = f"{name}: {_wrong(first)}"
        given = request_id_of(request)
        body = problem_body("bad_input", said, status=422, request_id=given, field=name)
        return _reply(request, body)

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> JSONResponse:
        status = error.status_code
        code = _CODES.get(status, "bad_request" if status < 500 else "weft_error")
        body = problem_body(
            code, str(error.detail), status=status, request_id=request_id_of(request)
        )
        return _reply(request, body, headers=dict(error.headers or {}))

    @app.exception_handler(Exception)
    async def of_anything(request: Request, _: Exception) -> JSONResponse:
        given = request_id_of(request)
        said = "Something went wrong."
        return _reply(request, problem_body("weft_error", said, status=500, request_id=given))


_KINDS = frozenset({"bool", "int", "float", "str"})


def _telling(errors: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the first error, of a value that may be of several kinds that of the kind it is of.

    Which kind it is not of is told only where it is of none.
    """
    place = errors[0]["loc"][:2]
    same = [one for one in errors if one["loc"][:2] == place]
    return next((one for one in same if not one["type"].endswith("_type")), errors[0])


def _is_a_kind(part: str) -> bool:
    """Tell whether a part of a place names one of several kinds that a value may be of."""
    return part in _KINDS or part.startswith(("constrained-", "list[", "dict["))


def _wrong(error: Mapping[str, Any]) -> str:
    """Return what is wrong with a value; of a text that is too long, how long it is as well."""
    if error["type"] == "json_invalid":
        return f"it is no JSON from byte {error['loc'][-1]} on"
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    if error["type"] == "string_too_long":
        return f"at most {error['ctx']['max_length']:,} characters; it has {len(error['input']):,}"
    return str(error["msg"])


def _reply(
    request: Request, body: dict[str, Any], headers: dict[str, str] | None = None
) -> JSONResponse:
    status = int(body["status"])
    request.state.code = body["code"]  # for the line that the log has of the request
    own = {**(headers_of(status) or {}), **(headers or {})}
    if is_openai(request.url.path):
        return JSONResponse(openai_body(body), status_code=status, headers=own)
    return JSONResponse(body, status_code=status, media_type=MEDIA_TYPE, headers=own)


OPENAI_PATHS = frozenset({"/v1/chat/completions", "/v1/embeddings", "/v1/models", "/v1/responses"})
_ONE_MODEL = "/v1/models/"


def is_openai(path: str) -> bool:
    """Tell whether OpenAI's clients ask there, and know errors in their own shape alone."""
    return path in OPENAI_PATHS or path.startswith(_ONE_MODEL)


_OPENAI_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


def openai_body(body: dict[str, Any]) -> dict[str, Any]:
    """Return a problem document as OpenAI's clients know errors."""
    status = int(body["status"])
    kind = _OPENAI_TYPES.get(status) or (
        "invalid_request_error" if status < 500 else "server_error"
    )
    param = body.get("field")
    named = param and param.removeprefix("body.")
    error = {"message": body["detail"].removeprefix("body."), "type": kind, "param": named}
    return {"error": {**error, "code": body["code"], "request_id": body["request_id"]}}
