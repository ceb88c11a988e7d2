"""How far a run has come while it goes on: its counts, its rate, and what it still needs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from weft.ingest.pace import Pace, Rate
from weft.ingest.progress import IngestProgress, Watch
from weft.ingest.record_parts import RecordPart, pieces_of
from weft.ingest.sources.plan import FileTask

# Most of a document's time goes into its vectors.
_EMBEDDING_SHARE = 0.8


class RunningProgress:
    """Counts what is done and tells whoever watches; it works in a running event loop."""

    def __init__(self, tasks: Sequence[FileTask], watch: Watch) -> None:
        """Begin with nothing done."""
        now = _now()
        self._watch = watch
        self._pace = Pace(pieces_of(tasks), now)
        self._chunks = Rate(now)
        self.so_far = IngestProgress(files=len(tasks))

    def begin(self, path: str) -> None:
        """Say which file is taken up."""
        self._pace.begin(path, now=_now())
        self.so_far = replace(self.so_far, current=path)

    def reach(self, part: RecordPart, *, done: int, chunks: int, more: int) -> None:
        """Say that so many of a record's chunks have vectors, `more` of them since last time."""
        share = part.share(done / max(chunks, 1) * _EMBEDDING_SHARE)
        # In step with the share, so that both tell of the same whole.
        given = part.before + chunks * (share * part.of - part.number)
        self._chunks.add(more, _now())
        self._pace.reach(part.task.file.relative, share, chunks=given, now=_now())
        self.tell()

    def stored(self, part: RecordPart, chunks: int) -> None:
        """Say that a record is in the store."""
        given = float(part.before + chunks)
        share = part.share(1.0)
        if share < 1.0:  # the file's ledger row is its end
            self._pace.reach(part.task.file.relative, share, chunks=given, now=_now())
        self.tell(documents=1, chunks=chunks)

    def finish(self, task: FileTask, chunks: int, *, failed: bool) -> None:
        """Say that a file is done."""
        self._pace.reach(task.file.relative, 1.0, chunks=chunks, now=_now())
        self.tell(files_done=1, failed=int(failed))

    def retry(self) -> None:
        """Say that something is tried again."""
        self.tell(retried=1)

    def tell(self, **more: int) -> None:
        """Add to some counts and tell of all of them."""
        added = {name: getattr(self.so_far, name) + count for name, count in more.items()}
        left = self._pace.seconds_left(_now())
        self.so_far = replace(
            self.so_far,
            rate=round(self._chunks.per_second(_now()), 2),
            seconds_left=None if left is None else round(left, 1),
            **added,
        )
        self._watch(self.so_far)


def _now() -> float:
    return asyncio.get_running_loop().time()
