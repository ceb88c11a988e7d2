"""The tool that asks the RDF side, as it presents itself to a model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from weft.agents.tools.reading_manifest import json_object, reading_manifest
from weft.retrieval.rdf.templates import Needs, Template, needs

RDF_QUERY = "rdf_query"
MOST_ROWS = 200
_STRING: dict[str, Any] = {"type": "string"}
_STRINGS: dict[str, Any] = {"type": "array", "items": _STRING}


def _named(need: Needs) -> str:
    return ", ".join(one for one in Template if needs(one) is need)


_READ = reading_manifest(
    RDF_QUERY,
    "Ask what the ontology says and which things there are of its classes, as RDF. "
    f"Asked of a class: {_named(Needs.CLASS)}; of a relation: {_named(Needs.RELATION)}; of either: "
    f"{_named(Needs.TERM)}; of the node_id of a thing: {_named(Needs.THING)}; of nothing: "
    f"{_named(Needs.NOTHING)}. Returns rows, the SPARQL that gave them, and passages to cite.",
    takes=json_object(
        {
            "template": {"enum": [str(one) for one in Template]},
            "of": {"type": "string", "maxLength": 500},
        },
        ("template",),
    ),
    gives=json_object(
        {
            "answers": {
                "type": "array",
                "items": json_object(
                    {
                        "knowledge_base": _STRING,
                        "ontology": _STRING,
                        "sparql": _STRING,
                        "columns": _STRINGS,
                        "rows": {"type": "array", "items": _STRINGS},
                        "total": {"type": "integer"},
                        "is_cut": {"type": "boolean"},
                        "cites": {"type": "array", "items": {"type": "object"}},
                    }
                ),
            },
            "evidence": {"type": "array", "items": {"type": "object"}},
        },
        ("answers", "evidence"),
    ),
    untrusted=("of",),
)
RDF_TOOL = replace(
    _READ, unshown=("document_type", "chunk_index", "start", "end", "sentences", "updated")
)

RDF_TERMS = "rdf_terms"
TERMS_TOOL = reading_manifest(
    RDF_TERMS,
    "List the classes and relations of the ontologies, with the other names of each.",
    takes=json_object({}),
    gives=json_object({"classes": {"type": "object"}, "relations": {"type": "object"}}),
    untrusted=(),
)
RDF_TOOLS = (RDF_TOOL, TERMS_TOOL)
