"""Pages read from what searches answer, whichever of the usual forms that has."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from weft.adapters.fetch.web_search import JsonWebSearch, pages_in
from weft.domain.errors import ConfigurationError, FetchFailed
from weft.domain.scope import Scope
from weft.platform.identity import local_owner
from weft.ports.fetching import FetchReply, FetchRequest, WebPage

ADDRESS = "https://search.example.org/?q={query}&format=json"
PAGE = WebPage(url="https://a.example/1", title="A page", text="What it says.")


@dataclass
class OneReply:
    """A way out on which one reply waits."""

    body: bytes
    status: int = 200
    asked: list[FetchRequest] = field(default_factory=list)

    async def fetch(self, scope: Scope, request: FetchRequest) -> FetchReply:
        self.asked.append(request)
        return FetchReply(
            url=request.url,
            status=self.status,
            headers={},
            content_type="application/json",
            body=self.body,
        )


@pytest.mark.parametrize(
    "body",
    [
        {"results": [{"url": PAGE.url, "title": PAGE.title, "content": "What  it\nsays."}]},
        {"items": [{"link": PAGE.url, "title": PAGE.title, "snippet": PAGE.text}]},
        {"webPages": {"value": [{"url": PAGE.url, "name": PAGE.title, "description": PAGE.text}]}},
        [{"href": PAGE.url, "title": PAGE.title, "body": PAGE.text}],
        {
            "suggestions": ["a"],
            "results": [{"url": PAGE.url, "title": PAGE.title, "text": PAGE.text}],
        },
    ],
)
def test_the_usual_forms_are_read(body: object) -> None:
    assert pages_in(body) == [PAGE]


@pytest.mark.parametrize(
    "body",
    [{}, [], None, 3, {"results": [{"url": "javascript:alert(1)", "content": "x"}]}, {"a": [[1]]}],
)
def test_what_is_no_page_is_left_out(body: object) -> None:
    assert pages_in(body) == []


async def test_a_query_is_a_part_of_the_address_and_no_more() -> None:
    way = OneReply(json.dumps({"results": []}).encode())
    search = JsonWebSearch(way, ADDRESS, header="X-Key: secret")
    assert await search.search(local_owner(), "a&format=html#b/../c", 3) == []
    assert way.asked[0].url == (
        "https://search.example.org/?q=a%26format%3Dhtml%23b%2F..%2Fc&format=json"
    )
    assert way.asked[0].headers["X-Key"] == "secret"


@pytest.mark.parametrize(("body", "status"), [(b"<html>", 200), (b"{}", 500)])
async def test_a_reply_that_is_none_is_told(body: bytes, status: int) -> None:
    with pytest.raises(FetchFailed):
        await JsonWebSearch(OneReply(body, status), ADDRESS).search(local_owner(), "a", 3)


@pytest.mark.parametrize(
    ("address", "header"), [("https://a.example/", ""), ("ftp://a/{query}", ""), (ADDRESS, "key")]
)
def test_a_setting_that_cannot_be_used_is_named(address: str, header: str) -> None:
    with pytest.raises(ConfigurationError, match="WEFT_WEB_SEARCH"):
        JsonWebSearch(OneReply(b""), address, header=header)
