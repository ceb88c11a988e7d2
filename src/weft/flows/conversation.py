"""A turn of a conversation: what was said before, a run, and what is kept of both."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from weft.domain.answer import Answer, Citation
from weft.domain.errors import NotFound
from weft.domain.ids import ChunkId, DocumentId, RunId
from weft.domain.scope import Scope
from weft.flows.desk import AskOptions, RagHouse, Talk
from weft.flows.rag.flow import ask
from weft.offline.question.topics import Said
from weft.platform.identity import narrow
from weft.platform.policy import apply
from weft.ports.policy import Place
from weft.ports.records.conversations import (
    CitedSpan,
    ConversationId,
    Conversations,
    ConversationTurn,
    Message,
    MessageSource,
    Retained,
    Speaker,
)
from weft.ports.records.tape import RunSource
from weft.ports.store import Base


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """A message in a conversation, and how it is answered."""

    message: str
    conversation_id: ConversationId
    options: AskOptions = field(default_factory=AskOptions)


async def converse(
    house: RagHouse, conversations: Conversations, scope: Scope, *, saying: Saying
) -> Answer:
    """Answer a message in its conversation and keep both.

    A follow-up is made whole first (`Answer.rewritten_question` shows how); the documents that the
    last answer cited and the sources that were allowed go on to this turn, as far as the scope
    still covers them. A scope that names sources itself replaces those.

    Raises `NotFound` for a conversation that is not the caller's or is cleared meanwhile, in which
    case nothing of this turn is kept, and what `ask` raises, in which case no message is.
    """
    key, run_id = saying.conversation_id, saying.options.run_id or RunId(secrets.token_hex(8))
    history = await conversations.history(scope, key)
    retained = await conversations.retained(scope, key)
    if scope.sources is None and retained.allowed_sources is not None:
        scope = narrow(scope, retained.allowed_sources)
    documents = await _readable(house.library.bases, scope, retained.documents)
    talk = Talk(turns=said_in(history), documents=documents, read=_read(history))
    asked_at = house.clock.now()
    await conversations.attach(scope, key, run_id)
    options = replace(saying.options, run_id=run_id, talk=talk)
    try:
        answer = await ask(house, scope, saying.message, options=options)
        # What is kept is what the policy lets pass, as everywhere.
        asked = await apply(house.policy, scope, Place.INPUT, text=saying.message)
        said = await _answered(house, scope, answer)
        turn = ConversationTurn(
            question=Message(
                role=Speaker.USER, content=asked.text, timestamp=asked_at, run_id=run_id
            ),
            answer=said,
            retained=Retained(
                documents=tuple(replace(source, spans=()) for source in said.sources),
                allowed_sources=scope.sources,
            ),
        )
        await conversations.append(scope, key, turn)
    except NotFound:
        # The conversation was cleared in the meantime: so is what this run has written since.
        await house.runs.erase(scope, run_id)
        raise
    return answer


def said_in(history: Sequence[Message]) -> tuple[Said, ...]:
    """Return the turns of a history, the oldest first; one without a question is left out."""
    questions = {one.run_id: one for one in history if one.role is Speaker.USER}
    return tuple(
        Said(
            question=questions[one.run_id].content,
            answer=one.content,
            titles=tuple(dict.fromkeys(source.title for source in one.sources)),
        )
        for one in history
        if one.role is Speaker.ASSISTANT and one.run_id in questions
    )


async def readable_history(
    bases: Sequence[Base], scope: Scope, history: Sequence[Message]
) -> list[Message]:
    """Return a history as the caller may see it now.

    An answer is emptied when a document that it cites cannot be read any more, whoever deleted it
    or narrowed its readers, and in whichever process.
    """
    cited = {_named(source): source for message in history for source in message.sources}
    readable = {_named(one) for one in await _readable(bases, scope, tuple(cited.values()))}
    return [
        message
        if readable.issuperset(map(_named, message.sources))
        else replace(message, content="", sources=(), source_deleted=True)
        for message in history
    ]


def _named(source: MessageSource) -> tuple[str, DocumentId]:
    return source.knowledge_base, source.document


async def _readable(
    bases: Sequence[Base], scope: Scope, documents: Sequence[MessageSource]
) -> tuple[MessageSource, ...]:
    """Return the documents that the caller may read now."""
    by_name = {base.name: base.knowledge for base in bases}
    kept: list[MessageSource] = []
    for source in documents:
        knowledge = by_name.get(source.knowledge_base)
        if knowledge is None:
            continue
        try:
            await knowledge.text(scope, source.document)
        except NotFound:
            continue
        kept.append(source)
    return tuple(kept)


def _read(history: Sequence[Message]) -> tuple[RunSource, ...]:
    found = {
        RunSource(knowledge_base=source.knowledge_base, document=source.document)
        for message in history
        for source in message.sources
    }
    return tuple(sorted(found))


async def _answered(house: RagHouse, scope: Scope, answer: Answer) -> Message:
    """Return an answer as a message, its documents named once each, with what is cited of them."""
    cited = {c.n: c for sentence in answer.sentences for c in sentence.citations}
    chunks = list(dict.fromkeys(citation.chunk_id for citation in cited.values()))
    where = await _bases_of(house.library.bases, scope, chunks)
    sources: dict[tuple[str, DocumentId], MessageSource] = {}
    for citation in cited.values():
        if citation.chunk_id in where:
            source = _source(citation, where[citation.chunk_id])
            known = sources.setdefault(_named(source), replace(source, spans=()))
            sources[_named(source)] = replace(known, spans=(*known.spans, *source.spans))
    return Message(
        role=Speaker.ASSISTANT,
        content=answer.answer,
        timestamp=house.clock.now(),
        run_id=answer.run_id,
        sources=tuple(sources.values()),
    )


def _source(citation: Citation, base: str) -> MessageSource:
    """Return one citation's document with the cited span."""
    span = CitedSpan(
        n=citation.n,
        chunk_id=citation.chunk_id,
        start=citation.start,
        end=citation.end,
        snippet=citation.snippet,
        page=citation.page,
        section=citation.section,
    )
    return MessageSource(
        knowledge_base=base,
        document=citation.doc_id,
        title=citation.title,
        uri=citation.uri,
        spans=(span,),
    )


async def _bases_of(
    bases: Sequence[Base], scope: Scope, chunks: Sequence[ChunkId]
) -> dict[ChunkId, str]:
    """Return in which knowledge base each chunk is; of two, the first."""
    found: dict[ChunkId, str] = {}
    for base in reversed(bases):
        stored = await base.knowledge.chunks(scope, chunks)
        found |= {one.chunk.id: base.name for one in stored}
    return found
