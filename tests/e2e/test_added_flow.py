"""A flow that the page does not know: chosen, run, shown step by step, and stopped."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from e2e.service_process import Service
from echo_flow import LAUNCHER

if TYPE_CHECKING:
    from e2e.page_driver import Visit


def test_another_flow_is_chosen_shown_and_stopped(
    service: Service, visit: Callable[..., Visit]
) -> None:
    from playwright.sync_api import expect

    tests = str(Path(__file__).parents[1])
    inherited = [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]
    service.settings = {"PYTHONPATH": os.pathsep.join([tests, *inherited])}
    service.command = (sys.executable, "-c", LAUNCHER)
    seen = visit()
    seen.open(service.start())
    service.call("/v1/kb", {"name": "Empty"})
    page = seen.page
    page.reload()
    seen.ready()
    page.click("#pick")
    page.click("input[name=agent][value=echo]")
    assert seen.violations() == []
    page.keyboard.press("Escape")
    seen.ask("hello there")
    expect(page.locator(".turn").last).to_contain_text("hello there")
    page.locator(".turn").last.get_by_text("How this was found").click()
    expect(page.locator(".trace")).to_contain_text("say")
    page.keyboard.press("Escape")  # the steps are put away
    page.fill("#question", "wait for me")
    page.press("#question", "Enter")
    expect(page.locator(".turn").last).to_contain_text("Saying it again")
    page.keyboard.press("Escape")
    expect(page.locator(".turn").last).to_contain_text("Stopped")
