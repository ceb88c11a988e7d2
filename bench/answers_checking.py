"""The product's own check of an answer's sentences, over one stored passage at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast

from weft.domain.acl import EVERYONE
from weft.domain.answer import Tier
from weft.domain.document import Chunk, Document, chunk_id
from weft.domain.evidence import Evidence
from weft.domain.ids import ChunkId, DocumentId
from weft.domain.scope import Scope
from weft.language.sentences import sentences
from weft.platform.identity import local_owner
from weft.ports.knowledge import Knowledge, StoredChunk
from weft.ports.store import Base
from weft.verification.citations import Draft, verify

_BASE = "Bench"
SUPPORTED = frozenset({Tier.QUOTE, Tier.CLOSE})


class Verifier:
    """Checks sentences one by one, as an answer's are before it leaves."""

    def __init__(self) -> None:
        """Keep one loop for all checks."""
        self._runner = asyncio.Runner()
        self._owner = local_owner()

    def accepts(self, sentence: str, passage: str) -> bool:
        """Tell whether a sentence that cites a passage leaves as a quotation or close to one."""
        knowledge = OnePassage(passage)
        bases = [Base(name=_BASE, knowledge=cast("Knowledge", knowledge))]
        draft = Draft(text=sentence, evidence=(knowledge.evidence,))
        checked = self._runner.run(verify(bases, self._owner, [draft]))
        return any(one.tier in SUPPORTED for one in checked.sentences)

    def close(self) -> None:
        """End the loop."""
        self._runner.close()


class OnePassage:
    """A knowledge base of one chunk, as far as checking a citation needs one."""

    def __init__(self, text: str) -> None:
        """Take the stored text."""
        key = DocumentId("file:bench/passage")
        chunk = Chunk(
            id=chunk_id(key, text, chunk_index=0),
            document_id=key,
            chunk_index=0,
            text=text,
            start=0,
            end=len(text),
            page=None,
            section=None,
            tokens=len(text.split()),
            sentences=sentences(text),
        )
        document = Document(
            id=key,
            source="bench",
            type="file",
            title="",
            uri="",
            version="1",
            acl=frozenset({EVERYONE}),
            metadata={},
        )
        self._stored = StoredChunk(chunk=chunk, document=document)
        self.evidence = Evidence(
            id=f"{_BASE}/{chunk.id}",
            knowledge_base=_BASE,
            document_id=key,
            document_type=document.type,
            title="",
            uri="",
            chunk_id=chunk.id,
            chunk_index=0,
            start=0,
            end=len(text),
            page=None,
            section=None,
            text=text,
            sentences=chunk.sentences,
            updated=None,
            score_kind="ranked",
            path=(),
        )

    async def chunks(self, scope: Scope, ids: Sequence[ChunkId]) -> list[StoredChunk]:
        """Return the chunk if it is asked for."""
        return [self._stored for one in ids if one == self._stored.chunk.id]
