"""The way of one record to a patch: split, embed, extract, join."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from urllib.parse import quote

from weft.domain.acl import acl_class
from weft.domain.document import Chunk, Document, chunk_id, document_version
from weft.domain.facts import LocalFacts, Vectors
from weft.domain.frozen import dataclass
from weft.domain.ids import digest
from weft.domain.patch import Passage, Patch
from weft.domain.record import Record
from weft.extraction.ladder.ladder import DocumentDraft, Extracted
from weft.extraction.rules.references import handles, references
from weft.index.local_facts import local_facts
from weft.ingest.document_versions import OWN_ACL
from weft.ingest.sources.document_ids import document_key
from weft.ingest.sources.inbox import INBOX, RECORDS
from weft.ingest.sources.plan import FileTask, Source
from weft.ingest.splitting.split import split, word_ends
from weft.ingest.tools import Tools
from weft.platform.stages import stage
from weft.platform.threads import in_thread
from weft.ports.embedder import Embedder, PassageText
from weft.ports.holdings import EmbeddedDocument

_REMEMBERED = 10_000
# So many passages are embedded between two reports.
_REPORTED = 64

# How many of a document's chunks have vectors, and how many it has.
Tell = Callable[[int, int], None]


def untold(done: int, chunks: int) -> None:
    """Let a report pass."""


def document_of(record: Record, task: FileTask, *, source: Source, tools: str) -> Document:
    """Return a record's document: its id from where it stands, its version from what it says."""
    acl = task.acl if record.acl is None else record.acl
    address = _address(record, task, source=source)
    said = [record.content, record.title, repr(sorted(record.metadata.items())), repr(record.links)]
    times = repr((record.created, record.updated))
    content = digest(*said, times, address, tools) + ("" if record.acl is None else OWN_ACL)
    own_uri = record.metadata.get("uri")
    return Document(
        id=document_key(source, task.file.relative, fragment=record.fragment),
        source=source.name,
        type="record" if record.fragment else "file",
        title=record.title,
        uri=own_uri if isinstance(own_uri, str) and own_uri else address,
        version=document_version(content, acl_class(acl)),
        acl=acl,
        metadata={"file_path": task.file.relative, **record.metadata},
        created=record.created,
        updated=record.updated,
    )


def _address(record: Record, task: FileTask, *, source: Source) -> str:
    """Return where a document is: the path of its file, or the name it was handed over under."""
    if not source.is_inbox:
        within = f"#{quote(task.file.within)}" if task.file.within else ""
        # A name need not be text.
        return "file://" + quote(os.fsencode(task.file.path)) + within
    relative = task.file.relative
    is_record = record.fragment and relative.startswith(f"{RECORDS}/")
    return INBOX + quote(record.fragment if is_record else relative)


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """What one record teaches, and in words what was left out of it."""

    patch: Patch
    left_out: tuple[str, ...]


async def derive(
    record: Record, document: Document, *, tools: Tools, memory: Memory, tell: Tell = untold
) -> Derived:
    """Return what one record teaches: every step of the way, in order.

    `tell` hears how many of its chunks have vectors. Whoever cancels this ends its threads too.
    """
    with stage("split"):
        chunks = await in_thread(lambda: split_into(record, document, tools=tools))
    with stage("embed"):
        vectors = await memory.embed(document.title, chunks, embedder=tools.embedder, tell=tell)
    facts = await in_thread(lambda: facts_of(document.title, chunks))
    draft = DocumentDraft(document=document, text=record.content, chunks=chunks, caps=tools.caps)
    with stage("extract"):
        extracted = await tools.ladder.climb(draft)
    parts = _Parts(chunks, vectors, facts, extracted)
    with stage("join"):
        patch = await in_thread(lambda: join(record, document, parts=parts))
    return Derived(patch=patch, left_out=_left_out(draft, patch))


def _left_out(draft: DocumentDraft, patch: Patch) -> tuple[str, ...]:
    """Return in words which facts were too many."""
    kept = {"mentions": len(patch.mentions), "claims": len(patch.claims)}
    return tuple(
        f"{many} {kind} beyond the first {kept[kind]} are left out (WEFT_MAX_{kind.upper()})"
        for kind, many in draft.beyond.items()
        if many
    )


def split_into(record: Record, document: Document, *, tools: Tools) -> list[Chunk]:
    """Return the chunks of a record, with their ids."""
    ends = word_ends if tools.embedder is None else tools.embedder.token_ends
    drafts = split(record, document.title, token_ends=ends, settings=tools.splitting)
    return [
        Chunk(
            id=chunk_id(document.id, draft.text, chunk_index=index),
            document_id=document.id,
            chunk_index=index,
            text=draft.text,
            start=draft.start,
            end=draft.end,
            page=draft.page,
            section=draft.section,
            tokens=draft.tokens,
            sentences=draft.sentences,
        )
        for index, draft in enumerate(drafts)
    ]


def facts_of(title: str, chunks: Sequence[Chunk]) -> list[LocalFacts]:
    """Return the local facts of each chunk."""
    return [local_facts(title, chunk.text, sentences=chunk.sentences) for chunk in chunks]


class Memory:
    """The vectors of a run's latest passages, so that the same text is embedded once.

    Also of what the base holds of a document that is replaced or renamed: what did not change in it
    is not embedded again.
    """

    def __init__(self) -> None:
        """Remember nothing yet; the memory ends with the run."""
        self._known: dict[str, asyncio.Future[Vectors]] = {}

    def remember(self, held: EmbeddedDocument) -> None:
        """Take the vectors of a stored document."""
        for chunk, vectors in held.passages:
            key = _key_of(held.title, chunk)
            if key not in self._known:
                self._known[key] = asyncio.get_running_loop().create_future()
                self._known[key].set_result(vectors)

    async def embed(
        self,
        title: str,
        chunks: Sequence[Chunk],
        *,
        embedder: Embedder | None,
        tell: Tell = untold,
    ) -> list[Vectors | None]:
        """Return the vectors of each chunk, or none without an embedder."""
        if embedder is None:
            return [None] * len(chunks)
        made: list[Vectors | None] = []
        for first in range(0, len(chunks), _REPORTED):
            batch = chunks[first : first + _REPORTED]
            made += await self._batch(title, batch, embedder)
            tell(len(made), len(chunks))
        while len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]
        return made

    async def _batch(
        self, title: str, chunks: Sequence[Chunk], embedder: Embedder
    ) -> list[Vectors]:
        """Return the vectors of a few chunks, those among them that another document has made."""
        while True:
            new: dict[asyncio.Future[Vectors], PassageText] = {}
            wanted = [self._of(title, chunk, new) for chunk in chunks]
            try:
                made = await embedder.passages(list(new.values())) if new else []
                for one, vectors in zip(new, made, strict=True):
                    one.set_result(vectors)
            finally:
                for one in new:  # what was not made: who waits for it makes it
                    one.cancel()
            await asyncio.wait(wanted)
            if not any(one.cancelled() for one in wanted):
                return [one.result() for one in wanted]

    def _of(
        self, title: str, chunk: Chunk, new: dict[asyncio.Future[Vectors], PassageText]
    ) -> asyncio.Future[Vectors]:
        """Return a chunk's vectors, known, on their way, or among those to be made."""
        key = _key_of(title, chunk)
        if key not in self._known or self._known[key].cancelled():
            one = self._known[key] = asyncio.get_running_loop().create_future()
            new[one] = PassageText(title=title, text=chunk.text, sentences=chunk.sentences)
        return self._known[key]


def _key_of(title: str, chunk: Chunk) -> str:
    """Return what a chunk's vectors are made of: its title and text, and where sentences are."""
    spans = " ".join(f"{span.start}-{span.end}" for span in chunk.sentences)
    return digest(title, chunk.text, spans)


@dataclass(frozen=True, slots=True)
class _Parts:
    chunks: Sequence[Chunk]
    vectors: Sequence[Vectors | None]
    facts: Sequence[LocalFacts]
    extracted: Extracted


def join(record: Record, document: Document, *, parts: _Parts) -> Patch:
    """Return the patch: the chunks with their facts, and what was extracted from them."""
    passages = []
    for chunk, vectors, facts in zip(parts.chunks, parts.vectors, parts.facts, strict=True):
        outcome = parts.extracted.outcomes[chunk.id]
        passages.append(
            Passage(
                chunk=chunk,
                facts=facts,
                vectors=vectors,
                outcome=outcome.method,
                reason=outcome.reason,
            )
        )
    return Patch(
        document=document,
        text=record.content,
        passages=tuple(passages),
        mentions=parts.extracted.mentions,
        claims=parts.extracted.claims,
        references=references(document, record.content, links=record.links),
        handles=handles(document),
    )
