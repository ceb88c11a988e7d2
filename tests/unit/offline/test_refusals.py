"""A refusal says only what is true of what its reader may read."""

from __future__ import annotations

import re
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_world import Shelf, plain_search
from weft.domain.scope import Scope
from weft.language.terms import fold, plain, word_terms, words
from weft.offline.refusals import nearest_text, refusal_text, standing_nowhere
from weft.platform.identity import LOCAL_TENANT, OWNER_PERMISSIONS, local_owner, principal_scope
from weft.ports.knowledge import Knowledge
from weft.ports.store import Base
from weft.retrieval.hits import Query

pytestmark = pytest.mark.anyio

# Words with their forms, names of several words, compounds, identifiers, and other scripts.
WORDS = (
    "harbour harbours Harbour HARBOUR's opened opening opens crane cranes tram trams tramline "
    "Ada Lindqvist Lindqvist’s Eiffel Tower Blue Whale Club PROJ-7 PROJ-9 v2.0.1 src/app/main.py "
    "well-known don't café CAFÉ Ｋａｆｋａ Kafka naïve 1932 1,149 went go children child three 3 "
    "크레인 크레인은 크레인의 항만에서 에펠탑은 담당자는 지어졌습니까 120톤 العبارة קברניט straße"
).split()
SIGNS = ("", "", "", ",", "?", ".", "!", ")", "”", "…", " —", ":")
SAID = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from(SIGNS)).map("".join), min_size=1, max_size=7
).map(" ".join)
ANYTHING = st.text(max_size=40)
TEXTS = st.lists(st.one_of(SAID, ANYTHING), max_size=3)


def reader(*groups: str) -> Scope:
    return principal_scope(
        tenant=LOCAL_TENANT, actor="user:reader", groups=groups, permissions=OWNER_PERMISSIONS
    )


def shelf(texts: list[str], acl: str = "tenant:*", into: Shelf | None = None) -> Shelf:
    filled = into or Shelf()
    for number, text in enumerate(texts):
        filled.put(f"{acl}-{number}", text, title="", acl={acl})
    return filled


async def missing(held: Shelf, question: str, scope: Scope) -> tuple[str, ...]:
    bases = [Base(name="docs", knowledge=cast(Knowledge, held))]
    found = await plain_search(bases, None, scope, query=Query(text=question))
    return standing_nowhere(question, found.terms)


@given(texts=TEXTS, question=st.one_of(SAID, ANYTHING))
@settings(max_examples=300, deadline=None)
async def test_no_word_of_a_document_is_called_missing(texts: list[str], question: str) -> None:
    stands = {plain(word) for text in texts for word in words(text)}
    stems = {stem for text in texts for word in words(text) for stem in word_terms(word)}
    for named in await missing(shelf(texts), question, local_owner()):
        whole = re.compile(rf"(?<!\w){re.escape(fold(named))}(?!\w)")
        assert not any(whole.search(fold(text)) for text in texts)
        assert plain(named) not in stands
        for part in named.split():
            # A part of it stands nowhere in any form, which makes the whole stand nowhere.
            assert any(
                plain(word) not in stands and stems.isdisjoint(word_terms(word))
                for word in words(part)
            )


@given(texts=TEXTS, others=TEXTS, question=SAID)
@settings(max_examples=200, deadline=None)
async def test_what_may_not_be_read_changes_nothing_that_is_called_missing(
    texts: list[str], others: list[str], question: str
) -> None:
    scope = reader("group:a")
    alone = shelf(texts, acl="group:a")
    beside = shelf(others, acl="group:b", into=shelf(texts, acl="group:a"))
    assert await missing(beside, question, scope) == await missing(alone, question, scope)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Who designed the Eiffel Tower?", ("designed", "Eiffel")),
        # "To found" is said in other words as well.
        ("Who founded Zephyr, Kafka or the Blue Whale Club?",
         ("Zephyr", "Kafka", "Blue Whale Club")),
        ("What is the status of PROJ-9?", ("status", "PROJ-9")),
        ("Is the zeppelin—or the tower—open?", ("zeppelin",)),
        ("Why don't trams and barges meet, please?", ("barges",)),
        ("Where did the children go, and how many mice went?", ("mice",)),
        ("Who are the three skippers?", ("skippers",)),
        ("비행선은 언제 지어졌습니까?", ("비행선",)),
        ("크레인의 담당자는 누구인가요?", ("담당자",)),
    ],
)  # fmt: skip
async def test_what_stands_nowhere_is_named(question: str, named: tuple[str, ...]) -> None:
    held = shelf(["The tower is open. Trams are PROJ work.", "북쪽 크레인을 교체하기로 결정했다."])
    assert await missing(held, question, local_owner()) == named


def test_a_refusal_is_said_in_the_language_of_its_question() -> None:
    assert refusal_text("Who?", ["Zephyr"]).endswith("I found nothing of “Zephyr”.")
    assert refusal_text("Who?", ()).endswith("I found nothing that answers this.")
    assert refusal_text("누구?", ["비행선"]).endswith("찾지 못했습니다: “비행선”.")
    assert "not an answer" in nearest_text("Who?")
    assert "답은 아닙니다" in nearest_text("누구?")
