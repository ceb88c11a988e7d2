"""What one run was given: passages under ids that a model or a rule can name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from weft.domain.document import Span
from weft.domain.evidence import Evidence
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId, DocumentId


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRef:
    """Where the passage of an id stands."""

    id: str
    knowledge_base: str
    document_id: DocumentId
    chunk_id: ChunkId


class EvidenceBook:
    """The passages that tools gave in one run, by id (`e1`, `e2` ... in order of coming).

    It is read off the replies of tools, so a reply that was remembered or recorded means the same
    passages as one that was just made; a passage keeps its id.
    """

    def __init__(self) -> None:
        """Begin with nothing given."""
        self._held: dict[str, Evidence] = {}
        self._ids: dict[tuple[str, ChunkId], str] = {}
        self._last = 0
        self.notes: list[str] = []

    def id_of(self, knowledge_base: str, chunk: ChunkId) -> str:
        """Return the id under which the run knows a passage, a new one if it knows it not yet."""
        known = self._ids.get((knowledge_base, chunk))
        if known is None:
            self._last += 1
            known = self._ids[knowledge_base, chunk] = f"e{self._last}"
        return known

    def take_in(self, reply: object) -> None:
        """Enter what a tool's reply holds: its passages and its notes."""
        if not isinstance(reply, Mapping):
            return
        for item in reply.get("evidence", ()):
            self._enter(evidence_in(item))
        self.notes += [note for note in reply.get("notes", ()) if note not in self.notes]

    def restore(self, known: Iterable[Evidence]) -> None:
        """Enter passages that the run was given before it was resumed, under their ids."""
        for one in known:
            self._enter(one)

    def _enter(self, found: Evidence) -> None:
        self._held.setdefault(found.id, found)
        self._ids.setdefault((found.knowledge_base, found.chunk_id), found.id)
        number = found.id.removeprefix("e")
        self._last = max(self._last, int(number) if number.isdecimal() else 0)

    def lacks(self, refs: Iterable[EvidenceRef]) -> tuple[EvidenceRef, ...]:
        """Return those places whose passage is not here."""
        return tuple(ref for ref in refs if ref.id not in self._held)

    def evidence(self, ids: Iterable[str]) -> tuple[Evidence, ...]:
        """Return the evidence of those ids that were given out, each once, in order."""
        return tuple(self._held[one] for one in dict.fromkeys(ids) if one in self._held)

    def entries(self) -> tuple[Evidence, ...]:
        """Return all passages in order of coming."""
        return tuple(self._held.values())

    def refs(self) -> tuple[EvidenceRef, ...]:
        """Return where all passages stand, in order of coming."""
        return tuple(
            EvidenceRef(
                id=one.id,
                knowledge_base=one.knowledge_base,
                document_id=one.document_id,
                chunk_id=one.chunk_id,
            )
            for one in self._held.values()
        )


def evidence_item(evidence: Evidence, name: str) -> dict[str, Any]:
    """Return a passage as tools give it out, under its id in the run."""
    return {
        "id": name,
        "knowledge_base": evidence.knowledge_base,
        "document_id": evidence.document_id,
        "chunk_id": evidence.chunk_id,
        "title": evidence.title,
        "uri": evidence.uri,
        "section": evidence.section,
        "page": evidence.page,
        "text": evidence.text,
        "document_type": evidence.document_type,
        "chunk_index": evidence.chunk_index,
        "start": evidence.start,
        "sentences": [[one.start, one.end] for one in evidence.sentences],
        "updated": None if evidence.updated is None else evidence.updated.isoformat(),
        "path": list(evidence.path),
    }


def evidence_in(item: Mapping[str, Any]) -> Evidence:
    """Return the passage of an item as `evidence_item` made it; the policy may have cut its text.

    A text that was cut has other sentences: the spans of the old one do not fit it.
    """
    text, updated = str(item["text"]), item.get("updated")
    spans = tuple(Span(start=start, end=end) for start, end in item.get("sentences", ()))
    fits = all(span.end <= len(text) for span in spans)
    start = int(item.get("start", 0))
    return Evidence(
        id=str(item["id"]),
        knowledge_base=str(item["knowledge_base"]),
        document_id=DocumentId(item["document_id"]),
        document_type=str(item.get("document_type", "")),
        title=str(item["title"]),
        uri=str(item["uri"]),
        chunk_id=ChunkId(item["chunk_id"]),
        chunk_index=int(item.get("chunk_index", 0)),
        start=start,
        end=start + len(text),
        page=item.get("page"),
        section=item.get("section"),
        text=text,
        sentences=spans if fits else (),
        updated=None if updated is None else datetime.fromisoformat(updated),
        score_kind="ranked",
        path=tuple(item.get("path", ())),
    )
