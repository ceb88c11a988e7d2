"""The specialists that a router hands a question to: the answering role with fewer tools each."""

from __future__ import annotations

from dataclasses import replace

from weft.agents.answering import ANSWERER
from weft.agents.tools.graph_manifests import DESCRIBE_GRAPH, FIND_ENTITIES, GRAPH_PATTERN
from weft.agents.tools.manifests import (
    DESCRIBE_TABLES,
    FETCH_NEIGHBORS,
    FILTER_DOCS,
    GRAPH_QUERY,
    LOOK_UP,
    NAMESAKES,
    RAG_SEARCH,
    READ_DOCUMENTS,
    TABLE_QUERY,
)
from weft.agents.tools.rdf_manifests import RDF_QUERY, RDF_TERMS
from weft.agents.tools.web_manifests import WEB_SEARCH

VECTOR_AGENT = replace(
    ANSWERER,
    name="vector_agent",
    tools=(RAG_SEARCH, GRAPH_QUERY, FETCH_NEIGHBORS, FILTER_DOCS, READ_DOCUMENTS),
)
TABLE_AGENT = replace(
    ANSWERER,
    name="table_agent",
    tools=(RAG_SEARCH, DESCRIBE_TABLES, TABLE_QUERY),
)
GRAPH_AGENT = replace(
    ANSWERER,
    name="graph_agent",
    tools=(
        FIND_ENTITIES,
        DESCRIBE_GRAPH,
        GRAPH_PATTERN,
        LOOK_UP,
        NAMESAKES,
        FETCH_NEIGHBORS,
        RAG_SEARCH,
    ),
)
RDF_AGENT = replace(ANSWERER, name="rdf_agent", tools=(RDF_TERMS, RDF_QUERY, FIND_ENTITIES))
WEB_AGENT = replace(ANSWERER, name="web_agent", tools=(WEB_SEARCH,))
