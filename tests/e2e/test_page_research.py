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
    from playwright.sync_api import Route

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
    gated: tuple[str, Gate, Service], visit: Begin, size: dict[str, int]
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


def test_it_is_stopped(gated: tuple[str, Gate, Service], visit: Begin) -> None:
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


def test_each_section_says_how_it_stands(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = seen.page
    choose(seen)
    seen.ask(DEEP)
    hostile = "<img src=x onerror=alert(3)>"

    def edited(route: Route) -> None:
        kept = route.fetch().json()
        first = kept["report"]["sections"][0]
        said = [{**first["sentences"][0], "citations": [n]} for n in (1, 2)]
        ways = {
            "complete": {"sentences": said, "answering": 1, "missing": [hostile]},
            "near": {"sentences": said, "answering": 0},
            "empty": {"sentences": [], "answering": 0},
            "partial": {"sentences": [], "answering": 0},
            "failed": {"sentences": [], "answering": 0, "reason": hostile},
        }
        kept["report"]["sections"] = [
            {**first, "missing": [], "title": f"{way} {hostile}", "status": way, **values}
            for way, values in ways.items()
        ]
        kept["report"] |= {"missing": [hostile], "is_partial": True, "ended_by": "budget"}
        route.fulfill(json=kept)

    page.route("**/v1/research/*", edited)
    page.reload()
    seen.ready()
    parts = page.locator(".report-part[data-status]")
    expect(parts).to_have_count(5)
    expect(page.locator("div.partial p")).to_have_text(
        "The report is partial: its budget was used up."
    )
    expect(parts.nth(0).locator(".sentences")).to_have_count(2)
    expect(parts.nth(0).locator(".remark").first).to_have_text("Near it, which is no answer:")
    expect(parts.nth(0).locator(".missing li")).to_have_text(hostile)
    for place, told in enumerate(("Nothing answers", "say nothing of this", "Cut short", hostile)):
        expect(parts.nth(place + 1).locator(".remark")).to_contain_text(told)
    expect(page.locator(".report h4", has_text="What is missing")).to_be_visible()
    assert page.locator(".report img").count() == 0
    assert seen.violations() == []
    keep_picture(page, "research sections")


def event(kind: str, node: str, **data: object) -> str:
    """Return an event as a stream has it."""
    told = {"type": kind, "node": node, "ts": "2026-01-01T00:00:00Z", "data": data}
    return f"event: {kind}\ndata: {json.dumps(told)}\n\n"


def test_a_section_that_waits_or_ends_badly_is_seen_to(
    gated: tuple[str, Gate, Service], visit: Begin
) -> None:
    from playwright.sync_api import expect

    link, _, _ = gated
    seen = visit()
    seen.open(link)
    page = seen.page
    choose(seen, tool_calls=9)
    begun(seen)
    came = [
        event("run_started", "", flow="research"),
        event("node_finished", "outline", outline=["One", "Two", "Three"]),
        event("node_started", "investigate/s1", section="One", key_question="Why?"),
        event("node_finished", "investigate/s1/agents", findings=2),
        event("budget_updated", "investigate/s1/agents", tool_calls=9),
        event("node_failed", "investigate/s1", status="short"),
        event("node_started", "investigate/s2", section="Two", key_question="How?"),
        event("node_failed", "investigate/s2", status="failed"),
    ]
    page.route(
        "**/v1/runs/*/events",
        lambda route: route.fulfill(body="".join(came), content_type="text/event-stream"),
    )
    page.reload()
    seen.ready()
    told = page.locator(".section-row .standing")
    expect(told).to_have_text(["cut short", "failed", "waiting"])
    expect(page.locator(".section-found").first).to_have_text("2 found")
    expect(page.locator(".meter-row.spent").first).to_contain_text("9 of 9")
    assert seen.violations() == []


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
