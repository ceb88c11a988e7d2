"""The path through the graph beside an answer: drawn, and each relation opens what says it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import TYPE_CHECKING

import pytest

from e2e.pictures import keep_picture
from e2e.service_process import Service
from weft import Weft

if TYPE_CHECKING:
    from e2e.page_driver import Visit

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_the_path_through_the_graph_is_drawn_and_opens_what_says_it(
    service: Service,
    visit: Callable[..., Visit],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    from playwright.sync_api import expect

    monkeypatch.setenv("WEFT_EMBEDDER", "none")
    folder = tmp_path / "services"
    copytree(EXAMPLES / "engineering" / "services", folder)
    with Weft.open(folder, home=service.home) as opened:
        opened.sync()
    seen = visit()
    seen.open(service.start())
    page = seen.page
    page.click("#pick")
    page.click("input[name=agent][value=semantic]")
    page.keyboard.press("Escape")
    seen.ask("Who manages the owner of harbor-gateway?")
    page.locator(".turn").last.get_by_role("button", name="How this was found").click()
    walk = page.locator(".walk").first
    expect(walk.locator(".thing")).to_have_count(2)
    expect(walk).to_contain_text("harbor-gateway")
    expect(walk).to_contain_text("owned by")
    expect(walk).to_contain_text("Platform")
    expect(page.locator(".way-step").first).to_be_visible()
    keep_picture(page, "walk-desktop")
    assert seen.violations() == []
    walk.get_by_role("button").first.click()
    expect(page.locator(".side-body mark").first).to_be_visible()
    page.locator(".turn").last.get_by_role("button", name="How this was found").click()
    expect(walk).to_be_visible()
    page.set_viewport_size({"width": 360, "height": 780})
    keep_picture(page, "walk-phone")
    assert page.evaluate("document.querySelector('.side-body').scrollWidth") <= 360
    assert seen.violations() == []
