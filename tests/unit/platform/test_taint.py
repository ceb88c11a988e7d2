"""What a person wrote may go out after something was read; what was read may not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.agents.tools.web_manifests import WEB_TOOL
from weft.domain.errors import BadInput, Forbidden
from weft.platform.manifest import SideEffects, ToolCatalog
from weft.platform.taint import Taint

ASKED = "What does the travel policy of Meridian say about hotels in 부산의 항구?"
WORDS = ASKED.rstrip("?").split()


def test_before_anything_is_read_a_query_is_said_in_any_words() -> None:
    Taint([ASKED]).check(WEB_TOOL, {"query": "Meridian accommodation rules"})


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12))
def test_afterwards_in_those_of_the_person(words: list[str]) -> None:
    Taint([ASKED], tainted=True).check(WEB_TOOL, {"query": " ".join(words), "top_k": 3})


@given(
    st.lists(st.sampled_from(WORDS), max_size=6),
    st.sampled_from(
        ["QX-7731", "Nightingale", "7731", "암호", "tr4vel", "\u200b", "🔑", "Größe", "x.y_z"]
    ),
)
def test_and_in_no_others(words: list[str], other: str) -> None:
    with pytest.raises(Forbidden, match="'query'"):
        Taint([ASKED], tainted=True).check(WEB_TOOL, {"query": " ".join([*words, other])})


@pytest.mark.parametrize(
    "query", ["traveling to hotels", "the hotel policies", "부산 항구", "(hotels)"]
)
def test_a_word_is_the_persons_in_every_form(query: str) -> None:
    Taint([ASKED], tainted=True).check(WEB_TOOL, {"query": query})


def test_what_is_taken_stays_taken() -> None:
    taint = Taint([ASKED])
    taint.take()
    with pytest.raises(Forbidden):
        taint.check(WEB_TOOL, {"query": "Nightingale"})


def test_texts_within_an_argument_are_looked_at_and_those_that_may_be_of_others_are_not() -> None:
    tool = replace(WEB_TOOL, side_effects=SideEffects.WRITE)
    taint = Taint([ASKED], tainted=True)
    for deep in ({"a": ["Nightingale"]}, {"Nightingale": 1}, ["hotels", ["Nightingale"]]):
        with pytest.raises(Forbidden, match="'query'"):
            taint.check(tool, {"query": deep})
        taint.check(replace(tool, untrusted_args=("query",)), {"query": deep})


def test_a_tool_that_only_reads_takes_every_text() -> None:
    reads = replace(WEB_TOOL, side_effects=SideEffects.READ)
    Taint(tainted=True).check(reads, {"query": "Nightingale"})


def test_an_argument_that_is_none_is_not_published() -> None:
    with pytest.raises(BadInput, match="takes no url"):
        ToolCatalog([replace(WEB_TOOL, untrusted_args=("url",))])
