"""`weft ask`: an answer with proof from a folder, in a process of its own, with no network."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flow.command import DOCUMENTS, Command, citations, write
from unit.adapters.reader.samples import encrypted, pdf
from weft.platform.workspace import is_own

# Each call is a process that starts cold, which takes long where the cores are busy.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
CITATION = {
    "n", "doc_id", "title", "uri", "page", "section", "chunk_id", "start", "end", "snippet",
    "knowledge_base",
}  # fmt: skip
ANSWER = {"answer", "outcome", "sentences", "refused", "missing", "offline", "run_id", "took_ms"}
LIFTS = "What does the new crane lift?"


@pytest.fixture(scope="module")
def weft(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Return the command in a folder that holds `docs`."""
    folder = tmp_path_factory.mktemp("desk")
    write(folder / "docs")
    return Command(home=home, folder=folder)


@pytest.fixture(scope="module")
def answer(weft: Command) -> Any:
    """Return one answer as JSON."""
    return weft("ask", "docs", LIFTS, "--json").json


def test_the_answer_as_json_has_the_promised_form(answer: Any) -> None:
    assert set(answer) >= ANSWER
    assert answer["refused"] is False
    assert answer["missing"] == []
    assert answer["offline"] is True
    assert answer["run_id"]
    assert 0 < answer["took_ms"] < 5000
    for sentence in answer["sentences"]:
        assert {"text", "tier", "citations"} <= set(sentence)
        assert sentence["tier"] in {"quote", "close"}
        assert all(set(citation) == CITATION for citation in sentence["citations"])
    assert "120 tonnes" in answer["answer"]
    assert "[1]" in answer["answer"]


def test_the_cited_text_stands_in_the_file(weft: Command, answer: Any) -> None:
    stored = {}
    for line in weft("kb", "export", "docs").out.splitlines():
        row = json.loads(line)
        if row.get("kind") == "document":
            stored[row["id"]] = row["text"]
    assert citations(answer)
    for citation in citations(answer):
        text = stored[citation["doc_id"]]
        assert text[citation["start"] : citation["end"]] == citation["snippet"]
    assert citations(answer)[0]["snippet"] in DOCUMENTS["harbour.md"]


def test_a_citation_is_opened_in_its_document(weft: Command) -> None:
    answer = weft("ask", "docs", LIFTS, "--json").json
    citation = citations(answer)[0]
    shown = weft("open", "1", "--json").json
    assert shown["document"] == citation["doc_id"]
    assert shown["text"][shown["start"] : shown["end"]] == citation["snippet"]
    assert citation["snippet"] in weft("open", "1").out
    beyond = weft("open", "99")
    assert beyond.code == 3
    assert "no citation [99]" in beyond.err


@pytest.mark.parametrize(
    ("question", "said", "document"),
    [
        ("새 크레인의 최대 하중은 얼마인가?", "120톤", "file:docs/회의록.txt"),
        ("What is the role of Jun Ito?", "crane operator", "record:docs/people/staff.csv#"),
        ("On which day is the highest tide expected?", "21 September", "file:docs/tides.html"),
        ("Who is the lighthouse keeper?", "Berta Lind", "record:docs/notes.json#n1"),
    ],
)
def test_every_kind_of_file_answers(weft: Command, question: str, said: str, document: str) -> None:
    answer = weft("ask", "docs", question, "--json").json
    assert said in answer["answer"]
    assert any(citation["doc_id"].startswith(document) for citation in citations(answer))


def test_what_is_not_there_is_refused_and_named(weft: Command) -> None:
    answer = weft("ask", "docs", "Who founded the chess club of Reykjavik?", "--json").json
    assert answer["refused"] is True
    assert answer["sentences"] == []
    assert any("Reykjavik" in missing for missing in answer["missing"])


def test_the_exit_status_tells_whether_it_was_answered(weft: Command) -> None:
    near = ("ask", "docs", "Who paid for the new crane?")
    said = weft(*near)
    assert said.code == 1
    assert "The nearest that was found, which is not an answer:" in said.out
    told = weft(*near, "--json")
    assert (told.code, told.json["outcome"]) == (1, "nearest")
    nothing = weft("ask", "docs", "Who founded the chess club of Reykjavik?", "--json")
    assert (nothing.code, nothing.json["outcome"]) == (1, "nothing")
    assert nothing.json["nearest"] == []


def test_what_was_found_besides_is_a_flag_away_and_can_be_opened(weft: Command) -> None:
    answer = weft("ask", "docs", LIFTS, "--json").json
    assert answer["outcome"] == "answered"
    besides = answer["more"][0]
    assert weft("open", str(besides["n"])).code == 0
    folded, unfolded = weft("ask", "docs", LIFTS), weft("ask", "docs", LIFTS, "--more")
    assert f"--more shows what else was found ({len(answer['more'])})." in folded.out
    assert "Found besides:" not in folded.out
    assert f"[{besides['n']}] " in unfolded.out.partition("Found besides:")[2]


def test_the_point_of_answering_is_a_setting(weft: Command) -> None:
    questions = (LIFTS, "Who is the lighthouse keeper?", "What is known of the tides?")
    careful = replace(weft, settings={**weft.settings, "WEFT_ANSWERS": "cautious"})
    for question in questions:
        outcomes = [each("ask", "docs", question, "--json").json for each in (weft, careful)]
        # What is answered with caution is answered without.
        assert outcomes[0]["outcome"] == "answered" or outcomes[1]["outcome"] != "answered"
    wrong = replace(weft, settings={**weft.settings, "WEFT_ANSWERS": "bold"})("ask", "docs", LIFTS)
    assert wrong.code == 2
    assert "WEFT_ANSWERS" in wrong.err
    assert "cautious" in wrong.err


def test_the_answer_is_drawn_with_its_citations(weft: Command) -> None:
    shown = weft("ask", "docs", LIFTS)
    assert shown.code == 0
    assert "[1]" in shown.out
    assert "docs/harbour.md:6" in shown.out
    assert "weft open" in shown.out


def test_only_the_named_sources_answer(weft: Command) -> None:
    answer = weft("ask", "docs", LIFTS, "--source", "record", "--json").json
    assert answer["refused"] is True
    assert weft("ask", "docs", LIFTS, "--source", "Docs, record", "--json").json["refused"] is False


@pytest.mark.parametrize("flow", ["rag", "debate"])
def test_a_source_that_is_not_there_is_named_with_those_that_are(weft: Command, flow: str) -> None:
    assert weft("ingest", "docs", "--kb", "Sourced").code == 0
    asked = ("ask", LIFTS, "--kb", "Sourced", "--flow", flow)
    told = weft(*asked, "--source", "docs,elsewhere,nope", "--json")
    assert (told.code, told.error["code"]) == (2, "bad_input")
    said = "There is no source 'elsewhere', 'nope'; there are: docs, file, record."
    assert told.error["message"] == said


def test_additions_changes_and_removals_are_seen_by_the_next_question(weft: Command) -> None:
    folder = write(weft.folder / "moving", {"a.md": "The ferry to Rugen leaves at nine.\n"})
    asked = ("ask", "moving", "When does the ferry to Rugen leave?", "--json")
    assert "nine" in weft(*asked).json["answer"]
    write(folder, {"a.md": "The ferry to Rugen leaves at ten.\n"})
    changed = weft(*asked).json["answer"]
    assert "ten" in changed
    assert "nine" not in changed
    write(folder, {"b.md": "The ticket office closes at noon.\n"})
    assert "noon" in weft("ask", "moving", "When does the ticket office close?", "--json").out
    (folder / "a.md").unlink()
    gone = weft(*asked)
    assert gone.json["refused"] is True
    assert "Rugen leaves" not in gone.out + weft("kb", "export", "moving").out


def test_bad_files_are_named_in_the_ledger_and_the_rest_answers(weft: Command) -> None:
    page = pdf(["The first page says nothing.", "The signal station burned down in 1911."], "Log")
    write(
        weft.folder / "mixed",
        {
            "log.pdf": page,
            "secret.pdf": encrypted(page, "opensesame"),
            "torn.pdf": page[: len(page) // 3],
            "empty.txt": b"",
            "noise.bin": bytes(range(256)) * 64,
        },
    )
    asked = ("ask", "mixed", "When did the signal station burn down?", "--json")
    answer = weft(*asked).json
    assert "1911" in answer["answer"]
    assert citations(answer)[0]["page"] == 2
    ledger = weft("kb", "ledger", "mixed", "--json").json
    statuses = {row["path"]: row["status"] for row in ledger["files"]}
    assert statuses["log.pdf"] == "read"
    assert statuses["secret.pdf"] == "encrypted"
    assert all(statuses[name] != "read" for name in statuses if name != "log.pdf")
    assert ledger["totals"]["files"] == 5
    shown = weft("kb", "ledger", "mixed").out
    assert all(name in shown for name in statuses)


def test_a_single_file_may_be_asked(weft: Command) -> None:
    answer = weft("ask", "docs/harbour.md", "Who dredges the inner basin?", "--json").json
    assert "Nordwerk Marine" in answer["answer"]


def test_several_knowledge_bases_answer_one_question(weft: Command) -> None:
    for name, text in (("North", "Gate four is closed."), ("South", "Gate nine is open.")):
        write(weft.folder / name.lower(), {"gate.md": f"{text}\n"})
        assert weft("ingest", name.lower(), "--kb", name, "--json").code == 0
    answer = weft("ask", "Which gate is open?", "--kb", "North,South", "--json").json
    assert "Gate nine is open." in answer["answer"]


def test_without_vectors_it_answers_by_full_text_and_says_so(weft: Command, tmp_path: Path) -> None:
    plain = replace(weft, home=tmp_path, settings={"WEFT_EMBEDDER": "none"})
    answer = plain("ask", "docs", LIFTS, "--json").json
    assert "120 tonnes" in answer["answer"]
    assert any("full text" in note for note in answer["notes"])
    assert not (tmp_path / "cache").exists()


def test_no_network_is_needed_not_even_loopback(weft: Command) -> None:
    cut = ("unshare", "-n")
    if not shutil.which("unshare"):
        pytest.skip("no unshare on this machine to cut the network with")
    if subprocess.run([*cut, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this user may not cut the network (unshare -n)")
    write(weft.folder / "island", DOCUMENTS)
    answer = replace(weft, before=cut)("ask", "island", LIFTS, "--json").json
    assert "120 tonnes" in answer["answer"]


def test_an_answer_is_written_to_a_file(weft: Command) -> None:
    said = weft("ask", "docs", LIFTS, "--save", "lifts.md", "--json").json
    written = (weft.folder / "lifts.md").read_text(encoding="utf-8")
    assert written.startswith(f"# {LIFTS}\n")
    assert "120 tonnes" in written
    assert "- [1] docs/" in written
    assert said["run_id"] in written
    assert weft("ask", "docs", "Who paints the moon?", "--save", "no.md").code == 1
    assert "cannot answer" in (weft.folder / "no.md").read_text(encoding="utf-8")
    for place in ("lifts.txt", "nowhere/lifts.md"):
        refused = weft("ask", "docs", LIFTS, "--save", place)
        assert refused.code == 2
        assert "Traceback" not in refused.err
        assert not (weft.folder / place).exists()


def test_what_a_field_led_to_is_shown_only_where_it_answers(weft: Command) -> None:
    written = "휴가 신청은 팀장 김지호가 승인한다.\n해외 출장은 박미나 이사가 승인한다.\n"
    rows = 'region,month,amount\nNorth,2024-01,"1,200.50"\nNorth,2024-02,$900\n'
    write(weft.folder / "korean", {"휴가.md": f"# 휴가 규정\n\n{written}", "sales.csv": rows})
    given = weft("ask", "korean", "휴가 신청은 누가 승인하나?", "--json").json
    assert [one["text"] for one in given["sentences"]] == ["휴가 신청은 팀장 김지호가 승인한다."]


def test_all_that_a_call_leaves_in_a_workspace_is_known_for_wefts_own(weft: Command) -> None:
    assert weft("ask", "docs", LIFTS).code == 0
    weft("chat", "docs", told=f"{LIFTS}\n")
    assert [one.name for one in weft.home.iterdir() if not is_own(one.name)] == []
