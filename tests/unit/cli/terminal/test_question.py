"""What is typed to ask: a path and a question, in either order."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.cli.terminal.question import read_words
from weft.domain.errors import BadInput

ASKED = "What is it?"


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)


def test_a_path_and_a_question_come_in_either_order() -> None:
    assert read_words(["docs", ASKED], verb="ask") == (Path("docs"), ASKED)
    assert read_words([ASKED, "docs"], verb="search") == (Path("docs"), ASKED)
    assert read_words([f" {ASKED} "], verb="ask") == (None, ASKED)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["docs"], 'The question is missing: weft ask docs "what is ...?"'),
        (["docs/"], "The question is missing: weft ask docs/"),
        (["docs", " "], "The question is empty."),
        ([""], "The question is empty."),
        (["dcos", ASKED], "no file or folder 'dcos'; did you mean 'docs'?"),
        (["elsewhere", ASKED], "no file or folder 'elsewhere'$"),
        (["docs", "What", "is"], "in quotes"),
        (["a" * 2001], "at most 2,000 characters; this one has 2,001"),
        (["docs", "a" * 5000], "at most 2,000 characters; this one has 5,000"),
    ],
)
def test_what_is_missing_is_said(words: list[str], said: str) -> None:
    with pytest.raises(BadInput, match=said.replace("(", r"\(").replace("?", r"\?")):
        read_words(words, verb="ask")
