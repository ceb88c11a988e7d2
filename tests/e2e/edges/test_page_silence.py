"""Nothing on the page fails in silence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from e2e.service_process import Service

if TYPE_CHECKING:
    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]
KEEPER = "Who is the lighthouse keeper?"
AWAY = "The service does not answer. Is it running?"


def test_that_nobody_can_sign_in_now_is_said(visit: Begin, stocked: Service) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(stocked.address)
    page = seen.page
    page.route("**/v1/sign-in", lambda route: route.abort())
    page.fill("#sign-in-name", "ada")
    page.fill("#sign-in-password", "a long enough password")
    page.keyboard.press("Enter")
    expect(page.locator("#sign-in-fault")).to_have_text(AWAY)
    page.click("#language")
    expect(page.locator("#sign-in-fault")).to_contain_text("서비스가 응답하지 않습니다")
    seen.faults[:] = [fault for fault in seen.faults if "ERR_FAILED" not in fault]


REFUSE = """([isThere]) => {
    const no = () => Promise.reject(new DOMException("no", "NotAllowedError"));
    Object.defineProperty(navigator, "clipboard", { value: { writeText: no } });
    if (!isThere) document.execCommand = () => false;
}"""


@pytest.mark.parametrize(("is_there", "told"), [(True, "Copied"), (False, "does not let it")])
def test_whether_an_answer_was_copied_is_said(
    visit: Begin, link: str, *, is_there: bool, told: str
) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = seen.page
    seen.ask(KEEPER)
    page.evaluate(REFUSE, [is_there])
    page.locator(".copy").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".copy")).to_contain_text(told)
    expect(page.locator("#news")).to_contain_text(told)
    expect(page.locator(".copy")).to_be_focused()


def test_that_nothing_could_be_listed_is_said(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    page = seen.page
    seen.open(link)
    seen.ask(KEEPER)
    for path in ("**/v1/kb?*", "**/v1/conversations?*"):
        page.route(path, lambda route: route.abort())
    page.reload()
    seen.ready()
    # That it is not listed now does not mean that the conversation is gone.
    expect(page.locator(".turn")).to_contain_text("Berta Lind")
    expect(page.locator("#talks-fault")).to_have_text(AWAY)
    page.click("#pick")
    expect(page.locator("#bases .fault")).to_contain_text(AWAY)
    assert seen.violations() == []
    page.unroute("**/v1/kb?*")
    page.unroute("**/v1/conversations?*")
    page.locator("#bases .fault button").click()
    expect(page.locator(".base").first).to_be_visible()
    page.keyboard.press("Escape")
    seen.ask(KEEPER)
    expect(page.locator(".talk").first).to_contain_text(KEEPER)
    expect(page.locator("#talks-fault")).to_have_text("")
    seen.faults[:] = [fault for fault in seen.faults if "ERR_FAILED" not in fault]
