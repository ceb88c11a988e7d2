"""Long lists on the page: what was listed, where one was in it, and the focus outlast a redraw."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from e2e.service_process import Service

if TYPE_CHECKING:
    from playwright.sync_api import Route

    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]
KEEPER = "Who is the lighthouse keeper?"
WHEN = "2026-01-01T00:00:00Z"
MOST = 200


def _part(route: Route, key: str, every: list[dict[str, object]], **others: object) -> None:
    """Answer with the part of a list that is asked for; a cursor is where it begins."""
    asked = parse_qs(urlsplit(route.request.url).query)
    limit = int(asked["limit"][0])
    assert 1 <= limit <= MOST
    begin = int(asked.get("cursor", ["0"])[0])
    rest = begin + limit
    following = str(rest) if rest < len(every) else ""
    route.fulfill(json={key: every[begin:rest], "next": following, **others})


def test_conversations_that_were_listed_stay_where_they_are(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    every: list[dict[str, object]] = [
        {"id": f"c{n}", "session_id": "s", "title": f"Talk {n}", "started": WHEN, "updated": WHEN}
        for n in range(300)
    ]
    seen = visit()
    page = seen.page
    kept = {"kept": "stored", "hours": 0}
    page.route("**/v1/conversations?*", lambda route: _part(route, "items", every, **kept))
    seen.open(link)
    for shown in range(60, 301, 30):
        page.click("#talks-more")
        expect(page.locator(".talk")).to_have_count(shown)
    every[299]["title"] = "Another title"
    page.fill("#question", KEEPER)
    page.press("#question", "Enter")
    page.locator("[data-id=c298] .talk-delete").focus()
    page.evaluate("document.querySelector('.talks-body').scrollTop = 5000")
    expect(page.locator(".turn .foot")).to_be_visible()
    expect(page.locator("[data-id=c299]")).to_contain_text("Another title")
    expect(page.locator(".talk")).to_have_count(300)
    expect(page.locator("[data-id=c298] .talk-delete")).to_be_focused()
    assert page.evaluate("document.querySelector('.talks-body').scrollTop") == 5000


def test_one_comes_back_to_the_document_that_was_read(
    visit: Begin, stocked: Service, link: str
) -> None:
    from playwright.sync_api import expect

    known = stocked.call("/v1/kb/Harbour/documents?q=lighthouse")["items"][0]
    every: list[dict[str, object]] = [{**known, "title": f"Document {n}"} for n in range(300)]
    seen = visit()
    page = seen.page
    page.route("**/v1/kb/Harbour/documents?*", lambda route: _part(route, "items", every))
    seen.open(link)
    page.click("#pick")
    page.locator(".base", has_text="Harbour files").locator("button").click()
    for shown in range(80, 281, 40):
        page.click("#documents-more")
        expect(page.locator(".document")).to_have_count(shown)
    page.locator(".document").nth(270).click()
    page.wait_for_selector("#side-body .text")
    page.click("#side-back")
    expect(page.locator(".document").nth(270)).to_be_focused()
    expect(page.locator(".document").nth(270)).to_contain_text("Document 270")
    # Where no more can be had, what came before stays, and the rest can be asked for again.
    page.route("**/v1/kb/Harbour/documents?*", lambda route: route.abort())
    shown = page.locator(".document").count()
    page.click("#documents-more")
    expect(page.locator("#documents .fault")).to_contain_text("The service does not answer")
    expect(page.locator(".document")).to_have_count(shown)
    page.unroute("**/v1/kb/Harbour/documents?*")
    page.route("**/v1/kb/Harbour/documents?*", lambda route: _part(route, "items", every))
    page.click("#documents-more")
    expect(page.locator(".document")).to_have_count(300)
    expect(page.locator("#documents .fault")).to_have_count(0)
    seen.faults[:] = [fault for fault in seen.faults if "ERR_FAILED" not in fault]
