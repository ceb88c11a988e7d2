"""`weft worker`: a process that does what waits in line, beside the service or without one."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.invocation import run, tell
from weft.cli.serving.open_files import allow_open_files

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.platform.job_watch import JobSight
    from weft.platform.worker import Worker

Once = Annotated[bool, typer.Option("--once", help="End when nothing waits that may be begun now.")]


def worker(*, once: Once = False) -> None:
    """Do what waits in line: ingestions, questions, and schedules that are due.

    Any number of them may work on one workspace, beside weft serve, which works on jobs too. What
    one is at when it is stopped is given back, and done by the next.
    """

    async def action(app: App) -> None:
        made = await _worker(app)
        tell("working on what waits in line; Ctrl+C stops.")
        await _until_stopped(made, once=once)

    allow_open_files()
    run(action, is_service=True)


async def _worker(app: App) -> Worker:
    from weft.bootstrap.flows import build_flows, load_models
    from weft.bootstrap.logs import logs_of
    from weft.bootstrap.work_line import build_work_line
    from weft.platform.job_watch import logged_jobs
    from weft.platform.tracing.run_log import RunLog

    await asyncio.to_thread(load_models, app.settings)
    # For a person words are enough, whatever logs are made of.
    logs = None if sys.stderr.isatty() else logs_of(app.settings)
    watcher = _tell if logs is None else logged_jobs(logs)
    taps = () if logs is None else (RunLog(logs).observe,)
    return build_work_line(app, build_flows(app, taps=taps), watcher=watcher).worker


async def _until_stopped(worker: Worker, *, once: bool) -> None:
    """Work until there is nothing to do, or somebody asks the process to end."""
    working = asyncio.create_task(worker.work_off() if once else worker.work())
    with suppress(NotImplementedError):  # not everywhere can a loop be told of signals
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, working.cancel)
    try:
        await asyncio.shield(working)
    except asyncio.CancelledError:
        working.cancel()
        await asyncio.wait([working])  # what it was at is given back
        if asyncio.current_task().cancelling():  # type: ignore[union-attr]  # this is one
            raise


def _tell(seen: JobSight) -> None:
    said = seen.error.message if seen.error is not None else seen.moment.value.replace("_", " ")
    tell(f"{seen.job.kind} {seen.job.id}: {said}")
