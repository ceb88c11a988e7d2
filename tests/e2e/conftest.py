"""Chromium, and a service with a few documents, for the tests of the page."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from e2e.service_process import Service

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from e2e.page_driver import Visit

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()
DOCUMENTS = {
    "harbour/works.md": """# Harbour works

The harbour committee 🏗️ met on 3 March 2024 🚢. It decided to replace the north crane in June.
The new crane lifts 120 tonnes.

## Dredging

Dredging of the inner basin costs 4.2 million euros and is done by Nordwerk Marine.
""",
    "harbour/lighthouse.md": "# Lighthouse\n\nThe lighthouse keeper is Berta Lind.\n",
    "회의록.txt": "서울 항만 회의록\n\n위원회는 2024년 3월에 북쪽 크레인을 교체하기로 결정했다. "
    "새 크레인의 최대 하중은 120톤이다. 담당자는 김민수 과장이다.\n",
    "hostile.md": "# Ferry <img src=x onerror=alert(1)>\n\nThe ferry captain is Omar "
    "<script>alert(2)</script> Reyes.\n\n" + "Nothing else is known of the ferry.\n\n" * 40,
    ".hidden/notes.md": "# Hidden\n\nThis file must stay out.\n",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give browser tests the time they need."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)
            if not item.get_closest_marker("timeout"):
                item.add_marker(pytest.mark.timeout(180))


def _chromium() -> str:
    """Return Chromium's path; skip without it, or fail on CI, where it must be there."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    has_driver = importlib.util.find_spec("playwright") is not None
    if found and has_driver:
        return found
    reason = f"no {'driver (playwright)' if found else 'chromium'} on this machine"
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


# Of one module at a time: its loop counts as running until it is closed, and others need theirs.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return Debian's Chromium."""
    path = _chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Return a function that opens a fresh profile; its console must stay silent."""
    from e2e.page_driver import Visit

    visits: list[Visit] = []

    def begin(**options: Any) -> Visit:
        visits.append(Visit(browser, **options))
        return visits[-1]

    yield begin
    for each in visits:
        each.close()
    assert not [fault for each in visits for fault in each.faults]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of documents."""
    place = tmp_path_factory.mktemp("documents") / "Harbour files"
    for name, text in DOCUMENTS.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a workspace whose service is not started yet; it is stopped at the end."""
    _chromium()
    made = Service(home=workspace(tmp_path_factory.mktemp("home")))
    yield made
    made.stop()


@pytest.fixture(scope="session")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a running service that has read the documents."""
    _chromium()
    made = Service(home=workspace(tmp_path_factory.mktemp("stocked")))
    made.start()
    try:
        made.call("/v1/kb", {"name": "Harbour", "title": "Harbour files"})
        records = [
            {"id": name, "title": Path(name).stem, "content": text}
            for name, text in DOCUMENTS.items()
            if not name.startswith(".")
        ]
        handed = made.call("/v1/kb/Harbour/documents", {"records": records})
        made.ingested(handed["run_id"])
        yield made
    finally:
        made.stop()


@pytest.fixture
def link(stocked: Service) -> str:
    """Return a new one-time link to the stocked service."""
    from weft.platform.people.invitation import invite

    return f"{stocked.address}/?key={invite(stocked.home)}"


def workspace(home: Path) -> Path:
    """Return a workspace that needs no model."""
    (home / "weft.yaml").write_text("embedder: none\n", encoding="utf-8")
    return home
