"""A cited place as it is shown: Markdown drawn, the cited lines marked without colour too."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from weft.cli.terminal.opened import CitedPlace, print_place

MARKED = """---
title: Cranes
---
# Cranes

The **north** crane is [old](https://x.org/old).

- It lifts **120 tonnes.**
- It is `red`.

| crane | lifts |
|---|---|
| south | 90 t |

```
lift(**now)
```
"""


def drawn(words: str, *, uri: str = "https://x.org/cranes.md", text: str = MARKED) -> list[str]:
    start = text.index(words)
    place = CitedPlace(
        document="file:docs/cranes.md",
        title="Cranes",
        uri=uri,
        text=text,
        start=start,
        end=start + len(words),
    )
    written = StringIO()
    print_place(Console(file=written, width=60), place)
    return written.getvalue().splitlines()


def test_markdown_is_drawn_and_the_cited_line_has_a_bar() -> None:
    lines = drawn("It lifts **120 tonnes.**")
    assert [line.strip() for line in lines if line.startswith("▌")] == ["▌  • It lifts 120 tonnes."]
    whole = "\n".join(lines)
    for sign in ("**120", "# Cranes", "|---", "title: Cranes", "`red`", "\u2e28", "\u2e29"):
        assert sign not in whole
    assert "lift(**now)" in whole


@pytest.mark.parametrize("words", ["| south | 90 t |", "- It is `red`.", "# Cranes", "lift(**now)"])
def test_whole_lines_of_any_kind_are_marked(words: str) -> None:
    said = [line for line in drawn(words) if line.startswith("▌")]
    assert len(said) == 1
    assert any(word in said[0] for word in ("south", "red", "Cranes", "lift(**now)"))


def test_what_is_no_markdown_stands_as_it_is_stored() -> None:
    lines = drawn("It lifts **120 tonnes.**", uri="file:///x/cranes.txt")
    assert "▌ - It lifts **120 tonnes.**" in [line.rstrip() for line in lines]


def test_of_a_long_document_whole_paragraphs_are_shown() -> None:
    text = "\n\n".join(f"Paragraph {n} is about cranes and ships." for n in range(200))
    lines = [line for line in drawn("Paragraph 100 is", text=text) if line.strip()]
    said = [line for line in lines[1:] if "…" not in line]
    assert all(line.strip("▌ ").startswith("Paragraph ") for line in said)
    assert 20 < len(said) < 50
