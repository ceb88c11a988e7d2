"""What somebody new sees at a terminal: our lines alone, where things stand, what to do next."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from flow.command import Command, write
from flow.terminal import at_terminal, colours_in
from model_server import Body, Say, evidence_of, hand_in, model_server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
LIFTS = "What does the new crane lift?"
SAID = "The new crane lifts 120 tonnes."
CAPTAIN = "Who is the ferry captain?"


@pytest.fixture(scope="module")
def weft(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Return the command in a folder that holds `docs`, which were read already."""
    folder = tmp_path_factory.mktemp("screen")
    write(folder / "docs")
    command = Command(home=home, folder=folder)
    assert command("ingest", "docs").code == 0
    return command


def quoting(body: Body) -> Say:
    """Search, then hand in the sentence about the crane."""
    found = evidence_of(body)
    if not found:
        return Say(calls=[("rag_search", {"query": LIFTS})])
    return hand_in(body, (SAID, [found[0]["id"]]))


def test_standard_error_is_ours_when_rules_answer(weft: Command) -> None:
    asked = at_terminal(weft, "ask", "docs", LIFTS)
    assert (asked.code, asked.err_text) == (0, "")
    assert SAID in asked.out_text
    talked = at_terminal(weft, "chat", "docs", typed=[LIFTS, "/quit"])
    assert (talked.code, talked.err_text) == (0, "")
    assert SAID in talked.out_text


def test_standard_error_is_ours_when_a_model_answers(weft: Command) -> None:
    with model_server(quoting) as server:
        settings = {"WEFT_MODEL": "openai:scripted", "OPENAI_BASE_URL": server.base_url}
        modelled = replace(weft, settings=settings)
        asked = at_terminal(modelled, "ask", "docs", LIFTS)
        talked = at_terminal(modelled, "chat", "docs", typed=[LIFTS, "/quit"])
        assert len(server.requests) == 4
    for seen in (asked, talked):
        assert (seen.code, seen.err_text.strip()) == (0, "")
        assert SAID in seen.out_text
        assert "pydantic" not in (seen.out_text + seen.err_text).casefold()


def test_no_colour_where_none_is_wanted(weft: Command) -> None:
    calls = [("ask", "docs", LIFTS), ("ask", "docs", "Who paid for it?"), ("ask", "gone", LIFTS)]
    assert colours_in(at_terminal(weft, *calls[0]).out)
    for words in calls:
        plain = at_terminal(weft, *words, NO_COLOR="1")
        assert colours_in(plain.out + plain.err) == []
        piped = weft(*words)
        assert "\x1b" not in piped.out + piped.err


def test_a_sentence_and_its_place_stand_there_once(weft: Command) -> None:
    said = weft("ask", "docs", LIFTS).out
    assert said.count(SAID) == 1
    assert "[1] docs/harbour.md:6  Harbour works" in said
    rows = weft("ask", "docs", "What is the role of Jun Ito?").out
    assert "docs/people/staff.csv:3" in rows
    elsewhere = replace(weft, folder=weft.folder / "docs" / "people")
    away = elsewhere("ask", "..", LIFTS).out
    assert f"{(weft.folder / 'docs' / 'harbour.md').as_uri()}:6" in away


def test_plain_words_on_every_face_and_stored_ones_in_the_snippet(weft: Command) -> None:
    marked = "The lighthouse keeper is **Berta Lind**, as [the log](https://x.org/log) says."
    write(weft.folder / "marked", {"pier.md": f"# Lighthouse\n\n- {marked}\n"})
    answer = weft("ask", "marked", "Who is the lighthouse keeper?", "--json").json
    (sentence,) = answer["sentences"]
    assert sentence["text"] == "The lighthouse keeper is Berta Lind, as the log says."
    assert sentence["tier"] == "quote"
    assert sentence["citations"][0]["snippet"] == marked
    assert answer["answer"] == f"{sentence['text']} [1]"
    opened = weft("open", "1").out
    assert "▌  • The lighthouse keeper is Berta Lind" in opened
    assert "**" not in opened


@pytest.fixture
def damaged(weft: Command) -> Command:
    """Return the command in a folder of its own, two files of which give no text."""
    folder = weft.folder / "damaged"
    documents: dict[str, str | bytes] = {
        "notes/a.md": "The ferry captain is Omar Reyes.\n",
        "empty.txt": "",
        "torn.pdf": b"%PDF-1.4 no",
    }
    write(folder / "desk", {**documents, ".hidden": "not meant to be read"})
    return replace(weft, folder=folder)


def test_what_gave_no_text_is_counted_and_can_be_listed(damaged: Command) -> None:
    line = "weft: 2 of 3 files gave no text; weft kb ledger desk --unread lists them.\n"
    asked = damaged("ask", "desk", CAPTAIN)
    assert (asked.code, asked.err) == (0, line)
    assert damaged("chat", "desk", told="/quit\n").err == line
    assert damaged("ask", "desk", CAPTAIN, "--json").err == ""
    korean = damaged("ask", "desk", "여객선은 무슨 색인가?").err
    assert "파일 3개 가운데 2개" in korean
    listed = damaged("kb", "ledger", "desk", "--unread")
    assert "empty.txt" in listed.out
    assert "torn.pdf" in listed.out
    assert "a.md" not in listed.out.replace("torn", "")
    rows = damaged("kb", "ledger", "desk", "--unread", "--json").json["files"]
    assert sorted(row["path"] for row in rows) == ["empty.txt", "torn.pdf"]


def test_without_a_path_the_folder_one_is_in_is_asked_and_that_is_said(damaged: Command) -> None:
    inside = replace(damaged, folder=damaged.folder / "desk")
    asked = inside("ask", CAPTAIN)
    assert asked.code == 0
    assert f"asking the folder you are in, {inside.folder}." in asked.err
    assert "[1] notes/a.md:1" in asked.out
    assert inside("kb", "stats", "--json").json["documents"] == 1
    # Nobody means all of their files, nor those of everybody.
    for folder in (inside.folder, inside.folder.parent, Path("/")):
        refused = replace(inside, folder=folder)("ask", CAPTAIN, HOME=str(inside.folder))
        assert refused.code == 2
        assert "is not read as a whole. Name a folder (weft ask FOLDER" in refused.err


def test_what_says_nothing_leaves_no_knowledge_base(weft: Command) -> None:
    folder = write(weft.folder / "void", {"photo.png": b"\x89PNG\r\n\x1a\n" + bytes(9)})
    (folder / "empty").mkdir()
    before = weft("kb", "list", "--json").json
    nothing = weft("ask", "void/empty", LIFTS)
    assert nothing.code == 2
    assert nothing.err.startswith("weft: There is nothing to read in ")
    photo = weft("ask", "void/photo.png", LIFTS)
    assert photo.code == 2
    assert "photo.png (the file is a PNG image" in photo.err
    assert weft("ask", "void", LIFTS).code == 2
    assert weft("kb", "list", "--json").json == before


def test_the_beginning_of_a_runs_id_is_enough(weft: Command) -> None:
    ids = [weft("ask", "docs", LIFTS, "--json").json["run_id"] for _ in range(2)]
    rows = [row["run_id"] for row in weft("runs", "list", "--limit", "1000", "--json").json]
    short = next(n for n in range(1, 17) if sum(one.startswith(ids[0][:n]) for one in rows) == 1)
    assert weft("runs", "show", ids[0][:short], "--json").json["run_id"] == ids[0]
    ended = weft("runs", "cancel", ids[0][:short], "--json")
    assert ids[0] in ended.out or ended.error["code"] != "not_found"
    several = weft("runs", "show", "", "--json")
    assert several.code == 2
    assert f"{ids[1]} ({LIFTS})" in several.error["message"]
    assert several.error["message"].startswith("Several runs begin with ''")


def test_a_question_has_a_limit_in_a_conversation_too(weft: Command) -> None:
    said = weft("chat", "docs", told=f"{'a' * 2001}\n{LIFTS}\n")
    assert said.code == 0
    assert "A question has at most 2,000 characters; this one has 2,001." in said.out
    assert SAID in said.out


def test_times_have_units(weft: Command) -> None:
    write(weft.folder / "fresh", {"a.md": "The ferry is red.\n", "b.md": "It is old.\n"})
    said = weft("ingest", "fresh").out
    assert re.search(r": read 2 files in [\d.]+ m?s, 2 documents in 2 chunks written$", said, re.M)
    assert re.search(r"nothing has changed in 2 files \([\d.]+ m?s\)", weft("ingest", "fresh").out)
    assert re.search(r"offline · [\d.]+ m?s · run [0-9a-f]{8} ", weft("ask", "docs", LIFTS).out)
