"""The page in several tabs: whose it is, and which conversation it shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from e2e.service_process import Service

if TYPE_CHECKING:
    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]
KEEPER = "Who is the lighthouse keeper?"
CRANE = "How many tonnes does the new crane lift?"
NEAR = "When was the ferry built?"


@pytest.fixture(scope="module")
def ada_and_bo(stocked: Service) -> None:
    """Let two more people sign in."""
    for name in ("ada", "bo"):
        made = {"name": name, "password": f"the password of {name}", "roles": ["user"]}
        stocked.call("/v1/admin/users", made)


@pytest.mark.usefixtures("ada_and_bo")
def test_a_tab_notices_that_somebody_else_signed_in(visit: Begin, stocked: Service) -> None:
    from playwright.sync_api import expect

    seen = visit()
    page = seen.page
    page.goto(stocked.address)
    _enter(seen, "ada")
    seen.ask("Who is the lighthouse keeper?")
    page.fill("#question", "A draft of hers")
    other = page.context.new_page()
    other.goto(stocked.address)
    other.wait_for_selector("html[data-ready]")
    other.click("#person")
    other.click("#sign-out")
    expect(page.locator("#door")).to_be_visible()
    _enter(seen, "bo")
    expect(page.locator(".turn")).to_have_count(0)
    expect(page.locator("#question")).to_have_value("")
    # Without any sign of it in this browser, as by a link that is opened in another tab.
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url) if "chat/message" in sent.url else None)
    page.fill("#question", "A question of his")
    known = {"name": "ada", "password": "the password of ada"}
    origin = {"Origin": stocked.address}
    assert page.request.post(f"{stocked.address}/v1/sign-in", data=known, headers=origin).ok
    page.press("#question", "Enter")
    expect(page.locator("#person-name")).to_have_text("ada")
    seen.ready()
    expect(page.locator("#question")).to_have_value("")
    assert asked == []


@pytest.mark.usefixtures("ada_and_bo")
def test_a_question_outlives_the_session_for_its_own_person(visit: Begin, stocked: Service) -> None:
    from playwright.sync_api import expect

    seen = visit()
    page = seen.page
    page.goto(stocked.address)
    _enter(seen, "ada")
    page.fill("#question", "What does dredging cost?")
    page.context.clear_cookies()
    page.press("#question", "Enter")
    expect(page.locator("#door")).to_be_visible()
    page.reload()
    expect(page.locator("#door")).to_be_visible()
    _enter(seen, "ada")
    expect(page.locator("#question")).to_have_value("What does dredging cost?")
    page.context.clear_cookies()
    page.press("#question", "Enter")
    expect(page.locator("#door")).to_be_visible()
    _enter(seen, "bo")
    expect(page.locator("#question")).to_have_value("")
    expect(page.locator(".turn")).to_have_count(0)


def test_a_tab_keeps_its_conversation_whatever_another_opens(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    seen.ask(KEEPER)
    other = seen.page.context.new_page()
    other.goto(seen.page.url)
    other.wait_for_selector("html[data-ready]")
    expect(other.locator(".asked")).to_have_text([KEEPER])
    seen.page.click("#talk-new")
    seen.ask(CRANE)
    other.fill("#question", NEAR)
    other.press("#question", "Enter")
    expect(other.locator(".turn").last.locator(".foot")).to_be_visible()
    other.reload()
    other.wait_for_selector("html[data-ready]")
    expect(other.locator(".asked")).to_have_text([KEEPER, NEAR])
    seen.page.reload()
    seen.ready()
    expect(seen.page.locator(".asked")).to_have_text([CRANE])


def test_a_conversation_that_another_tab_deleted_is_begun_anew(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    seen.ask(CRANE)
    deleted = """async (id) =>
        (await fetch(`v1/conversations/${id}`, { method: "DELETE" })).status"""
    page = seen.page
    assert page.evaluate(deleted, page.evaluate("sessionStorage['weft.conversation']")) == 204
    page.fill("#question", KEEPER)
    page.press("#question", "Enter")
    expect(page.locator(".asked")).to_have_text([KEEPER])
    expect(page.locator(".turn")).to_contain_text("Berta Lind")
    expect(page.locator(".turn > .hint")).to_contain_text("deleted elsewhere")
    assert all("404 (Not Found)" in fault for fault in seen.faults)
    seen.faults.clear()
    seen.ask(CRANE)
    page.reload()
    seen.ready()
    expect(page.locator(".asked")).to_have_text([KEEPER, CRANE])


def _enter(seen: Visit, name: str) -> None:
    from playwright.sync_api import expect

    _sign_in(seen, name, f"the password of {name}")
    expect(seen.page.locator("#person-name")).to_have_text(name)
    seen.ready()


def _sign_in(seen: Visit, name: str, password: str) -> None:
    seen.page.fill("#sign-in-name", name)
    seen.page.fill("#sign-in-password", password)
    seen.page.locator("#sign-in button[type=submit]").click()
