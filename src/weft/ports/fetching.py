"""Fetching and searching over HTTP: the one way out to servers that nobody here runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Protocol

from weft.domain.frozen import dataclass
from weft.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRequest:
    """What is asked of a server.

    `content_types` (`application/json`, lower case) are those that a reply of success may have;
    none named allows any. `most_bytes` of a reply's body and `seconds` for all of it can only be
    less than what the fetcher allows anyway.
    """

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    content_types: frozenset[str] = frozenset()
    most_bytes: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchReply:
    """A whole reply of whatever status; `url` is where it came from, after redirects.

    The names of headers are lower case, and the body is decompressed.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    content_type: str
    body: bytes


class Fetching(Protocol):
    """Fetches what is public, and of what is inside only what the caller's tenant was allowed."""

    async def fetch(self, scope: Scope, request: FetchRequest) -> FetchReply:
        """Return the reply, redirects of GET and HEAD followed.

        Raises `BadInput` for a request that cannot be sent, `FetchRefused` where it may not be,
        `TooManyRequests` when the tenant has too many under way, and `FetchFailed` with a
        `reason` when no whole reply came. None of them names an address.
        """
        ...


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
