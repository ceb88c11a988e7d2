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

SHIPS = """id,name,home_port,joined,seats,captain
s1,Heron,Tallinn,2011-04-02,240,Mari Kask
s2,Gannet,Riga,2018-09-17,12,Jonas Ozols
s3,Osprey,Tallinn,2018-03-05,410,Mari Kask
s4,Petrel,Turku,2003-11-30,6,Aino Salo
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
    (folder / "<b>ships.csv").write_text(SHIPS, encoding="utf-8")
    with Weft.open(folder, home=service.home) as opened:
        opened.sync()
    seen = visit()
    seen.open(service.start())
    page = seen.page
    seen.ask("Show me the seats and the captain of ships in Tallinn")
    meant = page.get_by_role(
        "group", name="It may ask one of these of a table. Choose what was meant:"
    )
    expect(meant.locator(".chip")).to_have_count(2)
    chip = meant.locator(".chip", has_text="show captain")
    expect(chip).to_have_text("<b>ships.csv · home_port = Tallinn · show captain")
    assert seen.violations() == []
    page.screenshot(path=tmp_path / "meanings.png", full_page=True)
    chip.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".turn")).to_have_count(2)
    last = page.locator(".turn").last
    expect(last.locator(".short")).to_have_text("Mari Kask", timeout=20_000)
    expect(last.locator(".which")).to_have_count(0)
    last.locator(".cite").first.click()
    expect(page.locator("mark").first).to_contain_text("Mari Kask")
