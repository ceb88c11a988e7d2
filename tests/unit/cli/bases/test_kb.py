"""`weft kb`: another word for a verb is answered with the verb's name."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from weft.cli.bases import kb


@pytest.mark.parametrize("word", ["delete", "remove", "rm", "del"])
def test_whoever_wants_to_delete_is_told_of_drop(word: str) -> None:
    refused = CliRunner().invoke(kb.app, [word, "Harbour"])
    assert refused.exit_code == 2
    assert f"No such command '{word}'" in refused.stderr
    assert "weft kb drop" in refused.stderr


def test_any_other_word_is_refused_as_before() -> None:
    refused = CliRunner().invoke(kb.app, ["fly", "Harbour"])
    assert refused.exit_code == 2
    assert "drop NAME" not in refused.stderr
