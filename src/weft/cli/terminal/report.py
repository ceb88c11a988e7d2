"""A report on the terminal: sections, their sentences with numbers, and where these stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from rich.rule import Rule
from rich.text import Text

from weft.cli.screen import screen
from weft.cli.terminal.tables import say
from weft.cli.terminal.texts import noted
from weft.domain.display import harmless


def show_report(payload: Mapping[str, object], *, notes: Sequence[str]) -> None:
    """Print a report as it was made."""
    console = screen()
    report = cast("Mapping[str, Any]", payload["report"])
    for line in str(payload["markdown"]).splitlines():
        text = harmless(_plain(line))
        if line.startswith("# "):
            console.print(Rule(Text(text.removeprefix("# "), style="bold"), align="left"))
        elif line.startswith("## "):
            console.print(Text(text.removeprefix("## "), style="bold"))
        else:
            say(console, text)
    for note in notes:
        say(console, noted(note))
    if report["references"]:
        say(console, "weft open N shows the N-th reference in its document.")


def _plain(line: str) -> str:
    """Return a line of Markdown as it is read: what was escaped in it is not any more."""
    kept: list[str] = []
    is_escaped = False
    for sign in line:
        if sign == "\\" and not is_escaped:
            is_escaped = True
            continue
        kept.append(sign)
        is_escaped = False
    text = "".join(kept)
    return text[1:-1] if len(text) > 2 and text[0] == text[-1] == "_" else text
