"""RDF as data (Turtle, N-Triples, RDF/XML, JSON-LD): one record a subject."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, parse

from weft.adapters.reader.columns import RecordCollection, typed
from weft.adapters.reader.decoding import decode
from weft.adapters.reader.grids.grid import whole
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.document import Value
from weft.domain.ledger import FileStatus
from weft.domain.record import Block, BlockKind, Record

_FORMATS = {
    "ttl": RdfFormat.TURTLE,
    "nt": RdfFormat.N_TRIPLES,
    "nq": RdfFormat.N_QUADS,
    "trig": RdfFormat.TRIG,
    "jsonld": RdfFormat.JSON_LD,
}
_MOST_STATEMENTS = 1_000_000
_DEEPEST = 3
# What a name is called in the usual vocabularies, the first of them first.
_NAMES = ("prefLabel", "label", "name", "title")
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_LONGEST = 300
# A declared entity with its value; the first group is missing where it has no value of its own.
_ENTITY = re.compile(r"<!ENTITY(?:\s+([^\s%\"'>]+)\s+(?:\"([^\"]*)\"|'([^']*)')\s*>)?")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Where the addresses of a text without a base of its own would lead: nowhere.
_BASE = "urn:x-file:"

Node = NamedNode | BlankNode
Statements = dict[str, list[tuple[str, object]]]


def read_rdf(source: RawFile) -> ParsedFile:
    """Return a record for each subject that has an address; what has none is told where it stands.

    A record's lines are its statements in words, its metadata their values, its links what it
    points at.
    """
    said: Statements = defaultdict(list)
    for quad in _quads(source):
        said[_key(quad.subject)].append((_key(quad.predicate), quad.object))
    graph = _Graph(said)
    found = RecordCollection(name=source.name)
    for subject in said:
        if found.is_full:
            break
        if not subject.startswith("_:"):
            found.put(graph.record(subject))
    if not found.records and said:  # all of it without an address
        for subject in said:
            found.put(graph.record(subject))
    return whole(found)


def _quads(source: RawFile) -> Iterator[Quad]:
    text, written = decode(source), _format(source)
    if written is RdfFormat.RDF_XML:
        _refuse_entities(text)
    try:
        parsed = parse(input=text, format=written, base_iri=_BASE)
        for number, quad in enumerate(parsed):
            if number >= _MOST_STATEMENTS:
                raise Unread(FileStatus.TOO_LARGE, f"more than {_MOST_STATEMENTS} statements")
            yield quad
    except (SyntaxError, ValueError, OSError) as wrong:
        reason = f"not readable RDF ({str(wrong)[:200]})"
        raise Unread(FileStatus.CORRUPT, reason) from wrong


def _refuse_entities(text: str) -> None:
    """Refuse entities of entities, which grow without end: the parser would resolve them.

    Ontologies abbreviate addresses by entities; those are short and plain.
    """
    for found in _ENTITY.finditer(text):
        name, value = found[1], found[2] or found[3] or ""
        if name is None or "&" in value or "%" in value or len(value) > _LONGEST:
            raise Unread(FileStatus.HOSTILE, "declares entities that are no plain abbreviations")


def _format(source: RawFile) -> RdfFormat:
    start = source.data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"<?xml") or b"<rdf:RDF" in start:
        return RdfFormat.RDF_XML
    if start.startswith((b"{", b"[")) and source.suffix not in _FORMATS:
        return RdfFormat.JSON_LD
    return _FORMATS.get(source.suffix, RdfFormat.TURTLE)


def _key(node: object) -> str:
    return f"_:{node.value}" if isinstance(node, BlankNode) else str(getattr(node, "value", node))


class _Graph:
    """The statements of a file, by subject, and how they are said in words."""

    def __init__(self, said: Statements) -> None:
        self._said = said
        self._names = {subject: name for subject in said if (name := self._own_name(subject))}

    def record(self, subject: str) -> Record:
        """Return a subject's record: a line a statement."""
        content, blocks = "", list[Block]()
        metadata: dict[str, Value] = {"uri": subject}
        links: dict[str, None] = {}
        for predicate, value in self._said[subject]:
            name, words = spoken(predicate), self._words(value)
            if not words.strip():
                continue
            line = f"{name}: {words}"
            start = len(content) + bool(content)
            content += ("\n" if content else "") + line
            blocks.append(Block(start=start, end=start + len(line), kind=BlockKind.FIELD))
            before = metadata.get(name)
            kept = typed(words[:_LONGEST]) if isinstance(value, Literal) else words[:_LONGEST]
            metadata[name] = kept if before is None else f"{before}; {kept}"[:_LONGEST]
            if isinstance(value, NamedNode) and value.value.startswith(("http:", "https:")):
                links[value.value] = None
        types = [self._words(value) for key, value in self._said[subject] if key == _TYPE]
        return Record(
            content=content,
            title=self._names.get(subject, spoken(subject))[:_LONGEST],
            fragment=subject[:_LONGEST],
            category=types[0] if types else "",
            blocks=tuple(blocks),
            metadata=metadata,
            links=tuple(links),
        )

    def _own_name(self, subject: str) -> str:
        for wanted in _NAMES:
            for predicate, value in self._said[subject]:
                if isinstance(value, Literal) and _last(predicate) == wanted:
                    return " ".join(value.value.split())
        return ""

    def _words(self, value: object, *, depth: int = 1) -> str:
        if isinstance(value, Literal):
            return " ".join(value.value.split())
        key = _key(value)
        if key in self._names or not isinstance(value, BlankNode) or depth > _DEEPEST:
            return self._names.get(key, spoken(key))
        inner: Sequence[tuple[str, object]] = self._said.get(key, [])
        parts = [f"{spoken(name)} {self._words(part, depth=depth + 1)}" for name, part in inner]
        return ", ".join(parts)


def spoken(address: str) -> str:
    """Return the last part of an address in words: `http://x/hasPart` is `has part`."""
    last = _last(address)
    words = _CAMEL.sub(" ", last).replace("_", " ").strip()
    return (words.lower() if words[:1].islower() else words) or address


def _last(address: str) -> str:
    plain = address.removeprefix(_BASE).rstrip("/#")
    return unquote(re.split(r"[/#:]", plain)[-1])
