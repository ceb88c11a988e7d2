from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from hopping_world import hit
from weft.agents.evidence import EvidenceBook
from weft.domain.ids import DocumentId
from weft.offline.answering import Reply, answer_from
from weft.offline.chains.reach import Reach
from weft.offline.chains.rephrasing import Unfolded, renamed, unfold
from weft.offline.chains.subquestions import Sources, set_aside
from weft.offline.evidence.passages import stems_of
from weft.offline.question.names import key_of
from weft.platform.identity import local_owner
from weft.ports.knowledge import DocumentFilter
from weft.retrieval.hits import Found, Hit, Query
from weft.retrieval.namesakes import Namesake

pytestmark = pytest.mark.anyio


@dataclass(frozen=True, kw_only=True)
class Library:
    """Documents of one passage each, found by their words."""

    hits: tuple[Hit, ...]
    others: Mapping[str, tuple[Namesake, ...]] = field(default_factory=dict)

    async def search(self, query: Query) -> tuple[Found, Sequence[Hit]]:
        asked = stems_of(query.text)

        def shared(one: Hit) -> int:
            return len(asked & stems_of(f"{one.evidence.title} {one.evidence.text}"))

        near = sorted((one for one in self.hits if shared(one)), key=lambda one: -shared(one))
        best = tuple(near[: query.top_k])
        return Found(hits=best, terms=(), passages=len(self.hits)), best

    async def lookup(
        self, names: Sequence[str], *, spelt: Mapping[str, str]
    ) -> Mapping[str, Sequence[Hit]]:
        del spelt
        return {
            name: [one for one in self.hits if key_of(one.evidence.title.split(":")[0]) == name]
            for name in names
        }

    async def bearers(self, name: str) -> Sequence[Namesake]:
        return self.others.get(name, ())

    async def pages(self, documents: Collection[tuple[str, DocumentId]]) -> Sequence[Hit]:
        wanted = {document for _, document in documents}
        return [one for one in self.hits if one.evidence.document_id in wanted]

    async def matching(self, wanted: DocumentFilter) -> Collection[tuple[str, DocumentId]]:
        [(_, key)] = wanted.exact.items()
        return [
            ("docs", one.evidence.document_id)
            for one in self.hits
            if one.evidence.title.startswith(f"{key}:")
        ]

    @property
    def reach(self) -> Reach:
        return Reach(
            search=self.search,
            lookup=self.lookup,
            bearers=self.bearers,
            pages=self.pages,
            matching=self.matching,
        )


def document(uri: str, title: str, text: str) -> Hit:
    made = hit(title, text, score=0.3)
    return replace(made, evidence=replace(made.evidence, uri=uri))


HARBOUR = Library(
    hits=(
        document(
            "docs/tickets/FOG-1.md",
            "FOG-1: Lamps stayed dark",
            "**Reporter:** Cy Fir · **Assignee:** Bo Elm · **Component:** lighthouse\n\n"
            "All lamps of the coast stayed dark for a night. Blocked by FOG-2.",
        ),
        document(
            "docs/tickets/FOG-2.md",
            "FOG-2: The mast fell over",
            "**Reporter:** Di Ash · **Component:** mast\n\nThe mast fell over in a storm.",
        ),
        document(
            "docs/services/lighthouse.md",
            "lighthouse",
            "lighthouse warns ships of fog.\n\n**Owner:** Coast · **Tier:** 2",
        ),
        document(
            "docs/services/mast.md",
            "mast",
            "mast carries the wires.\n\n**Owner:** Wires · **Tier:** 1",
        ),
        document(
            "docs/teams/coast.md",
            "Coast: charter",
            "- **Lead:** Ann Oak\n- **Where:** Aarhus\n\nBo Elm is the deputy.",
        ),
        document(
            "docs/teams/wires.md",
            "Wires: charter",
            "- **Lead:** Ed Yew\n- **Where:** Bergen",
        ),
        document(
            "docs/people.md",
            "The newsletter",
            "Ann Oak joined in May 2014. Everyone calls Ann Oak the Admiral Oak.",
        ),
        document("docs/lamps.md", "New lamps", "Cy Fir ordered the green lamps in spring."),
    )
)


async def unfolded(question: str) -> Unfolded | None:
    return await unfold(question, HARBOUR.reach)


@pytest.mark.parametrize(
    ("question", "plainer", "told"),
    [
        (
            "Who leads the team that owns the service which FOG-1 broke?",
            "Who leads Coast?",
            "**Lead:** Ann Oak",
        ),
        (
            "Who leads the team behind the service that blocks FOG-1?",
            "Who leads Wires?",
            "**Lead:** Ed Yew",
        ),
        (
            "In which town does the team work whose lamps stayed dark for a night?",
            "In which town does Coast work?",
            "**Where:** Aarhus",
        ),
        (
            "Who reported the ticket that blocks FOG-1?",
            "Who reported FOG-2?",
            "**Reporter:** Di Ash · **Component:** mast",
        ),
    ],
)
async def test_descriptions_become_names_through_fields_and_keys(
    question: str, plainer: str, told: str
) -> None:
    found = await unfolded(question)
    assert found is not None
    assert found.tries[0].question == plainer
    assert found.tries[0].told is not None
    assert found.tries[0].told.text == told
    assert found.said


async def test_who_does_something_is_named_in_the_sentence_that_says_it() -> None:
    found = await unfolded("When did the person who ordered the green lamps join?")
    assert found is not None
    assert found.question == "When did Cy Fir join?"
    assert [one.text for one in found.said] == ["Cy Fir ordered the green lamps in spring."]


async def test_a_description_that_fits_no_thing_of_its_kind_is_named() -> None:
    found = await unfolded("Who leads the team that owns the service which FOG-9 broke?")
    assert found is not None
    assert found.failed == "the service which FOG-9 broke"
    assert found.tries == ()


async def test_a_plain_question_is_left_alone() -> None:
    assert await unfolded("Who leads Coast?") is None
    assert await renamed("Who leads Coast?", HARBOUR.reach) is None


async def test_a_question_is_asked_under_the_other_names_that_a_curator_gives() -> None:
    page = ("docs", DocumentId("file:test/Coast: charter"))
    news = ("docs", DocumentId("file:test/The newsletter"))
    bearer = Namesake(names=("Admiral Oak",), documents=frozenset({page, news}))
    library = replace(HARBOUR, others={"Ann Oak": (bearer,)})
    found = await renamed("What do people call Ann Oak?", library.reach)
    assert found is not None
    assert found.tries[0].told is not None
    assert found.tries[0].told.text == "Everyone calls Ann Oak the Admiral Oak."


async def reply(question: str) -> Reply:
    """Return the answer by way of the plainer questions."""

    async def search(query: Query) -> Found:
        return (await HARBOUR.search(query))[0]

    async def lookup(*_: object) -> Mapping[str, Sequence[Hit]]:
        return {}

    async def let_pass(hits: Iterable[Hit]) -> list[Hit]:
        return list(hits)

    book = EvidenceBook()
    for one in (await search(Query(text=question))).hits:
        book.add(one)
    sources = _Sources(
        bases=(),
        scope=local_owner(),
        within=DocumentFilter(),
        search=search,
        lookup=lookup,
        let_pass=let_pass,
    )
    book.aside = await set_aside(question, sources)
    return answer_from(question, book)


class _Sources(Sources):
    """Sources that lead into the harbour's library."""

    @property
    def reach(self) -> Reach:
        return HARBOUR.reach


async def test_the_steps_are_cited_before_the_answer_and_nothing_beside() -> None:
    said = await reply("Who leads the team that owns the service which FOG-1 broke?")
    assert [one.text for one in said.sentences] == [
        "**Reporter:** Cy Fir · **Assignee:** Bo Elm · **Component:** lighthouse",
        "**Owner:** Coast · **Tier:** 2",
        "**Lead:** Ann Oak",
    ]


async def test_what_is_said_nowhere_of_the_thing_found_is_refused_with_its_name() -> None:
    said = await reply("What is the salary of the team that owns the service which FOG-1 broke?")
    assert said.sentences == ()
    assert "I found Coast" in said.reason
    said = await reply("Who leads the team that owns the service which FOG-9 broke?")
    assert said.sentences == ()
    assert "the service which FOG-9 broke" in said.reason
