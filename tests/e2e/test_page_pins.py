"""“Which Kim Min-jun?”: a choice under an answer, asked again, kept for the conversation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.service_process import Service
from weft import Weft

if TYPE_CHECKING:
    from e2e.page_driver import Visit

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_a_person_says_who_is_meant(
    service: Service,
    visit: Callable[..., Visit],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    from playwright.sync_api import expect

    monkeypatch.setenv("WEFT_EMBEDDER", "none")
    with Weft.open(EXAMPLES / "handbook", home=service.home) as opened:
        opened.sync()
    seen = visit()
    seen.open(service.start())
    page = seen.page
    page.click("#pick")
    page.click("input[name=agent][value=semantic]")
    page.keyboard.press("Escape")
    seen.ask("Which team is Kim Min-jun on?")
    which = page.get_by_role("group", name="Which Kim Min-jun is meant?")
    expect(which.locator(".chip")).to_have_count(2)
    assert seen.violations() == []
    which.locator(".chip", has_text="Backend Engineer").click()
    expect(page.locator(".turn")).to_have_count(2)
    last = page.locator(".turn").last
    expect(last.locator(".foot")).to_be_visible(timeout=20_000)
    expect(last.locator(".sentences")).to_contain_text("Cold Chain")
    expect(last.locator(".sentences")).not_to_contain_text("Finance")
    chosen = last.locator('.chip[aria-pressed="true"]')
    expect(chosen).to_contain_text("Backend Engineer")
    page.screenshot(path=tmp_path / "pins.png", full_page=True)
    seen.ask("Who does Kim Min-jun report to?")
    expect(page.locator(".turn").last.locator(".sentences")).to_contain_text("Han Ji-woo")
