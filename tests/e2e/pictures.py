"""Pictures of the page, for whoever wants to look at it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Pictures are kept where WEFT_E2E_PICTURES names a folder.
FOLDER = os.environ.get("WEFT_E2E_PICTURES", "")


def keep_picture(page: Page, name: str) -> None:
    """Keep a picture of the page as it stands, if anybody wants pictures."""
    if FOLDER:
        Path(FOLDER).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(FOLDER) / f"{re.sub(r'[^a-z0-9]+', '-', name)}.png")
