"""Ontologies: what reads files of RDF, where the workspace keeps its own."""

from __future__ import annotations

from weft.adapters.rdf.rdf import MAX_BYTES, SUFFIXES, OxigraphFiles
from weft.bootstrap.knowledge import ontologies_of
from weft.config import Settings, load_settings
from weft.ontology.collection import Ontologies
from weft.ports.files.rdf import RdfFiles

__all__ = ["MAX_BYTES", "SUFFIXES", "known_ontologies", "load_settings", "rdf_files"]


def rdf_files() -> RdfFiles:
    """Return what reads files of RDF."""
    return OxigraphFiles()


def known_ontologies(settings: Settings) -> Ontologies:
    """Return the ontologies by name: those of the workspace, and the shipped ones."""
    return ontologies_of(settings)
