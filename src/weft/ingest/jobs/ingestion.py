"""Ingestion as a job: it survives its process, is never done by two at once, and can be watched."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, fields, replace
from pathlib import Path

from weft.bases.library import Library
from weft.domain.errors import BadInput, Cancelled, FenceRefused, StoreUnavailable, WeftError
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.ingest.jobs.arguments import job_of, kind_of, source_of
from weft.ingest.jobs.made_plan import MadePlan, made_plan
from weft.ingest.originals import Originals
from weft.ingest.progress import IngestProgress, Watch
from weft.ingest.sources.content_hashes import ContentHashes
from weft.ingest.sources.folder import IGNORE_FILES
from weft.ingest.sources.inbox import refuse_own
from weft.ingest.sources.links_file import LinkPorts, keep_links, read_statements
from weft.ingest.sources.plan import FileTask, Source, SourcePlan
from weft.ingest.tools import Tools
from weft.platform.access import require
from weft.platform.audit import audited
from weft.platform.identity import readers_by_default
from weft.platform.lease import LEASE_SECONDS, LeasedJob
from weft.platform.threads import in_thread
from weft.ports.records.audit import Audit, Deed
from weft.ports.records.bases import Bases
from weft.ports.records.jobs import INGESTION, Job, Jobs, JobStatus, NewJob
from weft.ports.records.tape import Tape
from weft.ports.records.worklist import Worklist, lease_of
from weft.ports.store import Store

KIND = INGESTION
_POLL = 0.3
_TRIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestRequest:
    """What is to be brought in: a file or folder, for whom, and whether removals count.

    Without `acl` the readers stay who they were; a new source is for those whom the knowledge base
    names by default. `only` names the relative paths that are meant; None means all.
    """

    path: Path
    acl: frozenset[str] | None = None
    prune: bool = False
    only: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestRecords:
    """The records that ingestion reads and writes; `worker` names this process.

    With `originals` copies of files are kept beside them, while the ledger has their rows.
    """

    jobs: Jobs
    worklist: Worklist
    tape: Tape
    bases: Bases
    audit: Audit
    worker: str
    originals: Originals | None = None


class Ingest:
    """Brings knowledge bases in step with files."""

    def __init__(
        self,
        library: Library,
        tools: Tools,
        *,
        records: IngestRecords,
        inboxes: Path | None = None,
        ignore_files: Sequence[str] = IGNORE_FILES,
    ) -> None:
        """Begin nothing yet; `inboxes` is the folder of what was handed over.

        `ignore_files` are the names of files in a folder that say what in it is not read.
        """
        self._ignore_files = tuple(ignore_files)
        self._inboxes = None if inboxes is None else inboxes.resolve()
        self._library = library
        self._tools = tools
        self._records = records
        self._made: dict[str, MadePlan] = {}
        self._hashes = ContentHashes()

    async def bring_in(
        self, scope: Scope, store: Store, *, request: IngestRequest, watch: Watch
    ) -> IngestProgress:
        """Bring a knowledge base in step with a path; nothing is written where nothing changed.

        Another process that is at it already is waited for, and watched. Raises `BadInput` where
        there is no such path or a rule or link beside the files is not valid, `IndexMismatch` where
        the index was made with other settings, and `Cancelled` when someone stopped the job.
        """
        await self._may_fill(scope, store)
        source = await self._source(scope, store, request)
        made = await self._plan(scope, store, source)
        files = [task.file for task in made.plan.tasks]
        statements = await asyncio.to_thread(read_statements, source, files)
        done = await self._in_step(scope, store, made=made, watch=watch)
        ports = LinkPorts(knowledge=store.knowledge, links=store.links)
        waiting = await keep_links(scope, ports, source=source, statements=statements)
        return replace(done, unlinked=waiting, gone=len(made.plan.kept))

    async def _may_fill(self, scope: Scope, store: Store) -> None:
        await self._library.named(scope, store.name, to_fill=True)
        self._library.check(store, writing=True)

    async def _in_step(
        self, scope: Scope, store: Store, *, made: MadePlan, watch: Watch
    ) -> IngestProgress:
        """Do what the files need, or wait until another process has done it."""
        done: IngestProgress | None = None
        while not made.plan.is_idle:
            queued = await self._records.jobs.enqueue(scope, job_of(store, made.source))
            if queued.is_new:
                self._made[queued.job_id] = made
            try:
                done = await self._work(scope, store, job_id=queued.job_id, watch=watch)
            except _FailedElsewhere:
                if queued.is_new:
                    raise
                # What another process could not do, this one tries itself.
            else:
                if queued.is_new:
                    return done
            finally:
                self._made.pop(queued.job_id, None)
            made = await self._plan(scope, store, made.source)
        # A run that was killed at its very end may have left these two undone.
        await self._end_jobs(scope, store, watch=watch)
        await _save(store)
        return done or _unchanged(made.plan)

    async def submit(self, scope: Scope, store: Store, *, request: IngestRequest) -> str:
        """Put a request in line for whichever worker is free, and return the job's id.

        Raises `IndexMismatch` where the index was made with other settings.
        """
        await self._may_fill(scope, store)
        source = await self._source(scope, store, request)
        return (await self._records.jobs.enqueue(scope, job_of(store, source))).job_id

    async def again_and_again(
        self, scope: Scope, store: Store, *, request: IngestRequest
    ) -> NewJob:
        """Return the job of a schedule: each time the readers are those that the source then has.

        Raises `BadInput` where there is no such path, `Forbidden` where the caller may not bring
        in folders of this machine.
        """
        await self._may_fill(scope, store)
        require(scope, "kb.source", f"kb:{store.name}")
        if not await asyncio.to_thread(request.path.exists):
            raise BadInput(f"There is no file or folder '{request.path}'.", path=request.path)
        made = job_of(store, await self._source(scope, store, request))
        return replace(made, args={**made.args, "acl": None})

    async def at_once(
        self, scope: Scope, store: Store, *, request: IngestRequest
    ) -> IngestProgress:
        """Do a small request now, before all that waits in line, and return what was done.

        It is in line too, in case this process dies; a worker that is interrupted begins again.
        """
        await self._may_fill(scope, store)
        source = await self._source(scope, store, request)
        job = job_of(store, source)
        queued = await self._records.jobs.enqueue(scope, job)
        done = await self._insist(scope, store, source)
        await self._records.jobs.cancel(scope, queued.job_id)
        return done

    async def _insist(self, scope: Scope, store: Store, source: Source) -> IngestProgress:
        """Do what a source needs, again where a worker began in between: the last one goes on."""
        for _ in range(_TRIES):
            with suppress(FenceRefused):
                return await self._carry_out(scope, store, source=source, watch=_unwatched)
        raise FenceRefused(source=source.name)

    async def work_on(self, scope: Scope, store: Store, *, job: Job, watch: Watch) -> None:
        """Do a claimed job of a base under its owner's scope; its end is in the job's row.

        Where a store or a model does not answer, the job is in line again for later. Raises
        `FenceRefused` when another worker took over, `Cancelled` when someone stopped it.
        """
        await self._may_fill(scope, store)
        await self._held(scope, store, job=job, watch=watch, may_retry=True)

    async def _end_jobs(self, scope: Scope, store: Store, *, watch: Watch) -> None:
        """Take over the jobs of dead workers, whose work may be done but not told."""
        records, kinds = self._records, [kind_of(store)]
        while job := await records.worklist.claim(
            records.worker, kinds=kinds, lease_seconds=LEASE_SECONDS
        ):
            with suppress(FenceRefused):
                await self._held(scope, store, job=job, watch=watch)

    async def _work(
        self, scope: Scope, store: Store, *, job_id: str, watch: Watch
    ) -> IngestProgress:
        """Work on this base's jobs, or watch whoever does, until one of them has ended."""
        records, kinds = self._records, [kind_of(store)]
        while True:
            job = await records.worklist.claim(
                records.worker, kinds=kinds, lease_seconds=LEASE_SECONDS
            )
            if job is None or job.id != job_id:
                self._made.pop(job_id, None)  # it waits, and files may change
            if job is not None:
                try:
                    done = await self._held(scope, store, job=job, watch=watch)
                except FenceRefused:
                    continue
                if job.id == job_id:
                    return done
                continue
            held = await records.jobs.get(scope, job_id)
            if held.status is JobStatus.FINISHED:
                return _progress(held.result)
            _refuse(held)
            if held.progress:
                watch(_progress(held.progress))
            await asyncio.sleep(_POLL)

    async def _held(
        self, scope: Scope, store: Store, *, job: Job, watch: Watch, may_retry: bool = False
    ) -> IngestProgress:
        """Do a job under its lease; who waits for it is told of a failure at once."""
        leased = LeasedJob(self._records.worklist, lease_of(job))

        def see(report: IngestProgress) -> None:
            leased.see(asdict(report))
            watch(report)

        async def work() -> Mapping[str, object]:
            done = await self._sync(scope, store, job=job, watch=see)
            return asdict(replace(done, current=""))  # what is kept names no file

        return _progress(await leased.hold(work(), may_retry=may_retry))

    async def _sync(self, scope: Scope, store: Store, *, job: Job, watch: Watch) -> IngestProgress:
        """Do what a job says, by what is to be done now: a job may be older than the files."""
        if job.args["acl"] is None:  # of a schedule, whose owner may have lost this right
            require(scope, "kb.source", f"kb:{store.name}")
            source = await self._source(scope, store, _request_of(job))
        else:
            source = source_of(job)
            is_inbox = self._is_inbox(source.root)
            source = replace(source, is_inbox=is_inbox, workspace=self._workspace)
        former = self._made.pop(job.id, None)
        return await self._carry_out(scope, store, source=source, watch=watch, former=former)

    async def _carry_out(
        self,
        scope: Scope,
        store: Store,
        *,
        source: Source,
        watch: Watch,
        former: MadePlan | None = None,
    ) -> IngestProgress:
        target = f"kb:{store.name}/{source.name}"
        async with audited(
            self._records.audit, scope, Deed(action="source.sync", target=target)
        ) as act:
            made = await self._plan(scope, store, source, former=former)
            done = await self._synced(scope, store, made=made, watch=watch)
            act.note(documents=done.documents, chunks=done.chunks, removed=done.removed)
        return done

    async def _synced(
        self, scope: Scope, store: Store, *, made: MadePlan, watch: Watch
    ) -> IngestProgress:
        source, originals = made.source, self._records.originals
        # Here, because where nothing has changed none of what reads and derives is needed.
        from weft.ingest.sync import Sync
        from weft.ingest.target import SyncDeps, Target

        async def forget(documents: Sequence[DocumentId]) -> None:
            await self._records.tape.forget(scope, store.name, documents=documents)

        async def keep(task: FileTask) -> None:
            if originals is not None:
                await originals.keep(scope, store.name, task, source=source)

        target = Target(publishing=store.publishing, holdings=store.holdings, ledger=store.ledger)
        tools = self._tools.of(store.made_with)
        deps = SyncDeps(
            scope=scope, target=target, tools=tools, watch=watch, forget=forget, keep=keep
        )
        done = await Sync(deps, source, plan=made.plan).run()
        # A run that was killed is run again, so nothing that it left stays for good.
        if originals is not None:
            await originals.sweep(scope, store)
        await _save(store)
        return done

    async def _source(self, scope: Scope, store: Store, request: IngestRequest) -> Source:
        root = await asyncio.to_thread(request.path.resolve)
        if (own := self._workspace) is not None:
            refuse_own(root, home=own, scope=scope, base=store.name)
        acl = request.acl
        if acl is None and not await _is_known(scope, store, root):
            acl = await self.default_readers(scope, store)
        known = await store.ledger.source(scope, str(root), wanted=root.name or "root", acl=acl)
        return Source(
            name=known.name,
            root=root,
            acl=known.acl,
            prune=request.prune,
            only=request.only,
            is_inbox=self._is_inbox(root),
            workspace=self._workspace,
        )

    async def default_readers(self, scope: Scope, store: Store) -> frozenset[str]:
        """Return who may read what the caller brings in now, where nothing else says who may."""
        base = await self._records.bases.named(scope, store.name)
        return readers_by_default(base.default_acl, scope)

    @property
    def _workspace(self) -> Path | None:
        return None if self._inboxes is None else self._inboxes.parent

    def _is_inbox(self, root: Path) -> bool:
        return self._inboxes is not None and root.is_relative_to(self._inboxes)

    async def _plan(
        self, scope: Scope, store: Store, source: Source, *, former: MadePlan | None = None
    ) -> MadePlan:
        """Compare the files with the ledger; `former` of a moment ago holds if the rows are its."""
        entries = await store.ledger.standing(scope, source.name)
        if former is not None and (former.source, former.entries) == (source, entries):
            return former
        tools, ignored = self._tools.of(store.made_with), self._ignore_files
        return await in_thread(
            lambda: made_plan(
                source, entries, ignore_files=ignored, tools=tools, hashes=self._hashes
            )
        )


async def _is_known(scope: Scope, store: Store, root: Path) -> bool:
    return any(source.root == str(root) for source in await store.ledger.sources(scope))


async def _save(store: Store) -> None:
    """Keep the arrays; that they could not be kept is no failure, all documents are there."""
    with suppress(StoreUnavailable):
        await store.lifetime.save()


def _request_of(job: Job) -> IngestRequest:
    return IngestRequest(path=Path(str(job.args["root"])), prune=bool(job.args["prune"]))


class _FailedElsewhere(WeftError):
    """The ingestion failed in another process."""


def _refuse(job: Job) -> None:
    if job.status is JobStatus.CANCELLED:
        raise Cancelled("The ingestion was cancelled.")
    if job.status is JobStatus.FAILED:
        raise _FailedElsewhere(f"The ingestion failed: {job.error}")


def _unwatched(report: IngestProgress) -> None:
    """Let a report pass."""


def progress_of(report: Mapping[str, object]) -> IngestProgress:
    """Return the progress that a job's row holds; an empty one is no progress yet."""
    return _progress({"files": 0, **report})


def _progress(report: Mapping[str, object]) -> IngestProgress:
    known = {field.name for field in fields(IngestProgress)}
    return IngestProgress(**{key: value for key, value in report.items() if key in known})  # type: ignore[arg-type]  # as `asdict` wrote it


def _unchanged(idle: SourcePlan) -> IngestProgress:
    count = sum(1 + len(task.inner) for task in idle.tasks)
    return IngestProgress(files=count, files_done=count, unchanged=count)
