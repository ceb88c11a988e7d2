"""A knowledge base in memory, and a bench on which a folder is brought in step with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from fault.workshop import OWNER, HashEmbedder, LineReader, WallClock
from weft.domain.acl import EVERYONE
from weft.domain.document import Document
from weft.domain.errors import FenceRefused, NotFound, VersionConflict
from weft.domain.ids import DocumentId
from weft.domain.ledger import FileEntry
from weft.domain.patch import DocumentCaps, Patch
from weft.domain.scope import Scope
from weft.extraction.ladder.ladder import Ladder
from weft.ingest.persistence import RetryRule
from weft.ingest.progress import IngestProgress
from weft.ingest.sources.acl_file import acl_of
from weft.ingest.sources.columns_file import columns_of
from weft.ingest.sources.folder import walk
from weft.ingest.sources.plan import FileFacts, FileTask, Source, SourcePlan, plan
from weft.ingest.splitting.settings import SplitSettings
from weft.ingest.sync import Sync
from weft.ingest.target import SyncDeps, Target
from weft.ingest.tools import Tools
from weft.ontology.catalog import load_baseline
from weft.ports.holdings import EmbeddedDocument, embedded_of
from weft.ports.publishing import Fence
from weft.ports.reader import Reader


@dataclass
class MemoryStore:
    """Documents and ledger rows; `calls` names every writing call in order."""

    documents: dict[DocumentId, Patch] = field(default_factory=dict)
    rows: dict[str, FileEntry] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    fence: int = 0

    async def issue_fence(self, scope: Scope, key: str) -> Fence:
        self.fence += 1
        return Fence(key=key, number=self.fence)

    async def publish(
        self, scope: Scope, patch: Patch, *, expected_version: str | None, fence: Fence
    ) -> int:
        self._take("publish", patch.document.id, fence)
        held = self.documents.get(patch.document.id)
        if (None if held is None else held.document.version) != expected_version:
            raise VersionConflict
        self.documents[patch.document.id] = patch
        return len(self.calls)

    async def delete(self, scope: Scope, document_id: DocumentId, *, fence: Fence) -> bool:
        self._take("delete", document_id, fence)
        return self.documents.pop(document_id, None) is not None

    async def reclassify(self, scope: Scope, document: Document, *, fence: Fence) -> bool:
        self._take("reclassify", document.id, fence)
        held = self.documents.get(document.id)
        if held is None:
            return False
        changed = replace(held.document, acl=document.acl, version=document.version)
        self.documents[document.id] = replace(held, document=changed)
        return True

    async def versions(self, scope: Scope, source: str) -> dict[DocumentId, str]:
        return {key: patch.document.version for key, patch in self.documents.items()}

    async def chunk_counts(self, scope: Scope, source: str) -> dict[DocumentId, int]:
        return {key: len(patch.passages) for key, patch in self.documents.items()}

    async def patch(self, scope: Scope, document_id: DocumentId) -> Patch:
        if document_id not in self.documents:
            raise NotFound
        return self.documents[document_id]

    async def embedded(self, scope: Scope, document_id: DocumentId) -> EmbeddedDocument:
        return embedded_of(await self.patch(scope, document_id))

    async def record(self, scope: Scope, entry: FileEntry) -> None:
        self.rows[entry.path] = entry

    async def forget(self, scope: Scope, source: str, paths: Sequence[str]) -> None:
        for path in paths:
            self.rows.pop(path, None)

    def _take(self, call: str, key: DocumentId, fence: Fence) -> None:
        if fence.number < self.fence:
            raise FenceRefused
        self.calls.append(f"{call} {key}")


@dataclass
class Bench:
    """A folder `docs`, a store and tools that count; `parser` reads in place of `reader`."""

    root: Path
    store: MemoryStore = field(default_factory=MemoryStore)
    reader: LineReader = field(default_factory=LineReader)
    embedder: HashEmbedder = field(default_factory=HashEmbedder)
    parser: Reader | None = None
    caps: DocumentCaps = field(default_factory=DocumentCaps)
    pictures: str = ""
    kept: dict[str, str] = field(default_factory=dict)
    forgotten: list[DocumentId] = field(default_factory=list)
    seen: list[IngestProgress] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)

    def write(self, **files: str) -> None:
        """Write files; `a_txt` is `a.txt`."""
        self.root.mkdir(exist_ok=True)
        for name, text in files.items():
            (self.root / name.replace("_", ".")).write_text(text, encoding="utf-8")

    @property
    def tools(self) -> Tools:
        """Return the tools as ingestion has them."""
        return Tools(
            reader=self.parser or self.reader,
            embedder=self.embedder,
            ladder=Ladder(ontology=load_baseline(), clock=WallClock()),
            splitting=SplitSettings(chunk_tokens=48, overlap=8),
            caps=self.caps,
            pictures=self.pictures,
        )

    def plan(self, *acl: str) -> SourcePlan:
        """Return what is to be done."""
        found = list(walk(self.root))
        readers = acl_of(self.root, found, default=frozenset(acl or (EVERYONE,)))
        facts = FileFacts(
            tools=self.tools.version_for, acl_of=readers, columns_of=columns_of(self.root, found)
        )
        return plan(found, self.store.rows.values(), facts=facts)

    async def run(self, *acl: str, prune: bool = False) -> IngestProgress:
        """Bring the folder in; what was counted before is cleared."""
        for counted in (self.store.calls, self.reader.read_paths, self.embedder.embedded):
            counted.clear()
        source = Source(name="docs", root=self.root, acl=frozenset(acl or (EVERYONE,)), prune=prune)
        store = cast(Any, self.store)

        async def pause(seconds: float) -> None:
            self.pauses.append(seconds)

        async def forget(documents: Sequence[DocumentId]) -> None:
            self.forgotten += documents

        async def keep(task: FileTask) -> None:
            self.kept[task.file.relative] = task.content

        deps = SyncDeps(
            scope=OWNER,
            target=Target(publishing=store, holdings=store, ledger=store),
            tools=self.tools,
            watch=self.seen.append,
            forget=forget,
            keep=keep,
            retries=RetryRule(tries=4, pause=pause, chance=lambda: 0.0),
        )
        return await Sync(deps, source, plan=self.plan(*acl)).run()

    def acls(self) -> dict[str, set[str]]:
        """Return who may read each document, by the end of its id."""
        return {
            key.partition("docs/")[2]: set(patch.document.acl)
            for key, patch in self.store.documents.items()
        }
