"""Conclusions set side by side: said once where they agree, marked where they contradict."""

from __future__ import annotations

from typing import cast

import pytest

from weft.agents.answering import DraftSentence
from weft.agents.supervising import CitedPassage, Conclusion, Debated, DebateDraft
from weft.agents.toolbox import RuleTools
from weft.offline.choice.contradictions import differ
from weft.offline.supervisor import disagreements, supervise_offline

pytestmark = pytest.mark.anyio
OPENED = "The Harbour Bridge was opened on 14 March 1932."


def concluded(base: str, *texts: str) -> Conclusion:
    """Return the conclusion of an agent that quotes."""
    return Conclusion(
        knowledge_base=base,
        sentences=tuple(
            DraftSentence(text=text, evidence_ids=[f"{base}{n}"]) for n, text in enumerate(texts)
        ),
        passages=tuple(
            CitedPassage(id=f"{base}{n}", title="", text=text) for n, text in enumerate(texts)
        ),
    )


async def supervised(*conclusions: Conclusion) -> DebateDraft:
    given = Debated(question="When was it opened?", conclusions=conclusions)
    return await supervise_offline(given, cast(RuleTools, None))


async def test_what_several_say_is_said_once_and_first() -> None:
    draft = await supervised(
        concluded("A", "It is 1,149 metres long.", OPENED), concluded("B", OPENED)
    )
    assert [(one.text, one.evidence_ids) for one in draft.sentences] == [
        (OPENED, ["A1", "B0"]),
        ("It is 1,149 metres long.", ["A0"]),
    ]
    assert draft.disagreements == []


async def test_what_contradicts_is_kept_and_marked() -> None:
    other = "The Harbour Bridge was opened on 9 May 1935."
    draft = await supervised(concluded("A", OPENED), concluded("B", other), concluded("C", OPENED))
    assert [one.text for one in draft.sentences] == [OPENED, other]
    assert draft.disagreements == [[0, 1]]


async def test_one_base_is_not_held_against_itself() -> None:
    draft = await supervised(concluded("A", OPENED, OPENED.replace("1932", "1935")))
    assert draft.disagreements == []


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (OPENED, OPENED.replace("1932", "1933")),
        ("Apollo was founded by Li Wei in Seoul.", "Apollo was founded by Ada Kim in Seoul."),
        ("The Free plan allows 3 seats.", "The Free plan allows 5 seats."),
        ("하버 다리는 1932년에 개통했다.", "하버 다리는 1935년에 개통했다."),
    ],
)
def test_another_figure_or_name_of_the_same_is_a_contradiction(left: str, right: str) -> None:
    assert differ(left, right)
    assert differ(right, left)
    assert disagreements([(left, ["A"]), (right, ["B"])]) == [[0, 1]]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (OPENED, OPENED),
        (OPENED, "The Harbour Bridge was opened in March 1932."),
        (OPENED, "The Harbour Bridge was painted grey."),
        (OPENED, "Trams cross the river since 1935."),
        ("Apollo was founded by Li Wei.", "Apollo was founded by Li Wei in Seoul."),
    ],
)
def test_to_say_more_or_something_else_is_none(left: str, right: str) -> None:
    assert not differ(left, right)
    assert not differ(right, left)
