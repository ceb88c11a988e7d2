"""What a person does with the page, in Chromium."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

WAIT_MS = 20_000
# What Chromium itself reports when the service says 401; the page shows its door then.
EXPECTED = "401 (Unauthorized)"
expect.set_options(timeout=WAIT_MS)


class Visit:
    """A page in a fresh browser profile; `faults` collects what its console complains about."""

    def __init__(self, browser: Browser, *, dark: bool = False, **options: Any) -> None:
        context = browser.new_context(
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            locale=options.pop("locale", "en-US"),
            viewport=options.pop("viewport", {"width": 1280, "height": 840}),
            permissions=["clipboard-read", "clipboard-write"],
            **options,
        )
        context.set_default_timeout(WAIT_MS)
        self.faults: list[str] = []
        self.page: Page = context.new_page()
        self.page.on("console", lambda said: self._hear(said.type, said.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))

    def _hear(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"} and EXPECTED not in text:
            self.faults.append(text)

    def open(self, link: str) -> None:
        """Open the page and wait until it has looked round."""
        self.page.goto(link)
        self.ready()

    def ready(self) -> None:
        """Wait until the page has looked round."""
        self.page.wait_for_selector("html[data-ready]")

    def ask(self, question: str) -> None:
        """Ask and wait for the answer or the refusal."""
        turns = self.page.locator(".turn").count()
        self.page.fill("#question", question)
        self.page.press("#question", "Enter")
        expect(self.page.locator(".turn")).to_have_count(turns + 1)
        expect(self.page.locator(".turn").last.locator(".foot")).to_be_visible(timeout=WAIT_MS)

    def drop(self, paths: Sequence[Path]) -> None:
        """Drop files or folders of this machine on the page, as the system would."""
        session = self.page.context.new_cdp_session(self.page)
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            session.send(
                "Input.dispatchDragEvent", {"type": kind, "x": 600, "y": 400, "data": data}
            )

    def violations(self) -> list[str]:
        """Return what axe finds wrong with the page as it stands."""
        source = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
        self.page.evaluate(source)
        found = self.page.evaluate("async () => (await axe.run()).violations")
        return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]

    def close(self) -> None:
        """Close the profile."""
        self.page.context.close()
