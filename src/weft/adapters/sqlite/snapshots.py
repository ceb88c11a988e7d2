"""The current snapshot of one file, kept in memory and beside it, and the views of it."""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from contextlib import suppress

from weft.adapters.sqlite.database import Connection
from weft.adapters.sqlite.feed import changes_since, current_version, happened, stamp_of
from weft.adapters.sqlite.rows import scoped, whole
from weft.adapters.sqlite.segment_files import SegmentFiles
from weft.domain.scope import Scope
from weft.index.snapshot import Snapshot, apply, empty
from weft.index.view import View, view

_VIEWS = 16


class Snapshots:
    """Keeps one snapshot in step with the file, and a few views by readable classes."""

    def __init__(self, files: SegmentFiles, dimensions: int) -> None:
        """Load nothing yet."""
        self._files = files
        self._dimensions = dimensions
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._saved = -1
        self._views: OrderedDict[tuple[int, ...], View] = OrderedDict()

    @property
    def is_loaded(self) -> bool:
        """Tell whether anyone has asked for the arrays yet."""
        return self._snapshot is not None

    def view(self, connection: Connection, scope: Scope) -> View:
        """Return the view of a scope at the version that this connection's transaction sees."""
        readable = connection.run("readable", scoped(scope)).fetchall()
        classes = tuple(sorted({whole(row[0]) for row in readable}))
        with self._lock:
            snapshot = self._current(connection)
            kept = self._views.get(classes)
            if kept is None or kept.snapshot is not snapshot:
                kept = view(snapshot, classes, after=kept)
                self._views[classes] = kept
            self._views.move_to_end(classes)
            while len(self._views) > _VIEWS:
                self._views.popitem(last=False)
            return kept

    def refresh(self, connection: Connection) -> None:
        """Take in what changed, unless what lies beside the file has it all."""
        with self._lock:
            now = stamp_of(connection, current_version(connection))
            if self._snapshot is not None or self._files.stamp() != now:
                self._current(connection)

    def persist(self, connection: Connection) -> None:
        """Write the snapshot beside the file if it is newer than what lies there.

        Where that cannot be written nothing is lost: the next start builds it again.
        """
        with self._lock:
            held = self._snapshot
            if held is None or held.version <= self._saved:
                return
            stamp = stamp_of(connection, held.version)
            with suppress(OSError):
                self._snapshot = self._files.save(
                    held, stamp, belongs=lambda s: happened(connection, s)
                )
                self._saved = held.version

    def _current(self, connection: Connection) -> Snapshot:
        version = current_version(connection)
        held = self._snapshot
        if held is None:
            held = self._files.load(lambda stamp: happened(connection, stamp))
            self._saved = -1 if held is None else held.version
            held = held or empty(self._dimensions)
        if held.version < version:
            changes = changes_since(connection, held, version=version)
            held = apply(held, changes, name=f"s{version}-{uuid.uuid4().hex[:8]}")
        if held.version == version:
            self._snapshot = held
        return held
