"""A few passages in a book, for the rules that read them."""

from __future__ import annotations

from weft.domain.evidence import Evidence
from weft.domain.ids import ChunkId, DocumentId
from weft.language.sentences import sentences
from weft.offline.evidence.found import FoundEvidence
from weft.retrieval.hits import Hit


def hit(title: str, text: str, *, score: float = 0.8) -> Hit:
    """Return a passage of its own document."""
    key = DocumentId(f"file:test/{title}")
    return Hit(
        evidence=Evidence(
            id=f"docs/{title}",
            knowledge_base="docs",
            document_id=key,
            document_type="file",
            title=title,
            uri="",
            chunk_id=ChunkId(title),
            chunk_index=0,
            start=0,
            end=len(text),
            page=None,
            section=None,
            text=text,
            sentences=tuple(sentences(text)),
            updated=None,
            score_kind="ranked",
            path=(),
        ),
        score=score,
        cosine=0.5,
        cosines=(),
    )


def book(**passages: str) -> FoundEvidence:
    """Return a book of passages by title, an underscore for a space."""
    made = FoundEvidence()
    hits = tuple(hit(title.replace("_", " "), text) for title, text in passages.items())
    for one in hits:
        made.add(one)
    return made


FILMS = {
    "Red_Tide": "Red Tide is a 1954 drama film directed by Ann Oak and produced by Cy Fir.",
    "Blue_Hour": "Blue Hour is a 1961 film. It was directed by Bo Elm.",
    "Ann_Oak": "Ann Oak (3 May 1911 – 2 June 1970) was a Danish director. She was born in Aarhus. "
    "She married the painter Di Ash in 1940.",
    "Bo_Elm": "Bo Elm (born 7 July 1920) is a Danish-born American film maker.",
}  # fmt: skip
