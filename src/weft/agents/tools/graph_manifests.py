"""The tools that ask the graph of claims, as they present themselves to a model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from weft.agents.tools.reading_manifest import json_object, reading_manifest
from weft.domain.pattern import MAX_CONDITIONS, MAX_HOPS, MAX_MATCHES, Comparison, Toward
from weft.platform.manifest import ToolManifest

DESCRIBE_GRAPH = "describe_graph"
GRAPH_PATTERN = "graph_pattern"
FIND_ENTITIES = "find_entities"

_UNSHOWN = (
    "document_type",
    "chunk_index",
    "start",
    "end",
    "sentences",
    "updated",
    "path",
    "cites",
    "words",
)
_STRING: dict[str, Any] = {"type": "string"}
_WORD: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": 64}
_VALUE: dict[str, Any] = {"type": ["string", "number", "boolean"], "maxLength": 300}


def _some(items: dict[str, Any], most: int = MAX_CONDITIONS) -> dict[str, Any]:
    return {"type": "array", "items": items, "maxItems": most}


_SHAPE = json_object(
    {
        "classes": _some(_WORD),
        "names": _some({"type": "string", "minLength": 1, "maxLength": 300}),
        "where": _some(
            json_object(
                {
                    "property": _WORD,
                    "comparison": {"enum": [each.value for each in Comparison]},
                    "value": _VALUE,
                },
                ("property", "value"),
            )
        ),
    }
)
_HOP = json_object(
    {
        "relations": _some(_WORD),
        "toward": {"enum": [each.value for each in Toward]},
        "reaches": _SHAPE,
    }
)
_STEP = json_object({"relations": _some(_STRING), "cites": _some({"type": "object"}, MAX_MATCHES)})
_NODE = json_object(
    {
        "id": _STRING,
        "name": _STRING,
        "class": _STRING,
        "value": {"type": ["string", "number", "boolean", "null"]},
    }
)


def _manifest(
    name: str, description: str, *, takes: dict[str, Any], gives: dict[str, Any]
) -> ToolManifest:
    # Names and values may come from documents; classes and relations are compared exactly.
    told = tuple(takes["properties"])
    made = reading_manifest(name, description, takes=takes, gives=gives, untrusted=told)
    return replace(made, unshown=_UNSHOWN)


_CANDIDATE = json_object(
    {
        "database": _STRING,
        "node_id": _STRING,
        "display_name": _STRING,
        "labels": _some(_STRING, MAX_MATCHES),
        "aliases": _some(_STRING, MAX_MATCHES),
        "documents": _some(_STRING, MAX_MATCHES),
        "titles": _some(_STRING),
        "score_kind": _STRING,
        "source": _STRING,
    }
)
GRAPH_TOOLS = (
    _manifest(
        FIND_ENTITIES,
        "Find the things that names may mean: all that bear a name, told apart, with their classes "
        "and the documents that name them. Of `spelt` names a part is enough.",
        takes=json_object(
            {
                "names": _some({"type": "string", "minLength": 1, "maxLength": 300}, 200),
                "spelt": _some({"type": "string", "minLength": 1, "maxLength": 300}, 20),
            },
            ("names",),
        ),
        gives=json_object(
            {
                "matches": {
                    "type": "array",
                    "items": json_object(
                        {
                            "question_entity": _STRING,
                            "candidates": {"type": "array", "items": _CANDIDATE},
                        }
                    ),
                }
            },
            ("matches",),
        ),
    ),
    _manifest(
        DESCRIBE_GRAPH,
        "Tell which classes of things and which relations between them the documents state, and "
        "how many: the words that graph_pattern understands.",
        takes=json_object({}),
        gives=json_object(
            {
                "graphs": {
                    "type": "array",
                    "items": json_object(
                        {
                            "knowledge_base": _STRING,
                            "summary": _STRING,
                            "classes": {"type": "object"},
                            "relations": {"type": "object"},
                            "words": {"type": "object"},
                            "is_cut": {"type": "boolean"},
                        }
                    ),
                }
            },
            ("graphs",),
        ),
    ),
    _manifest(
        GRAPH_PATTERN,
        "Follow what documents state from thing to thing: where to start (classes, names, or "
        "properties with values), then up to three hops along relations to things of some shape. "
        "Classes, relations and properties are those of describe_graph, spelt as there. Returns "
        "the ways that fit, and the passages that state each step, to cite.",
        takes=json_object(
            {
                "start": _SHAPE,
                "hops": _some(_HOP, MAX_HOPS),
                "limit": {"type": "integer", "minimum": 1, "maximum": MAX_MATCHES},
            },
            ("start",),
        ),
        gives=json_object(
            {
                "matches": {
                    "type": "array",
                    "items": json_object(
                        {
                            "knowledge_base": _STRING,
                            "nodes": {"type": "array", "items": _NODE},
                            "steps": {"type": "array", "items": _STEP},
                        },
                        ("knowledge_base", "nodes", "steps"),
                    ),
                },
                "is_cut": {"type": "boolean"},
                "evidence": {"type": "array", "items": {"type": "object"}},
            },
            ("matches", "is_cut", "evidence"),
        ),
    ),
)
