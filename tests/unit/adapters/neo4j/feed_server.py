"""A server that answers the feed's two queries from memory, and changes at a wish between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from weft.adapters.neo4j.database import Parameters, Row
from weft.domain.acl import acl_class
from weft.domain.ids import digest
from weft.index.local_facts import local_facts
from weft.stores.packing import pack_facts, pack_terms


@dataclass
class Held:
    """A document: its version, its readers and its passages."""

    v: int
    acl: frozenset[str]
    texts: list[str]


@dataclass
class FeedServer:
    """Documents by id; `between` is called once, before the next page of passages is read."""

    docs: dict[str, Held] = field(default_factory=dict)
    deleted: dict[str, int] = field(default_factory=dict)
    version: int = 0
    identity: str = "one"
    cleared: int = 0
    asked: list[str] = field(default_factory=list)
    between: list[Callable[[], None]] = field(default_factory=list)
    spoil: list[Callable[[list[object]], None]] = field(default_factory=list)

    def publish(self, name: str, *texts: str, acl: str = "tenant:*") -> None:
        """Replace a document."""
        self.version += 1
        self.docs[name] = Held(v=self.version, acl=frozenset({acl}), texts=list(texts))

    def delete(self, name: str) -> None:
        """Remove a document."""
        self.version += 1
        del self.docs[name]
        self.deleted[digest(name)] = self.version

    async def read(self, name: str, parameters: Parameters) -> list[Row]:
        """Answer a query of the feed."""
        self.asked.append(name)
        if name == "changed":
            return [self._changed(parameters)]
        if self.between:
            self.between.pop(0)()
        pieces = parameters["pieces"]
        assert isinstance(pieces, list)
        rows: list[object] = [row for piece in pieces for row in self._chunks(piece)]
        if self.spoil:
            self.spoil.pop(0)(rows)
        return [[rows]]

    def _changed(self, parameters: Parameters) -> Row:
        since = parameters["since"]
        assert isinstance(since, int)
        if parameters["identity"] != self.identity or self.version < since:
            since = 0
        documents = [
            [name, d.v, acl_class(d.acl).number, sorted(d.acl), len(d.texts), "world", "file"]
            for name, d in sorted(self.docs.items(), key=lambda pair: pair[1].v)
            if d.v > since
        ]
        limit = parameters["limit"]
        assert isinstance(limit, int)
        documents = documents[:limit]
        gone = [[hashed, v] for hashed, v in self.deleted.items() if v > since]
        return [since, self.version, self.identity, "local", self.cleared, documents, gone]

    def _chunks(self, piece: dict[str, object]) -> list[list[object]]:
        name, first, last = str(piece["doc"]), piece["first"], piece["last"]
        assert isinstance(first, int)
        assert isinstance(last, int)
        if name not in self.docs:
            return []
        held = self.docs[name]
        number = acl_class(held.acl).number
        return [
            [name, held.v, digest(name, str(at)), at, number, *_packed(text), None, None]
            for at, text in enumerate(held.texts)
            if first <= at < last
        ]


def _packed(text: str) -> tuple[bytes, bytes]:
    facts = local_facts("title", text, sentences=[])
    return pack_terms(facts), pack_facts(facts)
