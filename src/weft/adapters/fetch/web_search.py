"""Any search that answers a GET in JSON: SearXNG, and most others as they are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from weft.domain.errors import ConfigurationError, FetchFailed
from weft.domain.scope import Scope
from weft.ports.fetching import Fetching, FetchRequest, WebPage

_QUERY = "{query}"
_MOST_BYTES = 2 * 1024 * 1024
_SECONDS = 15.0
_LONGEST_TITLE, _LONGEST_TEXT = 300, 2000
_TITLE, _URL = ("title", "name"), ("url", "link", "href")
_TEXT = ("content", "snippet", "description", "body", "text", "summary")
_DEEPEST = 4


class JsonWebSearch:
    """Implements `ports/fetching.py: WebSearch`."""

    def __init__(self, fetching: Fetching, address: str, *, header: str = "") -> None:
        """Take the way out, an address with `{query}` in it, and a header `NAME: VALUE` if needed.

        Raises `ConfigurationError` naming the setting that cannot be used.
        """
        if _QUERY not in address or urlsplit(address).scheme not in ("http", "https"):
            raise ConfigurationError(
                "WEFT_WEB_SEARCH is an address with {query} in it, such as "
                "https://search.example.org/search?q={query}&format=json"
            )
        name, _, value = header.partition(":")
        if header and not (name.strip() and value.strip()):
            raise ConfigurationError("WEFT_WEB_SEARCH_HEADER is a header as NAME: VALUE.")
        self._fetching = fetching
        self._address = address
        self._headers = {name.strip(): value.strip()} if header else {}

    async def search(self, scope: Scope, query: str, most: int) -> list[WebPage]:
        """Return at most so many pages, the best first; raises `FetchFailed` where none come."""
        reply = await self._fetching.fetch(
            scope,
            FetchRequest(
                url=self._address.replace(_QUERY, quote(query, safe="")),
                headers={"accept": "application/json", **self._headers},
                most_bytes=_MOST_BYTES,
                seconds=_SECONDS,
            ),
        )
        if reply.status != 200:
            raise FetchFailed(f"The web search answered with status {reply.status}.")
        try:
            body = json.loads(reply.body)
        except (ValueError, RecursionError):
            raise FetchFailed("The web search did not answer in JSON.") from None
        return pages_in(body)[:most]


def pages_in(body: object) -> list[WebPage]:
    """Return the pages of a reply: of the first list in it whose entries have an address."""
    for rows in _lists(body, _DEEPEST):
        pages = [page for row in rows if (page := _page(row)) is not None]
        if pages:
            return list({page.url: page for page in reversed(pages)}.values())[::-1]
    return []


def _lists(body: object, deepest: int) -> Iterator[list[Any]]:
    if isinstance(body, list):
        yield body
    elif isinstance(body, Mapping) and deepest:
        for value in body.values():
            yield from _lists(value, deepest - 1)


def _page(row: object) -> WebPage | None:
    if not isinstance(row, Mapping):
        return None
    url, text = _first(row, _URL), _first(row, _TEXT)
    if not text or urlsplit(url).scheme not in ("http", "https"):
        return None
    return WebPage(url=url, title=_first(row, _TITLE)[:_LONGEST_TITLE], text=text[:_LONGEST_TEXT])


def _first(row: Mapping[Any, Any], keys: tuple[str, ...]) -> str:
    said = (row.get(key) for key in keys)
    return next((" ".join(one.split()) for one in said if isinstance(one, str) and one.strip()), "")
