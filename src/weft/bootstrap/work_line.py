"""What works on jobs in a process: the worker, and what it does of each kind of job."""

from __future__ import annotations

from collections.abc import Sequence

from weft.bootstrap.app import App
from weft.domain.frozen import dataclass
from weft.flows.jobs import FlowJobs
from weft.flows.reading_rights import ReadingRights
from weft.flows.running import FlowRunner
from weft.ingest.jobs.worker import IngestJobs
from weft.platform.job_watch import JobWatcher, WatchedJobs
from weft.platform.worker import JobHandler, Worker


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkLine:
    """The worker of a process, and what it does of each kind of job."""

    worker: Worker
    ingestions: IngestJobs
    flows: FlowJobs


def build_work_line(
    app: App,
    flows: FlowRunner,
    *,
    watcher: JobWatcher | None = None,
) -> WorkLine:
    """Return what works on jobs, and tells a watcher of each."""
    records = app.records
    ingestions = IngestJobs(
        app.library,
        app.ingest,
        principals=app.principals,
        clock=app.clock,
        lanes=app.settings.values.ingest_jobs,
    )
    asked = FlowJobs(
        flows,
        principals=app.principals,
        reading=ReadingRights(app.library, records.tape),
        jobs=records.jobs,
        worklist=records.worklist,
    )
    handlers: Sequence[JobHandler] = (ingestions, asked)
    worker = Worker(
        records.worklist,
        worker=records.worker,
        handlers=handlers if watcher is None else [WatchedJobs(h, watcher) for h in handlers],
        timetable=records.timetable,
    )
    return WorkLine(worker=worker, ingestions=ingestions, flows=asked)
