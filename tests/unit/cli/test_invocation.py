"""Whoever stops a call is told what is true of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from weft.bootstrap.app import App
from weft.cli import chat, ingest
from weft.cli.asking import call
from weft.cli.invocation import run


@pytest.fixture(autouse=True)
def _stopping(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have whatever is begun stopped at once."""
    monkeypatch.setenv("WEFT_HOME", str(tmp_path / "home"))

    def interrupted(work: object) -> None:
        work.close()  # type: ignore[attr-defined]  # a coroutine
        raise KeyboardInterrupt

    monkeypatch.setattr(asyncio, "run", interrupted)


async def nothing(_: App) -> None:
    """Do nothing."""


def told(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err.strip()


def test_a_call_that_does_not_go_on_does_not_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(nothing)
    assert ended.value.code == 130
    assert told(capsys) == "weft: stopped."


def test_an_ingestion_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for watch in (False, True):
        with pytest.raises(SystemExit):
            ingest.ingest([str(tmp_path)], watch=watch)
        assert told(capsys) == "weft: stopped; the next call continues where this one was."


def test_a_question_has_no_answer(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        call.answer(call.AskCall(words=["Who?"]))
    assert told(capsys) == "weft: stopped; there is no answer; ask again for one."


def test_a_conversation_is_resumed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        chat.chat()
    assert told(capsys) == "weft: stopped; --resume goes on with the last conversation."
