"""The page in the colours of the system: what a colour or a shadow tells is told by a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]
STYLE = """([name, property]) =>
    getComputedStyle(document.querySelector(name)).getPropertyValue(property)"""


def test_what_has_the_focus_or_is_chosen_is_seen(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit(forced_colors="active")
    seen.open(link)
    page = seen.page

    def style(name: str, kind: str) -> str:
        return str(page.evaluate(STYLE, [name, kind]))

    expect(page.locator("#question")).to_be_focused()
    assert style(".composer", "outline-style") == "solid"
    page.locator("#add").focus()
    assert style(".composer", "outline-style") == "none"
    seen.ask("Who is the lighthouse keeper?")
    expect(page.locator(".talk [aria-current]")).to_have_count(1)
    assert style(".talk:has([aria-current])", "outline-style") == "solid"
    page.locator(".cite").first.click()
    page.wait_for_selector("mark.now")
    assert "underline" in style("mark.now", "text-decoration-line")
    page.click("#stored-text")
    assert style("#stored-text", "outline-style") == "solid"
    assert seen.violations() == []
