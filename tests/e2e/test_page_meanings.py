"""“It may ask one of these of a table”: one is chosen on the page, and its rows answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.service_process import Service
from weft import Weft

if TYPE_CHECKING:
    from e2e.page_driver import Visit

SHIPS = """id,name,home_port,seats
s1,Heron,Tallinn,240
s2,Gannet,Riga,12
s3,<b>Osprey</b>,Tallinn,410
"""


def test_a_person_chooses_what_was_meant(
    service: Service,
    visit: Callable[..., Visit],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    from playwright.sync_api import expect

    monkeypatch.setenv("WEFT_EMBEDDER", "none")
    folder = tmp_path / "harbour"
    folder.mkdir()
    (folder / "ships.csv").write_text(SHIPS, encoding="utf-8")
    with Weft.open(folder, home=service.home) as opened:
        opened.sync()
    seen = visit()
    seen.open(service.start())
    page = seen.page
    seen.ask("How big is Osprey?")
    meant = page.get_by_role(
        "group", name="It may ask one of these of a table. Choose what was meant:"
    )
    chip = meant.locator(".chip", has_text="show seats")
    expect(chip).to_have_count(1)
    expect(chip).to_contain_text("<b>Osprey</b>")
    assert seen.violations() == []
    page.screenshot(path=tmp_path / "meanings.png", full_page=True)
    chip.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".turn")).to_have_count(2)
    last = page.locator(".turn").last
    expect(last.locator(".short")).to_have_text("410", timeout=20_000)
    expect(last.locator(".which")).to_have_count(0)
    last.locator(".cite").first.click()
    expect(page.locator("mark").first).to_contain_text("410")
