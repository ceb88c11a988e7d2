"""A debate on the page: its sides beside each other, who is left out, where they disagree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.conftest import workspace
from e2e.pictures import keep_picture
from e2e.service_process import Service

if TYPE_CHECKING:
    from e2e.page_driver import Visit

QUESTION = "When was the Harbour Bridge opened?"
SAID = {
    "Archive": "The Harbour Bridge was opened by Ada Lindqvist on 14 March 1932.",
    "City": "The Harbour Bridge was opened by Ada Lindqvist on 14 March 1932.",
    "Press": "The Harbour Bridge was opened by Ada Lindqvist on 9 May 1935.",
    "Gone": "The Harbour Bridge was closed.",
}


@pytest.fixture
def four(tmp_path: Path) -> Iterator[tuple[Service, str]]:
    """Return a service with four knowledge bases, and its link; the file of one is gone."""
    made = Service(home=workspace(tmp_path))
    link = made.start()
    for base, said in SAID.items():
        made.call(
            "/platform/ingest/raw",
            {
                "target_database": base,
                "create_database_if_missing": True,
                "records": [{"id": "bridge", "content": said}],
            },
        )
    for part in (tmp_path / "kb").glob("Gone.db*"):
        part.unlink()
    yield made, link
    made.stop()


@pytest.mark.parametrize("size", [(1280, 900), (390, 780)], ids=["desktop", "phone"])
def test_its_sides_stand_beside_each_other(
    four: tuple[Service, str], visit: Callable[..., Visit], size: tuple[int, int]
) -> None:
    from playwright.sync_api import expect

    _, link = four
    seen = visit(viewport={"width": size[0], "height": size[1]})
    seen.open(link)
    page = seen.page
    page.click("#pick")
    page.click("input[name=agent][value=debate]")
    page.keyboard.press("Escape")
    seen.ask(QUESTION)
    turn = page.locator(".turn").last
    sides = turn.locator(".dispute .position")
    expect(sides).to_have_count(2)
    expect(sides.nth(0)).to_contain_text("Archive, City")
    expect(sides.nth(1)).to_contain_text("9 May 1935")
    agents = turn.locator(".agent")
    expect(agents).to_have_count(4)
    gone = agents.filter(has_text="Gone")
    expect(gone.locator(".standing")).to_have_text("left out")
    expect(gone).to_contain_text("gone")
    assert seen.violations() == []
    keep_picture(page, f"debate {size[0]}")
    sides.nth(1).locator(".cite").first.click()
    expect(page.locator("#side mark").first).to_contain_text("9 May 1935")
