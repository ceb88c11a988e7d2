from __future__ import annotations

from typing import cast

import pytest

from hopping_world import book
from rag_world import Shelf, plain_search
from weft.language.blocks.lines import label_of
from weft.offline.answering import Reply, answer_from
from weft.offline.evidence.found import FoundEvidence
from weft.offline.evidence.passages import candidates, read_passages
from weft.offline.refusals import refusal_text
from weft.platform.identity import local_owner
from weft.ports.knowledge import Knowledge
from weft.ports.store import Base
from weft.retrieval.hits import Query

pytestmark = pytest.mark.anyio

README = """# requests-lite

[![Build](https://ci.example/b.svg)](https://ci.example) [![PyPI](https://p.example/v.svg)](https://p.example)

## Installation

Run the installer with the flag --user to install it for one person.

## History

The project was started by Mika Sand in 2014. It was rewritten in 2019 by the Tallinn team.
Today it is used by more than 300 companies.

## Limits

- It does not support proxies.
- At most 16 connections are kept open.

https://docs.example/limits
"""
METADATA = """Metadata-Version: 2.1
Name: requests-lite
Version: 4.2.0
Summary: A very small client for the web.
License: Apache-2.0
Author: Mika Sand
Requires-Python: >=3.9"""
OTHER = """Name: beta
Summary: Draws charts of tides.
Maintainer: Olga Berg"""

JOINERS = """Four people start with us this March.

- Bo Elm begins at the mill.
- Ann Oak begins at the tower.

Laptops are ready."""


def shelf() -> Shelf:
    filled = Shelf()
    filled.put("requests_lite/README.md", README, title="requests-lite")
    filled.put("requests_lite-4.2.0.dist-info/METADATA", METADATA, title="requests-lite METADATA")
    filled.put("beta-1.0.dist-info/METADATA", OTHER, title="beta METADATA")
    filled.put(
        "tides.md",
        "Tides are drawn by the hour. The harbour of Port Vell is closed at low tide. "
        "Olga Berg visited Port Vell in 2021.",
        title="Tides",
    )
    return filled


async def reply(question: str) -> Reply:
    bases = [Base(name="docs", knowledge=cast(Knowledge, shelf()))]
    book = FoundEvidence()
    found = await plain_search(bases, None, local_owner(), query=Query(text=question))
    book.learn(found.terms, naming=found.naming)
    for hit in found.hits:
        book.add(hit)
    return answer_from(question, book)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who started requests-lite?", "The project was started by Mika Sand in 2014."),
        ("When was requests-lite rewritten?", "It was rewritten in 2019 by the Tallinn team."),
        ("How many companies use requests-lite?", "300 companies"),
        ("What is the license of requests-lite?", "License: Apache-2.0"),
        ("Who is the author of requests-lite?", "Author: Mika Sand"),
        ("Which Python version does requests-lite require?", "Requires-Python: >=3.9"),
        ("Who maintains beta?", "Maintainer: Olga Berg"),
        ("Does requests-lite support proxies?", "It does not support proxies."),
        ("How many connections are kept open?", "At most 16 connections are kept open."),
        ("When is the harbour of Port Vell closed?", "Port Vell is closed at low tide."),
    ],
)
async def test_the_sentence_that_answers_is_among_those_shown(question: str, expected: str) -> None:
    said = await reply(question)
    shown = [*said.sentences, *said.nearest]
    assert any(expected in one.text for one in shown), said
    assert 1 <= len(shown) <= 3
    assert not (said.sentences and said.nearest)


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Who founded Zephyrcorp?", ("Zephyrcorp",)),
        ("How do I configure Kafka partitions?", ("configure", "Kafka", "partitions")),
        ("What is ISSUE-404 about?", ("ISSUE-404",)),
        ("Who of the Blue Whale Club went to Oslo?", ("Blue Whale Club", "Oslo")),
    ],
)
async def test_what_stands_nowhere_is_named(question: str, missing: tuple[str, ...]) -> None:
    said = await reply(question)
    assert said.sentences == ()
    assert set(missing) <= set(said.missing)


@pytest.mark.parametrize(
    "question",
    ["What is the license of beta?", "What is the Apache license of the Port Vell harbour?"],
)
async def test_a_word_that_stands_somewhere_is_never_missing(question: str) -> None:
    assert (await reply(question)).missing == ()


async def test_a_sentence_that_points_back_is_shown_behind_the_one_before_it() -> None:
    said = await reply("When was requests-lite rewritten?")
    (first, *_) = [*said.sentences, *said.nearest]
    assert first.text.startswith("The project was started by Mika Sand in 2014. It was rewritten")


def test_where_nothing_answers_a_list_is_shown_as_one() -> None:
    said = answer_from("Why was the northern quay closed to all people?", book(spring=JOINERS))
    assert said.sentences == ()
    whole, *_ = [one.text for one in said.nearest]
    assert whole == JOINERS.removesuffix("\n\nLaptops are ready.")


def test_where_nothing_answers_sentences_side_by_side_are_shown_as_one() -> None:
    told = "On paper she is Theodora. On every door she is Teddy Vance, says the tax office."
    said = answer_from(
        "What do colleagues call Theodora Vance?", book(people=told, bread="We bake.")
    )
    assert said.sentences == ()
    assert said.nearest[0].text == told


def test_where_nothing_answers_what_contradicts_the_first_stands_beside_it() -> None:
    told = book(
        old="The sensors send a value every 60 seconds.",
        new="Values are sent every 30 seconds by what was hung up in May, for mill and tower.",
        colour="The sensors are grey.",
        place="The sensors hang above the wheel.",
    )
    said = answer_from("Who reads what the sensors send?", told)
    assert said.sentences == ()
    first, second, *_ = (one.text for one in said.nearest)
    assert "60 seconds" in first
    assert "30 seconds" in second


@pytest.mark.parametrize(
    ("text", "is_whole"),
    [
        ("A tide is high. It comes twice a day.", True),
        ("A tide is high. These come twice a day.", True),
        ("Mika Sand wrote it. Her house is red.", True),
        ("만조는 높습니다. 이는 하루에 두 번 옵니다.", True),
        ("A tide is high. It is best to wait for it.", False),
        ("A tide is high. Boats come twice a day.", False),
        ("만조는 높습니다. 이사는 하루에 두 번 옵니다.", False),
        ("- A tide is high.\n- It comes twice a day.", False),
    ],
)
async def test_which_sentences_point_back(text: str, is_whole: bool) -> None:
    filled = Shelf()
    filled.put("tides.md", text, title="tides")
    book = FoundEvidence()
    bases = [Base(name="docs", knowledge=cast(Knowledge, filled))]
    found = await plain_search(bases, None, local_owner(), query=Query(text="tide 만조"))
    for hit in found.hits:
        book.add(hit)
    last = [one for passage in read_passages(book) for one in candidates(passage)][-1]
    assert last.text in last.whole
    assert last.whole in text
    assert (last.whole != last.text) is is_whole


async def test_what_was_found_besides_repeats_nothing_that_is_shown() -> None:
    said = await reply("Who started requests-lite?")
    shown = [one.text for one in said.sentences]
    assert shown
    assert 1 <= len(said.more) <= 3
    assert not any(one.text in it or it in one.text for one in said.more for it in shown)


async def test_a_refusal_has_nothing_besides() -> None:
    for question in ("Who founded Zephyrcorp?", "Who of the Blue Whale Club went to Oslo?"):
        assert (await reply(question)).more == ()


async def test_every_sentence_is_a_quotation() -> None:
    texts = "\n".join(shelf().texts.values())
    for question in ("Who started requests-lite?", "Summary of beta", "What is requests-lite?"):
        for one in (await reply(question)).sentences:
            assert one.text in texts


async def test_headings_badges_and_bare_links_are_no_sentences() -> None:
    bases = [Base(name="docs", knowledge=cast(Knowledge, shelf()))]
    found = await plain_search(
        bases, None, local_owner(), query=Query(text="requests-lite build docs limits", top_k=20)
    )
    book = FoundEvidence()
    for hit in found.hits:
        book.add(hit)
    said = [c.text for passage in read_passages(book) for c in candidates(passage)]
    assert said
    assert not [one for one in said if one.startswith(("#", "[!", "https://"))]


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("License: MIT", "License"),
        ("Requires-Python: >=3.9", "Requires-Python"),
        ("name = value", "name"),
        ("A sentence. With more words: than a field has got in it", ""),
        ("http://example.org", ""),
        ("no field here", ""),
    ],
)
def test_a_field_is_known_by_its_key(line: str, key: str) -> None:
    assert label_of(line) == key


def test_a_refusal_is_polite_and_in_the_questions_language() -> None:
    assert "“salary”" in refusal_text("What is the salary?", ["salary"])
    assert "찾지 못했습니다: “연봉”" in refusal_text("연봉은 얼마입니까?", ["연봉"])
    assert refusal_text("What?", [])
