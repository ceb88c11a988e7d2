"""What the page shows of answers and documents is what was said and what is stored."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

from hypothesis import given, settings
from hypothesis import strategies as st

from e2e.service_process import Service

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]
PLACE = """async ([text, spans]) => {
    const { placed, piecesOf, windowed } = await import("/page/reader/spans.js");
    const where = placed(text, spans);
    const pieces = piecesOf(text, where);
    const part = windowed(text, where[0].from, 20);
    return {
        isInside: part.offset <= where[0].from && where[0].from <= part.offset + part.text.length,
        texts: where.map(({ from, to }) => text.slice(from, to)),
        whole: pieces.map((piece) => piece.text).join(""),
        marked: spans.map((span) => pieces.filter(
            (piece) => piece.cited.some((each) => each.n === span.n)
        ).map((piece) => piece.text).join("")),
        part: part.text,
    };
}"""
LETTERS = st.text(alphabet=st.sampled_from("ab \n한é🏗️🚢𝔘"), max_size=60)


@st.composite
def _spans(draw: st.DrawFn) -> tuple[str, list[dict[str, int]]]:
    text = draw(LETTERS)
    ends = st.integers(min_value=0, max_value=len(text))
    spans = draw(st.lists(st.tuples(ends, ends).map(sorted), min_size=1, max_size=4))
    return text, [{"n": n, "start": a, "end": b} for n, (a, b) in enumerate(spans, 1)]


def test_spans_are_counted_in_code_points(visit: Begin, link: str) -> None:
    seen = visit()
    seen.open(link)

    @settings(max_examples=60)
    @given(cited=_spans())
    def law(cited: tuple[str, list[dict[str, int]]]) -> None:
        text, spans = cited
        found = seen.page.evaluate(PLACE, [text, spans])
        expected = [text[span["start"] : span["end"]] for span in spans]
        assert found["texts"] == expected
        assert found["marked"] == expected
        assert found["whole"] == text
        assert found["part"] in text
        assert found["isInside"]

    law()


def test_text_of_documents_never_becomes_markup(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.page.on("dialog", lambda dialog: seen.faults.append(f"ran: {dialog.message}"))
    seen.open(link)
    seen.ask("Who is the ferry captain?")
    page = seen.page
    page.click(".cite >> nth=0")
    expect(page.locator("mark.now")).to_contain_text("Omar")
    expect(page.locator("#side-body .text")).to_contain_text("Reyes")
    assert page.locator("#side img, #side script, .thread img, .thread script").count() == 0


def test_an_answer_is_copied_with_its_citations(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    seen.ask("Who is the lighthouse keeper?")
    seen.page.click(".copy")
    expect(seen.page.locator(".copy")).to_have_text("Copied")
    copied = seen.page.evaluate("navigator.clipboard.readText()")
    assert "[1]" in copied.splitlines()[0]
    assert "Berta Lind" in copied.splitlines()[-1]


def test_the_examples_ask_what_the_documents_say(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    example = seen.page.locator(".example").first
    question = example.locator(".example-text").inner_text()
    example.click()
    expect(seen.page.locator(".asked")).to_have_text(question)
    expect(seen.page.locator(".foot")).to_be_visible()


def test_a_run_is_drawn_as_its_steps(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    seen.ask("Who is the lighthouse keeper?")
    seen.page.get_by_role("button", name="How this was found").click()
    names = seen.page.locator(".step-name")
    expect(names.first).to_have_text("Reading the question")
    expect(names.filter(has_text="Finding evidence")).to_be_visible()
    assert seen.page.locator(".bar").count() == names.count()


def test_a_question_can_be_stopped(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page = seen.page
    cancelled: list[str] = []
    page.route("**/v1/chat/message", lambda _: None)  # an answer that does not come
    page.on("request", lambda request: cancelled.append(request.url))
    page.fill("#question", "Who is the lighthouse keeper?")
    page.press("#question", "Enter")
    expect(page.locator("#stop")).to_be_visible()
    page.click("#stop")
    expect(page.locator(".turn")).to_contain_text("Stopped")
    page.unroute("**/v1/chat/message")
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator(".turn").last.locator(".cite").first).to_be_visible()


def test_a_failure_is_said_in_words(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    _answer_with(seen.page, [("run", {"run_id": "r1"}), ("error", {"detail": "Out of budget."})])
    seen.page.fill("#question", "What?")
    seen.page.press("#question", "Enter")
    expect(seen.page.get_by_role("alert").last).to_contain_text("Out of budget.")


def test_korean_says_notes_and_failures_by_their_codes(
    visit: Begin, stocked: Service, link: str
) -> None:
    from playwright.sync_api import expect

    seen = visit(locale="ko-KR")
    seen.open(link)
    page = seen.page
    notes = [
        {"code": "full_text_alone", "text": "Main: ranked", "values": {"base": "Main"}},
        {"code": "full_text_alone", "text": "Side: ranked", "values": {"base": "Side"}},
        {"code": "remark", "text": "이름이 같은 것이 있습니다.", "values": {}},
    ]
    _answer_with(page, [("answer", _cited(stocked, notes=notes))])
    seen.ask("무엇을 아나요?")
    said = page.locator(".notes li")
    expect(said.nth(0)).to_have_text("Main, Side: 벡터 없이 본문 검색만으로 순위를 정했습니다.")
    expect(said.nth(1)).to_have_text("이름이 같은 것이 있습니다.")
    page.unroute("**/v1/chat/message")
    failed = {"detail": "The run's budget is used up.", "code": "budget_exceeded", "status": 429}
    _answer_with(page, [("run", {"run_id": "r1"}), ("error", failed)])
    page.fill("#question", "왜?")
    page.press("#question", "Enter")
    fault = page.locator("div.fault")
    expect(fault).to_contain_text("이 질문에 주어진 한도를 다 썼습니다.")
    expect(fault).not_to_contain_text("budget")
    page.click("#language")
    expect(fault).to_contain_text("The run's budget is used up.")
    expect(said.nth(0)).to_have_text("Main, Side: ranked by full text alone, without vectors")


def test_a_count_stands_on_top_of_its_rows_and_says_over_what(
    visit: Begin, stocked: Service, link: str
) -> None:
    from playwright.sync_api import expect

    seen = visit(locale="ko-KR")
    seen.open(link)
    page = seen.page
    over = {"title": "cranes.csv", "count": "3"}
    notes = [{"code": "counted", "text": "Counted", "values": over}]
    said = _cited(stocked, notes=notes, short="3")
    rows = ("name: **Nord**\nlifts: 120", "| Süd | 80 |", "the `old` [crane](crane.md)")
    for sentence, row in zip(said["sentences"], rows, strict=True):  # type: ignore[call-overload]
        sentence["text"] = row
    _answer_with(page, [("answer", said)])
    seen.ask("크레인은 몇 대인가요?")
    reply = page.locator(".reply")
    expect(reply.locator("> .short:first-child")).to_have_text("3")
    words = reply.locator(".words")
    expect(words.nth(0)).to_have_text("name: Nord · lifts: 120 1")
    expect(words.nth(1)).to_have_text("Süd · 80 2")
    expect(words.nth(2)).to_have_text("the old crane 3")
    note = "cranes.csv에서 읽을 수 있는 3개 항목을 세었습니다."
    expect(page.locator(".notes li")).to_have_text(note)
    page.click("#language")
    expect(page.locator(".notes li")).to_have_text(
        "Counted over the entries of cranes.csv that you may read, 3 in all."
    )


def test_where_a_search_ended_is_told_in_the_language_of_the_page(
    visit: Begin, stocked: Service, link: str
) -> None:
    from playwright.sync_api import expect

    seen = visit(locale="ko-KR")
    seen.open(link)
    values = {"name": "Berta Lind", "role": "mother"}
    reason = {"code": "hop_unsaid", "text": "I found Berta Lind, but", "values": values}
    refused = {"sentences": [], "citations": [], "refused": True, "missing": ["mother"]}
    said = _cited(stocked, answer=reason["text"], reason=reason, **refused)
    _answer_with(seen.page, [("answer", said)])
    seen.ask("Who is the mother of the lighthouse keeper?")
    words = seen.page.locator(".refusal .words")
    expect(words).to_have_text("“Berta Lind”은(는) 찾았지만, 그 mother에 대한 내용이 없습니다.")


HOSTILE = "Omar <img src=x onerror=alert(1)> \x1b[31mReyes \u202etxt.exe"


def test_each_outcome_is_told_from_the_others(visit: Begin, stocked: Service, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit(locale="ko-KR")
    seen.open(link)
    page, said = seen.page, cast("Any", _cited(stocked))
    first, second, third = said["sentences"]
    cited = [first["citations"][0]]
    more = [{**each["citations"][0], "snippet": HOSTILE} for each in (second, third)]
    answered = {"outcome": "answered", "sentences": [first], "citations": cited, "more": more}
    near = {"outcome": "nearest", "sentences": [], "citations": [], "refused": True}
    near |= {"answer": "I cannot answer this.", "nearest": more}
    nothing = {**near, "outcome": "nothing", "nearest": [], "missing": ["zeppelin"]}
    for outcome in (answered, near, nothing):
        _answer_with(page, [("answer", _cited(stocked, **outcome))])
        seen.ask("Who?")
        page.unroute("**/v1/chat/message")
    turns = page.locator(".turn")
    folded = turns.nth(0).locator("details.more")
    expect(folded.locator("summary")).to_have_text("더 찾은 내용 2개")
    expect(folded.locator(".words").first).to_be_hidden()
    folded.locator("summary").click()
    expect(folded.locator(".words").first).to_have_text(
        "Omar <img src=x onerror=alert(1)> [31mReyes txt.exe 2"
    )
    expect(turns.nth(1).locator(".refusal h3")).to_have_text(
        "확실한 답은 문서에서 찾지 못했습니다."
    )
    expect(turns.nth(1).locator(".nearest h3")).to_have_text(
        "가장 가까운 내용입니다. 답은 아닙니다"
    )
    expect(turns.nth(1).locator(".nearest .found")).to_have_count(2)
    expect(turns.nth(1).locator(".sentence, .copy")).to_have_count(0)
    expect(turns.nth(2).locator(".refusal h3")).to_have_text("문서에서 답을 찾지 못했습니다.")
    expect(turns.nth(2).locator(".missing li")).to_have_text("zeppelin")
    expect(turns.nth(2).locator(".nearest, .more")).to_have_count(0)
    page.click("#language")
    expect(folded.locator("summary")).to_have_text("2 more that were found")
    assert page.locator(".thread img").count() == 0
    assert seen.violations() == []


def test_what_was_being_read_is_still_shown_after_a_reload(visit: Begin, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    progress = {"files_total": 9, "files_done": 4, "chunks": 12, "failed": 1, "unchanged": 0}
    run = {"run_id": "j1", "kb": ["Harbour"], "status": "running", "progress": progress}
    last = {**run, "status": "finished", "progress": {**progress, "files_done": 9}}
    said = _events([("progress", run), ("progress", last)])
    page = seen.page
    page.route("**/v1/runs?*", lambda route: route.fulfill(json={"items": [run], "next": ""}))
    page.route(
        "**/v1/runs/j1/events",
        lambda route: route.fulfill(content_type="text/event-stream", body=said),
    )
    seen.open(link)
    expect(page.locator(".tray-item.done")).to_contain_text("1 could not be read")


def _events(events: list[tuple[str, object]]) -> str:
    return "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)


def _answer_with(page: Page, events: list[tuple[str, object]]) -> None:
    said = _events(events)
    page.route(
        "**/v1/chat/message",
        lambda route: route.fulfill(content_type="text/event-stream", body=said),
    )


def _cited(service: Service, **other: object) -> dict[str, object]:
    """Return a scripted answer with three citations of stored texts."""
    cited: list[dict[str, object]] = []
    for name, snippet in (
        ("works", "The new crane lifts 120 tonnes."),
        ("works", "Dredging of the inner basin costs 4.2 million euros"),
        ("lighthouse", "The lighthouse keeper is Berta Lind."),
    ):
        known = service.call(f"/v1/kb/Harbour/documents?q={name}")["items"][0]
        text = service.call(f"/v1/kb/Harbour/documents/{quote(known['id'])}")["text"]
        start = text.index(snippet)
        place = {"start": start, "end": start + len(snippet), "snippet": snippet, "kb": "Harbour"}
        about = {"doc_id": known["id"], "title": known["title"], "uri": "", "page": 3}
        cited.append({"n": len(cited) + 1, "section": None, "chunk_id": "c", **about, **place})
    sentences = [
        {"text": each["snippet"], "tier": "close", "citations": [each], "missing": []}
        for each in cited
    ]
    said = {"sentences": sentences, "citations": cited, "refused": False, "missing": []}
    return {
        "answer": "",
        "offline": True,
        "notes": [],
        "run_id": "r1",
        "took_ms": 1.0,
        **said,
        **other,
    }


def test_arrow_keys_go_from_citation_to_citation(visit: Begin, stocked: Service, link: str) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    page, keys = seen.page, seen.page.keyboard
    _answer_with(page, [("answer", _cited(stocked))])
    seen.ask("What is known?")
    expect(page.locator(".tier").first).to_have_text("Close wording")
    page.locator(".cite").first.focus()
    keys.press("ArrowRight")
    expect(page.locator(".cite").nth(1)).to_be_focused()
    keys.press("ArrowLeft")
    keys.press("Enter")
    mark = page.locator("mark.now")
    expect(mark).to_have_text("The new crane lifts 120 tonnes.")
    expect(page.locator("mark.other")).to_have_count(1)
    keys.press("ArrowRight")
    expect(mark).to_have_text("Dredging of the inner basin costs 4.2 million euros")
    keys.press("ArrowRight")
    expect(mark).to_have_text("The lighthouse keeper is Berta Lind.")
    keys.press("ArrowRight")
    expect(page.locator(".place")).to_have_text("3 of 3")


def test_a_document_that_has_changed_since_is_said_to_have(
    visit: Begin, stocked: Service, link: str
) -> None:
    from playwright.sync_api import expect

    seen = visit()
    seen.open(link)
    answer = json.loads(json.dumps(_cited(stocked)).replace("120 tonnes", "90 tonnes"))
    _answer_with(seen.page, [("answer", answer)])
    seen.ask("What is known?")
    seen.page.click(".cite >> nth=0")
    expect(seen.page.locator(".gone")).to_contain_text("90 tonnes")
    assert seen.page.locator("mark").count() == 0
