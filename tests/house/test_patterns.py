"""No pattern takes long for anything that somebody may type."""

from __future__ import annotations

import importlib
import pkgutil
import re
import time
from collections.abc import Iterator, Mapping
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from weft.language.legible import legible
from weft.language.patterns import LateNeedingPattern, LatePattern

_LENGTH = 1500
# Of the processor, whatever else runs on the machine.
_LIMIT_S = 0.5
_UNITS = (
    *("a", "A", "1", "-", ".", "_", "/", "'", '"', "(", "[", "<", "|", " ", "\n", "\t", "가", "!"),
    *(
        "a-",
        "A.",
        "_a",
        "a.",
        "a/",
        "1,",
        "1 ",
        "a ",
        "A ",
        "Aa ",
        "A B ",
        "a@",
        "A1",
        "가 ",
        "#a ",
    ),
    *("the ", "the a of ", "of the ", "who is ", "a, ", "A, ", "or a ", "x's ", "A of ", "가의 "),
    *(
        "Jan 1, ",
        "2020-",
        "e\u0301",
        "\U0001f600",
        "(a ",
        "“a",
        " \n",
        "a: ",
        "- ",
        "in A ",
        "A-B ",
    ),
)
_BEFORE = ("", "a", "What is ")
# These read one word, or the beginning of a text, and are never searched with.
_ANCHORED = frozenset(
    {
        "weft.offline.units.question._CAPITAL",
    }
)
_BEHIND = ("", "\0", "-", "?")


def _values() -> Iterator[tuple[str, object]]:
    """Yield what the modules have, by where it stands."""
    for module in pkgutil.walk_packages(weft.__path__, "weft."):
        if ".migrations" in module.name or module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            yield f"{module.name}.{name}", value


def _patterns() -> dict[str, re.Pattern[str]]:
    """Return the patterns of all modules, each once, by where the first of them stands."""
    found: dict[tuple[str, int], str] = {}
    for place, value in _values():
        for pattern in _within(value):
            found.setdefault((pattern.pattern, pattern.flags), place)
    return {
        f"{place} {n}": re.compile(*key) for n, (key, place) in enumerate(sorted(found.items()))
    }


def _within(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, LatePattern):
        yield cast("re.Pattern[str]", value)
    elif isinstance(value, LateNeedingPattern):
        yield re.compile(value.pattern, value.flags)
    elif isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif isinstance(value, tuple | list | frozenset | Mapping):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _within(one)


PATTERNS = _patterns()
NEEDING = {place: value for place, value in _values() if isinstance(value, LateNeedingPattern)}


def test_all_rooms_have_been_looked_through() -> None:
    assert len(PATTERNS) > 200


@pytest.mark.parametrize("place", PATTERNS)
def test_a_pattern_reads_hostile_text_in_time(place: str) -> None:
    pattern = PATTERNS[place]
    for unit in _UNITS:
        for before in _BEFORE:
            text = legible(before + unit * (_LENGTH // len(unit)))
            for behind in _BEHIND:
                began = time.thread_time()
                pattern.match(text + behind)
                for _ in () if place.split()[0] in _ANCHORED else pattern.finditer(text + behind):
                    pass
                taken = time.thread_time() - began
                assert taken < _LIMIT_S, f"{taken:.2f} s for {before!r} + {unit!r} × n + {behind!r}"


# Letters that are another one's only where case is disregarded: nobody asks with them.
_OTHER_CASES = "\u0130\u0131\u017f\u212a"


@pytest.mark.parametrize("place", NEEDING)
@given(drawn=st.data())
def test_a_pattern_needs_what_is_in_all_that_it_finds(place: str, drawn: st.DataObject) -> None:
    late = NEEDING[place]
    early = re.compile(late.pattern, late.flags)
    signs = st.characters(exclude_characters=_OTHER_CASES, codec="utf-8")
    text = drawn.draw(st.from_regex(early, alphabet=signs))
    assert early.search(text) is None or late.search(text) is not None
