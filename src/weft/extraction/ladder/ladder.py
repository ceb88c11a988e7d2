"""The ladder: each chunk climbs only as far as it must, and none is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field

from weft.domain.claim import Claim, Mention, Method
from weft.domain.document import Chunk
from weft.domain.errors import WeftError
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId
from weft.extraction.ladder.draft import DocumentDraft
from weft.extraction.ladder.proposals import DeferredRelation, relate, write
from weft.extraction.ladder.timeouts import AdaptiveTimeout
from weft.extraction.rules.columns import claims_from_columns, subject_of
from weft.extraction.rules.mentions import mentions, sentence_starts
from weft.extraction.rules.relations import claims
from weft.extraction.rules.table_rows import table_rows
from weft.extraction.version import ladder_version
from weft.extraction.vocabulary import DOCUMENT_CLASS
from weft.language.names import normalise
from weft.ontology.schema import Ontology
from weft.platform.threads import in_thread
from weft.ports.clock import Clock
from weft.ports.extractor import Extractor, Proposal

__all__ = [
    "ChunkOutcome",
    "DocumentDraft",
    "Extracted",
    "Ladder",
    "StageEvent",
    "unobserved",
]

OFFLINE, WROTE, NOTHING = "offline", "wrote", "nothing"
_ANCHOR_CHARACTERS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class StageEvent:
    """A stage of one chunk has ended: `wrote`, `nothing`, or the code of a failure."""

    stage: str
    chunk_id: ChunkId
    outcome: str
    seconds: float


Observe = Callable[[StageEvent], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkOutcome:
    """How a chunk ended, and why it climbed no less far."""

    method: Method
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """What was found in a document, by chunk and place, and the outcome of every chunk."""

    mentions: tuple[Mention, ...]
    claims: tuple[Claim, ...]
    outcomes: Mapping[ChunkId, ChunkOutcome]


def unobserved(event: StageEvent) -> None:
    """Take note of nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """The stages for one ontology; without an extractor it starts at the rules.

    `observe` hears of every stage of every chunk, in the thread of the event loop.
    """

    ontology: Ontology
    clock: Clock
    extractor: Extractor | None = None
    timeout: AdaptiveTimeout = field(default_factory=AdaptiveTimeout)
    observe: Observe = unobserved

    @property
    def version(self) -> str:
        """Return what the facts of a document depend on beside its text."""
        return ladder_version(self.ontology.fingerprint, has_model=self.extractor is not None)

    async def climb(self, draft: DocumentDraft) -> Extracted:
        """Fill a draft and return what it accepted; every chunk of it has an outcome.

        A model that fails or is late is no error: its chunks go on to the rules, and say why.
        """
        outcomes: dict[ChunkId, ChunkOutcome] = {}
        missed: dict[ChunkId, str] = {}
        deferred: list[DeferredRelation] = []
        for chunk in draft.chunks:
            if not any(char.isalnum() for char in chunk.text):
                outcomes[chunk.id] = ChunkOutcome(
                    method=Method.EMPTY, reason="no letters or digits"
                )
                continue
            reason = await self._ask(draft, chunk, deferred)
            if reason:
                missed[chunk.id] = reason
            else:
                outcomes[chunk.id] = ChunkOutcome(method=Method.EXTRACTED)
        rest = [chunk for chunk in draft.chunks if chunk.id in missed]
        began = self.clock.elapsed()
        methods = await in_thread(lambda: self._generate(draft, rest))
        share = (self.clock.elapsed() - began) / max(len(rest), 1)
        for each, method in methods.items():
            wrote = method is Method.GENERATED
            self.tell("generated", each, outcome=WROTE if wrote else NOTHING, seconds=share)
            if not wrote:
                self.tell("forced", each, outcome=WROTE, seconds=0.0)
            outcomes[each] = ChunkOutcome(method=method, reason=missed[each])
        await in_thread(lambda: self._finalize(draft, deferred))
        return Extracted(mentions=draft.mentions, claims=draft.claims, outcomes=outcomes)

    def tell(self, stage: str, chunk_id: ChunkId, *, outcome: str, seconds: float) -> None:
        """Report the end of a stage to whoever observes."""
        self.observe(StageEvent(stage=stage, chunk_id=chunk_id, outcome=outcome, seconds=seconds))

    async def _ask(
        self, draft: DocumentDraft, chunk: Chunk, deferred: list[DeferredRelation]
    ) -> str:
        """Climb the model's two stages; return why nothing was written, empty if something was."""
        extractor = self.extractor
        if extractor is None:
            return OFFLINE
        words = self.ontology.extraction_context().text
        asked = _Asked(ladder=self, draft=draft, chunk=chunk)
        first = await asked.stage(
            "primary",
            extractor.propose(chunk, draft.document.title, ontology=words),
            deferred=deferred,
        )
        if first.wrote or not first.last_message:
            return first.failure
        second = await asked.stage(
            "suggested", extractor.suggest(first.last_message), deferred=deferred
        )
        return second.failure

    def _generate(self, draft: DocumentDraft, chunks: Sequence[Chunk]) -> dict[ChunkId, Method]:
        """Write what the rules find in the chunks that no model wrote of, else an anchor."""
        if not chunks:
            return {}
        title, rows = draft.document.title, table_rows(draft.text, self.ontology)
        for mention in mentions(chunks, self.ontology, text=draft.text, title=title, rows=rows):
            draft.add_mention(mention, self.ontology)
        stated = {_said(each) for each in _columns(draft, self.ontology)}
        found = claims(chunks, draft.mentions, ontology=self.ontology, title=title, rows=rows)
        for claim in found:
            if _said(claim) not in stated:
                draft.add_claim(claim, self.ontology)
        written = {each.chunk_id for each in draft.mentions}
        for chunk in chunks:
            if chunk.id not in written:
                draft.add_mention(_anchor(draft, chunk), self.ontology)
        return {
            chunk.id: Method.GENERATED if chunk.id in written else Method.FORCED for chunk in chunks
        }

    def _finalize(self, draft: DocumentDraft, deferred: Sequence[DeferredRelation]) -> None:
        """Retry each deferred relation once, and state what the document's columns say."""
        for each in {one.key: one for one in deferred}.values():
            began = self.clock.elapsed()
            related = relate(draft, each, ontology=self.ontology)
            outcome, seconds = WROTE if related else NOTHING, self.clock.elapsed() - began
            self.tell("finalize", each.chunk.id, outcome=outcome, seconds=seconds)
        for claim in _columns(draft, self.ontology):
            draft.add_claim(claim, self.ontology)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reply:
    """How one stage of the model ended."""

    wrote: bool
    failure: str
    last_message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """One chunk on the model's stages."""

    ladder: Ladder
    draft: DocumentDraft
    chunk: Chunk

    async def stage(
        self, name: str, reply: Awaitable[Proposal], *, deferred: list[DeferredRelation]
    ) -> _Reply:
        """Wait for a proposal as long as this model deserves, and write it to the draft."""
        ladder, size = self.ladder, len(self.chunk.text)
        began = ladder.clock.elapsed()
        try:
            async with asyncio.timeout(ladder.timeout.seconds(size)):
                proposal = await reply
        except TimeoutError:
            ladder.timeout.learn(size, ladder.clock.elapsed() - began)
            return self._ended(name, began, _Reply(wrote=False, failure="timeout"))
        except WeftError as error:
            return self._ended(name, began, _Reply(wrote=False, failure=error.code))
        ladder.timeout.learn(size, ladder.clock.elapsed() - began)
        written = write(self.draft, self.chunk, proposal=proposal, ontology=ladder.ontology)
        deferred.extend(written.deferred)
        wrote = written.accepted > 0
        failure = "" if wrote else "nothing accepted"
        result = _Reply(wrote=wrote, failure=failure, last_message=proposal.last_message)
        return self._ended(name, began, result)

    def _ended(self, name: str, began: float, reply: _Reply) -> _Reply:
        outcome = WROTE if reply.wrote else reply.failure
        seconds = self.ladder.clock.elapsed() - began
        self.ladder.tell(name, self.chunk.id, outcome=outcome, seconds=seconds)
        return reply


def _columns(draft: DocumentDraft, ontology: Ontology) -> list[Claim]:
    """Return the claims of the document's metadata, placed on its first chunk with text."""
    chunk = next((each for each in draft.chunks if each.text.strip()), None)
    if chunk is None:
        return []
    title = subject_of(draft.document.title, {})
    subject = title[0], draft.entity_class(title[0]) or title[1]
    return claims_from_columns(
        draft.document.metadata,
        ontology,
        chunk=chunk,
        subject=subject,
        class_of=draft.entity_class,
    )


def _said(claim: Claim) -> tuple[str, str, str]:
    """Return what a claim says, wherever it says it."""
    return claim.subject_name, claim.predicate, normalise(claim.object_name or str(claim.value))


def _anchor(draft: DocumentDraft, chunk: Chunk) -> Mention:
    """Return a mention of the document itself, on the first words of a chunk."""
    text = chunk.text
    start = next(at for at, char in enumerate(text) if char.isalnum())
    ends = [at for at in (*sentence_starts(chunk), text.find("\n", start)) if at > start]
    end = min([*ends, len(text), start + _ANCHOR_CHARACTERS])
    surface = text[start:end].rstrip()
    return Mention(
        chunk_id=chunk.id,
        start=chunk.start + start,
        end=chunk.start + start + len(surface),
        surface=surface,
        name=subject_of(draft.document.title, {})[0] or normalise(surface),
        entity_class=DOCUMENT_CLASS,
        method=Method.FORCED,
    )
