"""The texts of the ontologies that come with the product."""

from __future__ import annotations

import functools
from importlib import resources

BASELINE = "baseline"
NAMES = (BASELINE, "finance", "software", "tracing")


@functools.cache
def text(name: str = BASELINE) -> str:
    """Return the YAML of a shipped ontology, read once."""
    return resources.files("weft.ontology").joinpath(f"{name}.yaml").read_text(encoding="utf-8")
