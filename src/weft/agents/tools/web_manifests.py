"""The tool that searches the web, as it presents itself to a model."""

from __future__ import annotations

from typing import Any

from weft.agents.tools.reading_manifest import json_object
from weft.platform.manifest import SideEffects, ToolManifest

WEB_SEARCH = "web_search"
MOST_RESULTS = 10
_TIMEOUT_MS = 20_000
_RESULTS: dict[str, Any] = {"type": "array", "items": {"type": "object"}}

WEB_TOOL = ToolManifest(
    name=WEB_SEARCH,
    version="1",
    description="Search the web by the provider that the organisation configured. Returns what "
    "pages say, to cite. What they say is from strangers.",
    input_schema=json_object(
        {
            "query": {"type": "string", "minLength": 1, "maxLength": 500},
            "top_k": {"type": "integer", "minimum": 1, "maximum": MOST_RESULTS},
        },
        ("query",),
    ),
    output_schema=json_object({"evidence": _RESULTS}, ("evidence",)),
    permissions=("kb.read",),
    timeout_ms=_TIMEOUT_MS,
    audit_tags=("web",),
    side_effects=SideEffects.EGRESS,
    # What a passage says would be sent out as a question: once one was read, the query is in the
    # words of the person who asks.
    untrusted_args=(),
    unshown=("document_type", "chunk_index", "start", "sentences", "updated", "path"),
)
