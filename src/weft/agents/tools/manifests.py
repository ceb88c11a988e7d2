"""The knowledge tools as they present themselves to a model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from weft.agents.tools.graph_manifests import GRAPH_TOOLS
from weft.agents.tools.reading_manifest import json_object, reading_manifest
from weft.platform.manifest import ToolManifest
from weft.retrieval.tables.plan import MOST_LIMIT, Function, Op

RAG_SEARCH = "rag_search"
GRAPH_QUERY = "graph_query"
FETCH_NEIGHBORS = "fetch_neighbors"
FILTER_DOCS = "filter_docs"
LOOK_UP = "look_up"
NAMESAKES = "namesakes"
READ_DOCUMENTS = "read_documents"
DESCRIBE_TABLES = "describe_tables"
TABLE_QUERY = "table_query"

MOST_PASSAGES = 20
DEEPEST = 3
# Conditions of `graph_query` that compare a whole metadata field; `type` compares the type.
EXACT_FIELDS = ("issue_key", "project_key", "space_key", "page_id", "repo_name")
# What programs need of a reply and a model would only pay for.
UNSHOWN = (
    "document_type",
    "chunk_index",
    "start",
    "sentences",
    "updated",
    "path",
    "score",
    "cosine",
    "cosines",
    "words",
    "naming",
    "notes",
    "own",
    "missing",
    "nearest_columns",
    "card",
    "figures",
)

# Arguments that may hold text from documents.
_UNTRUSTED = frozenset({"query", "text", "names", "name", "near", "written", "stems"})
_TEXT: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": 2000}
_OPTIONAL_TEXT: dict[str, Any] = {"type": ["string", "null"]}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 1, "maximum": MOST_PASSAGES}
_NUMBERS: dict[str, Any] = {"type": "array", "items": {"type": "number"}}
_STRINGS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}


def _array(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_EVIDENCE = _array(
    json_object(
        {
            "id": {"type": "string"},
            "knowledge_base": {"type": "string"},
            "document_id": {"type": "string"},
            "chunk_id": {"type": "string"},
            "title": {"type": "string"},
            "uri": {"type": "string"},
            "section": _OPTIONAL_TEXT,
            "page": {"type": ["integer", "null"]},
            "text": {"type": "string"},
            "document_type": {"type": "string"},
            "chunk_index": {"type": "integer"},
            "start": {"type": "integer"},
            "sentences": _array(_array({"type": "integer"})),
            "updated": _OPTIONAL_TEXT,
            "path": _STRINGS,
            "score": {"type": "number"},
            "cosine": {"type": "number"},
            "cosines": _NUMBERS,
        },
        ("id", "knowledge_base", "document_id", "chunk_id", "title", "uri", "text"),
    )
)
_DOCUMENTS = _array(
    json_object(
        {key: {"type": "string"} for key in ("knowledge_base", "document_id", "title", "uri")},
        ("document_id",),
    )
)
_NAMED_DOCUMENTS: dict[str, Any] = {
    **_array(
        json_object(
            {
                "knowledge_base": {"type": "string", "maxLength": 100},
                "document_id": {"type": "string", "maxLength": 2000},
            },
            ("document_id",),
        )
    ),
    "minItems": 1,
    "maxItems": 100,
}
_DOCUMENT_IDS: dict[str, Any] = {
    "type": "array",
    "items": {"type": "string", "maxLength": 2000},
    "maxItems": 100,
}
# What a search says of the words of its query, and of itself.
_SAID_OF_WORDS: dict[str, Any] = {
    "words": _array(
        json_object(
            {
                "stem": {"type": "string"},
                "words": _STRINGS,
                "df": {"type": "integer"},
                "idf": {"type": "number"},
            },
            ("stem", "words", "df", "idf"),
        )
    ),
    "naming": {"type": "number"},
    "notes": _STRINGS,
}
_NAMESAKE = json_object({"names": _STRINGS, "documents": _DOCUMENTS}, ("names", "documents"))
_REFERENCE = json_object(
    {"source": {"type": "string"}, "target": {"type": "string"}, "kinds": _STRINGS},
    ("source", "target", "kinds"),
)

_SCALAR: dict[str, Any] = {"type": ["string", "number", "boolean", "null"], "maxLength": 2000}
_NAME: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": 300}
_NAMES: dict[str, Any] = {**_array(_NAME), "maxItems": 40}
_CONDITIONS: dict[str, Any] = {
    **_array(
        json_object(
            {
                "column": _NAME,
                "op": {"enum": [one.value for one in Op]},
                "value": {"anyOf": [_SCALAR, {**_array(_SCALAR), "maxItems": 100}]},
                "than": {
                    "type": "string",
                    "maxLength": 300,
                    "description": "a column of the same table, in place of a value",
                },
            },
            ("column", "op"),
        )
    ),
    "maxItems": 12,
}
_PLAN = json_object(
    {
        "tables": {**_array(_NAME), "minItems": 1, "maxItems": 4},
        "filters": _CONDITIONS,
        "share_of": _CONDITIONS,
        "joins": {
            **_array(json_object({"left": _NAME, "right": _NAME}, ("left", "right"))),
            "maxItems": 3,
        },
        "group_by": {**_array(_NAME), "maxItems": 4},
        "aggregates": {
            **_array(
                json_object(
                    {
                        "function": {"enum": [one.value for one in Function]},
                        "column": {"type": "string", "maxLength": 300},
                    },
                    ("function",),
                )
            ),
            "maxItems": 6,
        },
        "order_by": {
            **_array(
                json_object(
                    {
                        "column": {"type": "string", "maxLength": 300},
                        "descending": {"type": "boolean"},
                    }
                )
            ),
            "maxItems": 4,
        },
        "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": MOST_LIMIT},
        "columns": _NAMES,
        "distinct": {"type": "boolean"},
    },
    ("tables",),
)


def _manifest(
    name: str, description: str, *, takes: dict[str, Any], gives: dict[str, Any]
) -> ToolManifest:
    made = reading_manifest(name, description, takes=takes, gives=gives, untrusted=_UNTRUSTED)
    return replace(made, unshown=UNSHOWN)


KNOWLEDGE_TOOLS = (
    _manifest(
        RAG_SEARCH,
        "Search the documents by meaning and words. Returns passages, best first, each with an id "
        "to cite. With documents given, only those are searched.",
        takes=json_object(
            {
                "query": _TEXT,
                "top_k": _COUNT,
                "per_document": _COUNT,
                "documents": _NAMED_DOCUMENTS,
            },
            ("query",),
        ),
        gives=json_object({"evidence": _EVIDENCE, **_SAID_OF_WORDS}, ("evidence",)),
    ),
    _manifest(
        GRAPH_QUERY,
        "Find documents by what identifies them: type, issue_key, project_key, space_key, page_id "
        "and repo_name must be exact; file_path and title need only be contained. Several must "
        "hold together; text searches within them. Without a condition nothing matches.",
        takes=json_object(
            {
                **dict.fromkeys(("type", *EXACT_FIELDS, "file_path", "title", "text"), _TEXT),
                "top_k": {"type": "integer", "minimum": 0, "maximum": MOST_PASSAGES},
            }
        ),
        gives=json_object(
            {"documents": _DOCUMENTS, "evidence": _EVIDENCE, **_SAID_OF_WORDS},
            ("documents", "evidence"),
        ),
    ),
    _manifest(
        FETCH_NEIGHBORS,
        "Follow the references between documents, in either direction, one to three steps from "
        "the given ones. Returns the references and passages of the documents reached.",
        takes=json_object(
            {
                "document_ids": {**_DOCUMENT_IDS, "minItems": 1},
                "depth": {"type": "integer", "minimum": 1, "maximum": DEEPEST},
            },
            ("document_ids",),
        ),
        gives=json_object(
            {"references": _array(_REFERENCE), "evidence": _EVIDENCE, **_SAID_OF_WORDS},
            ("references", "evidence"),
        ),
    ),
    _manifest(
        FILTER_DOCS,
        "Keep those of the documents found so far that have to do with a query, the most relevant "
        "first.",
        takes=json_object({"query": _TEXT, "document_ids": _DOCUMENT_IDS}, ("query",)),
        gives=json_object({"documents": _DOCUMENTS}, ("documents",)),
    ),
    _manifest(
        LOOK_UP,
        "Look names up: returns the passages that say who or what each name is. Of the names given "
        "as written too, documents and table rows that begin with the name count as well.",
        takes=json_object(
            {
                "names": {**_array(_TEXT), "minItems": 1, "maxItems": 100},
                "written": {"type": "object", "additionalProperties": _TEXT},
                "near": _TEXT,
            },
            ("names",),
        ),
        gives=json_object(
            {
                "names": _array(
                    json_object({"name": {"type": "string"}, "ids": _STRINGS}, ("name", "ids"))
                ),
                "evidence": _EVIDENCE,
            },
            ("names", "evidence"),
        ),
    ),
    _manifest(
        NAMESAKES,
        "Tell who bears a name: one thing or several, what else each is called, and the documents "
        "that name it.",
        takes=json_object({"name": _TEXT}, ("name",)),
        # The field has the name that the replies of recorded runs have.
        gives=json_object({"bearers": _array(_NAMESAKE)}, ("bearers",)),
    ),
    _manifest(
        READ_DOCUMENTS,
        "Read documents from the beginning: returns their passages in order, sixty in all at most.",
        takes=json_object({"documents": _NAMED_DOCUMENTS}, ("documents",)),
        gives=json_object({"evidence": _EVIDENCE}, ("evidence",)),
    ),
    _manifest(
        DESCRIBE_TABLES,
        "Tell which tables there are beside passages found, and those whose name has one of some "
        "stems: their columns, what kind each is, and which words of the question stand in them.",
        takes=json_object(
            {
                "query": _TEXT,
                "ids": {**_STRINGS, "maxItems": 200},
                "stems": {**_STRINGS, "maxItems": 200},
            },
            ("query",),
        ),
        gives=json_object({"tables": _array({"type": "object"})}, ("tables",)),
    ),
    _manifest(
        TABLE_QUERY,
        "Filter, join, group, count and order the rows of tables that are told of below or by "
        "describe_tables, by their names and their columns' names as they are. Returns rows or "
        "figures, how many rows they stand on, and the passages of those rows to cite. `share` is "
        "the percentage of rows that are kept, of a column that of its sum. Where each row of a "
        "table counts things in a column, sum it instead of counting rows.",
        takes=_PLAN,
        gives=json_object(
            {
                "plan": {"type": "string"},
                "columns": _array(
                    json_object(
                        {key: {"type": "string"} for key in ("name", "unit", "kind")}, ("name",)
                    )
                ),
                "rows": _array(_STRINGS),
                "figures": _array({"type": "array"}),
                "total": {"type": "integer"},
                "counted": {"type": "integer"},
                "dirty": {"type": "integer"},
                "bare": {"type": "integer"},
                "whole": {"type": "integer"},
                "cites": _array({"type": "object"}),
                "evidence": _EVIDENCE,
            },
            ("plan", "columns", "rows", "total", "counted", "evidence"),
        ),
    ),
    *GRAPH_TOOLS,
)
