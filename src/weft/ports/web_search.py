"""Searching the web by a provider that somebody configured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from weft.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPage:
    """What a provider says of a page: its address, its title and a part of its text."""

    url: str
    title: str
    text: str


class WebSearch(Protocol):
    """Asks a provider."""

    async def search(self, scope: Scope, query: str, most: int) -> list[WebPage]:
        """Return at most so many pages, the best first.

        Raises what `Fetching.fetch` raises, and `FetchFailed` for a reply that is no list of pages.
        """
        ...
