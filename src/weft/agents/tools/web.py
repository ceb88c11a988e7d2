"""The web tool at work: what pages say, as passages that can be cited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft.agents.evidence import EvidenceBook, evidence_item
from weft.agents.tools.library import RunLibrary, RunReader
from weft.agents.tools.passing import Passing
from weft.agents.tools.web_manifests import WEB_SEARCH
from weft.domain.document import Chunk, Document
from weft.domain.errors import NotFound
from weft.domain.evidence import Evidence
from weft.domain.ids import ChunkId, DocumentId, digest
from weft.domain.scope import Scope
from weft.language.sentences import sentences
from weft.platform.manifest import Handler
from weft.ports.fetching import WebPage
from weft.ports.knowledge import StoredChunk

WEB = "web"
_RESULTS = 6


class WebTools:
    """The handler of one run's web search."""

    def __init__(self, library: RunLibrary, reader: RunReader, *, book: EvidenceBook) -> None:
        """Take what is read, who reads, and what the run was given so far."""
        self._library = library
        self._reader = reader
        self._book = book
        self._passing = Passing(library, reader)

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by tool name; none where no provider is configured."""
        return {} if self._library.web is None else {WEB_SEARCH: self.web_search}

    async def web_search(self, args: Mapping[str, Any]) -> object:
        """Return what pages say that a query finds, as far as the policy lets it pass."""
        if self._library.web is None:
            raise NotFound("No web search is configured.")
        pages = await self._library.web.search(
            self._reader.scope, args["query"], args.get("top_k", _RESULTS)
        )
        passed = [page for page in pages if await self._passing.is_open((page.title, page.text))]
        found = [_evidence(page) for page in passed]
        return {
            "evidence": [evidence_item(one, self._book.id_of(WEB, one.chunk_id)) for one in found]
        }


def _evidence(page: WebPage) -> Evidence:
    return Evidence(
        id="",
        knowledge_base=WEB,
        document_id=DocumentId(page.url),
        document_type=WEB,
        title=page.title or page.url,
        uri=page.url,
        chunk_id=ChunkId(digest(page.url, page.text)),
        chunk_index=0,
        start=0,
        end=len(page.text),
        page=None,
        section=None,
        text=page.text,
        sentences=sentences(page.text),
        updated=None,
        score_kind="ranked",
        path=(),
    )


class WebPages:
    """What a run was told of the web, to hold its sentences against: it is stored nowhere else."""

    name = WEB

    def __init__(self, book: EvidenceBook) -> None:
        """Take what the run was given."""
        self._book = book

    @property
    def knowledge(self) -> WebPages:
        """Return what passages are read from."""
        return self

    async def chunks(self, scope: Scope, ids: Sequence[ChunkId]) -> list[StoredChunk]:
        """Return the passages of those ids."""
        del scope
        held = {one.chunk_id: one for one in self._book.entries() if one.knowledge_base == WEB}
        return [_stored(held[one]) for one in ids if one in held]


def _stored(one: Evidence) -> StoredChunk:
    return StoredChunk(
        chunk=Chunk(
            id=one.chunk_id,
            document_id=one.document_id,
            chunk_index=0,
            text=one.text,
            start=0,
            end=len(one.text),
            sentences=one.sentences,
        ),
        document=Document(
            id=one.document_id,
            source=WEB,
            type=WEB,
            title=one.title,
            uri=one.uri,
            version="",
            acl=frozenset(),
        ),
    )
