"""Suggesting questions to callers: from documents that they may read, and answered by these."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from pydantic import BaseModel

from weft.api.host import Host
from weft.bootstrap.knowledge import bases_of
from weft.domain.document import Document
from weft.domain.scope import Scope
from weft.offline.suggestions import PASSAGES, Suggestion, is_answered, suggestions
from weft.platform.access import require
from weft.platform.audit import audited, counted_ids
from weft.ports.records.audit import Deed
from weft.ports.store import Store
from weft.retrieval.hits import Query
from weft.retrieval.search import search

_LISTED = 200  # documents of a base among which some are opened
_OPENED = 16
_TRIED = 24


class SuggestionShape(BaseModel):
    """A question that a document answers, in the language of the document."""

    question: str
    kb: str
    doc_id: str
    title: str


class SuggestionList(BaseModel):
    """Questions to begin with."""

    items: list[SuggestionShape]


class Suggester:
    """Suggests questions under a caller's scope."""

    def __init__(self, host: Host) -> None:
        """Take the host of the service."""
        self._host = host

    async def suggest(self, scope: Scope, names: Sequence[str], *, limit: int) -> SuggestionList:
        """Return at most `limit` questions, each asked by the rules and found answered.

        They come from documents in turn; what the caller may not read has no part in them.
        """
        stores = await self._host.stores(scope, names)
        target = f"kb:{','.join(store.name for store in stores) or '-'}"
        audit = self._host.app.records.audit
        items: list[SuggestionShape] = []
        async with audited(audit, scope, Deed(action="suggest", target=target)) as act:
            require(scope, "kb.read", target)
            tried, known = 0, set[str]()
            async for store, document, suggestion in self._drafts(scope, stores):
                if len(items) == limit or tried == _TRIED:
                    break
                if suggestion.about.casefold() in known:
                    continue
                tried += 1
                if await self._is_answered(scope, store, (document, suggestion)):
                    known.add(suggestion.about.casefold())
                    items.append(
                        SuggestionShape(
                            question=suggestion.question,
                            kb=store.name,
                            doc_id=document.id,
                            title=document.title,
                        )
                    )
            act.note(**counted_ids(documents=[item.doc_id for item in items]))
        return SuggestionList(items=items)

    async def _drafts(
        self, scope: Scope, stores: Sequence[Store]
    ) -> AsyncIterator[tuple[Store, Document, Suggestion]]:
        """Yield one question of each of some documents, then a second one of each, and so on."""
        rows: list[list[tuple[Store, Document, Suggestion]]] = []
        for store in stores:
            for document in _spread(await store.documents.page(scope, after=None, limit=_LISTED)):
                opened = await store.documents.opened(scope, document.id)
                found = await asyncio.to_thread(suggestions, opened)
                rows.append([(store, document, one) for one in found])
        longest = max(map(len, rows), default=0)
        for place in range(longest):
            for row in rows:
                if place < len(row):
                    yield row[place]

    async def _is_answered(
        self, scope: Scope, store: Store, draft: tuple[Document, Suggestion]
    ) -> bool:
        document, suggestion = draft
        query = Query(text=suggestion.question, top_k=PASSAGES)
        found = await search(bases_of([store]), self._host.app.embedder, scope, query=query)
        return await asyncio.to_thread(
            is_answered, suggestion.question, found, document=document.id
        )


def _spread(found: Sequence[Document]) -> list[Document]:
    """Return some of a list of documents, from all over it: neighbours are often alike."""
    step = max(1, len(found) // _OPENED)
    return list(found[::step][:_OPENED])
