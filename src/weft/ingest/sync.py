"""Bringing a knowledge base in step with a source, one file and one document at a time.

Each document is one atomic publish and each file's ledger row comes after its documents, so a run
that is killed anywhere is simply begun again: what is there in its right version is left alone.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from weft.domain.document import Document
from weft.domain.errors import InUse, NotFound, WeftError
from weft.domain.ids import DocumentId
from weft.domain.ledger import FileEntry, FileStatus
from weft.domain.patch import Patch
from weft.domain.record import Record
from weft.ingest.document_sizes import DocumentSizes
from weft.ingest.document_versions import has_own_acl, same_content
from weft.ingest.persistence import Persistence
from weft.ingest.pipeline import (
    Derived,
    Memory,
    derive,
    document_of,
)
from weft.ingest.progress import IngestProgress
from weft.ingest.record_parts import (
    FileTally,
    HeldDocument,
    MemberWalk,
    NotReady,
    RecordPart,
    entry_of,
    key_alike,
    naming,
    with_readers,
)
from weft.ingest.renames import NotMovable, moved, twin_of
from weft.ingest.running_progress import RunningProgress
from weft.ingest.sources.document_ids import by_file, document_key
from weft.ingest.sources.labels import labelled
from weft.ingest.sources.members import holder, member_file
from weft.ingest.sources.plan import FileNeed, FileTask, Source, SourcePlan, is_left_out
from weft.ingest.target import SyncDeps
from weft.platform.passing import is_passing
from weft.platform.stages import stage
from weft.ports.publishing import Fence
from weft.ports.reader import FileReading, Member

_FILES_AT_ONCE = 4
# What a text that nobody thought of makes rules raise.
_FAULTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)


class Sync:
    """One run over one source."""

    def __init__(self, deps: SyncDeps, source: Source, *, plan: SourcePlan) -> None:
        """Begin nothing yet."""
        self._deps = deps
        self._source = source
        self._plan = plan
        self._memory = Memory()
        self._progress = RunningProgress(plan.tasks, deps.watch)
        self._trying = Persistence(deps.retries, told=self._progress.retry)
        self._held: dict[DocumentId, str] = {}
        self._first: dict[DocumentId, str] = {}
        count = partial(deps.target.holdings.chunk_counts, deps.scope, source.name)
        self._sizes = DocumentSizes(partial(self._trying.through, count))
        self._of_file: defaultdict[str, list[DocumentId]] = defaultdict(list)

    async def run(self) -> IngestProgress:
        """Do all that the plan needs and return what was done.

        Raises `FenceRefused` when another worker has taken this source over, and of several errors
        the first.
        """
        target, scope, name = self._deps.target, self._deps.scope, self._source.name
        again = self._trying.through
        fence = await again(lambda: target.publishing.issue_fence(scope, f"source:{name}"))
        self._held = await again(lambda: target.holdings.versions(scope, name))
        self._first = dict(self._held)
        self._of_file = by_file(self._held, name)
        # What was renamed is taken from where it was, so that goes last.
        sources = frozenset(task.alike for task in self._plan.tasks)
        renamed = {path for path in self._plan.gone if path in sources or holder(path, sources)}
        if self._source.prune:
            await self._remove((path for path in self._plan.gone if path not in renamed), fence)
        try:
            await self._files(fence)
        except BaseExceptionGroup as several:
            raise several.exceptions[0] from None
        if self._source.prune:
            await self._remove(sorted(renamed), fence)
        return self._progress.so_far

    async def _files(self, fence: Fence) -> None:
        waiting = asyncio.Semaphore(_FILES_AT_ONCE)
        idle = [task for task in self._plan.tasks if task.need is FileNeed.NOTHING]
        if idle:  # told of at once: of a large folder they are nearly all
            within = sum(len(task.inner) for task in idle)
            done = within + len(idle)
            self._progress.tell(files=within, files_done=done, unchanged=done)
        async with asyncio.TaskGroup() as group:
            for task in self._plan.tasks:
                if task.need is FileNeed.NOTHING:
                    continue
                await waiting.acquire()
                made = group.create_task(self._file(task, fence))
                made.add_done_callback(lambda _: waiting.release())

    async def _file(self, task: FileTask, fence: Fence) -> None:
        self._progress.begin(task.file.relative)
        if task.need is FileNeed.NOTE:
            await self._drop(self._of_file[task.file.relative], fence)
            await self._forget_inner(task.inner, fence)
            entry = self._entry(task, task.file.status, task.file.skipped)
        elif task.need is FileNeed.ACL and await self._reclassify(task, fence):
            assert task.former is not None
            entry = replace(task.former, acl=task.acl)
        else:
            await self._begin(task)
            entry = await self._moved(task, fence) or await self._read_whole(task, fence)
        if entry.content:
            await self._trying.through(lambda: self._deps.keep(task))
        await self._record(entry)
        unread = entry.status is not FileStatus.READ and not is_left_out(entry)
        self._progress.finish(task, entry.chunks, failed=unread)

    async def _moved(self, task: FileTask, fence: Fence) -> FileEntry | None:
        """Take what a renamed file gave where it was; None if it must be read."""
        try:
            twin = twin_of(task)
            there = {key: self._first[key] for key in self._of_file[twin.path]}
            kept = set[DocumentId]()
            async for patch in moved(
                self._deps.scope,
                self._deps.target.holdings,
                task,
                source=self._source,
                held=there,
                tools=self._deps.tools.version,
            ):
                await self._trying.through(partial(self._publish, patch, fence))
                kept.add(patch.document.id)
                self._progress.tell(documents=1, chunks=len(patch.passages))
        except NotMovable:
            return None
        await self._drop([k for k in self._of_file[task.file.relative] if k not in kept], fence)
        await self._forget_inner(task.inner, fence)
        return replace(twin, path=task.file.relative, version=task.version, acl=task.acl)

    async def _begin(self, task: FileTask) -> None:
        """Say in the ledger that a file's documents may soon be of another version."""
        if task.former is not None and task.former.version:
            await self._record(replace(task.former, version=""))

    async def _read_whole(self, task: FileTask, fence: Fence) -> FileEntry:
        """Read a file and all files within it; of what holds too much nothing is kept."""
        walk = MemberWalk(fence=fence)
        entry = await self._read(task, walk)
        if walk.too_much:
            await self._drop(self._of_file[task.file.relative], fence)
            await self._forget_inner([*task.inner, *walk.seen], fence)
            return self._entry(task, FileStatus.HOSTILE, walk.too_much)
        await self._forget_inner([path for path in task.inner if path not in walk.seen], fence)
        return entry

    async def _read(
        self, task: FileTask, walk: MemberWalk, inside: tuple[str, ...] = ()
    ) -> FileEntry:
        fence, tally = walk.fence, FileTally()
        reading = await self._opened(task, inside, tally)
        tally.left_out += reading.skipped
        for number, found in enumerate(reading.records):
            record, of = labelled(found, task.label), len(reading.records)
            part = RecordPart(task=task, number=number, of=of, before=tally.chunks)
            try:
                held = await self._document(record, part, fence, left_out=tally.left_out)
            except NotReady as wrong:
                tally.lost.append(wrong.message)
                continue
            except WeftError as wrong:
                await self._give_up(task, tally, wrong)
                raise
            tally.add(held, record)
        former = self._of_file[task.file.relative]
        await self._drop([key for key in former if key not in tally.kept], fence)
        walk.too_much = walk.too_much or walk.holding.add(reading.members)
        for member in () if walk.too_much else reading.members:
            await self._member(task, member, walk=walk, inside=(*inside, member.name))
        is_lost = tally.lost and not tally.kept
        status = FileStatus.HOSTILE if is_lost else reading.status
        row = tally.in_row(self._entry(task, status, reading.reason))
        if reading.in_use:
            row = replace(row, version="")  # the next run tries again
        return replace(row, skipped=len(reading.skipped) + len(tally.lost))

    async def _opened(
        self, task: FileTask, inside: tuple[str, ...], tally: FileTally
    ) -> FileReading:
        """Read a file; one that somebody holds is waited for a while."""
        read, last = self._deps.tools.reader.read, FileReading(status=FileStatus.UNREADABLE)

        async def once() -> FileReading:
            nonlocal last
            last = await read(task.file.path, inside, columns=task.columns)
            if last.in_use:
                raise InUse(last.reason)
            return last

        with suppress(InUse), stage("read"):
            return await self._trying.through(once, said=tally.left_out)
        return last

    async def _give_up(self, task: FileTask, tally: FileTally, wrong: WeftError) -> None:
        """Note in the ledger what was tried for a file that ends the run, and goes on in the next.

        Of one that was read before, all that is known stays.
        """
        if not is_passing(wrong):
            return
        row = tally.in_row(self._entry(task, FileStatus.UNREADABLE, ""))
        if task.former is not None:
            row = replace(task.former, reason=row.reason)
        with suppress(WeftError):  # what went wrong first is what is told
            await self._deps.target.ledger.record(self._deps.scope, replace(row, version=""))

    async def _record(self, entry: FileEntry) -> None:
        ledger = self._deps.target.ledger
        await self._trying.through(lambda: ledger.record(self._deps.scope, entry))

    async def _forget_row(self, path: str) -> None:
        scope, ledger = self._deps.scope, self._deps.target.ledger
        await self._trying.through(lambda: ledger.forget(scope, self._source.name, [path]))

    async def _member(
        self, above: FileTask, member: Member, *, walk: MemberWalk, inside: tuple[str, ...]
    ) -> None:
        """Bring in a file within a file: its readers and its version are those of the outer one."""
        file = member_file(above.file, member)
        alike = above.alike and f"{above.alike}/{member.name}"
        task = replace(above, file=file, former=None, label=None, alike=alike, inner=())
        walk.seen.add(file.relative)
        if file.skipped:
            await self._drop(self._of_file[file.relative], walk.fence)
            entry = self._entry(task, file.status, file.skipped)
        else:
            entry = await self._read(task, walk, inside)
        if not walk.too_much:
            await self._record(entry)
            failed = not file.skipped and entry.status is not FileStatus.READ
            self._progress.tell(files=1, files_done=1, failed=int(failed))

    async def _forget_inner(self, paths: Iterable[str], fence: Fence) -> None:
        """Delete what came from files within a file that are there no longer."""
        for path in paths:
            await self._drop(self._of_file[path], fence)
            await self._forget_row(path)

    async def _document(
        self, record: Record, part: RecordPart, fence: Fence, *, left_out: list[str]
    ) -> HeldDocument:
        """Publish one record unless it is there; add to `left_out` what was too much of it.

        Raises `NotReady` where it takes longer than a document may, or breaks the rules: then
        nothing of it is there.
        """
        deps, caps = self._deps, self._deps.tools.caps
        document = document_of(record, part.task, source=self._source, tools=deps.tools.version)
        held = self._held.get(document.id)
        if held is not None and same_content(held, document.version):
            if held != document.version:
                await self._reclassified(document, fence)
                self._held[document.id] = document.version
            left_out += part.said_before(record)
            return HeldDocument(document=document.id, chunks=await self._sizes.of(document.id))
        await self._remember(document, key_alike(record, part.task, source=self._source))
        seconds = caps.seconds_for(len(record.content))

        async def in_time() -> Derived:
            async with asyncio.timeout(seconds):
                return await self._published(record, document, part, fence=fence)

        try:
            derived = await self._trying.through(in_time, said=left_out)
        except (TimeoutError, NotReady) as wrong:
            # What was under way in the store has ended before this deletes it.
            await self._drop([document.id], fence)
            late = f"took longer than {seconds:g} s to make ready (WEFT_DOCUMENT_SECONDS)"
            said = wrong.message if isinstance(wrong, NotReady) else late
            raise NotReady(f"{naming(record)}{said}") from wrong
        left_out += [f"{naming(record)}{said}" for said in derived.left_out]
        chunks = await self._sizes.of(document.id)
        self._progress.stored(part, chunks)
        return HeldDocument(document=document.id, chunks=chunks)

    async def _published(
        self, record: Record, document: Document, part: RecordPart, *, fence: Fence
    ) -> Derived:
        """Derive a document and publish it, whichever version is held."""
        deps, counted = self._deps, 0

        def tell(done: int, chunks: int) -> None:
            nonlocal counted
            self._progress.reach(part, done=done, chunks=chunks, more=done - counted)
            counted = done

        try:
            derived = await derive(
                record, document, tools=deps.tools, memory=self._memory, tell=tell
            )
        except _FAULTS as wrong:
            raise NotReady(f"the rules fail on it ({type(wrong).__name__})") from wrong
        chunks = len(derived.patch.passages)
        self._progress.reach(part, done=chunks, chunks=chunks, more=chunks - counted)
        await self._publish(derived.patch, fence)
        return derived

    async def _publish(self, patch: Patch, fence: Fence) -> None:
        key, chunks = patch.document.id, len(patch.passages)
        held = self._held.get(key)
        with stage("publish"):
            await self._deps.target.publishing.publish(
                self._deps.scope, patch, expected_version=held, fence=fence
            )
        self._held[key] = patch.document.version
        self._sizes.put(key, chunks)

    async def _remember(self, document: Document, alike: DocumentId | None) -> None:
        """Keep at hand the vectors that stand for a document now, or for one that is alike."""
        key = document.id if document.id in self._held else alike
        if key is None or self._deps.tools.embedder is None:
            return
        try:
            held = await self._deps.target.holdings.embedded(self._deps.scope, key)
        except NotFound:  # or not for this caller to read
            return
        self._memory.remember(held)

    async def _reclassify(self, task: FileTask, fence: Fence) -> bool:
        """Give a file's one document its new ACL; False if the file must be read for that."""
        if task.inner:
            return False
        key = document_key(self._source, task.file.relative)
        held = self._held.get(key)
        if held is None or task.former is None or task.former.documents != 1:
            return task.former is not None and task.former.documents == 0
        if has_own_acl(held):
            return False
        document = with_readers(key, held, task=task, source=self._source)
        done = await self._reclassified(document, fence)
        self._held[key] = document.version
        return done

    async def _reclassified(self, document: Document, fence: Fence) -> bool:
        scope, publishing = self._deps.scope, self._deps.target.publishing
        return await self._trying.through(
            lambda: publishing.reclassify(scope, document, fence=fence)
        )

    async def _remove(self, paths: Iterable[str], fence: Fence) -> None:
        """Delete what came from files that are gone, and their ledger rows."""
        for path in paths:
            await self._drop(self._of_file[path], fence)
            await self._forget_row(path)
            self._progress.tell(removed=1)

    async def _drop(self, documents: Sequence[DocumentId], fence: Fence) -> None:
        if not documents:
            return
        # Before, so that a kill in between leaves nothing said of them; after, for what was read
        # in the meantime.
        scope, publishing = self._deps.scope, self._deps.target.publishing
        await self._trying.through(lambda: self._deps.forget(documents))
        for key in documents:
            delete = partial(publishing.delete, scope, key, fence=fence)
            await self._trying.through(delete)
            self._held.pop(key, None)
        await self._trying.through(lambda: self._deps.forget(documents))

    def _entry(self, task: FileTask, status: FileStatus, reason: str) -> FileEntry:
        return entry_of(task, status, reason=reason, source=self._source)
