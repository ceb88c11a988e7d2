"""The page for everyone: axe finds nothing, keys reach everything, it fits a small screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.pictures import keep_picture

if TYPE_CHECKING:
    from e2e.page_driver import Visit
    from e2e.service_process import Service

Begin = Callable[..., "Visit"]
PHONE = {"width": 390, "height": 740}
NARROWEST = {"width": 360, "height": 740}
# The parts scroll, the page itself stays where it is and is never wider than the screen.
BEYOND = """Math.max(
    document.documentElement.scrollWidth - innerWidth, scrollY, document.body.scrollTop
)"""
DESK = {"width": 1280, "height": 840}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE, NARROWEST], ids=["desk", "phone", "narrowest"])
def test_axe_finds_no_violation(
    visit: Begin, link: str, request: pytest.FixtureRequest, *, dark: bool, size: dict[str, int]
) -> None:
    seen = visit(dark=dark, viewport=size)
    page = seen.page
    found: dict[str, object] = {}

    def look(state: str) -> None:
        beyond = page.evaluate(BEYOND)
        keep_picture(page, f"{state}-{request.node.callspec.id}")
        found[state] = [*seen.violations(), *(["does not fit the screen"] if beyond > 0 else [])]

    seen.open(link)
    look("beginning")
    seen.ask("Who is the lighthouse keeper?")
    look("answer")
    page.click(".cite >> nth=0")
    page.wait_for_selector("mark.now")
    look("document")
    page.keyboard.press("Escape")
    seen.ask("Who is the king of Atlantis?")
    look("refusal")
    page.locator(".turn").last.get_by_role("button", name="How this was found").click()
    page.wait_for_selector(".step")
    page.locator("#side summary").first.click()
    look("trace")
    page.keyboard.press("Escape")
    if page.locator("#talks").is_hidden():
        page.click("#talks-switch")
    look("conversations")
    page.locator(".talk-rename").first.click()
    look("renaming")
    page.keyboard.press("Escape")
    page.locator(".talk-delete").first.click()
    look("deleting")
    page.keyboard.press("Escape")
    if size is not DESK:
        page.click("#talks-close")
    page.click("#pick")
    look("bases")
    page.locator("#bases .base", has_text="Harbour files").get_by_role("button").click()
    page.wait_for_selector(".document")
    look("documents")
    page.locator(".document", has_text="works").click()
    page.wait_for_selector(".text.marked h3")
    look("reader")
    page.click("#stored-text")
    look("stored text")
    page.keyboard.press("Escape")
    page.click("#add")
    page.select_option("#adding-base", "")
    look("adding")
    assert not {state: faults for state, faults in found.items() if faults}


def test_the_keyboard_alone_is_enough(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page, keys = seen.page, seen.page.keyboard
    keys.type("What does dredging cost?")
    keys.press("Shift+Enter")
    assert page.input_value("#question").endswith("\n")
    keys.press("Enter")
    expect(page.locator(".foot")).to_be_visible()
    page.locator(".cite").first.focus()
    keys.press("Enter")
    expect(page.locator("mark.now")).to_be_in_viewport()
    expect(page.locator("#side-title")).to_be_focused()
    keys.press("/")
    expect(page.locator("#question")).to_be_focused()
    assert page.input_value("#question") == ""
    keys.press("Escape")
    expect(page.locator("#side")).to_be_hidden()


def test_the_page_speaks_korean(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit(locale="ko-KR")
    seen.open(link)
    page = seen.page
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    seen.ask("새 크레인의 최대 하중은 얼마인가?")
    expect(page.locator(".tier").first).to_have_text("인용")
    page.click(".sentence:has-text('120톤') .cite")
    expect(page.locator("mark.now")).to_contain_text("120톤")
    assert seen.violations() == []
    page.keyboard.press("Escape")
    page.click("#pick")
    debate = page.locator(".agent-option", has_text="debate").locator(".option-note")
    expect(debate).to_contain_text("지식 베이스마다")
    page.click("#language")
    expect(debate).to_contain_text("Asks one agent for each knowledge base")
    expect(page.locator(".tier").first).to_have_text("Quoted")
    page.reload()
    seen.ready()
    expect(page.locator("html")).to_have_attribute("lang", "en")


def test_a_file_of_rules_is_refused_in_words(visit: Begin, link: str, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    rules = tmp_path / "weft.acl.yaml"
    rules.write_text("default: ['user:owner']\n")
    seen = visit(locale="ko-KR")
    seen.open(link)
    page = seen.page
    page.set_input_files("#files", rules)
    page.click("#adding-go")
    expect(page.locator("#adding-fault")).to_contain_text("weft.acl.yaml은 누가")
    expect(page.locator("#adding")).to_be_visible()
    assert seen.violations() == []


def test_files_that_gave_no_text_are_named(visit: Begin, link: str, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    (tmp_path / "good.md").write_text("# Heron\n\nHeron is in Bergen.\n")
    (tmp_path / "setup.exe").write_bytes(b"MZ\x90\0" * 64)
    seen = visit()
    seen.open(link)
    page = seen.page
    page.set_input_files("#files", [tmp_path / "good.md", tmp_path / "setup.exe"])
    page.select_option("#adding-base", "")
    page.fill("#adding-title-of-base", "Unread")
    page.click("#adding-go")
    card = page.locator(".tray-item.done")
    expect(card).to_contain_text("1 file read, 1 passage, 1 could not be read", timeout=60_000)
    card.locator("summary").click()
    expect(card.locator("li")).to_have_text("setup.exea kind of file that is not read")
    assert seen.violations() == []
    page.click("#language")
    expect(card.locator("li")).to_have_text("setup.exe지원하지 않는 형식입니다")


def test_a_chosen_theme_stays(visit: Begin, link: str) -> None:
    seen = visit(dark=True)
    seen.open(link)
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = seen.page.evaluate(colour)
    seen.page.click("#theme-switch")
    light = seen.page.evaluate(colour)
    seen.page.reload()
    seen.ready()
    assert seen.page.evaluate(colour) == light != dark


def test_signing_out_shows_the_door_and_leaves_it_shut(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    expect(seen.page.locator("#room")).to_be_visible()
    seen.page.click("#person")
    expect(seen.page.locator("#who-name")).to_have_text("owner")
    assert not seen.violations()
    keep_picture(seen.page, "person")
    seen.page.click("#sign-out")
    expect(seen.page.locator("#door")).to_be_visible()
    expect(seen.page.locator("#room")).to_be_hidden()
    seen.page.reload()
    expect(seen.page.locator("#door")).to_be_visible()


def test_two_people_share_a_browser(visit: Begin, link: str, stocked: Service) -> None:
    from playwright.sync_api import expect

    for name, password in (("mina", "a long password"), ("noor", "another password")):
        made = {"name": name, "password": password, "roles": ["user"]}
        stocked.call("/v1/admin/users", made)
    seen = visit()
    seen.page.goto(stocked.address)
    expect(seen.page.locator("#door")).to_be_visible()
    assert not seen.violations()
    keep_picture(seen.page, "door")
    _sign_in(seen, "mina", "not the password")
    expect(seen.page.locator("#sign-in-fault")).to_contain_text("not right")
    _sign_in(seen, "mina", "a long password")
    expect(seen.page.locator("#person-name")).to_have_text("mina")
    seen.ready()
    seen.ask("Who is the lighthouse keeper?")
    seen.page.fill("#question", "A draft of mine")
    seen.page.click("#person")
    seen.page.click("#sign-out")
    expect(seen.page.locator("#door")).to_be_visible()
    seen.page.reload()
    _sign_in(seen, "noor", "another password")
    expect(seen.page.locator("#person-name")).to_have_text("noor")
    seen.ready()
    expect(seen.page.locator(".turn")).to_have_count(0)
    assert seen.page.input_value("#question") == ""


@pytest.mark.parametrize("size", [(320, 568), (720, 450)], ids=["phone", "low"])
def test_all_of_the_door_can_be_reached(
    visit: Begin, stocked: Service, size: tuple[int, int]
) -> None:
    from playwright.sync_api import expect

    seen = visit(viewport={"width": size[0], "height": size[1]})
    page = seen.page
    page.goto(stocked.address)
    expect(page.locator("#door-title")).to_be_in_viewport(ratio=1)
    page.mouse.move(size[0] / 2, size[1] / 2)
    page.mouse.wheel(0, 2000)
    expect(page.locator("#door-again")).to_be_in_viewport(ratio=1)
    assert page.evaluate(BEYOND) <= 0
    assert seen.violations() == []


def test_the_whole_conversation_is_printed_and_no_control(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit(dark=True, viewport={"width": 1280, "height": 400})
    page = seen.page
    seen.open(link)
    seen.ask("Who is the lighthouse keeper?")
    seen.ask("What does dredging cost?")
    page.locator(".turn").last.locator(".cite").first.click()
    page.wait_for_selector("mark.now")
    page.emulate_media(media="print")
    for gone in ("#top", "#talks", "#side", "#composer", ".acts >> nth=0"):
        expect(page.locator(gone)).to_be_hidden()
    # A page is as high as whole pixels; it may be laid out anew a moment later.
    page.wait_for_function(
        """[...document.querySelectorAll(".turn")].map((each) => {
            const { top, bottom } = each.getBoundingClientRect();
            const height = document.documentElement.scrollHeight;
            return top + scrollY >= 0 && Math.floor(bottom + scrollY) <= height;
        }).join() === "true,true" """
    )
    assert page.evaluate("getComputedStyle(document.querySelector('.asked')).color") == (
        "rgb(0, 0, 0)"
    )
    assert page.evaluate("getComputedStyle(document.querySelector('.scroll')).overflowY") == (
        "visible"
    )


def test_a_page_that_becomes_narrow_keeps_the_focus_in_sight(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    page = seen.page
    seen.open(link)
    expect(page.locator("#talks")).to_be_visible()
    page.fill("#question", "half of a quest")
    page.set_viewport_size({"width": 390, "height": 740})
    expect(page.locator("#talks")).to_be_hidden()
    expect(page.locator("#question")).to_be_focused()
    page.set_viewport_size({"width": 1280, "height": 840})
    expect(page.locator("#talks")).to_be_visible()
    page.fill("#question", "")
    seen.ask("Who is the lighthouse keeper?")
    page.click(".cite >> nth=0")
    page.wait_for_selector("mark.now")
    page.focus("#question")
    page.set_viewport_size({"width": 390, "height": 740})
    expect(page.locator("#side-title")).to_be_focused()
    # The question lies under it, and nothing leads there.
    expect(page.locator("#skip")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator("#skip")).not_to_have_attribute("hidden", "")


def _sign_in(seen: Visit, name: str, password: str) -> None:
    seen.page.fill("#sign-in-name", name)
    seen.page.fill("#sign-in-password", password)
    seen.page.locator("#sign-in button[type=submit]").click()
