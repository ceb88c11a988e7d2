"""Who a question is handed to, and by which side of the graph it is answered."""

from __future__ import annotations

from enum import StrEnum


class Specialist(StrEnum):
    """One of the four of whom the router chooses exactly one."""

    GRAPH = "graph"
    VECTOR = "vector"
    WEB = "web"
    TABLE = "table"


class GraphSide(StrEnum):
    """The property graph, the RDF side with its ontology, or both."""

    LPG = "lpg"
    RDF = "rdf"
    HYBRID = "hybrid"
