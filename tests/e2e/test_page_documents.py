"""Knowledge bases and their documents on the page: named, listed, searched, opened, added to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.service_process import Service

if TYPE_CHECKING:
    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]
KO = "제목이나 경로에 "
SAY = """async ([language, key, values]) => {
    const { speak, t, spoken } = await import("/page/texts.js");
    const before = spoken();
    speak(language);
    const said = t(key, values);
    speak(before);
    return said;
}"""


def documents_of(seen: Visit, base: str) -> None:
    """Open the list of the documents of a knowledge base."""
    seen.page.click("#pick")
    seen.page.locator(".base", has_text=base).locator("button").click()
    seen.page.wait_for_selector(".document")


def test_documents_are_listed_with_readers_and_state_and_open(
    visit: Begin, stocked: Service, link: str, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    (tmp_path / "kept.md").write_text("# Kept\n\nThe keeper of the kept is Ada.\n")
    (tmp_path / "locked.md").write_text("# Locked\n\nThe vault code is in the drawer.\n")
    (tmp_path / "tool.exe").write_bytes(b"MZ\x90\0" * 64)
    (tmp_path / "weft.acl.yaml").write_text(
        "default: ['tenant:*']\npaths:\n  locked.md: ['user:owner']\n"
    )
    stocked.call("/v1/kb", {"name": "Mixed", "title": "Vermischtes für alle"})
    source = {"source": {"path": str(tmp_path), "acl": ["tenant:*"]}}
    stocked.ingested(stocked.call("/v1/kb/Mixed/documents", source)["run_id"])
    seen = visit()
    seen.open(link)
    page = seen.page
    documents_of(seen, "Vermischtes für alle")
    expect(page.locator("#side-title")).to_have_text("Vermischtes für alle")
    rows = page.locator(".document")
    expect(rows.filter(has_text="Kept").locator(".document-about")).to_have_text(
        "Everyone may read it1 passage"
    )
    expect(rows.filter(has_text="Locked").locator(".document-about")).to_have_text(
        "Readers: owner1 passage"
    )
    page.locator("#documents-unread summary").click()
    expect(page.locator("#documents-unread summary")).to_have_text("2 files that gave no text")
    expect(page.locator("#documents-unread li").first).to_contain_text("tool.exe")
    page.fill("#documents-search", "locked")
    expect(rows).to_have_count(1)
    rows.first.click()
    expect(page.locator("#side-body")).to_contain_text("The vault code is in the drawer.")
    page.click("#side-back")
    expect(page.locator("#documents-search")).to_have_value("locked")
    page.fill("#documents-search", "nowhere")
    expect(page.locator("#documents-none")).to_contain_text("“nowhere”")
    assert seen.violations() == []


def test_documents_come_page_by_page(visit: Begin, stocked: Service, link: str) -> None:
    from playwright.sync_api import expect

    stocked.call("/v1/kb", {"name": "Many"})
    records = [
        {"id": f"n{n:03}", "title": f"Note {n:03}", "content": f"Note {n} is short."}
        for n in range(45)
    ]
    stocked.ingested(stocked.call("/v1/kb/Many/documents", {"records": records})["run_id"])
    seen = visit()
    seen.open(link)
    page = seen.page
    documents_of(seen, "Many")
    expect(page.locator(".document")).to_have_count(40)
    page.locator("#documents-more").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".document")).to_have_count(45)
    expect(page.locator(".document").nth(40)).to_be_focused()
    expect(page.locator("#documents-more")).to_be_hidden()


def test_a_folder_is_called_by_its_path(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit(viewport={"width": 390, "height": 800})
    path = "/home/someone/Documents/a long way down/to the folder"
    base = {
        "id": "Tothefolder", "name": "Tothefolder", "title": "to the folder", "folder": path,
        "created": "2026-01-01T00:00:00Z", "documents": 1, "chunks": 1, "readiness": "ready",
        "reason": "",
    }  # fmt: skip
    named = {**base, "id": "Other", "name": "Other", "title": "사내 위키"}
    reply = {"items": [base, named], "next": ""}
    seen.page.route("**/v1/kb?*", lambda route: route.fulfill(json=reply))
    seen.page.route("**/v1/suggestions?*", lambda route: route.fulfill(json={"items": []}))
    seen.open(link)
    page = seen.page
    page.click("#pick")
    names = page.locator(".base .option-name")
    assert names.all_inner_texts() == [path, "사내 위키"]
    page.locator(".base input").first.check()
    expect(page.locator("#picked")).to_have_text(path)
    page.keyboard.press("Escape")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert seen.violations() == []


def test_adding_asks_where_to_and_takes_any_title(
    visit: Begin, stocked: Service, link: str, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    note = tmp_path / "note.md"
    note.write_text("# Note\n\nThe note is about herons.\n")
    stocked.call("/v1/kb", {"name": "Second", "title": "A second one"})
    seen = visit()
    seen.open(link)
    page = seen.page
    page.set_input_files("#files", note)
    expect(page.locator("#adding-base")).to_be_focused()
    page.click("#adding-go")
    expect(page.locator("#adding-fault")).to_have_text("Choose a knowledge base")
    page.select_option("#adding-base", "")
    page.fill("#adding-title-of-base", "  ")
    page.click("#adding-go")
    expect(page.locator("#adding-fault")).to_contain_text("a title")
    page.fill("#adding-title-of-base", "A second one")
    page.click("#adding-go")
    expect(page.locator("#adding-fault")).to_contain_text("already")
    for title in ("사내 위키 (2026)", "Second", "2. Handbuch für Köche"):
        page.fill("#adding-title-of-base", title)
        assert seen.violations() == []
        page.click("#adding-go")
        card = page.locator(".tray-item.done").last
        expect(card.locator("strong")).to_have_text(title, timeout=60_000)
        expect(card).to_contain_text("1 file read")
        page.set_input_files("#files", note)
        page.select_option("#adding-base", "")
    bases = stocked.call("/v1/kb")["items"]
    made = {base["title"]: base["name"] for base in bases}
    assert {"사내 위키 (2026)", "Second", "2. Handbuch für Köche"} <= made.keys()
    assert all(re.fullmatch("[A-Za-z][A-Za-z0-9]*", name) for name in made.values())


@pytest.mark.parametrize(
    ("language", "key", "values", "said"),
    [
        ("en", "base_counts", {"documents": 0}, "0 documents"),
        ("en", "base_counts", {"documents": 1}, "1 document"),
        ("en", "base_counts", {"documents": 12345}, "12,345 documents"),
        ("ko", "base_counts", {"documents": 1}, "문서 1개"),
        ("en", "said_answer", {"sentences": 1, "sources": 1}, "Answer: 1 sentence, 1 source."),
        ("en", "said_answer", {"sentences": 2, "sources": 0}, "Answer: 2 sentences, 0 sources."),
        ("ko", "passages", {"count": 0}, "구절 0개"),
        ("en", "step_facts", {"count": 1}, "1 event"),
        ("en", "documents_unread", {"count": 2}, "2 files that gave no text"),
        ("ko", "documents_none_for", {"q": "항만"}, f"{KO}“항만”이 있는 문서가 없습니다."),
        ("ko", "documents_none_for", {"q": "부두"}, f"{KO}“부두”가 있는 문서가 없습니다."),
        ("ko", "documents_none_for", {"q": "pier"}, f"{KO}“pier”이(가) 있는 문서가 없습니다."),
    ],
)  # fmt: skip
def test_numbers_and_particles_fit(
    visit: Begin, link: str, language: str, key: str, values: dict[str, object], said: str
) -> None:
    seen = visit()
    seen.open(link)
    assert seen.page.evaluate(SAY, [language, key, values]) == said


def test_a_phone_is_not_told_to_drop_a_folder(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    seen.open(link)
    page = seen.page
    page.click("#talk-new") if page.locator("#talk-new").is_visible() else None
    expect(page.locator("#drop")).to_contain_text("Choose files on this device.")
    expect(page.get_by_text("Drop a folder here")).to_be_hidden()
    expect(page.locator(".keys")).to_be_hidden()
    page.click("#drop")
    expect(page.locator("#choose-files")).to_be_visible()
    assert json.loads(page.evaluate("String(document.documentElement.scrollWidth <= innerWidth)"))
    assert seen.violations() == []
