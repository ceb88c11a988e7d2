"""The way through the page, from the printed link to the history after a restart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.service_process import Service

if TYPE_CHECKING:
    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]


def add_folder(visit: Visit, folder: Path) -> None:
    """Drop a folder into a new knowledge base and watch until it has been read."""
    from playwright.sync_api import expect

    visit.drop([folder])
    page = visit.page
    expect(page.locator("#adding")).to_be_visible()
    expect(page.locator("#adding-what")).to_contain_text("4 files")  # the hidden one stays out
    assert page.input_value("#adding-title-of-base") == "Harbour files"
    page.click("#adding-go")
    expect(page.locator(".tray-item progress")).to_be_visible()
    expect(page.locator(".tray-item.done")).to_contain_text("4 files read", timeout=60_000)


def open_citation(visit: Visit, service: Service) -> None:
    """Open the first citation and compare what is marked with what is stored."""
    from playwright.sync_api import expect

    page = visit.page
    page.click(".cite >> nth=0")
    mark = page.locator("mark.now")
    expect(mark).to_be_in_viewport()
    answer = service.call("/ask", {"question": "How many tonnes does the new crane lift?"})
    assert mark.inner_text() == answer["citations"][0]["snippet"]
    assert "120 tonnes" in mark.inner_text()
    page.keyboard.press("Escape")
    expect(page.locator("#side")).to_be_hidden()
    expect(page.locator(".cite >> nth=0")).to_be_focused()


@pytest.mark.parametrize("history", ["memory", "stored"])
def test_from_the_link_to_the_history_after_a_restart(
    service: Service, visit: Begin, folder: Path, *, history: str
) -> None:
    from playwright.sync_api import expect

    service.stop()
    service.settings = {"WEFT_HISTORY": history}
    link = service.start()
    seen = visit()
    seen.open(link)
    page = seen.page
    assert "key=" not in page.url
    if not service.call("/v1/kb")["items"]:
        add_folder(seen, folder)

    seen.ask("How many tonnes does the new crane lift?")
    expect(page.locator(".sentence").first).to_have_attribute("data-tier", "quote")
    open_citation(seen, service)

    seen.ask("Who is the king of Atlantis?")
    expect(page.locator(".turn").last.locator(".refusal")).to_contain_text("No answer was found")
    expect(page.locator(".turn").last.locator(".missing li").first).to_be_visible()

    service.stop()
    service.start()
    page.reload()
    seen.ready()
    kept = page.locator(".asked").all_inner_texts()
    asked = ["How many tonnes does the new crane lift?", "Who is the king of Atlantis?"]
    assert kept == (asked if history == "stored" else [])
    if kept:
        open_citation(seen, service)
        page.locator(".turn >> nth=0").locator(".source").first.click()
        expect(page.locator("mark.now")).to_contain_text("120 tonnes")
        expect(page.locator(".about .path")).to_have_text("harbour/works.md")
        assert seen.violations() == []


def test_a_link_opens_once(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    first, second = visit(), visit()
    first.open(link)
    expect(first.page.locator("#question")).to_be_focused()
    second.open(link)
    expect(second.page.locator("#door-title")).to_be_focused()
    expect(second.page.locator("#room")).to_be_hidden()
    assert second.violations() == []
