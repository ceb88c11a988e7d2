"""The page where something comes in between: a fault, a redraw, one question too many."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from e2e.service_process import Service

if TYPE_CHECKING:
    from playwright.sync_api import Route

    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]
KEEPER = "Who is the lighthouse keeper?"
CRANE = "How many tonnes does the new crane lift?"


def test_the_list_of_bases_closes_when_it_is_left(
    visit: Begin, stocked: Service, link: str
) -> None:
    from playwright.sync_api import expect

    stocked.call("/v1/kb", {"name": "Left"})
    seen = visit()
    page = seen.page
    seen.open(link)
    page.click("#pick")
    page.focus("#add")
    expect(page.locator("#bases")).to_be_hidden()
    page.click("#pick")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Escape")
    expect(page.locator("#bases")).to_be_hidden()
    expect(page.locator("#pick")).to_be_focused()
    page.click("#pick")
    chosen = page.locator(".base", has_text="Harbour files").locator("input")
    chosen.check()
    expect(page.locator("#bases")).to_be_visible()
    expect(page.locator("#picked")).to_have_attribute("title", "Harbour files")
    chosen.uncheck()
    expect(page.locator("#picked")).to_have_attribute("title", "")


@pytest.mark.parametrize("language", ["en-US", "ko-KR"])
def test_a_question_that_is_too_long_is_kept_and_said_to_be(
    visit: Begin, link: str, language: str
) -> None:
    from playwright.sync_api import expect

    seen = visit(locale=language)
    page = seen.page
    seen.open(link)
    page.fill("#question", "x" * 2001)
    expect(page.locator("#ask-note")).to_contain_text("2,001")
    page.press("#question", "Enter")
    expect(page.locator(".turn")).to_have_count(0)
    assert len(page.input_value("#question")) == 2001
    assert seen.violations() == []
    page.fill("#question", "x" * 2000)
    expect(page.locator("#ask-note")).to_be_hidden()


def test_what_is_chosen_while_a_question_runs_is_asked_next(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    page = seen.page
    seen.open(link)
    held: list[Route] = []
    page.route("**/v1/chat/message", lambda route: _hold(route, held))

    def begin(question: str) -> None:
        page.fill("#question", question)
        with page.expect_request("**/v1/chat/message"):
            page.press("#question", "Enter")

    begin("Who is the lighthouse keeper?")
    page.click("#stop")
    again = page.get_by_role("button", name="Ask again")
    expect(again).to_be_visible()
    begin("What does dredging cost?")
    again.click()
    expect(page.locator("#ask-note")).to_contain_text("Who is the lighthouse keeper?")
    held[1].continue_()
    page.unroute("**/v1/chat/message")
    expect(page.locator(".turn")).to_have_count(3)
    expect(page.locator(".turn").last).to_contain_text("Berta Lind")
    expect(page.locator("#ask-note")).to_be_hidden()


def test_a_new_conversation_begins_at_its_top(visit: Begin, link: str) -> None:
    seen = visit(viewport={"width": 390, "height": 420})
    page = seen.page
    seen.open(link)
    seen.ask("Who is the lighthouse keeper?")
    seen.ask("What does dredging cost?")
    page.click("#talks-switch")
    page.click("#talk-new")
    page.wait_for_selector("#hello", state="visible")
    assert page.evaluate("document.querySelector('.scroll').scrollTop") == 0


def test_arrows_scroll_what_is_wide_and_turn_no_page(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    page = seen.page
    seen.open(link)
    seen.ask("What does the new crane lift and what does dredging cost?")
    page.locator(".cite").first.click()
    page.wait_for_selector("mark.now")
    place = page.locator(".place").inner_text()
    page.evaluate(
        """() => {
            const made = document.createElement("div");
            made.className = "wide-table";
            made.tabIndex = 0;
            made.innerHTML = "<div id='within'>.</div>";
            made.firstChild.style.width = "4000px";
            document.querySelector(".turn").append(made);
            made.focus();
        }"""
    )
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('.turn .wide-table').scrollLeft > 0")
    expect(page.locator(".place")).to_have_text(place)


def test_leaving_the_field_of_a_title_saves_it_and_keeps_the_focus(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = seen.page
    for question in (KEEPER, CRANE):
        page.click("#talk-new")
        seen.ask(question)
    own = page.locator(".talk:has([aria-current])")
    own.locator(".talk-rename").click()
    page.keyboard.type("Lifting")
    page.click("#question")
    expect(own.locator(".talk-title")).to_have_text("Lifting")
    expect(page.locator("#question")).to_be_focused()
    page.keyboard.type("typed")
    expect(page.locator("#question")).to_have_value("typed")
    expect(page.locator(".talk-name")).to_have_count(0)
    own.locator(".talk-rename").click()
    page.locator(".talk", has_text=KEEPER).first.locator(".talk-open").click()
    expect(page.locator(".asked")).to_have_text(KEEPER)


def test_an_answer_that_comes_spares_the_title_that_is_written(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = seen.page
    seen.ask(KEEPER)
    held: list[Route] = []
    page.route("**/v1/chat/message", lambda route: _hold(route, held))
    page.fill("#question", CRANE)
    with page.expect_request("**/v1/chat/message"):
        page.press("#question", "Enter")
    page.locator(".talk:has([aria-current]) .talk-rename").click()
    page.keyboard.type("Keep")
    with page.expect_response("**/v1/conversations?everywhere=true*"):
        held[0].continue_()
    expect(page.locator(".turn").last.locator(".foot")).to_be_visible()
    page.keyboard.type("er")
    expect(page.locator(".talk-name")).to_have_value("Keeper")
    page.keyboard.press("Enter")
    expect(page.locator(".talk:has([aria-current]) .talk-title")).to_have_text("Keeper")


def test_what_the_service_does_not_do_is_said(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = seen.page
    seen.ask(KEEPER)
    own = page.locator(".talk:has([aria-current])")
    page.click("#talk-new")
    said = "The service does not answer. Is it running?"
    page.route("**/chat/history?*", lambda route: route.abort())
    page.route("**/v1/me", lambda route: route.abort())
    page.locator(".talk", has_text=KEEPER).first.locator(".talk-open").click()
    expect(page.locator("#thread .fault")).to_contain_text(said)
    expect(page.locator("#hello")).to_be_hidden()
    assert page.locator("#news").inner_text() != "Conversation opened."
    own.locator(".talk-rename").click()
    page.keyboard.type("Another title")
    page.keyboard.press("Enter")
    expect(page.locator("#talks-fault")).to_have_text(said)
    expect(own.locator(".talk-title")).to_have_text(KEEPER)
    own.locator(".talk-delete").click()
    expect(page.locator("#deleting")).to_be_visible()
    page.locator("#deleting button[value=yes]").click()
    expect(page.locator("#talks-fault")).to_have_text(said)
    page.click("#person")
    page.click("#sign-out")
    expect(page.locator("#who-fault")).to_have_text(said)
    page.click("#who-close")
    page.unroute("**/chat/history?*")
    page.unroute("**/v1/me")
    page.locator("#thread .fault button").click()
    expect(page.locator(".asked")).to_have_text(KEEPER)
    expect(page.locator("#thread > .fault")).to_have_count(0)
    assert all("ERR_FAILED" in fault for fault in seen.faults)
    seen.faults.clear()


def _hold(route: Route, held: list[Route]) -> None:
    """Let a request wait until the test lets it go on."""
    held.append(route)
