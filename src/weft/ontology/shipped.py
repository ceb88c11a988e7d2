"""The texts of the ontologies that come with the product."""

from __future__ import annotations

import functools

from weft.domain.outside.shipped import shipped_text

BASELINE = "baseline"
NAMES = (BASELINE, "finance", "software", "tracing")


@functools.cache
def text(name: str = BASELINE) -> str:
    """Return the YAML of a shipped ontology, read once."""
    return shipped_text("weft.ontology", f"{name}.yaml")
