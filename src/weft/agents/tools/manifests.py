"""The four knowledge tools as they present themselves to a model."""

from __future__ import annotations

from typing import Any

from weft.platform.manifest import SideEffects, ToolManifest

RAG_SEARCH = "rag_search"
GRAPH_QUERY = "graph_query"
FETCH_NEIGHBORS = "fetch_neighbors"
FILTER_DOCS = "filter_docs"

MOST_PASSAGES = 20
DEEPEST = 3
# Conditions of `graph_query` that compare a whole metadata field; `type` compares the type.
EXACT_FIELDS = ("issue_key", "project_key", "space_key", "page_id", "repo_name")

_TEXT: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": 2000}
_OPTIONAL_TEXT: dict[str, Any] = {"type": ["string", "null"]}
_EVIDENCE: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "document_id": {"type": "string"},
            "chunk_id": {"type": "string"},
            "title": {"type": "string"},
            "uri": {"type": "string"},
            "section": _OPTIONAL_TEXT,
            "page": {"type": ["integer", "null"]},
            "text": {"type": "string"},
        },
        "required": ["id", "document_id", "chunk_id", "title", "uri", "text"],
        "additionalProperties": False,
    },
}
_DOCUMENTS: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {key: {"type": "string"} for key in ("document_id", "title", "uri")},
        "required": ["document_id"],
        "additionalProperties": False,
    },
}
_DOCUMENT_IDS: dict[str, Any] = {
    "type": "array",
    "items": {"type": "string", "maxLength": 2000},
    "maxItems": 100,
}


def _object(properties: dict[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _manifest(
    name: str, description: str, *, takes: dict[str, Any], gives: dict[str, Any]
) -> ToolManifest:
    return ToolManifest(
        name=name,
        version="1",
        description=description,
        input_schema=takes,
        output_schema=gives,
        permissions=("kb.read",),
        timeout_ms=20_000,
        audit_tags=("knowledge",),
        side_effects=SideEffects.READ,
        untrusted_args=("query", "text"),
    )


KNOWLEDGE_TOOLS = (
    _manifest(
        RAG_SEARCH,
        "Search the documents by meaning and words. Returns passages, best first, each with an id "
        "to cite.",
        takes=_object(
            {
                "query": _TEXT,
                "top_k": {"type": "integer", "minimum": 1, "maximum": MOST_PASSAGES},
            },
            ("query",),
        ),
        gives=_object({"evidence": _EVIDENCE}, ("evidence",)),
    ),
    _manifest(
        GRAPH_QUERY,
        "Find documents by what identifies them: type, issue_key, project_key, space_key, page_id "
        "and repo_name must be exact; file_path and title need only be contained. Several must "
        "hold together; text searches within them. Without a condition nothing matches.",
        takes=_object(dict.fromkeys(("type", *EXACT_FIELDS, "file_path", "title", "text"), _TEXT)),
        gives=_object({"documents": _DOCUMENTS, "evidence": _EVIDENCE}, ("documents", "evidence")),
    ),
    _manifest(
        FETCH_NEIGHBORS,
        "Follow the references between documents, in either direction, one to three steps from "
        "the given ones. Returns the references and passages of the documents reached.",
        takes=_object(
            {
                "document_ids": {**_DOCUMENT_IDS, "minItems": 1},
                "depth": {"type": "integer", "minimum": 1, "maximum": DEEPEST},
            },
            ("document_ids",),
        ),
        gives=_object(
            {
                "references": {
                    "type": "array",
                    "items": _object(
                        {
                            "source": {"type": "string"},
                            "target": {"type": "string"},
                            "kinds": {"type": "array", "items": {"type": "string"}},
                        },
                        ("source", "target", "kinds"),
                    ),
                },
                "evidence": _EVIDENCE,
            },
            ("references", "evidence"),
        ),
    ),
    _manifest(
        FILTER_DOCS,
        "Keep those of the documents found so far that have to do with a query, the most relevant "
        "first.",
        takes=_object({"query": _TEXT, "document_ids": _DOCUMENT_IDS}, ("query",)),
        gives=_object({"documents": _DOCUMENTS}, ("documents",)),
    ),
)
