"""What the manifests of tools that only read have in common."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from weft.platform.manifest import SideEffects, ToolManifest

_TIMEOUT_MS = 20_000


def json_object(properties: dict[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def reading_manifest(
    name: str,
    description: str,
    *,
    takes: dict[str, Any],
    gives: dict[str, Any],
    untrusted: Collection[str],
) -> ToolManifest:
    """Return the manifest of a tool that reads what its caller may read, and changes nothing.

    Of its arguments those named `untrusted` may come from documents.
    """
    return ToolManifest(
        name=name,
        version="1",
        description=description,
        input_schema=takes,
        output_schema=gives,
        permissions=("kb.read",),
        timeout_ms=_TIMEOUT_MS,
        audit_tags=("knowledge",),
        side_effects=SideEffects.READ,
        untrusted_args=tuple(sorted({*untrusted} & {*takes["properties"]})),
    )
