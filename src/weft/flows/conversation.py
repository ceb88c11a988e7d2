"""A turn of a conversation: what was said before, a run, and what is kept of both."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from weft.agents.rewriting import PastTurn
from weft.domain.answer import Answer, Citation
from weft.domain.errors import NotFound
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId, RunId
from weft.domain.scope import Scope
from weft.flows.asking import Asking, FlowOutcome, Talk
from weft.flows.running import FlowRunner
from weft.flows.toolkits import STANDING_APART
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
    """A message in a conversation: what is asked, without the conversation it goes on from."""

    asking: Asking
    conversation_id: ConversationId


async def converse(
    runner: FlowRunner, conversations: Conversations, scope: Scope, *, saying: Saying
) -> FlowOutcome:
    """Answer a message in its conversation and keep both.

    A follow-up is made whole first (`Answer.rewritten_question` shows how); the documents that the
    last answer cited and the sources that were allowed go on to this turn, as far as the scope
    still covers them. A scope that names sources itself replaces those.

    Raises `NotFound` for a conversation that is not the caller's or is cleared meanwhile, in which
    case nothing of this turn is kept, and what the run raises, in which case no message is.
    """
    services, asking = runner.services, saying.asking
    key, run_id = saying.conversation_id, asking.run_id or RunId(secrets.token_hex(8))
    try:
        history = await conversations.history(scope, key)
        retained = await conversations.retained(scope, key)
        if scope.sources is None and retained.allowed_sources is not None:
            scope = narrow(scope, retained.allowed_sources)
        bases = await runner.bases(
            scope, asking.knowledge_bases, flow=asking.flow, names_none=asking.names_none
        )
        documents = await _readable(bases, scope, retained.documents)
        talk = Talk(turns=said_in(history), documents=documents, read=_read(history))
        asked_at = services.clock.now()
        await conversations.attach(scope, key, run_id)
        outcome = await runner.run(scope, replace(asking, run_id=run_id, talk=talk))
        # What is kept is what the policy lets pass, as everywhere.
        asked = await apply(services.policy, scope, Place.INPUT, text=asking.question)
        said = _answered(outcome.answer, at=services.clock.now())
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
        await services.runs.erase(scope, run_id)
        raise
    return outcome


def said_in(history: Sequence[Message]) -> tuple[PastTurn, ...]:
    """Return the turns of a history, the oldest first; one without a question is left out."""
    questions = {one.run_id: one for one in history if one.role is Speaker.USER}
    return tuple(
        PastTurn(
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

    An answer is emptied when a document that it cites or shows besides cannot be read any more,
    whoever deleted it or narrowed its readers, and in whichever process.
    """
    shown = [_shown(message) for message in history]
    cited = {_named(source): source for sources in shown for source in sources}
    readable = {_named(one) for one in await _readable(bases, scope, tuple(cited.values()))}
    return [
        message
        if readable.issuperset(map(_named, sources))
        else replace(message, content="", sources=(), answer=None, source_deleted=True)
        for message, sources in zip(history, shown, strict=True)
    ]


def _shown(message: Message) -> tuple[MessageSource, ...]:
    """Return the documents of which a message shows anything: cited, near, or found besides."""
    answer = message.answer
    beside = () if answer is None else (*answer.nearest, *answer.more)
    return tuple(_stored((*message.sources, *map(_source, beside))))


def _stored(sources: Iterable[MessageSource]) -> Iterator[MessageSource]:
    """Yield the sources that stand in a knowledge base: no ontology, no page of the web."""
    return (one for one in sources if one.knowledge_base not in STANDING_APART)


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
        for source in _stored(message.sources)
    }
    return tuple(sorted(found))


def _answered(answer: Answer, *, at: datetime) -> Message:
    """Return an answer as a message, its documents named once each, with what is cited of them."""
    cited = {c.n: c for sentence in answer.sentences for c in sentence.citations}
    sources: dict[tuple[str, DocumentId], MessageSource] = {}
    for citation in cited.values():
        source = _source(citation)
        known = sources.setdefault(_named(source), replace(source, spans=()))
        sources[_named(source)] = replace(known, spans=(*known.spans, *source.spans))
    return Message(
        role=Speaker.ASSISTANT,
        # What was only near is no part of what was said, and no follow-up goes on from it.
        content=answer.answer.partition("\n")[0] if answer.refused else answer.answer,
        timestamp=at,
        run_id=answer.run_id,
        sources=tuple(sources.values()),
        # Cells that only may be meant are bound to no citation whose readers could be asked later.
        answer=replace(answer, meanings=()),
    )


def _source(citation: Citation) -> MessageSource:
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
        knowledge_base=citation.knowledge_base,
        document=citation.doc_id,
        title=citation.title,
        uri=citation.uri,
        spans=(span,),
    )
