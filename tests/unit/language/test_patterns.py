"""Patterns compiled at their first use do what compiled ones do."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.language.patterns import korean_pattern, pattern

TEXTS = st.text(alphabet="ab1 \n", max_size=20)
WRITTEN = (r"a+", r"(?P<one>a)(b)?", r"^b", r"\s", r"")


@given(text=TEXTS, flags=st.sampled_from((0, re.IGNORECASE, re.MULTILINE)))
@pytest.mark.parametrize("written", WRITTEN)
def test_finds_what_a_compiled_pattern_finds(written: str, text: str, flags: int) -> None:
    late, early = pattern(written, flags), re.compile(written, flags)
    for _ in range(2):  # the first use compiles, the second does not
        assert [m.span() for m in late.finditer(text)] == [m.span() for m in early.finditer(text)]
        assert late.sub("x", text) == early.sub("x", text)
        assert late.split(text) == early.split(text)
        assert (late.fullmatch(text) is None) == (early.fullmatch(text) is None)
    assert (late.pattern, late.flags, late.groups) == (early.pattern, early.flags, early.groups)
    assert late.groupindex == early.groupindex


def test_compiles_at_the_first_use_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def compiling(text: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(text)
        return genuine(text, flags)

    genuine = re.compile
    monkeypatch.setattr(re, "compile", compiling)
    late = pattern("a")
    assert compiled == []
    assert late.search("a") is not None
    assert late.search("b") is None
    assert compiled == ["a"]


def test_what_is_no_pattern_is_told_at_the_first_use() -> None:
    wrong = pattern("(")
    with pytest.raises(re.error):
        wrong.search("")
    assert not hasattr(pattern("a"), "nothing")
    assert not hasattr(pattern("a"), "__len__")


KOREAN = (r"(?<=\d)(?=[가-힣])", r"[가-힣]{2}$", r"[가-힣0-9][가-힣]", r"(?<=[가-힣A-Z])(?:은|는)$")


@given(text=st.text(alphabet="가은는1A \n", max_size=12))
@pytest.mark.parametrize("written", KOREAN)
def test_a_korean_pattern_finds_what_a_compiled_one_finds(written: str, text: str) -> None:
    late, early = korean_pattern(written), re.compile(written)
    assert [m.span() for m in late.finditer(text)] == [m.span() for m in early.finditer(text)]
    assert late.sub("x", text) == early.sub("x", text)
    for found, wanted in (
        (late.search(text), early.search(text)),
        (late.match(text), early.match(text)),
    ):
        assert (found and found.span()) == (wanted and wanted.span())


def test_a_korean_pattern_is_not_compiled_for_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(re, "compile", None)
    late = korean_pattern("[가-힣]")
    assert (late.search("a"), late.match("a"), list(late.finditer("a"))) == (None, None, [])
    assert late.sub("x", "a") == "a"
