"""What works on jobs in a process: the worker, and what it does of each kind of job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from weft.bootstrap.app import App
from weft.flows.jobs import FlowJobs
from weft.flows.reading_rights import ReadingRights
from weft.flows.running import FlowRunner
from weft.ingest.jobs.worker import IngestJobs
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
    watched: Callable[[JobHandler], JobHandler] = lambda handler: handler,
) -> WorkLine:
    """Return what works on jobs; `watched` may stand around what does those of a kind."""
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
    worker = Worker(
        records.worklist,
        worker=records.worker,
        handlers=(watched(ingestions), watched(asked)),
        timetable=records.timetable,
    )
    return WorkLine(worker=worker, ingestions=ingestions, flows=asked)
