"""How documents are come by on the way: by a search, a name, an issue key."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from weft.domain.ids import DocumentId
from weft.offline.evidence.documents import Sheet, sheets_of
from weft.offline.question.names import key_of
from weft.ports.knowledge import DocumentFilter
from weft.retrieval.hits import Found, Hit, Query
from weft.retrieval.namesakes import Namesake

_MOST_FOUND = 8
_MOST_NAMED = 2


class NameLookup(Protocol):
    """From names to the passages about them."""

    async def __call__(
        self, names: Sequence[str], *, spelt: Mapping[str, str]
    ) -> Mapping[str, Sequence[Hit]]:
        """Return passages by key; `spelt` has the names as they are written."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Where passages come from: all under one scope, and only what the policy lets pass.

    `pages` gives all passages of documents, `matching` the documents of a filter.
    """

    search: Callable[[Query], Awaitable[tuple[Found, Sequence[Hit]]]]
    lookup: NameLookup
    bearers: Callable[[str], Awaitable[Sequence[Namesake]]]
    pages: Callable[[Collection[tuple[str, DocumentId]]], Awaitable[Sequence[Hit]]]
    matching: Callable[[DocumentFilter], Awaitable[Collection[tuple[str, DocumentId]]]]

    async def found(self, text: str) -> tuple[Found, list[Sheet]]:
        """Return what a search says of the words of a text, and the best documents."""
        found, hits = await self.search(Query(text=text, top_k=_MOST_FOUND, per_document=2))
        return found, sheets_of(hits)

    async def named(self, name: str) -> list[Sheet]:
        """Return the documents about the bearer of a name, whole."""
        key = key_of(name)
        found = await self.lookup([key], spelt={key: name})
        return [await self.whole(sheet) for sheet in sheets_of(found.get(key, ()))[:_MOST_NAMED]]

    async def of_issue(self, issue: str) -> list[Sheet]:
        """Return the document of an issue key, whole."""
        documents = await self.matching(DocumentFilter(exact={"issue_key": issue}))
        return sheets_of(await self.pages(documents)) if documents else []

    async def whole(self, sheet: Sheet) -> Sheet:
        """Return a document with all of its passages."""
        if sheet.hits[0].evidence.document_id.startswith("record:"):
            return sheet
        return sheets_of([*sheet.hits, *await self.pages([sheet.key])])[0]
