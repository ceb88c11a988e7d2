"""What a tool says of itself, and the catalog of those that may be called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Protocol

import jsonschema_rs

from weft.domain.errors import BadInput, InvalidToolCall, NotFound
from weft.domain.frozen import dataclass
from weft.domain.outside.limits import FORBID, Limit, checked

DRAFT = "https://json-schema.org/draft/2020-12/schema"


class SideEffects(StrEnum):
    """What a call changes: nothing, something of ours, or something outside."""

    READ = "read"
    WRITE = "write"
    EGRESS = "egress"


class Execution(StrEnum):
    """Where a tool runs."""

    SERVER = "server"
    BROWSER = "browser"
    HTTP = "http"
    MCP = "mcp"


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """At most `calls` in `per_s` seconds, for one tenant and tool."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = FORBID

    calls: Annotated[int, Limit(ge=1)]
    per_s: Annotated[float, Limit(gt=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolManifest:
    """A tool by its name and version; the schemas are JSON Schema 2020-12.

    `permissions` are needed besides `tool.run:NAME`; `untrusted_args` are the arguments that may
    take text of others than the person who asks: of a tool that writes or sends, no other argument
    takes any (`platform/taint.py`). `unshown` are the fields of the reply, however deep, that
    programs need and a model is not shown.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = FORBID

    name: Annotated[str, Limit(pattern=r"^[A-Za-z][A-Za-z0-9_.]*$", max_length=64)]
    version: Annotated[str, Limit(pattern=r"^\d+(\.\d+)*$")]
    description: Annotated[str, Limit(min_length=1)]
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    permissions: tuple[str, ...] = ()
    timeout_ms: Annotated[int, Limit(ge=1)] = 10_000
    rate_limit: RateLimit | None = None
    audit_tags: tuple[str, ...] = ()
    side_effects: SideEffects = SideEffects.READ
    untrusted_args: tuple[str, ...] = ()
    unshown: tuple[str, ...] = ()
    execution: Execution = Execution.SERVER


def read_manifest(data: Mapping[str, object]) -> ToolManifest:
    """Return the manifest that untrusted data describes, or raise `BadInput` saying why not."""
    return checked(ToolManifest, data, wrong=_wrong)


def _wrong(place: str, said: str) -> BadInput:
    return BadInput(f"the manifest is not valid at '{place}': {said}")


class Schema:
    """A JSON Schema, checked against its own meta-schema once and compiled at first use."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        """Take a schema, or raise `BadInput` when it is none of draft 2020-12."""
        self._schema = {"$schema": DRAFT, **schema}
        self._validator: jsonschema_rs.Draft202012Validator | None = None
        if self._schema["$schema"] != DRAFT:
            raise BadInput(f"a tool's schema is JSON Schema 2020-12, not {self._schema['$schema']}")
        try:
            jsonschema_rs.meta.validate(self._schema)
        except jsonschema_rs.ValidationError as error:
            raise BadInput(f"a tool's schema is not valid: {error.message}") from error

    def complaint(self, value: object) -> str:
        """Return what is wrong with a value in words; empty when it is valid."""
        if self._validator is None:
            self._validator = jsonschema_rs.Draft202012Validator(self._schema)
        for error in self._validator.iter_errors(value):
            place = "/".join(str(part) for part in error.instance_path)
            return f"{place or 'the arguments'}: {error.message}"
        return ""


class Handler(Protocol):
    """Does what a tool does; raises `BadInput` for arguments that the schema cannot refuse."""

    async def __call__(self, args: Mapping[str, Any]) -> object:
        """Return the output, a JSON value of the output schema."""
        ...


class Summary(Protocol):
    """Tells in words what a tool can be used on in one run."""

    async def __call__(self) -> str:
        """Return it; empty where there is nothing to tell."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A manifest with its compiled schemas."""

    manifest: ToolManifest
    accepts: Schema
    returns: Schema


class ToolCatalog:
    """The published tools by name; the handlers come with the run that calls them."""

    def __init__(self, manifests: Iterable[ToolManifest] = ()) -> None:
        """Publish the given manifests."""
        self._tools: dict[str, Tool] = {}
        for manifest in manifests:
            self.publish(manifest)

    def publish(self, manifest: ToolManifest) -> None:
        """Add a tool, or raise `BadInput` where its manifest is unsound or its version taken."""
        known = self._tools.get(manifest.name)
        if known is not None and known.manifest.version == manifest.version:
            raise BadInput(f"{manifest.name}@{manifest.version} is published already")
        unknown = set(manifest.untrusted_args) - {*manifest.input_schema.get("properties", ())}
        if unknown:
            raise BadInput(f"{manifest.name} takes no {', '.join(sorted(unknown))}: untrusted_args")
        self._tools[manifest.name] = Tool(
            manifest=manifest,
            accepts=Schema(manifest.input_schema),
            returns=Schema(manifest.output_schema),
        )

    def find(self, name: str) -> Tool:
        """Return a tool, or raise `NotFound`."""
        try:
            return self._tools[name]
        except KeyError:
            raise NotFound(f"there is no tool named '{name}'", tool=name) from None

    def names(self) -> tuple[str, ...]:
        """Return the names of the published tools, ordered."""
        return tuple(sorted(self._tools))

    def check_args(self, name: str, args: Mapping[str, object]) -> None:
        """Raise `InvalidToolCall` saying what is wrong with the arguments of a call."""
        wrong = self.find(name).accepts.complaint(dict(args))
        if wrong:
            raise InvalidToolCall(f"{name} cannot be called like that: {wrong}", tool=name)
