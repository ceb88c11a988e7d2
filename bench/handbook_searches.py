"""What the product's search finds for the questions of folders as people keep them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from folder_search import searching
from handbook_bases import Handbook, HandbookQuestion

from weft.retrieval.hits import Found


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedHandbook:
    """A question of a folder and what was found for it."""

    book: Handbook
    question: HandbookQuestion
    found: Found


async def searched_handbooks(books: Iterable[Handbook]) -> list[SearchedHandbook]:
    """Return what is found for each question of some folders."""
    results: list[SearchedHandbook] = []
    for book in books:
        async with searching(book.home, book.folder) as search:
            for one in book.questions:
                found = await search(one.text)
                results.append(SearchedHandbook(book=book, question=one, found=found))
    return results
