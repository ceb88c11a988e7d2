"""Research on the page: its outline while it goes on, its budget, the report that comes of it."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.conftest import workspace
from e2e.pictures import keep_picture
from e2e.service_process import Service
from model_server import Body, Say, model_server
from research_world import COST, OPENED, SHIPS, Researcher, given
from weft.api.routes.page import FOLDER
from weft.flows.research.flow import RESEARCH

if TYPE_CHECKING:
    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]
DEEP = "Write a report on the north crane, the lighthouse keeper and the ferry captain"
KOREAN = "북쪽 크레인에 대한 보고서를 써 줘"
FORMS = {"markdown": "text/markdown", "html": "text/html"}
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}


def choose(seen: Visit, **budget: int) -> None:
    """Have research answer, with a budget."""
    page = seen.page
    page.click("#pick")
    page.click("input[name=agent][value=research]")
    for part, most in budget.items():
        page.fill(f"input[name=budget-{part}]", str(most))
    page.keyboard.press("Escape")


def fits(seen: Visit) -> bool:
    """Tell whether nothing sticks out at the side."""
    return bool(
        seen.page.evaluate(
            "[document.documentElement, document.querySelector('.scroll')]"
            ".every((each) => each.scrollWidth <= each.clientWidth)"
        )
    )


@pytest.mark.parametrize(
    ("size", "looks"),
    [
        (WIDE, {}),
        (WIDE, {"dark": True}),
        (PHONE, {}),
        (PHONE, {"dark": True, "locale": "ko-KR"}),
    ],
    ids=["desktop", "desktop-dark", "phone", "phone-dark-korean"],
)
def test_a_deep_question_becomes_a_report(
    visit: Begin, link: str, size: dict[str, int], looks: dict[str, object]
) -> None:
    from playwright.sync_api import expect

    seen = visit(viewport=size, **looks)
    seen.open(link)
    page = seen.page
    choose(seen)
    seen.ask(DEEP)
    report = page.locator(".turn").last.locator(".report")
    parts = report.locator(".report-part[data-status]")
    assert parts.count() >= 2
    numbers = report.locator(".sources .number").all_inner_texts()
    assert numbers == [str(place) for place in range(1, len(numbers) + 1)]
    cited = set(report.locator(".cite").all_inner_texts())
    assert cited == set(numbers)
    assert seen.violations() == []
    assert fits(seen)
    keep_picture(page, f"research {size['width']} {' '.join(map(str, looks.values()))}".strip())
    first = report.locator(".cite").first
    said = report.locator(".sentence", has=page.locator(".cite")).first.locator(".words")
    words = re.sub(r"[\s\d]+$", "", said.inner_text()).split()
    first.click()
    expect(page.locator("#side mark").first).to_contain_text(words[0])


def test_it_can_be_saved_and_is_there_again(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = seen.page
    choose(seen)
    seen.ask(DEEP)
    told = page.locator(".report .words").all_inner_texts()
    for form, kind in FORMS.items():
        address = page.locator(f".save-report[data-form={form}]").get_attribute("href")
        saved = page.request.get(page.url.split("?")[0] + str(address))
        assert saved.headers["content-type"].startswith(kind)
        assert "Omar" in saved.text()
        assert not re.search(r"(?<!\\)<script", saved.text())
    with page.expect_download() as saving:
        page.click(".save-report[data-form=markdown]")
    assert saving.value.suggested_filename == "report.md"
    page.reload()
    seen.ready()
    expect(page.locator(".report")).to_have_count(1)
    assert page.locator(".report .words").all_inner_texts() == told


def test_a_budget_that_ends_it_is_said(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = seen.page
    choose(seen, tool_calls=4)
    seen.ask(DEEP)
    report = page.locator(".turn").last.locator(".report")
    expect(report.locator("div.partial")).to_contain_text("Look-ups")
    expect(report.locator("[data-status=partial] .remark.partial").first).to_be_visible()
    assert seen.violations() == []
    keep_picture(page, "research out of budget")
    with page.expect_request("**/v1/chat/message") as asked:
        report.locator(".again-with-more").click()
    body = json.loads(asked.value.post_data or "{}")
    assert (body["agent_id"], body["budget"]["tool_calls"]) == ("research", 8)
    expect(page.locator(".turn").last.locator(".foot")).to_be_visible()


def test_with_nothing_to_spend_nothing_is_found_and_more_is_offered(
    visit: Begin, link: str
) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = seen.page
    choose(seen, tool_calls=0)
    seen.ask(DEEP)
    turn = page.locator(".turn").last
    expect(turn.locator(".refusal")).to_be_visible()
    expect(turn.locator(".report")).to_have_count(0)
    assert seen.violations() == []
    turn.locator(".again-with-more").click()
    expect(page.locator(".turn").last.locator(".report .sources li").first).to_be_visible()


def test_a_korean_question_is_told_in_korean(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit(viewport=PHONE, locale="ko-KR")
    seen.open(link)
    choose(seen, tool_calls=4)
    seen.ask(KOREAN)
    report = seen.page.locator(".turn").last.locator(".report")
    expect(report.locator("div.partial")).to_contain_text("한도를 다 써서")
    expect(report).to_contain_text("크레인")
    assert fits(seen)
    assert seen.violations() == []
    keep_picture(seen.page, "research korean")


@dataclass
class Gate:
    """A model that thinks about one section until it is let go on."""

    opened: threading.Event = field(default_factory=threading.Event)

    def __call__(self, body: Body) -> Say:
        if "cost" in given(body)["question"]:
            self.opened.wait(60)
        return Researcher()._gaps(body)


@pytest.fixture
def gated(tmp_path: Path) -> Iterator[tuple[str, Gate, Service]]:
    """Return the link to a service whose model waits at a gate."""
    gate = Gate()
    with model_server(Researcher(instead={"gaps": gate})) as server:
        settings = {
            "WEFT_MODEL": "openai:scripted",
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "none",
        }
        made = Service(home=workspace(tmp_path), settings=settings)
        link = made.start()
        try:
            made.call("/v1/kb", {"name": "Harbour", "title": "Harbour"})
            said = {"opening": OPENED, "cost": COST, "ships": SHIPS}
            records = [{"id": f"{name}.md", "content": text} for name, text in said.items()]
            handed = made.call("/v1/kb/Harbour/documents", {"records": records})
            made.ingested(handed["run_id"])
            yield link, gate, made
        finally:
            gate.opened.set()
            made.stop()


def begun(seen: Visit) -> None:
    """Ask, and wait until all sections but the one at the gate are done."""
    from playwright.sync_api import expect

    page = seen.page
    page.fill("#question", "Write a report on the Harbour Bridge")
    page.press("#question", "Enter")
    rows = page.locator(".section-row")
    expect(rows).to_have_count(3)
    expect(page.locator(".section-row .standing.done")).to_have_count(2)
    expect(rows.nth(1).locator(".standing")).to_have_text("being looked into")


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["desktop", "phone"])
def test_its_sections_are_seen_as_they_stand(
    visit: Begin, gated: tuple[str, Gate, Service], size: dict[str, int]
) -> None:
    from playwright.sync_api import expect

    link, gate, _ = gated
    seen = visit(viewport=size)
    seen.open(link)
    page = seen.page
    choose(seen)
    begun(seen)
    expect(page.locator(".section-row").nth(0)).to_contain_text("1 found")
    lookups = page.locator(".meter-row", has_text="Look-ups").locator(".amount")
    expect(lookups).to_have_text(re.compile(r"^[1-9]\d* of 600$"))
    assert seen.violations() == []
    assert fits(seen)
    keep_picture(page, f"research under way {size['width']}")
    page.click(".more-budget")
    expect(lookups).to_have_text(re.compile(r" of 1,200$"))
    # Whoever comes back to the page sees it as it stands.
    page.reload()
    seen.ready()
    expect(page.locator(".section-row .standing.done")).to_have_count(2)
    expect(lookups).to_have_text(re.compile(r"^[1-9]\d* of 1,200$"))
    gate.opened.set()
    expect(page.locator(".report .sources li")).to_have_count(3)
    expect(page.locator(".report")).to_contain_text(COST)


def test_it_is_stopped(visit: Begin, gated: tuple[str, Gate, Service]) -> None:
    from playwright.sync_api import expect

    link, _, service = gated
    seen = visit()
    seen.open(link)
    page = seen.page
    choose(seen)
    begun(seen)
    with page.expect_response("**/cancel") as ended:
        page.click(".stop-run")
    assert ended.value.json()["status"] == "cancelled"
    expect(page.locator(".turn").last).to_contain_text("Stopped.")
    expect(page.locator(".research-run")).to_have_count(0)
    run = service.call("/v1/runs?limit=1")["items"][0]
    assert (run["flow"], run["status"]) == ("research", "cancelled")


def test_the_usual_budget_is_that_of_the_flow() -> None:
    source = (FOLDER / "talk" / "budget.js").read_text(encoding="utf-8")
    told = re.search(r"USUAL = \{(.*)\}", source)
    assert told is not None
    usual = {part: int(most) for part, most in re.findall(r"(\w+): (\d+)", told[1])}
    limits = RESEARCH.spec.budget
    assert usual == {
        "tool_calls": limits.tool_calls,
        "tokens": limits.tokens,
        "iterations": limits.iterations,
        "time": limits.wall_s,
    }
