"""The steps of an answer on the page lie where their time lies, and calls within their step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from e2e.pictures import keep_picture

if TYPE_CHECKING:
    from e2e.page_driver import Visit

BARS = """() => {
    const ends = (rail) => {
        const [all, bar] = [rail, rail.firstChild].map((each) => each.getBoundingClientRect());
        return [(bar.left - all.left) / all.width, (bar.right - all.left) / all.width];
    };
    return [...document.querySelectorAll(".step")].map((step) => ({
        own: ends(step.querySelector(":scope > .rail")),
        calls: [...step.querySelectorAll(".call .rail")].map(ends),
    }));
}"""
# Times are rounded, and a bar is never thinner than can be seen.
NEAR = 0.03


@pytest.mark.parametrize("size", [(1280, 900), (390, 780)], ids=["desktop", "phone"])
def test_calls_lie_within_their_step_and_steps_in_their_order(
    visit: Callable[..., Visit], link: str, size: tuple[int, int]
) -> None:
    from playwright.sync_api import expect

    seen = visit(viewport={"width": size[0], "height": size[1]})
    seen.open(link)
    seen.ask("Who is the ferry captain?")
    page = seen.page
    page.locator(".turn").last.get_by_role("button", name="How this was found").click()
    page.wait_for_selector(".call")
    expect(page.locator(".trace")).to_contain_text("rag_search")
    keep_picture(page, f"trace-{size[0]}")
    steps = page.evaluate(BARS)
    begins = [step["own"][0] for step in steps]
    assert begins == sorted(begins)
    assert any(step["calls"] for step in steps)
    for step in steps:
        assert -NEAR <= step["own"][0] <= step["own"][1] <= 1 + NEAR
        for begin, end in step["calls"]:
            assert step["own"][0] - NEAR <= begin <= end <= step["own"][1] + NEAR


WAY = """() => {
    const boxes = [...document.querySelectorAll(".way-step")].map((step) => {
        const { left, right, top, bottom } = step.querySelector("rect").getBoundingClientRect();
        const wide = [...step.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
        const fits = wide.every((text) => text.left >= left - 1 && text.right <= right + 1);
        return { name: step.querySelector("title").textContent, left, right, top, bottom, fits };
    });
    return { boxes, edges: document.querySelectorAll(".way-edge").length };
}"""


@pytest.mark.parametrize("size", [(1280, 900), (360, 780)], ids=["desktop", "phone"])
@pytest.mark.parametrize("language", ["en-US", "ko-KR"])
def test_the_way_of_a_run_is_drawn_without_overlaps(
    visit: Callable[..., Visit], link: str, size: tuple[int, int], language: str
) -> None:
    seen = visit(viewport={"width": size[0], "height": size[1]}, locale=language)
    seen.open(link)
    page = seen.page
    page.click("#pick")
    page.click("input[name=agent][value=research]")
    page.keyboard.press("Escape")
    seen.ask("Write a report on the ferry captain and on the crane")
    trace = "찾은 과정" if language == "ko-KR" else "How this was found"
    page.locator(".turn").last.get_by_role("button", name=trace).click()
    page.wait_for_selector(".way-step")
    keep_picture(page, f"way-{size[0]}-{language}")
    way = page.evaluate(WAY)
    names = [one["name"].split(":")[0] for one in way["boxes"]]
    assert names[0] == "guard_input"
    assert names[-1] == "guard_output"
    assert "investigate/s1" in names
    assert not any(one.startswith("investigate/s1/") for one in names)  # it has one box
    assert way["edges"] >= len(names) - 1
    for number, one in enumerate(way["boxes"]):
        assert one["fits"], one
        assert 0 <= one["left"] < one["right"] <= size[0]
        for other in way["boxes"][number + 1 :]:
            assert (
                one["right"] <= other["left"]
                or other["right"] <= one["left"]
                or one["bottom"] <= other["top"]
            ), (one, other)
    assert seen.violations() == []
