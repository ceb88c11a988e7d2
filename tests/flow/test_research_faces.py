"""Research as a library and on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flow.command import Command
from flow.http_world import workspace
from weft.domain.errors import BadInput
from weft.domain.event import EventType
from weft.sdk.weft import Weft

QUESTION = "Write a report on Apollo and Borealis"


def test_as_a_library_it_tells_what_happens_and_ends_with_the_report(tmp_path: Path) -> None:
    home = workspace(tmp_path)
    with Weft.open(home / "notes", home=home) as weft:
        told: list[Any] = list(weft.research(QUESTION, mode="deep"))
        with pytest.raises(BadInput):
            list(weft.research(QUESTION, mode="wild"))
    assert told[-2].type is EventType.RUN_FINISHED
    assert "Li Wei" in told[-1].payload["markdown"]


def test_on_the_command_line(tmp_path: Path) -> None:
    home = workspace(tmp_path)
    weft = Command(home=home, folder=home)
    shown = weft("research", "notes", QUESTION)
    assert shown.code == 0
    assert "Apollo was founded by Li Wei in Seoul." in shown.out
    assert "References" in shown.out
    assert "looking into: " in shown.err
    assert weft("open", "1").code == 0
    saved = weft("research", "notes", QUESTION, "--save", "report.html", "--json")
    assert (saved.code, json.loads(saved.out)["report"]["mode"]) == (0, "deep")
    assert (home / "report.html").read_text().startswith("<!doctype html>")
    cut = weft("research", "notes", QUESTION, "--budget", "time=0", "--json")
    assert cut.code == 0
    short = json.loads(cut.out)
    assert (short["report"]["is_partial"], short["report"]["ended_by"]) == (True, "time")
    for words in (("--save", "report.pdf"), ("--mode", "wild"), ("--budget", "sheep=3")):
        refused = weft("research", "notes", QUESTION, *words)
        assert refused.code == 2
        assert refused.err
