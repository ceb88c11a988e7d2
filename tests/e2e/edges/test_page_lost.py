"""The page when the connection to the service is lost: it goes on as soon as it is back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]
KEEPER = "Who is the lighthouse keeper?"
LOST = "The connection is lost."
STREAM = "text/event-stream"


def _broken(page: Page) -> list[Route]:
    """Break the next answer off behind its beginning; who then asks who it is waits, in a list."""
    broken: list[bool] = []
    held: list[Route] = []

    def answer(route: Route) -> None:
        begun = route.fetch().text().partition("\n\n")[0]
        broken.append(True)
        route.fulfill(content_type=STREAM, body=f"{begun}\n\n")

    def who(route: Route) -> None:
        if broken:
            held.append(route)
        else:
            route.continue_()

    page.route("**/v1/chat/message", answer)
    page.route("**/v1/me", who)
    return held


def test_a_question_is_gone_on_with_when_the_connection_is_back(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = seen.page
    held = _broken(page)
    page.fill("#question", KEEPER)
    page.press("#question", "Enter")
    reply = page.locator(".turn").last.locator(".reply")
    expect(reply.locator(".now-doing")).to_contain_text(LOST)
    expect(page.locator("#news")).to_contain_text(LOST)
    expect(page.locator("#stop")).to_be_visible()
    expect(reply.locator(".fault")).to_have_count(0)
    while not held:
        page.wait_for_timeout(50)
    page.unroute("**/v1/me")
    held[0].continue_()
    expect(reply).to_contain_text("Berta Lind")
    expect(reply.locator(".foot")).to_be_visible()
    expect(page.locator("#send")).to_be_visible()
    # It is one question and one answer, here and at the service.
    page.reload()
    seen.ready()
    expect(page.locator(".turn")).to_have_count(1)


def test_a_question_that_waits_for_the_connection_can_be_stopped(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = seen.page
    _broken(page)
    page.fill("#question", KEEPER)
    page.press("#question", "Enter")
    turn = page.locator(".turn").last
    expect(turn).to_contain_text(LOST)
    page.unroute("**/v1/me")
    page.click("#stop")
    expect(turn).to_contain_text("Stopped.")
    expect(page.locator("#send")).to_be_visible()


def test_that_a_question_was_stopped_elsewhere_is_said(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = seen.page
    said = json.dumps({"detail": "", "code": "cancelled", "status": 499})
    page.route(
        "**/v1/chat/message",
        lambda route: route.fulfill(content_type=STREAM, body=f"event: error\ndata: {said}\n\n"),
    )
    page.fill("#question", KEEPER)
    page.press("#question", "Enter")
    turn = page.locator(".turn").last
    expect(turn).to_contain_text("It was stopped before it was answered.")
    expect(turn.get_by_role("button", name="Ask again")).to_be_visible()


@pytest.mark.parametrize("is_reached", [True, False], ids=["stopped", "away"])
def test_an_ingestion_is_watched_again_when_the_connection_is_back(
    visit: Begin, link: str, *, is_reached: bool
) -> None:
    from playwright.sync_api import expect

    seen = visit()
    page = seen.page
    progress = {"files_total": 9, "files_done": 4, "chunks": 12, "failed": 0, "unchanged": 0}
    run = {"run_id": "j1", "kb": ["Harbour"], "status": "running", "progress": progress}
    last = {**run, "status": "finished", "progress": {**progress, "files_done": 9}}
    told = [run, last]

    def events(route: Route) -> None:
        if is_reached or len(told) == 1:
            body = f"event: progress\ndata: {json.dumps(told.pop(0))}\n\n"
            return route.fulfill(content_type=STREAM, body=body)
        told.pop(0)
        return route.abort()

    page.route("**/v1/runs?*", lambda route: route.fulfill(json={"items": [run], "next": ""}))
    page.route("**/v1/runs/j1", lambda route: route.fulfill(json=run))
    page.route("**/v1/runs/j1/events", events)
    seen.open(link)
    item = page.locator(".tray-item")
    expect(item).to_contain_text(LOST)
    expect(item).to_contain_text("9 files read, 12 passages")
    expect(page.locator(".tray-item.wrong")).to_have_count(0)
    seen.faults[:] = [fault for fault in seen.faults if "ERR_FAILED" not in fault]
