"""Names that mean to deceive: no letter that turns the order of others is shown in one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from e2e.service_process import Service

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]
STEERING = re.compile("[\u202a-\u202e\u2066-\u2069\x1b]")
TITLE = "invoice\u202efdp.exe \x1b[31mred"
SHOWN = "invoicefdp.exe [31mred"


def _steered(page: Page) -> list[str]:
    """Return what is written or named on the page with letters that steer."""
    said = page.evaluate(
        """() => [...document.querySelectorAll("body *:not(textarea)")].flatMap((each) => [
            [...each.childNodes].filter((one) => one.nodeType === Node.TEXT_NODE)
                .map((one) => one.data).join(""), each.title ?? "", each.ariaLabel ?? ""])"""
    )
    return [text for text in said if STEERING.search(text)]


def test_the_name_of_a_file_is_shown_as_its_letters_stand(
    visit: Begin, stocked: Service, link: str
) -> None:
    from playwright.sync_api import expect

    stocked.call("/v1/kb", {"name": "Deceit", "title": "Bills \u202eexe"})
    record = {
        "id": "bill\u202efdp.exe",
        "title": TITLE,
        "uri": "https://example.org/bill\u202efdp",
        "content": "# Tar \u202e\n\nThe customer of the tar is Petra Quill.",
    }
    handed = stocked.call("/v1/kb/Deceit/documents", {"records": [record]})
    stocked.ingested(handed["run_id"])
    seen = visit()
    seen.open(link)
    page = seen.page
    page.click("#pick")
    expect(page.locator("#bases")).to_contain_text("Bills exe")
    assert _steered(page) == []
    page.locator(".base", has_text="Bills").locator("button").click()
    expect(page.locator(".document-title")).to_have_text(SHOWN)
    assert _steered(page) == []
    page.keyboard.press("Escape")
    seen.ask("Who is the customer of the tar?")
    expect(page.locator(".source-title").first).to_have_text(SHOWN)
    page.locator(".cite").first.click()
    page.wait_for_selector("mark.now")
    expect(page.locator("#side-title")).to_have_text(SHOWN)
    stored = page.locator("#side-body .text").inner_text()
    assert [text for text in _steered(page) if text.strip() not in stored] == []
    page.locator(".copy").click()
    expect(page.locator(".copy")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert SHOWN in copied
    assert not STEERING.search(copied)


def test_a_question_from_right_to_left_is_written_from_there(visit: Begin, link: str) -> None:
    seen = visit()
    seen.open(link)
    page = seen.page
    way = "getComputedStyle(document.getElementById('question')).direction"
    assert page.evaluate(way) == "ltr"
    page.fill("#question", "من هو حارس المنارة؟")
    assert page.evaluate(way) == "rtl"
