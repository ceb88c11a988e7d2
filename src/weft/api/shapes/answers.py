"""What answers look like over HTTP, whichever endpoint they leave by."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from weft.domain.answer import Answer, AnswerTable, Citation, Outcome, citation_data
from weft.domain.document import Document
from weft.domain.evidence import Evidence
from weft.domain.ids import ChunkId
from weft.domain.notes import REMARK, read_note
from weft.domain.scope import Scope
from weft.ports.records.tool_runs import ToolRun
from weft.ports.store import Store

_CITATION: JsonDict = {
    "n": 1,
    "doc_id": "file:notes/apollo.md",
    "title": "Apollo",
    "uri": "file:///notes/apollo.md",
    "page": None,
    "section": "Apollo",
    "chunk_id": "9c1e6f1d2b7a4c55",
    "start": 10,
    "end": 45,
    "snippet": "Apollo was founded by Li Wei in Seoul.",
    "kb": "Main",
}


class CitationShape(BaseModel):
    """A citation that was checked: `text[start:end] == snippet`, in code points."""

    model_config = ConfigDict(json_schema_extra={"example": _CITATION})

    n: int
    doc_id: str
    title: str
    uri: str
    page: int | None
    section: str | None
    chunk_id: str
    start: int
    end: int
    snippet: str
    kb: str


class SentenceShape(BaseModel):
    """One sentence; its tier tells how far its citations bear it out."""

    text: str
    tier: str = Field(examples=["quote", "close"])
    citations: list[CitationShape]
    missing: list[str]


class SourceDocument(BaseModel):
    """A document that an answer cites."""

    id: str
    source: str
    type: str
    title: str
    uri: str
    kb: str
    last_updated: datetime | None


class ToolRunShape(BaseModel):
    """A tool call of the run; `status` is empty where it did not come to an end."""

    tool: str
    status: str
    latency_ms: float | None


class NoteShape(BaseModel):
    """A note beside an answer: `code` and `values` are for showing it in another language.

    A `remark` has no values: its text is in the question's language already.
    """

    code: str = Field(examples=["full_text_alone"])
    text: str
    values: dict[str, str]


class ColumnShape(BaseModel):
    """A column of rows that answer; `type` is number, date, truth, category or text."""

    name: str
    type: str
    unit: str = ""


class TableShape(BaseModel):
    """Rows that answer, the first of `total`, with the plan that gave them in one line."""

    plan: str
    columns: list[ColumnShape]
    rows: list[list[str]]
    total: int


class MeaningShape(BaseModel):
    """What a question over rows may mean, a plan in one line; its `id` is sent as `meaning`."""

    id: str
    text: str


MeaningId = Annotated[str, Field(max_length=32, pattern=r"^[0-9a-f]*$")]


class GivenAnswer(BaseModel):
    """An answer, each of its sentences checked; if `refused`, `missing` says what is not there.

    `outcome` is `answered`, `nearest` (no sentence answers; `nearest` has up to three citations of
    what was found, the best first, none of them an answer) or `nothing`. `more` has up to three
    citations of what was found besides the sentences, their numbers going on. `short` is the answer
    in a few words where it was computed from the sentences; `reason` says where a search ended
    that found a part of the way; `table` are the rows of an answer that was worked out over some,
    where they are more than one. `meanings` are up to three plans over tables that a refused
    question may mean: the same question with the id of one as `meaning` is answered by it. All
    texts are plain text as documents and models wrote it, never Markdown or HTML: show them as
    text.
    """

    answer: str
    short: str = ""
    sentences: list[SentenceShape]
    citations: list[CitationShape]
    outcome: Outcome = Outcome.ANSWERED
    nearest: list[CitationShape] = Field(default_factory=list)
    more: list[CitationShape] = Field(default_factory=list)
    refused: bool
    missing: list[str]
    reason: NoteShape | None = None
    offline: bool
    notes: list[NoteShape]
    run_id: str
    took_ms: float
    rewritten_question: str | None = None
    table: TableShape | None = None
    meanings: list[MeaningShape] = Field(default_factory=list)


class AnswerShape(GivenAnswer):
    """An answer with its documents and tools; `payload` is what the flow gives besides."""

    source_documents: list[SourceDocument]
    tool_runs: list[ToolRunShape]
    payload: dict[str, Any] = Field(default_factory=dict)


class EvidenceShape(BaseModel):
    """A passage that may answer a question, and how it was reached."""

    id: str
    kb: str
    doc_id: str
    type: str
    title: str
    uri: str
    chunk_id: str
    start: int
    end: int
    page: int | None
    section: str | None
    text: str
    updated: datetime | None
    score_kind: str
    path: list[str]


def evidence_shape(found: Evidence) -> EvidenceShape:
    """Return evidence as it leaves."""
    return EvidenceShape(
        id=found.id,
        kb=found.knowledge_base,
        doc_id=found.document_id,
        type=found.document_type,
        title=found.title,
        uri=found.uri,
        chunk_id=found.chunk_id,
        start=found.start,
        end=found.end,
        page=found.page,
        section=found.section,
        text=found.text,
        updated=found.updated,
        score_kind=found.score_kind,
        path=list(found.path),
    )


def note_shapes(notes: Sequence[str]) -> list[NoteShape]:
    """Return notes as they leave."""
    read = map(read_note, notes)
    return [NoteShape(code=one.code, text=one.text, values=dict(one.values)) for one in read]


def _reason(answer: Answer) -> NoteShape | None:
    """Return why nothing was found, where a note says it."""
    said = note_shapes(answer.answer.splitlines()[:1] if answer.refused else [])
    return next((one for one in said if one.code != REMARK), None)


async def answer_shape(
    answer: Answer, scope: Scope, *, stores: Sequence[Store], tool_runs: Sequence[ToolRun]
) -> AnswerShape:
    """Return an answer as it leaves; which base a citation is from is read under the scope."""
    cited = [citation for sentence in answer.sentences for citation in sentence.citations]
    homes = await _homes(cited, scope, stores)
    return AnswerShape(
        **dict(given_answer(answer)),
        source_documents=_sources(cited, homes),
        tool_runs=[_tool_run(each) for each in tool_runs],
    )


def given_answer(answer: Answer) -> GivenAnswer:
    """Return an answer as it was given, which needs nothing but itself."""
    sentences = [
        SentenceShape(
            text=sentence.text,
            tier=str(sentence.tier),
            citations=[_citation(each) for each in sentence.citations],
            missing=list(sentence.missing),
        )
        for sentence in answer.sentences
    ]
    numbered = {each.n: each for sentence in sentences for each in sentence.citations}
    return GivenAnswer(
        answer=answer.answer,
        short=answer.short,
        sentences=sentences,
        citations=[numbered[n] for n in sorted(numbered)],
        outcome=answer.outcome,
        nearest=[_citation(each) for each in answer.nearest],
        more=[_citation(each) for each in answer.more],
        refused=answer.refused,
        missing=list(answer.missing),
        reason=_reason(answer),
        offline=answer.offline,
        notes=note_shapes(answer.notes),
        run_id=answer.run_id,
        took_ms=answer.took_ms,
        rewritten_question=answer.rewritten_question or None,
        table=_table(answer.table),
        meanings=[MeaningShape(id=one.id, text=one.text) for one in answer.meanings],
    )


def _table(table: AnswerTable | None) -> TableShape | None:
    if table is None:
        return None
    return TableShape(
        plan=table.plan,
        columns=[ColumnShape(name=one.name, type=one.type, unit=one.unit) for one in table.columns],
        rows=[list(row) for row in table.rows],
        total=table.total,
    )


Homes = dict[tuple[str, ChunkId], Document]


async def _homes(cited: Sequence[Citation], scope: Scope, stores: Sequence[Store]) -> Homes:
    homes: Homes = {}
    for store in stores:
        own = dict.fromkeys(one.chunk_id for one in cited if one.knowledge_base == store.name)
        for found in await store.knowledge.chunks(scope, list(own)) if own else ():
            homes[store.name, found.chunk.id] = found.document
    return homes


def _tool_run(found: ToolRun) -> ToolRunShape:
    outcome = found.outcome
    return ToolRunShape(
        tool=found.call.tool,
        status="" if outcome is None else str(outcome.status),
        latency_ms=None if outcome is None else outcome.latency_ms,
    )


def _citation(citation: Citation) -> CitationShape:
    return CitationShape.model_validate(citation_data(citation))


def _sources(cited: Sequence[Citation], homes: Homes) -> list[SourceDocument]:
    found: dict[tuple[str, str], SourceDocument] = {}
    for citation in cited:
        name = citation.knowledge_base
        document = homes.get((name, citation.chunk_id))
        if document is None or (name, citation.doc_id) in found:
            continue
        found[name, citation.doc_id] = SourceDocument(
            id=document.id,
            source=document.source,
            type=document.type,
            title=document.title,
            uri=document.uri,
            kb=name,
            last_updated=document.updated,
        )
    return list(found.values())


def plain(shape: BaseModel) -> dict[str, Any]:
    """Return a shape as JSON values, for a stream."""
    return shape.model_dump(mode="json")
