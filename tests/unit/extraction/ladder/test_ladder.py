"""Every chunk ends on some rung, the model's word counts only as far as the text bears it out."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from patience import SOON
from weft.domain.claim import Method
from weft.domain.document import Chunk, Document, Value
from weft.domain.errors import ModelUnavailable
from weft.domain.ids import ChunkId, DocumentId
from weft.extraction.ladder.ladder import DocumentDraft, Extracted, Ladder
from weft.extraction.ladder.timeouts import AdaptiveTimeout
from weft.ontology.catalog import load_baseline
from weft.ontology.schema import Mode
from weft.ports.extractor import Proposal, ProposedClaim, ProposedEntity

pytestmark = pytest.mark.anyio

TEXT = "SpaceX was founded by Elon Musk. Then nothing happened. "


class StillClock:
    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)

    def elapsed(self) -> float:
        return 0.0


@dataclass
class Scripted:
    """Answers with what it was given, or fails so."""

    proposal: Proposal = field(default_factory=Proposal)
    suggestion: Proposal = field(default_factory=Proposal)
    failure: Exception | None = None
    delay: float = 0.0
    asked: list[str] = field(default_factory=list)

    async def propose(self, chunk: Chunk, title: str, ontology: str) -> Proposal:
        self.asked.append("propose")
        await asyncio.sleep(self.delay)
        if self.failure:
            raise self.failure
        return self.proposal

    async def suggest(self, last_message: str) -> Proposal:
        self.asked.append("suggest")
        return self.suggestion


def draft(*texts: str, title: str = "Notes", **metadata: Value) -> DocumentDraft:
    chunks, at = [], 0
    for index, text in enumerate(texts):
        chunks.append(
            Chunk(
                id=ChunkId(f"c{index}"), document_id=DocumentId("file:s/a"), chunk_index=index,
                text=text, start=at, end=at + len(text),
            )
        )  # fmt: skip
        at += len(text)
    document = Document(
        id=DocumentId("file:s/a"), source="s", type="file", title=title, uri="", version="1",
        acl=frozenset(), metadata=metadata,
    )  # fmt: skip
    return DocumentDraft(document=document, text="".join(texts), chunks=chunks)


async def climb(
    given: DocumentDraft, extractor: Scripted | None = None, mode: Mode = Mode.OPEN
) -> Extracted:
    ontology = replace(load_baseline(), mode=mode)
    return await Ladder(ontology=ontology, clock=StillClock(), extractor=extractor).climb(given)


def entity(surface: str, kind: str = "person") -> ProposedEntity:
    return ProposedEntity(surface=surface, entity_class=kind)


def claim(
    subject: str, predicate: str, spoken: Value, quotation: str, name: bool = True
) -> ProposedClaim:
    return ProposedClaim(
        subject=subject, predicate=predicate, object=spoken, object_is_name=name,
        quotation=quotation, confidence=0.8,
    )  # fmt: skip


async def test_without_a_model_the_rules_speak() -> None:
    made = await climb(draft(TEXT, "  ...  \n", "and so it goes on. "))
    assert [made.outcomes[ChunkId(f"c{n}")].method for n in range(3)] == [
        Method.GENERATED,
        Method.EMPTY,
        Method.FORCED,
    ]
    assert made.outcomes[ChunkId("c0")].reason == "offline"
    assert {each.predicate for each in made.claims} == {"founded_by"}


async def test_the_forced_anchor_is_the_document_itself() -> None:
    given = draft("  so it goes. And on.", title="The Plan")
    (anchor,) = (await climb(given)).mentions
    assert (anchor.name, anchor.entity_class, anchor.method) == ("plan", "document", Method.FORCED)
    assert anchor.surface == "so it goes."
    assert given.text[anchor.start : anchor.end] == anchor.surface


async def test_a_model_writes_what_the_text_bears_out() -> None:
    model = Scripted(
        proposal=Proposal(
            entities=(entity("Elon Musk"), entity("SpaceX", "company"), entity("Mars", "place")),
            claims=(
                claim("SpaceX", "was founded by", "Elon Musk", "founded by Elon Musk"),
                claim("SpaceX", "founded_by", "Mars", "founded by Elon Musk"),
                claim("SpaceX", "founded_by", "Elon Musk", "made by Elon Musk"),
                claim("Elon Musk", "mood", "calm", "Then nothing happened.", name=False),
            ),
        )
    )
    made = await climb(draft(TEXT), model)
    assert made.outcomes[ChunkId("c0")].method is Method.EXTRACTED
    assert {(each.surface, each.entity_class) for each in made.mentions} == {
        ("Elon Musk", "person"),
        ("SpaceX", "organization"),
    }
    assert {(each.subject_name, each.predicate) for each in made.claims} == {
        ("spacex", "founded_by"),
        ("elon musk", "mood"),
    }
    assert model.asked == ["propose"]


async def test_a_reply_of_words_alone_is_asked_for_suggestions() -> None:
    model = Scripted(
        proposal=Proposal(last_message="I think SpaceX is there"),
        suggestion=Proposal(entities=(entity("SpaceX", "organization"),)),
    )
    made = await climb(draft(TEXT), model)
    assert model.asked == ["propose", "suggest"]
    assert made.outcomes[ChunkId("c0")].method is Method.EXTRACTED


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (Scripted(failure=ModelUnavailable()), "model_unavailable"),
        (Scripted(failure=TimeoutError()), "timeout"),
        (Scripted(delay=SOON), "timeout"),
        (Scripted(proposal=Proposal(entities=(entity("Mars"),))), "nothing accepted"),
        (Scripted(proposal=Proposal(last_message="{")), "nothing accepted"),
    ],
)
async def test_a_model_that_fails_leaves_the_chunk_to_the_rules(
    model: Scripted, reason: str
) -> None:
    heard: list[tuple[str, str]] = []
    # Only who is late is given little time, so that on a busy machine nobody else is.
    ladder = Ladder(
        ontology=load_baseline(), clock=StillClock(), extractor=model,
        timeout=AdaptiveTimeout(first=0.05 if model.delay else SOON),
        observe=lambda event: heard.append((event.stage, event.outcome)),
    )  # fmt: skip
    made = await ladder.climb(draft(TEXT))
    outcome = made.outcomes[ChunkId("c0")]
    assert (outcome.method, outcome.reason) == (Method.GENERATED, reason)
    assert heard[0] == ("primary", reason)
    assert heard[-1] == ("generated", "wrote")


async def test_a_relation_waits_for_its_ends() -> None:
    known = Proposal(
        entities=(entity("Elon Musk"),),
        claims=(claim("SpaceX", "founded_by", "Elon Musk", "founded by Elon Musk"),) * 2,
    )
    made = await climb(draft(TEXT), Scripted(proposal=known))
    assert not made.claims

    class Later(Scripted):
        async def propose(self, chunk: Chunk, title: str, ontology: str) -> Proposal:
            if chunk.chunk_index == 0:
                return known
            return Proposal(entities=(entity("SpaceX", "organization"),))

    made = await climb(draft(TEXT, "SpaceX again."), Later())
    assert [(each.subject_name, each.object_name) for each in made.claims] == [
        ("spacex", "elon musk")
    ]


async def test_strict_mode_refuses_what_the_ontology_does_not_know() -> None:
    proposal = Proposal(
        entities=(entity("SpaceX", "spaceship yard"), entity("Elon Musk")),
        claims=(claim("Elon Musk", "admires", "Elon Musk", "Elon Musk"),),
    )
    strict = await climb(draft(TEXT), Scripted(proposal=proposal), Mode.STRICT)
    assert {each.surface for each in strict.mentions} == {"Elon Musk"}
    opened = await climb(draft(TEXT), Scripted(proposal=proposal), Mode.OPEN)
    assert {each.entity_class for each in opened.mentions} == {"person", "spaceship_yard"}


async def test_an_unknown_relation_is_said_in_the_active_voice() -> None:
    proposal = Proposal(
        entities=(entity("Elon Musk"), entity("SpaceX", "organization")),
        claims=(claim("SpaceX", "was admired by", "Elon Musk", "founded by Elon Musk"),),
    )
    (made,) = (await climb(draft(TEXT), Scripted(proposal=proposal))).claims
    assert (made.subject_name, made.predicate, made.object_name) == (
        "elon musk",
        "admired",
        "spacex",
    )


async def test_columns_are_claims_and_said_once() -> None:
    given = draft("license: MIT\nfounded: 1999\n", title="NumKit", license="MIT")
    made = await climb(given)
    licences = [each for each in made.claims if each.predicate == "licensed_under"]
    assert [each.method for each in licences] == [Method.COLUMN]
    assert licences[0].subject_name == "numkit"


async def test_the_same_draft_twice_gives_the_same() -> None:
    assert await climb(draft(TEXT, "Acme Inc. left. ")) == await climb(
        draft(TEXT, "Acme Inc. left. ")
    )


def test_patience_follows_the_model() -> None:
    timeout = AdaptiveTimeout(least=1, first=60, most=100)
    assert timeout.seconds(1000) == 60
    timeout.learn(1000, 2.0)
    assert timeout.seconds(1000) == pytest.approx(8.0)
    assert timeout.seconds(2000) == pytest.approx(16.0)
    for _ in range(50):
        timeout.learn(1000, 100.0)
    assert timeout.seconds(1000) == 100
    for _ in range(50):
        timeout.learn(1000, 0.001)
    assert timeout.seconds(10) == 1
