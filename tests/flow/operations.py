"""The operations of the service as its OpenAPI document lists them, with what each asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from weft.api.edge.gate import PUBLIC

JSON = "application/json"


@dataclass(frozen=True, kw_only=True)
class Operation:
    """A method of a path: the permission it needs, its slots by place, and a body that will do."""

    method: str
    path: str
    permission: str
    slots: frozenset[tuple[str, str]]
    example: Mapping[str, Any] | None
    fields: frozenset[str] = field(default_factory=frozenset)

    @property
    def label(self) -> str:
        """Return how it is called in messages."""
        return f"{self.method} {self.path}"

    @property
    def is_public(self) -> bool:
        """Tell whether it is open to everybody."""
        return self.path in PUBLIC


def operations_of(app: FastAPI) -> list[Operation]:
    """Return all operations of a service, reading ones first and removing ones last."""
    document = app.openapi()
    needed = {(method, path): code for method, path, code in _permissions(app.routes)}
    order = ("GET", "POST", "PATCH", "DELETE")
    found = [
        Operation(
            method=method.upper(),
            path=path,
            permission=needed.get((method.upper(), path), ""),
            slots=frozenset((one["in"], one["name"]) for one in said.get("parameters", ())),
            example=_example(said, document),
            fields=frozenset(_fields(said, document)),
        )
        for path, methods in document["paths"].items()
        for method, said in methods.items()
    ]
    return sorted(found, key=lambda one: (order.index(one.method), one.path))


def _permissions(routes: list[BaseRoute]) -> Iterator[tuple[str, str, str]]:
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is not None:
            yield from _permissions(included.routes)
        if isinstance(route, APIRoute):
            codes = [
                getattr(one.call, "weft_permission", "") for one in route.dependant.dependencies
            ]
            for method in route.methods or ():
                yield method, route.path_format.replace(":path", ""), "".join(codes)


def _schema(said: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    content = said.get("requestBody", {}).get("content", {})
    return _resolved(content.get(JSON, {}).get("schema", {}), document)


def _resolved(schema: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return dict(document["components"]["schemas"][name])
    for each in schema.get("anyOf", ()):
        if each.get("type") != "null":
            return _resolved(each, document)
    return dict(schema)


def _example(said: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    schema = _schema(said, document)
    if not schema:
        return None
    if "example" in schema:
        return dict(schema["example"])
    wanted = schema.get("required", ())
    made: dict[str, Any] = {}
    for name in wanted:
        of_field = _resolved(schema["properties"][name], document)
        examples = of_field.get("examples") or [[] if of_field.get("type") == "array" else "ann"]
        made[name] = examples[0]
    return made


def _fields(said: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[str]:
    yield from _schema(said, document).get("properties", ())
