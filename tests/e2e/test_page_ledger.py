"""The whole ledger on the page, and the original behind a cited page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.pictures import keep_picture
from e2e.service_process import Service
from unit.adapters.reader.samples import pdf

if TYPE_CHECKING:
    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]
FILES = {
    "birds.pdf": pdf(["Of herons.", "The heron keeper is Ada Brandt."], "Birds of the harbour"),
    "note.md": b"# Note\n\nThe note is about the pier.\n",
    "empty.txt": b"",
    "photo.png": b"\x89PNG\r\n\x1a\n" + b"\0" * 64,
    "tools/setup.exe": b"MZ\x90\0" * 64,
    "broken.docx": b"no zip at all, a plain text",
}


@pytest.fixture(scope="module")
def filled(stocked: Service, tmp_path_factory: pytest.TempPathFactory) -> Service:
    folder = tmp_path_factory.mktemp("birds")
    for name, data in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    stocked.call("/v1/kb", {"name": "Birds", "title": "Birds"})
    source = {"source": {"path": str(folder), "acl": ["tenant:*"]}}
    stocked.ingested(stocked.call("/v1/kb/Birds/documents", source)["run_id"])
    return stocked


def ledger_of(seen: Visit) -> None:
    seen.page.click("#pick")
    seen.page.locator(".base", has_text="Birds").locator("button").click()
    seen.page.wait_for_selector(".document")
    seen.page.click("#documents-ledger")
    seen.page.wait_for_selector("#ledger-rows tr")


@pytest.mark.parametrize("dark", [False, True])
def test_every_file_is_listed_with_its_reason_and_what_to_do(
    visit: Begin, filled: Service, link: str, dark: bool
) -> None:
    from playwright.sync_api import expect

    seen = visit(dark=dark)
    seen.open(link)
    page = seen.page
    ledger_of(seen)
    files = page.locator("#ledger-rows .path")
    assert files.all_inner_texts() == sorted(FILES)
    expect(page.locator("#ledger-sums")).to_contain_text("6 files: 2 documents, 3 passages, ")
    below = page.locator("#ledger-rows tr.said")
    expect(below.filter(has_text="PNG")).to_contain_text("WEFT_OCR=on")
    expect(below.filter(has_text="docx")).to_contain_text("save it again")
    keep_picture(page, f"ledger-{'dark' if dark else 'light'}")
    assert seen.violations() == []
    page.select_option("#ledger-state", "unread")
    expect(files).to_have_count(4)
    page.select_option("#ledger-state", "corrupt")
    expect(files).to_have_text(["broken.docx"])
    page.select_option("#ledger-state", "")
    page.fill("#ledger-search", "png image")
    expect(files).to_have_count(1)
    page.fill("#ledger-search", "nowhere")
    expect(page.locator("#ledger-none")).to_be_visible()
    page.click("#side-back")
    expect(page.locator(".document")).to_have_count(2)


def test_the_ledger_fits_a_phone(visit: Begin, filled: Service, link: str) -> None:
    seen = visit(viewport={"width": 390, "height": 800}, locale="ko-KR")
    seen.open(link)
    ledger_of(seen)
    keep_picture(seen.page, "ledger-phone")
    assert seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert seen.violations() == []


def test_the_original_is_opened_at_the_cited_page(
    visit: Begin, filled: Service, link: str, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    seen = visit(accept_downloads=True)
    seen.open(link)
    page = seen.page
    seen.ask("Who is the heron keeper?")
    page.locator(".turn .cite").first.click()
    opened = page.locator("#original")
    expect(opened).to_have_text("Open the original")
    address = str(opened.get_attribute("href"))
    assert address.endswith("/original#page=2")
    keep_picture(page, "original-link")
    sent = page.request.get(f"{filled.address}/{address.partition('#')[0]}")
    assert (sent.headers["content-type"], sent.body()) == ("application/pdf", FILES["birds.pdf"])


def test_what_a_browser_does_not_show_is_saved(visit: Begin, filled: Service, link: str) -> None:
    seen = visit(accept_downloads=True)
    seen.open(link)
    page = seen.page
    page.click("#pick")
    page.locator(".base", has_text="Birds").locator("button").click()
    page.locator(".document", has_text="Note").click()
    with page.expect_download() as saved:
        page.locator("#original", has_text="Save the original").click()
    assert saved.value.suggested_filename == "note.md"
    assert Path(saved.value.path()).read_bytes() == FILES["note.md"]
