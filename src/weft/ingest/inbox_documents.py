"""Documents of an inbox: handed over, changed and taken back, one by one."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TypeVar

from weft.domain.document import Document, Value
from weft.domain.errors import BadInput, NotFound, VersionConflict
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.ingest.jobs.ingestion import Ingest, IngestRequest
from weft.ingest.sources.document_ids import by_file, file_of
from weft.ingest.sources.inbox import (
    RECORDS,
    HandedRecord,
    Inbox,
    record_file,
    refuse_reserved,
)
from weft.ingest.sources.inbox_turn import turn_at
from weft.ingest.sources.labels import Label
from weft.ingest.sources.members import holder
from weft.ingest.sources.plan import Source
from weft.platform.audit import audited
from weft.platform.workspace import keeping
from weft.ports.records.audit import Audit, Deed
from weft.ports.store import Store

Handed = TypeVar("Handed", Label, HandedRecord)

_HANDED_OVER = "What is handed over"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedFile:
    """A complete file that lies at `draft`, to be taken in under a relative name."""

    name: str
    draft: Path
    label: Label


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxChange:
    """What changes of a document; None leaves a part as it is, `expected` is its version now."""

    acl: frozenset[str] | None = None
    metadata: Mapping[str, Value] | None = None
    title: str | None = None
    expected: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxDocuments:
    """The documents that were handed over to one knowledge base."""

    store: Store
    inbox: Inbox
    ingest: Ingest
    audit: Audit

    async def hand_over(
        self, scope: Scope, *, files: Sequence[HandedFile], records: Sequence[HandedRecord]
    ) -> str:
        """Keep files and records, put their ingestion in line, and return the job's id.

        What nobody names readers of keeps those that it has. What is new is for those whom the
        knowledge base names by default now: a later default changes nothing of it. Raises
        `BadInput` for a name that cannot be taken, is there twice, or is that of what the caller
        may not read, in whole or in part; then nothing is kept. Raises `StoreUnwritable` where the
        disk takes no more: what it took until then lies there unread until it is handed over anew.
        """
        async with audited(self.audit, scope, self._deed("document.add")) as act:
            for file in files:
                self.inbox.place(file.name)
            for record in records:
                refuse_reserved(record)
            names = [PurePosixPath(file.name).as_posix() for file in files]
            _refuse_twins("files: the name", names)
            _refuse_twins("records: the id", [record.id for record in records])
            _refuse_folders(names)
            places = [f"{RECORDS}/{record_file(record.id)}" for record in records]
            acl = await self.ingest.default_readers(scope, self.store)
            async with turn_at(self.inbox):
                await self._refuse_foreign(scope, names, places=places)
                former = await asyncio.to_thread(self._former_readers, [*names, *places])
                with keeping(_HANDED_OVER):
                    taken = [
                        await asyncio.to_thread(
                            self.inbox.take,
                            each.name,
                            draft=each.draft,
                            label=_for(each.label, former.get(name, acl)),
                        )
                        for name, each in zip(names, files, strict=True)
                    ]
                    taken += [
                        await asyncio.to_thread(
                            self.inbox.put, _for(record, former.get(place, acl))
                        )
                        for place, record in zip(places, records, strict=True)
                    ]
            act.note(files=len(files), records=len(records))
            request = IngestRequest(path=self.inbox.path, only=frozenset(taken), prune=True)
            return await self.ingest.submit(scope, self.store, request=request)

    async def bring_in(self, scope: Scope, request: IngestRequest) -> str:
        """Put the ingestion of a file or folder of this machine in line; return the job's id."""
        async with audited(self.audit, scope, self._deed("document.add")):
            if not await asyncio.to_thread(request.path.exists):
                raise BadInput(f"path: there is no file or folder '{request.path}'.")
            return await self.ingest.submit(scope, self.store, request=request)

    async def change(self, scope: Scope, document_id: DocumentId, change: InboxChange) -> Document:
        """Change who may read a document or what is said of it; it holds when this returns.

        Raises `NotFound`, `VersionConflict`, and `BadInput` where the document's own place decides.
        """
        deed = self._deed("document.change", document_id)
        # One turn from the comparison until it is stored: who comes next compares with that.
        async with audited(self.audit, scope, deed), turn_at(self.inbox):
            found = await self.store.documents.document(scope, document_id)
            if change.expected is not None and change.expected != found.version:
                raise VersionConflict(version=found.version)
            relative = await self._relative(scope, found)
            with keeping("The change"):
                await asyncio.to_thread(
                    self.inbox.change,
                    relative,
                    acl=change.acl,
                    metadata=change.metadata,
                    title=change.title,
                )
            await self._at_once(scope, relative)
            return await self.store.documents.document(scope, document_id)

    async def take_back(self, scope: Scope, document_id: DocumentId) -> None:
        """Remove a document and all that was said from it; it is gone when this returns."""
        deed = self._deed("document.delete", document_id)
        async with audited(self.audit, scope, deed), turn_at(self.inbox):
            found = await self.store.documents.document(scope, document_id)
            relative = await self._relative(scope, found)
            with keeping("The removal"):
                await asyncio.to_thread(self.inbox.remove, relative)
            await self._at_once(scope, relative)

    async def _at_once(self, scope: Scope, relative: str) -> None:
        request = IngestRequest(path=self.inbox.path, only=frozenset({relative}), prune=True)
        await self.ingest.at_once(scope, self.store, request=request)

    async def _relative(self, scope: Scope, document: Document) -> str:
        """Return the file of a document in the inbox; raises `BadInput` for any other."""
        sources = {source.name: source for source in await self.store.ledger.sources(scope)}
        source = sources.get(document.source)
        here = await asyncio.to_thread(self.inbox.path.resolve)
        if source is None or Path(source.root) != here:
            raise BadInput(
                f"This document comes from the source '{document.source}': change it there, "
                "then bring the source in step."
            )
        entries = await self.store.ledger.standing(scope, source.name)
        origin = Source(name=source.name, root=here, acl=source.acl)
        relative = file_of(document.id, origin.name)
        if outer := holder(relative, frozenset(entry.path for entry in entries)):
            raise BadInput(f"This document lies within the file '{outer}': hand that over anew.")
        # How many the file has is not told: others may be hidden from the caller.
        if any(entry.path == relative and entry.documents > 1 for entry in entries):
            raise BadInput(
                f"This document is a record of the file '{relative}': hand the file over anew."
            )
        return relative

    async def _refuse_foreign(
        self, scope: Scope, names: Sequence[str], *, places: Sequence[str]
    ) -> None:
        """Raise `BadInput` where something that the caller may not read would be replaced.

        `names` are those of files, `places` those of records. It tells nothing of what is there: a
        name may be taken for many reasons.
        """
        if not await asyncio.to_thread(
            self._are_free, names, places=places, principals=scope.principals
        ) or await self._has_hidden(scope, names):
            raise BadInput("One of the names or ids cannot be used here; choose another.")

    def _are_free(
        self, names: Sequence[str], *, places: Sequence[str], principals: frozenset[str]
    ) -> bool:
        return all(self.inbox.has_room_for(name) for name in names) and all(
            self.inbox.is_readable(each, principals) for each in (*names, *places)
        )

    async def _has_hidden(self, scope: Scope, names: Sequence[str]) -> bool:
        """Tell whether a file of these has a document in it that the caller may not read.

        The rows of a table have readers of their own, which the file's label does not tell.
        """
        here = await asyncio.to_thread(self.inbox.path.resolve)
        there = await asyncio.to_thread(
            lambda: frozenset(each for each in names if (here / each).is_file())
        )
        if not there:
            return False
        for source in await self.store.ledger.sources(scope):
            if Path(source.root) == here:
                return not await self._reads_all(scope, source.name, files=there)
        return False

    async def _reads_all(self, scope: Scope, source: str, *, files: frozenset[str]) -> bool:
        """Tell whether the caller may read every document of some files, and of those in them."""
        held = by_file(await self.store.holdings.versions(scope, source), source)
        theirs = [path for path in held if path in files or holder(path, files)]
        keys = [key for path in theirs for key in held[path]]
        # Nearly all have chunks, which are counted at once; the others are looked up one by one.
        read = await self.store.documents.chunk_counts(scope, keys)
        try:
            for key in keys:
                if key not in read:
                    await self.store.documents.document(scope, key)
        except NotFound:
            return False
        return True

    def _former_readers(self, names: Sequence[str]) -> dict[str, frozenset[str]]:
        """Return whom files and records that are there name as their readers, where they do."""
        found = {name: self.inbox.readers(name) for name in names}
        return {name: acl for name, acl in found.items() if acl is not None}

    def _deed(self, action: str, document_id: str = "") -> Deed:
        target = f"kb:{self.store.name}" + (f"/{document_id}" if document_id else "")
        return Deed(action=action, target=target)


def _refuse_twins(what: str, given: Sequence[str]) -> None:
    """Raise `BadInput` for what would replace another one of the same request."""
    for one, times in Counter(given).items():
        if times > 1:
            raise BadInput(f"{what} '{one[:200]}' is there twice.")


def _refuse_folders(names: Sequence[str]) -> None:
    """Raise `BadInput` for what would be a file and a folder at once."""
    above = {parent.as_posix() for name in names for parent in PurePosixPath(name).parents}
    for name in names:
        if name in above:
            raise BadInput(f"files: '{name[:200]}' cannot be a file and a folder of others.")


def _for(handed: Handed, acl: frozenset[str]) -> Handed:
    """Return what is handed over for these readers, where it names none of its own."""
    return replace(handed, acl=acl) if handed.acl is None else handed
