"""Whether a run may still be shown: everything that it read must be readable now."""

from __future__ import annotations

from weft.bases.library import Library
from weft.domain.errors import StoreUnavailable, UnknownKnowledgeBase
from weft.domain.ids import DocumentId, RunId
from weft.domain.scope import Scope
from weft.ports.records.tape import Tape


class ReadingRights:
    """Compares what a run read with what its caller may read at this moment."""

    def __init__(self, library: Library, tape: Tape) -> None:
        """Take where documents are, and the record of what runs read."""
        self._library = library
        self._tape = tape

    async def hold(self, scope: Scope, run_id: RunId) -> bool:
        """Tell whether a caller may read all that a run read and that was not deleted since.

        Of a knowledge base that does not answer it cannot be told: raises `StoreUnavailable`, once
        all others were looked at.
        """
        read: dict[str, set[DocumentId]] = {}
        for source in await self._tape.sources(scope, run_id):
            read.setdefault(source.knowledge_base, set()).add(source.document)
        silent: StoreUnavailable | None = None
        for base, documents in sorted(read.items()):
            try:
                store = await self._library.named(scope, base)
                readable = await store.documents.chunk_counts(scope, sorted(documents))
            except UnknownKnowledgeBase:
                return False
            except StoreUnavailable as error:
                silent = error
                continue
            if not documents <= set(readable):
                return False
        if silent is not None:
            raise silent
        return True
