from __future__ import annotations

from typing import cast

import pytest

from rag_world import Shelf, plain_search
from weft.offline.answering import Reply, answer_from
from weft.offline.evidence.found import FoundEvidence
from weft.offline.question.names import names_among, names_in
from weft.platform.identity import local_owner
from weft.ports.knowledge import Knowledge
from weft.ports.store import Base
from weft.retrieval.hits import Query

pytestmark = pytest.mark.anyio

SERVICE = """# lighthouse

lighthouse warns ships of fog. It runs on two sites.

**Owner:** Coast · **Tier:** 2

It was rewritten in May 2021 by Ada Lindqvist, and it warns 400 ships a day.
"""
MINUTES = """# Harbour meeting

**Will the crane be moved?** The lease of the quay ends on 3 June 2027, and then it goes.

**Lunch.** Soup.
"""
KOREAN = "등대팀은 부산에 있습니다. 김하나 팀장이 2020년 3월에 등대팀을 만들었습니다."


async def reply(question: str) -> Reply:
    shelf = Shelf()
    shelf.put("services/lighthouse.md", SERVICE, title="lighthouse")
    shelf.put("minutes.md", MINUTES, title="Harbour meeting")
    shelf.put("teams/lighthouse.ko.md", KOREAN, title="등대팀")
    book = FoundEvidence()
    bases = [Base(name="docs", knowledge=cast(Knowledge, shelf))]
    found = await plain_search(bases, None, local_owner(), query=Query(text=question))
    book.learn(found.terms, naming=found.naming)
    for hit in found.hits:
        book.add(hit)
    return answer_from(question, book)


@pytest.mark.parametrize(
    "question",
    [
        "When was lighthouse sold?",
        "How many people use lighthouse?",
        "Which company built lighthouse?",
    ],
)
async def test_what_no_sentence_says_of_the_thing_is_refused(question: str) -> None:
    assert (await reply(question)).sentences == ()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When was lighthouse rewritten?", "May 2021"),
        ("How many ships does lighthouse warn a day?", "400 ships"),
        ("Will the crane be moved?", "3 June 2027"),
    ],
)
async def test_what_is_said_of_the_thing_is_shown(question: str, expected: str) -> None:
    said = await reply(question)
    assert any(expected in one.text for one in said.sentences), said


def test_a_hyphenated_name_is_whole() -> None:
    assert "yoon ha eun" in {named.key for named in names_in("Yoon Ha-eun followed Peter.")}


def test_a_word_that_is_written_small_is_a_name_where_titles_say_so() -> None:
    known = {"lighthouse": ("p1",)}
    question = "Who owns lighthouse?"
    assert names_among(question, known) == []
    assert [n.key for n in names_among(question, known, lower={"lighthouse"})] == ["lighthouse"]
