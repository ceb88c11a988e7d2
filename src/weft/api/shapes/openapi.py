"""The OpenAPI document: what FastAPI says of the routes, with what all of them have in common."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from weft.api.edge.gate import PUBLIC
from weft.api.edge.problems import MEDIA_TYPE, Problem, is_openai

_METHODS = ("get", "post", "put", "patch", "delete")
_SAID = {
    "401": "No token, or a wrong one.",
    "403": "The caller may not do that.",
    "404": "There is no such thing that the caller may see.",
    "409": "It stands in the way of what is there.",
    "413": "The body is too large.",
    "415": "The body is of a kind that is not taken here.",
    "422": "The input is not valid; the detail names the field.",
    "429": "Too much is going on; `Retry-After` says when to try again.",
    "503": "The store or the model does not answer; `Retry-After` says when to try again.",
}
_COOKIE = "What an invitation gives a browser; its name goes on with a tag of each service's own."
_BODILESS = frozenset({"get", "delete"})


def add_reference(app: FastAPI) -> None:
    """Let the application tell the whole of its interface at `/openapi.json`."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # the way FastAPI's manual shows


def _document(app: FastAPI) -> dict[str, Any]:
    made = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        description=app.description,
        routes=app.routes,
        tags=app.openapi_tags,
    )
    components = made.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = Problem.model_json_schema()
    schemas["OpenAIError"] = _OPENAI_ERROR
    components["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "The workspace's token."},
        "cookie": {"type": "apiKey", "in": "cookie", "name": "weft_key", "description": _COOKIE},
    }
    for path, item in made.get("paths", {}).items():
        for method in _METHODS:
            if method in item:
                _complete(item[method], path, method)
    return made


def _complete(operation: dict[str, Any], path: str, method: str) -> None:
    """Add the errors and the security that all routes have."""
    public = path in PUBLIC
    operation["security"] = [] if public else [{"token": []}, {"cookie": []}]
    leave = {"401", "403"} if public else set()
    leave |= {"413", "415"} if method in _BODILESS else set()
    for status, said in _SAID.items():
        if status not in leave:
            operation["responses"][status] = _error(path, said)
    operation["responses"]["default"] = _error(path, "Something else went wrong.")


def _error(path: str, said: str) -> dict[str, Any]:
    name, kind = "Problem", MEDIA_TYPE
    if is_openai(path):
        name, kind = "OpenAIError", "application/json"
    schema = {"$ref": f"#/components/schemas/{name}"}
    return {"description": said, "content": {kind: {"schema": schema}}}


_OPENAI_ERROR = {
    "title": "OpenAIError",
    "description": "An error as OpenAI's clients know it.",
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "code"],
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": {"type": ["string", "null"]},
                "code": {"type": ["string", "null"]},
                "request_id": {"type": "string"},
            },
        }
    },
}
