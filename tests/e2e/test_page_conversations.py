"""Past conversations on the page: listed, opened, renamed, deleted, and as they were on return."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from e2e.service_process import Service
from weft.platform.people.invitation import invite

if TYPE_CHECKING:
    from playwright.sync_api import Route

    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]
KEEPER = "Who is the lighthouse keeper?"
CRANE = "How many tonnes does the new crane lift?"
ATLANTIS = "Who is the king of Atlantis?"
NEAR = "When was the ferry built?"
SO_MANY = """async (title) => {
    const all = await (await fetch("v1/conversations?everywhere=true&limit=200")).json();
    return all.items.filter((each) => each.title === title).length;
}"""


def text_of(seen: Visit) -> str:
    """Return what the thread shows, but for what takes another time each time."""
    return str(seen.page.locator("#thread").inner_text())


def test_conversations_are_listed_opened_renamed_and_deleted(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = seen.page
    seen.ask(KEEPER)
    first = page.locator(".talk").first
    expect(first.locator(".talk-title")).to_have_text(KEEPER)
    expect(first.locator(".talk-open")).to_have_attribute("aria-current", "true")
    page.click("#talk-new")
    expect(page.locator(".turn")).to_have_count(0)
    expect(page.locator("#hello")).to_be_visible()
    seen.ask(CRANE)
    # How many are listed below depends on those that were there: a long list is shown in parts.
    titles = page.locator(".talk-title")
    expect(titles.nth(0)).to_have_text(CRANE)
    expect(titles.nth(1)).to_have_text(KEEPER)
    page.locator(".talk", has_text=KEEPER).first.locator(".talk-open").click()
    expect(page.locator(".asked")).to_have_text(KEEPER)
    expect(page.locator("#question")).to_be_focused()

    renamed = page.locator(".talk:has([aria-current])")
    # The two stand side by side at the end of the row, beside what it says.
    name, gone = (renamed.locator(one).bounding_box() for one in (".talk-rename", ".talk-delete"))
    row = renamed.bounding_box()
    assert name is not None and gone is not None and row is not None  # noqa: PT018
    assert row["x"] + row["width"] / 2 < name["x"] < name["x"] + name["width"] <= gone["x"]
    renamed.locator(".talk-rename").click()
    page.keyboard.type("등대지기 <b>Berta</b>")
    page.keyboard.press("Enter")
    expect(renamed.locator(".talk-title")).to_have_text("등대지기 <b>Berta</b>")
    expect(renamed.locator(".talk-rename")).to_be_focused()
    renamed.locator(".talk-rename").click()
    page.keyboard.type("not kept")
    page.keyboard.press("Escape")
    expect(renamed.locator(".talk-title")).to_have_text("등대지기 <b>Berta</b>")

    renamed.locator(".talk-delete").click()
    expect(page.locator("#deleting-what")).to_have_text("등대지기 <b>Berta</b>")
    page.keyboard.press("Escape")
    expect(titles.filter(has_text="등대지기")).to_have_count(1)
    renamed.locator(".talk-delete").click()
    page.locator("#deleting button[value=yes]").click()
    expect(titles.filter(has_text="등대지기")).to_have_count(0)
    expect(page.locator(".turn")).to_have_count(0)
    page.reload()
    seen.ready()
    expect(page.locator(".turn")).to_have_count(0)
    expect(page.locator(".talk", has_text="등대지기")).to_have_count(0)


def test_another_browser_of_the_same_person_has_them_too(
    visit: Begin, stocked: Service, link: str
) -> None:
    from playwright.sync_api import expect

    seen, other = visit(), visit()
    seen.open(link)
    seen.ask("What does dredging cost?")
    other.open(f"{stocked.address}/?key={invite(stocked.home)}")
    expect(other.page.locator(".turn")).to_have_count(0)
    other.page.locator(".talk", has_text="dredging").first.locator(".talk-open").click()
    expect(other.page.locator(".asked")).to_have_text("What does dredging cost?")
    assert other.violations() == []


@pytest.mark.parametrize("language", ["en-US", "ko-KR"])
def test_memory_is_said_to_be_gone_with_the_service(
    service: Service, visit: Begin, language: str
) -> None:
    from playwright.sync_api import expect

    if service.process is None:
        service.settings = {"WEFT_HISTORY": "memory", "WEFT_HISTORY_HOURS": "1"}
        service.start()
    seen = visit(locale=language)
    seen.open(f"{service.address}/?key={invite(service.home)}")
    said = "for 1 hour at most." if language == "en-US" else "길어도 1시간 동안"
    expect(seen.page.locator("#talks-kept")).to_contain_text(said)
    assert seen.violations() == []


def test_a_stored_history_is_not_said_to_go(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    expect(seen.page.locator("#talks-kept")).to_be_hidden()


def test_nothing_is_lost_when_the_page_is_loaded_anew(
    visit: Begin, stocked: Service, link: str
) -> None:
    from playwright.sync_api import expect

    stocked.call("/v1/kb", {"name": "Spare"})
    seen = visit()
    seen.open(link)
    page = seen.page
    for question in (CRANE, NEAR, ATLANTIS):
        seen.ask(question)
    assert page.locator(".nearest .found").count() > 0
    said = text_of(seen)
    page.click("#pick")
    page.locator(".base", has_text="Harbour files").locator("input").check()
    page.keyboard.press("Escape")
    page.click("#language")
    page.click("#language")
    page.click("#theme-switch")
    theme = page.locator("html").get_attribute("data-theme")
    page.locator(".turn").nth(1).locator(".cite").first.click()
    page.wait_for_selector("mark.now")
    marked = page.locator("mark.now").all_inner_texts()
    page.fill("#question", "a draft\nof two lines")
    page.reload()
    seen.ready()
    assert text_of(seen) == said
    expect(page.locator("#question")).to_have_value("a draft\nof two lines")
    expect(page.locator("#picked")).to_have_text("Harbour files")
    expect(page.locator("html")).to_have_attribute("data-theme", theme or "")
    page.wait_for_selector("mark.now")
    assert page.locator("mark.now").all_inner_texts() == marked
    page.keyboard.press("Escape")
    expect(page.locator("#side")).to_be_hidden()
    page.reload()
    seen.ready()
    expect(page.locator("#side")).to_be_hidden()


def test_the_place_in_a_document_is_kept(visit: Begin, link: str) -> None:
    seen = visit(viewport={"width": 1280, "height": 420})
    seen.open(link)
    page = seen.page
    page.click("#pick")
    page.locator(".base", has_text="Harbour files").locator("button").click()
    page.locator(".document", has_text="hostile").click()
    page.wait_for_selector(".text")
    page.evaluate("document.getElementById('side-body').scrollTop = 300")
    page.reload()
    seen.ready()
    page.wait_for_selector(".text")
    assert page.evaluate("document.getElementById('side-body').scrollTop") == 300
    page.click("#side-back")
    page.wait_for_selector(".document")


def test_a_question_goes_on_while_the_page_is_loaded_anew(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = seen.page
    page.fill("#question", KEEPER)
    with page.expect_response("**/v1/chat/message"):
        page.press("#question", "Enter")
    expect(page.locator(".turn")).to_have_count(1)
    page.reload()
    seen.ready()
    expect(page.locator(".asked").last).to_have_text(KEEPER)
    expect(page.locator(".turn").last).to_contain_text("Berta Lind")


@pytest.mark.parametrize("empty", [1, 2])
def test_a_question_under_way_is_followed_to_its_end(
    visit: Begin, stocked: Service, link: str, empty: int
) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    seen.ask(CRANE)
    page = seen.page
    known = json.loads(page.evaluate("JSON.stringify(Object.entries(localStorage))"))
    conversation = dict(known)["weft.conversation"]
    answered = page.request.get(f"{stocked.address}/chat/history?conversation_id={conversation}")
    messages = answered.json()["messages"]
    run = messages[-1]["run_id"]
    looks: list[int] = []

    def history(route: Route) -> None:
        looks.append(1)
        # At first the answer is not there yet: it comes right behind the first look, or later.
        route.fulfill(json={"messages": messages if len(looks) > empty else []})

    page.route("**/chat/history?*", history)
    note = json.dumps({conversation: {"run": run, "question": CRANE}})
    page.evaluate("note => localStorage.setItem('weft.running', note)", note)
    page.reload()
    seen.ready()
    expect(page.locator(".asked")).to_have_text(CRANE)
    expect(page.locator(".turn")).to_contain_text("120 tonnes")
    assert page.evaluate("localStorage.getItem('weft.running')") == "{}"
    expect(page.locator("#send")).to_be_visible()


def test_turning_to_another_conversation_does_not_stop_a_question(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = seen.page
    earlier = page.evaluate(SO_MANY, CRANE)
    page.fill("#question", CRANE)
    with page.expect_response("**/v1/chat/message"):
        page.press("#question", "Enter")
    page.click("#talk-new")
    expect(page.locator(".turn")).to_have_count(0)
    expect(page.locator("#send")).to_be_visible()
    seen.ask(KEEPER)
    expect(page.locator(".turn")).to_have_count(1)
    # It has its title when it is answered, which may be after the list was drawn last.
    named = f"async ([title, many]) => await ({SO_MANY})(title) === many"
    page.wait_for_function(named, arg=[CRANE, earlier + 1])
    page.reload()
    seen.ready()
    # Both are the last that were talked in; of what other tests asked the list may show a part.
    own = page.locator(".talk:nth-child(-n + 2)", has_text=CRANE)
    expect(own).to_have_count(1)
    own.locator(".talk-open").click()
    expect(page.locator(".asked")).to_have_text(CRANE)
    expect(page.locator(".turn")).to_contain_text("120 tonnes")


def test_what_stood_open_is_found_again_by_its_answer(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = seen.page
    seen.ask(KEEPER)
    seen.ask(CRANE)
    page.locator(".turn").nth(0).locator(".cite").first.click()
    page.wait_for_selector("mark.now")
    page.locator(".turn").nth(1).locator(".cite").first.click()
    expect(page.locator("mark.now").first).to_contain_text("120")
    marked = page.locator("mark.now").all_inner_texts()
    # Of the answer before it there is one button less now, as after a change of the page.
    page.evaluate("addEventListener('pagehide', () => document.querySelector('.copy').remove())")
    page.reload()
    seen.ready()
    page.wait_for_selector("mark.now")
    assert page.locator("mark.now").all_inner_texts() == marked
    assert page.evaluate("document.querySelector('.turn:first-child .copy').innerText") == (
        "Copy with citations"
    )
