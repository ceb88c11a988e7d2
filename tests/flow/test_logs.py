"""Log lines of the service: ids everywhere, and never a text or a secret."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from flow.http_world import workspace
from weft import Weft
from weft.adapters.logs.logs import LogLines
from weft.domain.event import EventType, RunEvent
from weft.domain.ids import RunId
from weft.platform.audit import enter_run, occasion
from weft.platform.tracing.run_log import RunLog

QUESTION = "Who founded Apollo?"


def served_lines(folder: Path, capsys: pytest.CaptureFixture[str], more: str = "") -> list[Any]:
    from flow.http_world import ended, served

    home = workspace(folder, f"embedder: none\nlog: json\n{more}")
    capsys.readouterr()
    with served(home) as client:
        base = next(e["id"] for e in client.get("/v1/kb").json()["items"] if e["folder"])
        client.post(
            "/ask",
            json={"question": QUESTION, "kb": [base]},
            headers={"X-Request-ID": "req-1", "Cookie": "weft=s3cret"},
        )
        added = {"records": [{"id": "r1", "content": "Apollo is a ship."}]}
        ended(client, client.post(f"/v1/kb/{base}/documents", json=added).json()["run_id"])
        client.get("/v1/kb/NoSuchBase?query=Li+Wei", headers={"Authorization": "Bearer s3cret"})
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_a_request_and_its_run_are_told_by_their_ids(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = served_lines(tmp_path, capsys)
    ended = next(one for one in lines if one["event"] == "run_ended")
    asked = next(one for one in lines if one.get("route") == "/ask")
    assert (ended["request_id"], ended["flow"], ended["status"]) == ("req-1", "rag", "finished")
    assert len(ended["run_id"]) == 16
    assert (asked["request_id"], asked["method"], asked["status"]) == ("req-1", "POST", 200)
    assert asked["ms"] > 0
    begun, done = (one for one in lines if one["event"] in {"job_begun", "job_ended"})
    assert (done["kind"], done["job_id"]) == ("ingest", begun["job_id"])
    refused = next(one for one in lines if one.get("status") == 401)
    assert refused["code"] == "unauthenticated"
    assert "code" not in asked
    assert refused["route"] == "other" or refused["route"].startswith("/v1/kb")
    whole = json.dumps(lines)
    for text in (QUESTION, "Apollo", "Li Wei", "Li+Wei", "s3cret", "Seoul", str(tmp_path)):
        assert text not in whole


@pytest.mark.parametrize("wanted", ["auto", "json"])
def test_a_command_writes_lines_where_they_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wanted: str
) -> None:
    home = workspace(tmp_path, f"embedder: none\nlog: {wanted}\n")
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "apollo.md").write_text("Apollo was founded by Li Wei in Seoul.", encoding="utf-8")
    with Weft.open(folder, home=home) as weft:
        capsys.readouterr()
        weft.ask(QUESTION)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line[:1] == "{"]
    ended = [one for one in lines if one["event"] == "run_ended"]
    assert [(one["flow"], one["status"]) for one in ended] == [("rag", "finished")][: len(ended)]
    assert len(ended) == (wanted == "json")
    assert "Apollo" not in json.dumps(lines)


def test_arguments_of_tools_are_shown_where_that_is_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = served_lines(tmp_path, capsys, more="log_tool_preview_max: 20\n")
    shown = [one["preview"] for one in lines if "preview" in one]
    assert shown
    assert all(len(one) <= 20 for one in shown)


class Unwritten:
    """Fails the test where it is written out."""

    def __str__(self) -> str:
        raise AssertionError("it is written where nobody wants it")


def requested(args: dict[str, object]) -> RunEvent:
    """Return the event that a tool was requested with some arguments."""
    return RunEvent(
        seq=1,
        run_id=RunId("run1"),
        ts=datetime(2026, 1, 1, tzinfo=UTC),
        type=EventType.TOOL_REQUESTED,
        data={"tool": "search", "args": args},
    )


def test_a_preview_is_of_arguments_as_json() -> None:
    stream = io.StringIO()
    lines = LogLines(stream, as_json=True, preview_max=200)
    lines.tell("tool_requested", preview={"text": "Wer gründete Apollo?"})
    assert json.loads(stream.getvalue())["preview"] == '{"text": "Wer gründete Apollo?"}'


def test_where_no_preview_is_wanted_arguments_are_not_even_written() -> None:
    stream = io.StringIO()
    RunLog(LogLines(stream, as_json=True)).observe([requested({"text": Unwritten()})])
    line = json.loads(stream.getvalue())
    assert (line["event"], line["tool"]) == ("tool_requested", "search")
    assert "preview" not in line


def test_a_line_holds_nothing_but_its_fields() -> None:
    stream = io.StringIO()
    with occasion("r1"):
        enter_run("run1")
        LogLines(stream, as_json=True).tell("x", status="s" * 999, question="secret", api_key="k")
    line = json.loads(stream.getvalue())
    assert (line["request_id"], line["run_id"], line["level"]) == ("r1", "run1", "info")
    assert len(line["status"]) == 200
    assert not {"question", "api_key"} & line.keys()


def test_at_a_terminal_a_line_is_words() -> None:
    stream = io.StringIO()
    LogLines(stream, as_json=False).warn("model_failed", node="think")
    assert "model_failed" in stream.getvalue()
    assert not stream.getvalue().startswith("{")
