"""Errors as problem documents (RFC 9457)."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from weft.domain.errors import (
    BadInput,
    BudgetExceeded,
    Forbidden,
    IndexMismatch,
    ModelUnavailable,
    NotFound,
    PolicyViolation,
    StoreUnavailable,
    Unauthenticated,
    UnknownKnowledgeBase,
    VersionConflict,
    WeftError,
)

_STATUS: tuple[tuple[type[WeftError], int], ...] = (
    (Unauthenticated, 401),
    (Forbidden, 403),
    (PolicyViolation, 403),
    (NotFound, 404),
    (UnknownKnowledgeBase, 404),
    (VersionConflict, 409),
    (IndexMismatch, 409),
    (BadInput, 422),
    (BudgetExceeded, 429),
    (StoreUnavailable, 503),
    (ModelUnavailable, 503),
)
_RETRY_SECONDS = "2"


def problem(code: str, detail: str, *, status: int) -> JSONResponse:
    """Return a problem document."""
    headers = {"Retry-After": _RETRY_SECONDS} if status in {429, 503} else None
    return JSONResponse(
        {"type": "about:blank", "title": code, "status": status, "detail": detail, "code": code},
        status_code=status,
        media_type="application/problem+json",
        headers=headers,
    )


def status_of(error: WeftError) -> int:
    """Return the HTTP status of an error: that of its nearest kin in the table, else 500."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def add_problems(app: FastAPI) -> None:
    """Let every error leave as a problem document."""

    @app.exception_handler(WeftError)
    async def of_weft(_: Request, error: WeftError) -> JSONResponse:
        status = status_of(error)
        detail = error.message if status < 500 or status == 503 else "Something went wrong."
        return problem(error.code, detail, status=status)

    @app.exception_handler(RequestValidationError)
    async def of_input(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        return problem("bad_input", f"{name}: {first['msg']}", status=422)
