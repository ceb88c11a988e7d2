"""The evidence of plainer questions: what stands in place of a question that describes things."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from weft.agents.evidence import Aside, Attempt, EvidenceBook
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.offline.chains.hops import names_to_look_up
from weft.offline.chains.reach import Reach
from weft.offline.chains.rephrasing import Try, Unfolded, asks_other_name, names_of, renamed, unfold
from weft.offline.question.names import key_of
from weft.ports.knowledge import DocumentFilter
from weft.ports.store import Base
from weft.retrieval.document_passages import documents_of, pages
from weft.retrieval.hits import Found, Hit, Query
from weft.retrieval.lookup import LookupQuery
from weft.retrieval.namesakes import namesakes

_PASSAGES = 12
_MOST_HOPS = 4
_MOST_DOCUMENTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What is read from, under one scope and `within` the run's documents.

    `search` narrows by itself; `let_pass` keeps what the policy lets pass.
    """

    bases: Sequence[Base]
    scope: Scope
    within: DocumentFilter
    search: Callable[[Query], Awaitable[Found]]
    lookup: Callable[[Sequence[Base], Scope, LookupQuery], Awaitable[Mapping[str, Sequence[Hit]]]]
    let_pass: Callable[[Iterable[Hit]], Awaitable[list[Hit]]]

    async def read(self, query: Query) -> tuple[Found, Sequence[Hit]]:
        """Return what a search finds, and those of its passages that may pass."""
        found = await self.search(query)
        return found, await self.let_pass(found.hits)

    async def named(
        self, names: Sequence[str], *, spelt: Mapping[str, str], book: EvidenceBook | None = None
    ) -> Mapping[str, Sequence[Hit]]:
        """Return the passages that define some names, by key; `spelt` has them as written."""
        wanted = LookupQuery(
            names=names, vector=book.vector if book else None, spelt=spelt, within=self.within
        )
        found = await self.lookup(self.bases, self.scope, wanted)
        return {name: await self.let_pass(hits) for name, hits in found.items()}

    async def pages(self, documents: Collection[tuple[str, DocumentId]]) -> Sequence[Hit]:
        """Return all passages of some documents."""
        return await self.let_pass(
            await pages(self.bases, self.scope, documents, within=self.within)
        )

    @property
    def reach(self) -> Reach:
        """Return how descriptions are followed in these sources."""
        return Reach(
            search=self.read,
            lookup=self.named,
            bearers=partial(namesakes, self.bases, self.scope),
            pages=self.pages,
            matching=partial(
                documents_of, self.bases, self.scope, limit=_MOST_DOCUMENTS, within=self.within
            ),
        )


async def follow(question: str, book: EvidenceBook, *, sources: Sources) -> list[tuple[str, Hit]]:
    """Enter into a book the passages on the names that a question's roles lead to, hop by hop.

    Returns them with their ids.
    """
    spelt = {key_of(name): name for name in names_of(question)}
    entered = await _rows(spelt, book, sources=sources)
    for _ in range(_MOST_HOPS):
        names = names_to_look_up(question, book)
        if not names:
            break
        for name, hits in (await sources.named(names, spelt=spelt, book=book)).items():
            new = [(book.add(hit), hit) for hit in hits]
            book.define(name, [known for known, _ in new])
            entered += new
    return entered


async def _rows(
    spelt: Mapping[str, str], book: EvidenceBook, *, sources: Sources
) -> list[tuple[str, Hit]]:
    """Enter the rows of tables that a question's own names head: all namesakes, not the best."""
    entered: list[tuple[str, Hit]] = []
    if not spelt:
        return entered
    for name, hits in (await sources.named(tuple(spelt), spelt=spelt, book=book)).items():
        rows = [hit for hit in hits if hit.evidence.document_id.startswith("record:")]
        new = [(book.add(hit), hit) for hit in rows]
        if new:
            book.define(name, [known for known, _ in new])
        entered += new
    return entered


async def set_aside(question: str, sources: Sources) -> Aside | None:
    """Return plainer questions with their evidence; None for a question that is plain itself."""
    reach = sources.reach
    unfolded = await unfold(question, reach) or await renamed(question, reach)
    if unfolded is None:
        return None
    attempts = [await _attempt(one, sources) for one in unfolded.tries]
    return _aside(question, unfolded, attempts)


def _aside(question: str, unfolded: Unfolded, attempts: Sequence[Attempt]) -> Aside:
    steps = unfolded.steps
    return Aside(
        asked=question,
        said=tuple((one.hit, one.text) for one in unfolded.said),
        tries=tuple(attempts),
        names=tuple(one.name for one in steps),
        sure=bool(steps) and all(one.sure for one in steps),
        telling=bool(steps) and steps[-1].telling,
        second=not steps and not asks_other_name(question),
        failed=unfolded.failed,
    )


async def _attempt(one: Try, sources: Sources) -> Attempt:
    """Return a plainer question with a book of what may answer it."""
    book = EvidenceBook()
    if one.told is None:
        query = Query(text=one.question, top_k=_PASSAGES, per_document=_PASSAGES)
        found, hits = await sources.read(query)
        book.learn(found)
        scored = {hit.evidence.chunk_id: hit for hit in hits}
        for hit in (hit for sheet in one.sheets for hit in sheet.hits):
            book.add(scored.get(hit.evidence.chunk_id, hit))
        if not one.only:
            for hit in hits:
                book.add(hit)
            await follow(one.question, book, sources=sources)
    return Attempt(
        question=one.question,
        book=book,
        name=one.name,
        about=frozenset(sheet.key for sheet in one.sheets),
        told=None if one.told is None else (one.told.hit, one.told.text),
        is_narrow=one.only,
    )
