"""Files of RDF as statements, by pyoxigraph."""

from __future__ import annotations

import re
from pathlib import PurePath

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, parse

from weft.domain.errors import BadInput
from weft.ports.files.rdf import RdfStatement, Term, TermKind

MAX_BYTES = 16 * 1024 * 1024
MAX_STATEMENTS = 500_000
_FORMATS = {
    ".ttl": RdfFormat.TURTLE,
    ".n3": RdfFormat.TURTLE,
    ".nt": RdfFormat.N_TRIPLES,
    ".rdf": RdfFormat.RDF_XML,
    ".xml": RdfFormat.RDF_XML,
    ".jsonld": RdfFormat.JSON_LD,
    ".json": RdfFormat.JSON_LD,
}
SUFFIXES = frozenset({*_FORMATS, ".owl", ".rdfs", ".skos"})
_BOM = b"\xef\xbb\xbf"
_SNIFFED = 4096
# Where addresses of a file without a base of its own would lead: nowhere.
_BASE = "urn:x-file:"
_LONGEST_ENTITY = 300
# A declared entity with its value; the first group is missing where it has no value of its own.
_ENTITY = re.compile(rb"<!ENTITY(?:\s+([^\s%\"'>]+)\s+(?:\"([^\"]*)\"|'([^']*)')\s*>)?")


class OxigraphFiles:
    """Implements `ports/files/rdf.py: RdfFiles`."""

    def statements(self, data: bytes, name: str) -> list[RdfStatement]:
        """Return what a file states, or raise `BadInput` naming the file and what is wrong."""
        if len(data) > MAX_BYTES:
            raise BadInput(f"{name} has more than {MAX_BYTES} bytes.", file=name)
        data = data.removeprefix(_BOM)
        written = _format(data, name)
        if written is RdfFormat.RDF_XML:
            _refuse_entities(data, name)
        found: list[RdfStatement] = []
        try:
            # Nodes without an address have names of their own in each file.
            for each in parse(input=data, format=written, base_iri=_BASE, rename_blank_nodes=True):
                if len(found) >= MAX_STATEMENTS:
                    raise BadInput(f"{name} has more than {MAX_STATEMENTS} statements.", file=name)
                found.append(
                    RdfStatement(
                        subject=_term(each.subject),
                        predicate=each.predicate.value,
                        object=_term(each.object),
                    )
                )
        except (SyntaxError, ValueError, OSError) as error:
            said = " ".join(str(error).split())[:300]
            raise BadInput(f"{name} is no readable {written.name}: {said}", file=name) from error
        return found


def _format(data: bytes, name: str) -> RdfFormat:
    """Return what a file is written in: by how it begins, else by the end of its name."""
    start = data[:_SNIFFED].lstrip()
    if start.startswith((b"<?xml", b"<!DOCTYPE", b"<!--", b"<rdf:RDF")) or b"<rdf:RDF" in start:
        return RdfFormat.RDF_XML
    if start.startswith((b"Prefix(", b"Ontology(", b"Prefix:", b"Ontology:")):
        raise BadInput(
            f"{name} is in another syntax of OWL; save it as Turtle, RDF/XML, JSON-LD or "
            "N-Triples.",
            file=name,
        )
    suffix = PurePath(name).suffix.casefold()
    if start.startswith((b"{", b"[")) and suffix not in (".ttl", ".nt", ".n3"):
        return RdfFormat.JSON_LD
    return _FORMATS.get(suffix, RdfFormat.TURTLE)


def _refuse_entities(data: bytes, name: str) -> None:
    """Refuse entities of entities, which grow without end: the parser would resolve them.

    Ontologies abbreviate addresses by entities; those are short and plain.
    """
    # Half of the characters of a UTF-16 file are zero bytes, between which nothing is found.
    plain = data.replace(b"\0", b"")
    for found in _ENTITY.finditer(plain):
        value = found[2] or found[3] or b""
        if found[1] is None or b"&" in value or b"%" in value or len(value) > _LONGEST_ENTITY:
            raise BadInput(f"{name} declares entities that are no plain abbreviations.", file=name)


def _term(node: NamedNode | BlankNode | Literal | Triple) -> Term:
    if isinstance(node, Literal):
        return Term(
            value=node.value,
            kind=TermKind.LITERAL,
            language=(node.language or "").casefold(),
            datatype=node.datatype.value,
        )
    if isinstance(node, Triple):  # a statement about a statement says nothing of a vocabulary
        return Term(value=str(node), kind=TermKind.BLANK)
    kind = TermKind.BLANK if isinstance(node, BlankNode) else TermKind.IRI
    return Term(value=node.value, kind=kind)
