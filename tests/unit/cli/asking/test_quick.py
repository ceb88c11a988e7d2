"""A plain call is read as the library that reads all others reads it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from weft.cli import ask as ask_verb
from weft.cli.asking.call import AskCall
from weft.cli.asking.quick import quick_call
from weft.cli.verbs import command_line

_PARTS = st.sampled_from(
    [
        *("docs", "Who may use it?", "", "a b", "--json", "--more", "-x", "--", "--help", "-"),
        *("--kb", "--kb=Docs", "Docs", "--source", "--flow", "rag", "--pin", "a=b", "--js"),
        *("--budget", "tokens=9", "--save", "a.md", "--remote", "last", "누가?", "--json=1"),
    ]
)
_CALLS: list[AskCall] = []


@pytest.fixture(autouse=True, scope="module")
def kept() -> Iterator[None]:
    """Have what is read kept, and nothing asked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ask_verb, "answer", _CALLS.append)
        yield


@given(arguments=st.lists(_PARTS, max_size=6))
def test_it_is_the_same_call_or_left_to_the_library(arguments: list[str]) -> None:
    _CALLS.clear()
    quick = quick_call(["ask", *arguments])
    if quick is None:
        return
    assert CliRunner().invoke(command_line("ask"), ["ask", *arguments]).exit_code == 0
    (read,) = _CALLS
    assert (list(quick.words), quick.kb, quick.source) == (list(read.words), read.kb, read.source)
    assert (quick.flow, quick.more, quick.as_json) == (read.flow, read.more, read.as_json)
    assert (read.budget, list(read.pins), read.save, read.remote) == ("", [], None, "")


@pytest.mark.parametrize(
    ("line", "is_plain"),
    [
        ("ask . who?", True),
        ("ask --json who? .", True),
        ("ask --kb Docs who?", True),
        ("ask", False),
        ("ask --help", False),
        ("ask who? --kb", False),
        ("ask who? --kb --json", False),
        ("search who?", False),
        ("", False),
    ],
)
def test_which_calls_are_plain(line: str, is_plain: bool) -> None:
    assert (quick_call(line.split()) is not None) is is_plain
