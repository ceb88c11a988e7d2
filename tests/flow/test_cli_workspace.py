"""`weft init`, `doctor`, `model check`, `runs`: the workspace and what is known of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from flow.command import Command, write
from weft import __version__

# Each call is a process that starts cold, which takes long where the cores are busy.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
ASKED = "Who keeps the harbour log?"


@pytest.fixture(scope="module")
def weft(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Return the command beside a folder `docs` that one question was asked of."""
    folder = tmp_path_factory.mktemp("desk")
    write(folder / "docs", {"log.md": "# Log\n\nBerta Lind keeps the harbour log.\n"})
    made = Command(home=home, folder=folder)
    assert "Berta Lind" in made("ask", "docs", ASKED, "--json").json["answer"]
    return made


def test_init_writes_a_workspace_and_leaves_what_is_there(weft: Command, tmp_path: Path) -> None:
    made = weft("init", str(tmp_path / "new"), "--json").json
    assert made == {"home": str(tmp_path / "new"), "made": ["weft.yaml", "prompts/", "ontologies/"]}
    settings = tmp_path / "new" / "weft.yaml"
    assert "# chunk_tokens: 256" in settings.read_text(encoding="utf-8")
    settings.write_text("chunk_tokens: 128\n", encoding="utf-8")
    assert weft("init", str(tmp_path / "new"), "--json").json["made"] == []
    assert settings.read_text(encoding="utf-8") == "chunk_tokens: 128\n"
    home = str(tmp_path / "new")
    shown = weft("doctor", "--json", WEFT_HOME=home, WEFT_EMBEDDER="none").json["settings"]
    (row,) = [row for row in shown if row["name"] == "chunk_tokens"]
    assert (row["value"], row["origin"]) == ("128", "weft.yaml")


def test_a_workspace_that_cannot_be_made_is_an_error(weft: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    told = weft("init", str(tmp_path / "file" / "below"), "--json")
    assert told.code == 2
    assert "cannot be read" in told.error["message"]


def test_a_broken_settings_file_is_named(weft: Command, tmp_path: Path) -> None:
    (tmp_path / "weft.yaml").write_text("model: [offline\n", encoding="utf-8")
    told = weft("kb", "list", "--json", WEFT_HOME=str(tmp_path))
    assert told.code == 2
    assert "weft.yaml" in told.error["message"]


def test_doctor_tells_what_is_there_and_keeps_secrets(weft: Command) -> None:
    shown = weft("doctor", "--json", OPENAI_API_KEY="sk-never-shown").json
    assert shown["version"] == __version__
    assert all(finding["ok"] for finding in shown["findings"])
    seen = {finding["what"]: finding["seen"] for finding in shown["findings"]}
    assert seen["python"] == sys.version.split()[0]
    assert seen["embedder"].startswith("minilm")
    assert any(what.startswith("kb ") and "1 document," in said for what, said in seen.items())
    values = {row["name"]: row["value"] for row in shown["settings"]}
    assert values["openai_api_key"] == "set"
    assert values["azure_openai_api_key"] == "not set"
    assert "sk-never-shown" not in weft("doctor", OPENAI_API_KEY="sk-never-shown").out


def test_doctor_shows_no_password_of_an_address(weft: Command) -> None:
    address = "http://ann:s3cr@t/pw@127.0.0.1:9/v1?api_key=k3y"
    for words in (["doctor"], ["doctor", "--json"]):
        said = weft(*words, OPENAI_BASE_URL=address)
        assert "s3cr" not in said.out + said.err
        assert "k3y" not in said.out + said.err


def test_doctor_mends_a_workspace_that_others_may_enter(weft: Command) -> None:
    weft.home.chmod(0o755)
    seen = {one["what"]: one["seen"] for one in weft("doctor", "--json").json["findings"]}
    assert seen["workspace"] == "others could enter it; mended"
    assert weft.home.stat().st_mode & 0o077 == 0
    seen = {one["what"]: one["seen"] for one in weft("doctor", "--json").json["findings"]}
    assert seen["workspace"] == "its owner's alone"


def test_doctor_says_how_to_mend_a_base_of_other_settings(weft: Command) -> None:
    told = weft("doctor", "--json", WEFT_EMBEDDER="none")
    assert told.code == 1
    assert f'"mend": "weft kb reindex {(weft.folder / "docs").resolve()}"' in told.out


def test_models_are_tried(weft: Command) -> None:
    rows = {row["role"]: row for row in weft("model", "check", "--json").json}
    assert rows["embedder"]["ok"] is True
    assert "384" in rows["embedder"]["said"]
    assert "offline" in rows["model"]["said"]


def test_a_model_that_does_not_answer_is_said(weft: Command) -> None:
    told = weft(
        "model", "check", "--json",
        WEFT_EMBEDDER="none", WEFT_MODEL="ollama:none", OLLAMA_BASE_URL="http://127.0.0.1:9/v1",
    )  # fmt: skip
    assert told.code == 8
    assert '"ok": false' in told.out


def test_runs_are_listed_and_shown(weft: Command) -> None:
    rows = weft("runs", "list", "--json").json
    row = next(row for row in rows if row["question"] == ASKED)
    assert (row["flow"], row["status"]) == ("rag", "finished")
    shown = weft("runs", "show", row["run_id"], "--json").json
    kinds = [event["type"] for event in shown["events"]]
    assert kinds[0] == "run_started"
    assert kinds[-1] == "run_finished"
    assert {"node_started", "tool_requested", "tool_finished", "answer"} <= set(kinds)
    assert [event["seq"] for event in shown["events"]] == list(range(1, len(kinds) + 1))
    assert row["run_id"] in weft("runs", "list").out
    assert "think" in weft("runs", "show", row["run_id"]).out


def test_the_events_hold_no_text_of_a_document(weft: Command) -> None:
    row = next(row for row in weft("runs", "list", "--json").json if row["question"] == ASKED)
    assert "Berta Lind keeps" not in weft("runs", "show", row["run_id"], "--json").out


def test_the_version_and_every_verb_are_shown(weft: Command) -> None:
    assert weft("--version").out.split() == ["weft", __version__]
    shown = weft("--help").out
    for verb in ("init", "ingest", "ask", "open", "kb", "runs", "model", "doctor"):
        assert verb in shown
