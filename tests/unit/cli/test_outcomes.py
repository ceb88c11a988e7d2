"""What came of a question, as a terminal of 80 columns shows it."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console
from rich.text import Text

from weft.cli.conversation import Prompt
from weft.cli.rendering import print_answer, print_more, show_answer
from weft.cli.screen import screen
from weft.domain.answer import (
    Answer,
    AnswerSentence,
    Citation,
    Meaning,
    Tier,
    composed,
    refused_text,
)
from weft.domain.ids import ChunkId, DocumentId, RunId
from weft.offline.refusals import nearest_text, refusal_text

HOSTILE = "Omar \x1b]0;owned\x07\x1b[31mReyes \x9b2J\u202etxt.exe <script src=x>alert(1)"
LONG = "The annual report of the inner basin " * 40
ARABIC = "قائد العبارة هو عمر رييس منذ عام 2019."


def cited(snippet: str, n: int) -> Citation:
    return Citation(
        n=n,
        knowledge_base="Main",
        doc_id=DocumentId("file:docs/ferry.md"),
        title="Ferry \x1b[2J",
        uri=f"file:///{'deep/' * 60}ferry\x1b[1m.md",
        page=None,
        section=None,
        chunk_id=ChunkId("c"),
        start=0,
        end=len(snippet),
        snippet=snippet,
    )


def answer(*said: str, nearest: tuple[str, ...] = (), more: tuple[str, ...] = ()) -> Answer:
    sentences = tuple(
        AnswerSentence(text=text, tier=Tier.QUOTE, citations=(cited(text, n),))
        for n, text in enumerate(said, 1)
    )
    near = tuple(cited(text, n) for n, text in enumerate(nearest, 1))
    reason = refusal_text("Who?", ["zeppelin"])
    return Answer(
        answer=composed(sentences) or refused_text(reason, near, heading=nearest_text("Who?")),
        sentences=sentences,
        refused=not said,
        missing=() if said else ("zeppelin",),
        offline=True,
        run_id=RunId("r"),
        nearest=near,
        more=tuple(cited(text, n) for n, text in enumerate(more, 1 + len(said))),
    )


def drawn(given: Answer, *, more: bool = False) -> str:
    written = StringIO()
    console = Console(file=written, width=80)
    print_answer(console, given, question="Who?")
    if more:
        print_more(console, given, question="Who?")
    return written.getvalue()


def test_the_nearest_stand_below_the_refusal_once_and_by_their_name() -> None:
    shown = drawn(answer(nearest=("The ferry sails at seven.", ARABIC)))
    panel, _, below = shown.partition("╰")
    assert "“zeppelin”" in panel
    assert "ferry sails" not in panel
    assert "The nearest that was found, which is not an answer:" in below
    assert below.count("The ferry sails at seven.") == below.count(ARABIC) == 1


def test_where_nothing_is_near_there_is_the_refusal_alone() -> None:
    shown = drawn(answer())
    assert "“zeppelin”" in shown
    assert "nearest" not in shown
    assert shown.rstrip().splitlines()[-1].startswith("╰")


def test_what_was_found_besides_is_shown_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    given = answer("The ferry sails at seven.", more=("It is red.", "It is old."))
    assert "It is red." not in drawn(given)
    assert "[2] " in drawn(given, more=True)
    show_answer(given, question="Who?")
    assert "--more shows what else was found (2)." in capsys.readouterr().out
    show_answer(given, question="Who?", more=True)
    shown = capsys.readouterr().out
    assert "It is old." in shown
    assert "--more" not in shown


def test_what_is_no_answer_is_cut_where_it_is_long() -> None:
    assert drawn(answer(nearest=(LONG,))).count("annual report") < LONG.count("annual report") / 2
    assert drawn(answer(LONG)).count("annual") >= LONG.count("annual report")


@pytest.mark.parametrize(
    "given",
    [answer(HOSTILE, more=(HOSTILE,)), answer(nearest=(HOSTILE,)), answer(HOSTILE, HOSTILE)],
)
def test_a_document_does_not_steer_the_terminal(
    given: Answer, capsys: pytest.CaptureFixture[str]
) -> None:
    show_answer(given, question="Who?", more=True)
    prompt = Prompt(as_json=False)
    prompt.answered(given, "Who?")
    Prompt(as_json=True).answered(given, "Who?")
    shown = capsys.readouterr().out
    assert "Reyes" in shown
    assert "<script src=x" in shown
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(shown)


def test_the_screen_keeps_its_own_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    console = screen()
    with console.capture() as captured:
        console.print(Text("Ferry of \x1b[31mOmar\u202e", style="bold"))
    assert captured.get() == "\x1b[1mFerry of [31mOmar\x1b[0m\n"


def test_a_conversation_tells_the_outcomes_apart(capsys: pytest.CaptureFixture[str]) -> None:
    prompt = Prompt(as_json=False)
    prompt.answered(answer("The ferry sails at seven.", more=("It is red.",)), "Who?")
    assert "/more shows what else was found (1)." in capsys.readouterr().out
    prompt.answered(answer(nearest=("It is red.",)), "Who?")
    shown = capsys.readouterr().out
    assert shown.index("“zeppelin”") < shown.index("not an answer:") < shown.index("It is red. [1]")
    prompt.answered(answer(), "Who?")
    assert "nearest" not in capsys.readouterr().out


def test_what_may_be_meant_is_listed_with_what_pins_it(capsys: pytest.CaptureFixture[str]) -> None:
    meanings = (
        Meaning(id="0badcafe", text=HOSTILE),
        Meaning(id="deadbeef", text="Ships · [bold]x"),
    )
    given = replace(answer(), meanings=meanings)
    show_answer(given, question="Who?")
    shown = capsys.readouterr().out
    assert "It may ask one of these of a table:" in shown
    assert "    --pin 0badcafe\n" in shown
    assert "  Ships · [bold]x\n    --pin deadbeef\n" in shown
    assert "\x1b]0;" not in shown
    assert "\x9b" not in shown
    assert "\u202e" not in shown
    Prompt(as_json=False).answered(given, "누구?")
    shown = capsys.readouterr().out
    assert "표에서 이런 것을 묻는 질문일 수 있습니다:" in shown
    assert "2. Ships · [bold]x" in shown
    assert "\x1b]0;" not in shown
