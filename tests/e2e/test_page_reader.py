"""The reader: Markdown as it is read, what is cited marked exactly, and nothing in it live."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from e2e.service_process import Service

if TYPE_CHECKING:
    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]
# Draws a text with one span cited; every leaf tells which places of the text it shows.
DRAW = """async ([text, from, to]) => {
    const { blocksOf } = await import("/page/reader/markdown.js");
    const { drawnBlocks } = await import("/page/reader/drawing.js");
    const blocks = blocksOf(text);
    const leaves = [];
    const walk = (node) => {
        if (node.head) walk(node.head);
        if (node.kids) node.kids.forEach(walk);
        else leaves.push([node.from, node.to]);
    };
    blocks.forEach(walk);
    const place = document.createElement("div");
    place.append(...drawnBlocks(text, blocks, { citations: [{ n: 1, from, to }], now: 1 }));
    return {
        leaves,
        shown: place.textContent,
        marked: [...place.querySelectorAll("mark.now")].map((each) => each.textContent).join(""),
        live: place.querySelectorAll("a, img, script, iframe, [src], [href], [style]").length,
        html: place.innerHTML,
    };
}"""
PARTS = [
    "# ", "## ", "- ", "1. ", "> ", "```\n", "~~~\n", "| a | b |\n|---|---|\n", "|", "**", "*",
    "_", "__", "`", "``", "[", "](http://x.y)", "![", "\\", "<b>", "<http://a.b>", "\n", "\n\n",
    "    ", "---\n", "===\n", "~~", " ", "word", "한글", "é", "🏗️", "a b", "&amp;", "\t", "\r\n",
]  # fmt: skip
DOCUMENT = """---
owner: Berta
---

# Harbour *works*

The **new crane** lifts `120 t`, see [the plan](javascript:alert(1)) and
wrapped **bold
text** ends. ![a ship](http://tracker.example/x.png) <script>alert(3)</script>

| Crane | Lifts |
|:------|------:|
| north | **120** tonnes |
| a \\| b |  |

1. first
   - nested *item*
2. second

> quoted
> words

```python
def f(): return "**not bold**"
```

Under
-----

* * *

snake_case_name and 2 * 3 * 4, \\*kept\\*
"""


def drawn(seen: Visit, text: str, start: int, end: int) -> dict[str, Any]:
    """Return what is drawn of a text whose [start, end) is cited, in UTF-16 units."""
    found: dict[str, Any] = seen.page.evaluate(DRAW, [text, start, end])
    return found


def units(text: str) -> list[str]:
    """Return the UTF-16 units of a text, as JavaScript counts."""
    coded = text.encode("utf-16-le", "surrogatepass")
    return [
        coded[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(coded), 2)
    ]


def joined(parts: list[str]) -> str:
    coded = b"".join(part.encode("utf-16-le", "surrogatepass") for part in parts)
    return coded.decode("utf-16-le", "replace")


def test_markdown_is_drawn(visit: Begin, link: str) -> None:
    seen = visit()
    seen.open(link)
    found = drawn(seen, DOCUMENT, 0, 0)
    html = found["html"]
    for part in (
        "<h3>Harbour <em>works</em></h3>",
        "<strong>new crane</strong>",
        "<code>120 t</code>",
        "<strong>bold\ntext</strong>",
        '<th scope="col">Crane</th>',
        "<td><strong>120</strong> tonnes</td>",
        "<td>a | b</td>",
        "<li><p>first</p><ul><li><p>nested <em>item</em></p></li></ul></li>",
        "<blockquote><p>quoted\nwords</p></blockquote>",
        'def f(): return "**not bold**"',
        "<h4>Under</h4>",
        "<hr>",
        "snake_case_name and 2 * 3 * 4, *kept*",
        "&lt;script&gt;alert(3)&lt;/script&gt;",
        '<span class="link" title="javascript:alert(1)">the plan</span>',
        '<span class="image" title="http://tracker.example/x.png">a ship</span>',
    ):
        assert part in html, part
    assert found["live"] == 0


def some_texts(count: int) -> list[tuple[str, int, int]]:
    """Return texts made of parts in any order, each with what of it is cited, always the same."""
    chance = random.Random(count)
    made: list[tuple[str, int, int]] = []
    for _ in range(count):
        text = "".join(chance.choices(PARTS, k=chance.randint(0, 25)))
        start, end = sorted(chance.randint(0, len(units(text))) for _ in range(2))
        made.append((text, start, end))
    return made


def test_what_is_cited_is_marked_exactly_whatever_the_marks(visit: Begin, link: str) -> None:
    seen = visit()
    seen.open(link)
    cases = some_texts(400)
    # All in one call: calling the browser takes far longer than what it does.
    drawing = f"(cases) => Promise.all(cases.map({DRAW}))"
    drawn = seen.page.evaluate(drawing, [list(each) for each in cases])
    for (text, start, end), found in zip(cases, drawn, strict=True):
        try:
            check_marked(text, start, end, found=found)
        except AssertionError as wrong:
            raise AssertionError(f"{text!r}, {start} to {end} cited") from wrong


def check_marked(text: str, start: int, end: int, *, found: dict[str, Any]) -> None:
    """Check what is drawn of a text whose [start, end) is cited."""
    letters = units(text)
    # Each place is shown at most once and in order; what is marked is what is cited of it.
    places = [at for begin, stop in found["leaves"] for at in range(begin, stop)]
    shown = set(places)
    assert places == sorted(shown)
    assert all(0 <= at < len(letters) for at in places)
    marked = [letters[at] for at in places if start <= at < end]
    assert joined(units(found["marked"])) == joined(marked)
    assert joined(units(found["shown"])) == joined([letters[at] for at in places])
    # What is left out is marks and the space around them, never a word but the name of a language
    # behind a fence.
    lost = joined([letters[at] for at in range(len(letters)) if at not in shown])
    lost = re.sub(r"(?:`{3,}|~{3,})[^\n]*", "", lost)
    assert "word" not in lost
    assert "한글" not in lost
    assert found["live"] == 0


def test_hostile_markdown_takes_no_time(visit: Begin, link: str) -> None:
    seen = visit()
    seen.open(link)
    for part in (
        "*a ",
        "[",
        "`a",
        "**a _b ",
        "> ",
        "- ",
        "![a](",
        "|a",
        "<a:",
        "~~",
        "*" * 7,
        "a\n|-|\n",
    ):
        text = part * (60_000 // len(part))
        took = seen.page.evaluate(
            """async (text) => {
                const { blocksOf } = await import("/page/reader/markdown.js");
                const began = performance.now();
                blocksOf(text);
                return performance.now() - began;
            }""",
            text,
        )
        assert took < 6000, (part, took)


def test_the_stored_text_is_a_switch_away(visit: Begin, stocked: Service, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = seen.page
    seen.ask("How many tonnes does the new crane lift?")
    page.locator(".sentence", has_text="120").locator(".cite").first.click()
    expect(page.locator(".text.marked h4")).to_have_text("Dredging")
    expect(page.locator("mark.now")).to_have_text("The new crane lifts 120 tonnes.")
    page.click("#stored-text")
    expect(page.locator("#stored-text")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".text")).to_contain_text("## Dredging")
    expect(page.locator("mark.now")).to_have_text("The new crane lifts 120 tonnes.")
    page.reload()
    seen.ready()
    expect(page.locator(".text")).to_contain_text("## Dredging")
    page.click("#stored-text")
    expect(page.locator(".text")).not_to_contain_text("## Dredging")
