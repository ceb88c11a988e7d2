"""What a job of ingestion is to do, as it stands in its row."""

from __future__ import annotations

from pathlib import Path

from weft.ingest.sources.plan import Source
from weft.ports.records.jobs import INGESTION, Job, NewJob
from weft.ports.store import Store


def kind_of(store: Store) -> str:
    """Return the kind of the jobs that bring a knowledge base in step."""
    return f"{INGESTION}{store.name}"


def job_of(store: Store, source: Source) -> NewJob:
    """Return the job that brings a knowledge base in step with a source."""
    args: dict[str, object] = {
        "source": source.name,
        "root": str(source.root),
        "acl": sorted(source.acl),
        "prune": source.prune,
        "only": None if source.only is None else sorted(source.only),
    }
    # What is handed over piece by piece: each piece is a job of its own.
    key = f"{kind_of(store)}:{source.name}" if source.only is None else ""
    return NewJob(kind=kind_of(store), args=args, key=key)


def source_of(job: Job) -> Source:
    """Return the source of a job."""
    acl, only = job.args["acl"], job.args.get("only")
    assert isinstance(acl, list)
    assert only is None or isinstance(only, list)
    return Source(
        name=str(job.args["source"]),
        root=Path(str(job.args["root"])),
        acl=frozenset(str(principal) for principal in acl),
        prune=bool(job.args["prune"]),
        only=None if only is None else frozenset(str(path) for path in only),
    )
