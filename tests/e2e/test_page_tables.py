"""A result of rows is drawn as a table, and numbers over categories or time as a small chart."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from e2e.pictures import keep_picture

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]
PLAN = "species, body mass (g), averaged by species, the largest first"
PHONE = {"width": 390, "height": 780}
COLUMNS = (
    {"name": "species", "type": "category", "unit": ""},
    {"name": "body mass", "type": "number", "unit": "g"},
)
ROWS = (["Gentoo", "5,076"], ["Chinstrap", "3,733.1"], ["Adelie", "n/a"], ["Adélie, old", "3,701"])


def _planted(
    columns: Sequence[dict[str, str]],
    rows: Sequence[list[str]],
    *,
    total: int = 0,
    plan: str = PLAN,
) -> dict[str, Any]:
    """Return an answer of rows, each citing a row of a document."""
    cited = [
        {
            "n": n,
            "kb": "Harbour",
            "doc_id": "file:penguins.csv",
            "title": "penguins.csv",
            "uri": "",
            "page": None,
            "section": None,
            "chunk_id": "c",
            "start": 0,
            "end": 1,
            "snippet": row[0],
        }
        for n, row in enumerate(rows, start=1)
    ]
    sentences = [
        {"text": each["snippet"], "tier": "quote", "citations": [each], "missing": []}
        for each in cited
    ]
    drawn = {
        "plan": plan,
        "columns": list(columns),
        "rows": list(rows),
        "total": total or len(rows),
        "cites": [[each["n"]] for each in cited],
    }
    told = {"answer": "", "short": "", "offline": True, "notes": [], "run_id": "r1", "took_ms": 1.0}
    return {
        **told,
        "sentences": sentences,
        "citations": cited,
        "refused": False,
        "missing": [],
        "table": drawn,
    }


def _asked(seen: Visit, answer: dict[str, Any]) -> Page:
    """Return the page with a planted answer on it."""
    said = f"event: answer\ndata: {json.dumps(answer)}\n\n"
    seen.page.route(
        "**/v1/chat/message",
        lambda route: route.fulfill(content_type="text/event-stream", body=said),
    )
    seen.ask("Which penguins are the heaviest?")
    return seen.page


def _names(page: Page) -> list[str]:
    cells: Locator = page.locator(".rows tbody td:first-child")
    return cells.all_inner_texts()


def test_rows_are_a_table_with_their_plan_and_what_each_cites(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = _asked(seen, _planted(COLUMNS, ROWS))
    rows = page.get_by_role("table", name=PLAN)
    expect(rows.get_by_role("columnheader")).to_have_text(["species", "body mass (g)", "Cited"])
    expect(rows.get_by_role("row").nth(1)).to_contain_text("Gentoo")
    expect(rows.locator("tbody .cite")).to_have_text(["1", "2", "3", "4"])
    style = "getComputedStyle(document.querySelector('.rows td.number-cell')).textAlign"
    assert page.evaluate(style) == "right"
    expect(page.locator(".by-row .sentence").first).to_be_hidden()
    page.locator(".by-row summary").click()
    expect(page.locator(".by-row .sentence")).to_have_count(4)


def test_heads_sort_by_the_keyboard_and_what_is_no_number_comes_last(
    visit: Begin, link: str
) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = _asked(seen, _planted(COLUMNS, ROWS))
    head = page.get_by_role("button", name="body mass (g)")
    head.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".rows [aria-sort=ascending]")).to_have_text("body mass (g)")
    assert _names(page) == ["Adélie, old", "Chinstrap", "Gentoo", "Adelie"]
    expect(page.locator("#news")).to_have_text("Sorted by body mass, the smallest first.")
    page.keyboard.press("Space")
    expect(page.locator(".rows [aria-sort=descending]")).to_have_count(1)
    assert _names(page) == ["Gentoo", "Chinstrap", "Adélie, old", "Adelie"]
    expect(head).to_be_focused()
    expect(page.locator(".rows tbody .cite").first).to_have_text("1")


def test_a_column_is_sorted_as_it_writes_its_numbers(visit: Begin, link: str) -> None:
    seen = visit()
    seen.open(link)
    rows = [["a", "1.234,5"], ["b", "12,75 EUR"], ["c", "1.000"], ["d", "999"], ["e", "1 100,0"]]
    page = _asked(seen, _planted(COLUMNS, rows))
    page.get_by_role("button", name="body mass (g)").click()
    assert _names(page) == ["b", "d", "c", "e", "a"]


def test_at_most_twenty_rows_are_drawn_and_all_that_came_are_saved(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    many = [[f"=cmd|{n}", f"{n * 1000:,}"] for n in range(30)]
    page = _asked(seen, _planted(COLUMNS, [["a, b", "-7"], *many], total=1200))
    expect(page.locator(".rows tbody tr")).to_have_count(20)
    expect(page.locator(".rows-foot .hint")).to_have_text("and 1,180 more")
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save these 31 rows as CSV").click()
    assert saving.value.suggested_filename == "rows.csv"
    told = saving.value.path().read_text(encoding="utf-8-sig")
    saved = list(csv.reader(told.splitlines()))
    assert saved[:3] == [["species", "body mass (g)"], ["a, b", "-7"], ["'=cmd|0", "0"]]
    assert len(saved) == 32


@pytest.mark.parametrize(("kind", "drawn"), [("category", "rect"), ("date", "circle")])
def test_numbers_over_categories_or_time_have_a_chart(
    visit: Begin, link: str, kind: str, drawn: str
) -> None:
    from playwright.sync_api import expect

    seen = visit(locale="ko-KR")
    seen.open(link)
    columns = ({"name": "연도", "type": kind, "unit": ""}, COLUMNS[1])
    rows = [["2003", "12"], ["2001", "-4"], ["2002", "1,250"]]
    page = _asked(seen, _planted(columns, rows))
    chart = page.locator(".chart svg[role=img]")
    expect(chart.locator(drawn)).to_have_count(3)
    expect(chart).to_have_attribute("aria-label", _chart_name(kind))
    first = chart.locator("text:not(.value)").first
    expect(first).to_have_text("2003" if kind == "category" else "2001")


def _chart_name(kind: str) -> str:
    if kind == "date":
        return "꺾은선그래프: 연도 3개에 걸친 body mass. 표와 같은 내용입니다."
    return "막대그래프: 연도 3개의 body mass. 표와 같은 내용입니다."


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        (COLUMNS, [["Gentoo", "5,076"]]),
        (COLUMNS, [["Gentoo", "many"], ["Adelie", "3,700"]]),
        ((COLUMNS[0], COLUMNS[1], {**COLUMNS[1], "name": "bill"}), [["a", "1", "2"]] * 3),
        (({**COLUMNS[0], "type": "text"}, COLUMNS[1]), [["a", "1"], ["b", "2"]]),
    ],
)
def test_nothing_else_has_one(
    visit: Begin, link: str, columns: Sequence[dict[str, str]], rows: Sequence[list[str]]
) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = _asked(seen, _planted(columns, rows))
    expect(page.locator(".rows table")).to_be_visible()
    expect(page.locator(".chart")).to_have_count(0)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("narrow", [False, True])
def test_a_wide_table_scrolls_inside_itself_and_axe_finds_nothing(
    visit: Begin, link: str, *, dark: bool, narrow: bool
) -> None:
    from playwright.sync_api import expect

    sized = {"viewport": PHONE} if narrow else {}
    seen = visit(dark=dark, **sized)
    seen.open(link)
    hostile = "<img src=x onerror=alert(1)> \x1b[31m"
    wide = [{"name": f"column number {n}", "type": "text", "unit": ""} for n in range(12)]
    page = _asked(seen, _planted(wide, [[f"{hostile}{n}"] * 12 for n in range(25)]))
    scroll = "document.documentElement.scrollWidth <= innerWidth"
    assert page.evaluate(scroll)
    inner = page.locator(".rows .wide-table")
    assert inner.evaluate("each => each.scrollWidth > each.clientWidth")
    assert page.locator(".rows img").count() == 0
    head = page.locator(".rows th").first
    inner.evaluate("each => each.scrollTo(0, each.scrollHeight)")
    assert head.evaluate("each => each.getBoundingClientRect().top >= 0")
    assert seen.violations() == []
    keep_picture(page, f"rows wide {'dark' if dark else 'light'} {'phone' if narrow else 'desk'}")
    page.unroute("**/v1/chat/message")
    for kind in ("category", "date"):
        years = [[f"{2001 + n}", f"{(n * 7) % 11 * 1234.5:,.1f}"] for n in range(9)]
        column = {"name": "year", "type": kind, "unit": ""}
        _asked(seen, _planted((column, COLUMNS[1]), years))
        expect(page.locator(".turn").last.locator(".chart")).to_be_visible()
        assert page.evaluate(scroll)
        assert seen.violations() == []
        page.locator(".turn").last.locator(".chart").scroll_into_view_if_needed()
        name = f"rows {kind} {'dark' if dark else 'light'} {'phone' if narrow else 'desk'}"
        keep_picture(page, name)
        page.unroute("**/v1/chat/message")


def test_all_rows_that_came_can_be_seen(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    columns = [{"name": f"column {n}", "type": "number", "unit": ""} for n in range(60)]
    rows = [[str(1000 * row + column) for column in range(60)] for row in range(300)]
    seen = visit(viewport=PHONE)
    seen.open(link)
    page = _asked(seen, _planted(columns, rows, total=310))
    drawn, left = page.locator(".rows tbody tr"), page.locator(".rows-foot .hint")
    expect(drawn).to_have_count(20)
    expect(left).to_have_text("and 290 more")
    more = page.locator(".more-rows")
    more.focus()
    page.keyboard.press("Enter")
    expect(drawn).to_have_count(120)
    expect(left).to_have_text("and 190 more")
    expect(more).to_be_focused()
    expect(page.locator("#news")).to_have_text("120 of 310 rows are shown.")
    # What is sorted by is all that came, and as many are shown.
    head = page.locator(".rows .head").first
    head.click()
    head.click()
    expect(drawn.first.locator("td").first).to_have_text("299000")
    expect(drawn).to_have_count(120)
    for _ in range(2):
        more.click()
    expect(drawn).to_have_count(300)
    expect(more).to_be_hidden()
    expect(page.locator(".rows .wide-table")).to_be_focused()
    expect(left).to_have_text("and 10 more")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # On paper it says as well that there are more.
    page.emulate_media(media="print")
    expect(left).to_be_visible()
    expect(page.locator(".rows-foot button").first).to_be_hidden()
