"""The text of the ontology that comes with the product."""

from __future__ import annotations

import functools
from importlib import resources

from weft.domain.ids import digest

NAME = "baseline.yaml"


@functools.cache
def text() -> str:
    """Return the YAML, read once."""
    return resources.files("weft.ontology").joinpath(NAME).read_text(encoding="utf-8")


@functools.cache
def fingerprint() -> str:
    """Return the ontology's fingerprint, without parsing it."""
    return digest(text())
