"""Options that several verbs have: one that names no knowledge base is refused by all."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from weft.cli.asking.quick import quick_call
from weft.cli.verbs import command_line

_CALLS = [
    ("ask", "Who?"),
    ("chat",),
    ("search", "Who?"),
    ("research", "Who?"),
    ("ingest", "."),
    ("flow", "run", "mine.yaml", "Who?"),
    ("entity", "show", "Ada"),
    ("schedule", "add", ".", "--cron", "0 3 * * *"),
]


@pytest.mark.parametrize("given", ["", "  ", " , "])
@pytest.mark.parametrize("words", _CALLS, ids=" ".join)
def test_a_blank_knowledge_base_is_refused(
    words: tuple[str, ...], given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    refused = CliRunner().invoke(command_line(), [*words, "--kb", given])
    assert refused.exit_code == 2
    assert "names no knowledge base" in refused.stderr
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("given", ["", "  ", ","])
def test_a_blank_one_is_no_plain_question(given: str) -> None:
    assert quick_call(["ask", "--kb", given, "Who?"]) is None
    assert quick_call(["ask", "--kb", "Harbour", "Who?"]) is not None
