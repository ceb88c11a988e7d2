"""`weft chat` from a pipe, and the runs it leaves: in a process of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flow.command import Command, write

# Each call is a process that starts cold, which takes long where the cores are busy.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
WHO = "Who is the lighthouse keeper?"


@pytest.fixture(scope="module")
def weft(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Return the command in a folder that holds `docs`, which were read already."""
    folder = tmp_path_factory.mktemp("talk")
    write(folder / "docs")
    command = Command(home=home, folder=folder)
    assert command("ingest", "docs").code == 0
    return command


def test_a_conversation_goes_on_and_is_cleared(weft: Command) -> None:
    lines = [
        "What does the new crane lift?", "/more", "And the highest tide?", "/sources", "/open 1",
        "/history", "/nonsense", "/clear", "/history", "/quit",
    ]  # fmt: skip
    said = weft("chat", "docs", told="\n".join(lines) + "\n")
    assert said.code == 0, said.err
    assert "120 tonnes" in said.out
    assert "There is no command /nonsense" in said.out
    assert "Found besides:" in said.out
    assert "user: What does the new crane lift?" in said.out
    after = said.out.partition("Erased: ")[2]
    messages, runs = int(after.split()[0]), int(after.split()[2])
    assert messages == 2 * runs >= 4
    assert "user:" not in after
    assert weft("runs", "list", "--json", "--text", "crane").json == []


def test_answers_as_lines_of_json(weft: Command) -> None:
    said = weft("chat", "docs", "--json", told=f"{WHO}\nWhere does she live?\n")
    first, second = (json.loads(line) for line in said.out.splitlines())
    assert "Berta Lind" in first["answer"]
    assert any("Berta Lind" in note for note in second["notes"])


def test_a_conversation_is_taken_up_again(weft: Command) -> None:
    weft("chat", "docs", told=f"{WHO}\n")
    said = weft("chat", "docs", "--resume", "--json", told="What is her name?\n")
    assert any("Berta Lind" in note for note in json.loads(said.out)["notes"])


def test_history_in_memory_is_gone_with_the_process(weft: Command) -> None:
    asked = weft("chat", "docs", told="What does Dredging cost?\n", WEFT_HISTORY="memory")
    assert "4.2 million" in asked.out
    assert weft("runs", "list", "--json", "--text", "Dredging cost").json == []


def test_runs_are_listed_by_what_is_wanted_and_shown_whole(weft: Command) -> None:
    answer = weft("ask", "docs", "Who is the keeper of the lighthouse?", "--json").json
    wanted = ("--text", "keeper of the LIGHT", "--status", "finished", "--since", "2020-01-01")
    rows = weft("runs", "list", "--json", *wanted).json
    assert [row["run_id"] for row in rows] == [answer["run_id"]]
    assert weft("runs", "list", "--json", "--since", "2999-01-01").json == []
    assert weft("runs", "list", "--json", "--status", "failed").json == []
    shown = weft("runs", "show", answer["run_id"], "--json").json
    assert shown["totals"]["tool_calls"] == len(shown["tool_runs"]) >= 1
    assert shown["totals"]["ms"] > 0
    assert shown["tool_runs"][0]["tool"] == "rag_search"
    assert "Berta" not in json.dumps([shown["events"], shown["tool_runs"], shown["sources"]])
    told = weft("runs", "show", answer["run_id"], "--json", "--replies").json
    assert {one["kind"] for one in told["replies"]} == {"start", "tool"}  # no model was asked
    assert "Berta Lind" in json.dumps(told["tool_runs"])
    assert len(shown["sources"]) >= 1
    drawn = weft("runs", "show", answer["run_id"]).out
    for part in ("think", "rag_search ok", "notes.json", "answer: sentences: 1, offline"):
        assert part in drawn


def test_a_day_that_is_none_is_named(weft: Command) -> None:
    said = weft("runs", "list", "--json", "--since", "yesterday")
    assert said.error["code"] == "bad_input"
