"""Patterns for paths: they mean what they say, and no pattern takes long."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.domain.errors import BadInput
from weft.ingest.sources.path_patterns import Patterns, glob

PIECES = st.sampled_from(["a", "b", "ab", "*", "?", "/", "**/", "**", "."])


def plainly(pattern: str) -> re.Pattern[str]:
    """Return the meaning of a pattern where each wildcard is tried in every way."""
    meanings = {"**/": r"(?:.*/)?", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.removeprefix("/"))
    anywhere = "" if "/" in pattern else r"(?:.*/)?"
    return re.compile(anywhere + "".join(meanings.get(p) or re.escape(p) for p in parts), re.DOTALL)


@given(st.lists(PIECES, min_size=1, max_size=7), st.text("ab/.", max_size=10))
def test_a_pattern_means_all_its_ways(pieces: list[str], path: str) -> None:
    pattern = re.sub(r"\*{3,}", "**", "".join(pieces))
    if re.sub(r"(?:\*\*/)+", "**/", pattern).count("**") > 3:
        with pytest.raises(BadInput, match="more than 3 times"):
            glob(pattern)
        return
    matches = glob(pattern).fullmatch(path) is not None
    assert matches is (plainly(pattern).fullmatch(path) is not None)


@pytest.mark.parametrize("pattern", ["*a" * 100 + "b", "?*" * 100 + "b", "**/*a*a*a/**/*a*a/**b"])
def test_no_pattern_takes_long(pattern: str) -> None:
    began = time.process_time()
    glob(pattern).fullmatch("a" * 250)
    glob(pattern).fullmatch("/".join(["a" * 30] * 100))
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize("written", ["[z-a]*", "notes/[9-0].md", "[é-a]"])
def test_a_set_that_runs_backwards_is_named(written: str) -> None:
    with pytest.raises(BadInput, match=re.escape(written)):
        Patterns(["*.md", written])


@given(
    st.lists(st.lists(PIECES, min_size=1, max_size=3).map("".join), max_size=5),
    st.text("ab/.", min_size=1, max_size=6),
)
def test_the_last_line_that_speaks_decides(lines: list[str], path: str) -> None:
    speaking = [line for line in lines if glob(line.rstrip("/")).fullmatch(path)]
    assert Patterns(lines).match(path, folder=True) == (speaking[-1] if speaking else None)
