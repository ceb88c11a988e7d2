"""The browser's way back on a narrow page: out of what covers it, not away from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]
PHONE = {"width": 360, "height": 740}
KEEPER = "Who is the lighthouse keeper?"
AWAY = "about:blank"


@pytest.mark.parametrize("is_loaded_anew", [False, True])
def test_it_closes_what_covers_the_page(visit: Begin, link: str, *, is_loaded_anew: bool) -> None:
    from playwright.sync_api import expect

    seen = visit(viewport=PHONE)
    seen.open(link)
    page = seen.page
    address = page.url
    seen.ask(KEEPER)
    page.locator(".cite").first.click()
    page.wait_for_selector("mark.now")
    if is_loaded_anew:
        page.reload()
        seen.ready()
        page.wait_for_selector("mark.now")
    page.go_back()
    expect(page.locator("#side")).to_be_hidden()
    expect(page.locator(".cite").first).to_be_focused()
    page.click("#talks-switch")
    expect(page.locator("#talks")).to_be_visible()
    page.go_back()
    expect(page.locator("#talks")).to_be_hidden()
    expect(page.locator("#talks-switch")).to_be_focused()
    assert page.url == address
    expect(page.locator(".turn")).to_contain_text("Berta Lind")
    page.go_back()
    page.wait_for_url(AWAY)


def test_what_was_closed_otherwise_leaves_no_place_behind(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit(viewport=PHONE)
    seen.open(link)
    page = seen.page
    seen.ask(KEEPER)
    for _ in range(2):
        page.locator(".cite").first.click()
        page.wait_for_selector("mark.now")
        page.keyboard.press("Escape")
        page.wait_for_function("() => history.state === null")
        page.click("#talks-switch")
        page.locator(".talk-open").first.click()
        page.wait_for_function("() => history.state === null")
        expect(page.locator(".turn")).to_contain_text("Berta Lind")
    page.locator(".cite").first.click()
    # What stands beside a wide page is no place of its own.
    page.set_viewport_size({"width": 1280, "height": 800})
    page.wait_for_function("() => history.state === null")
    expect(page.locator("#side")).to_be_visible()
    page.go_back()
    page.wait_for_url(AWAY)
