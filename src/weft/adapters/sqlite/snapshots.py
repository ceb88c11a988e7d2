"""The current snapshot of one file, kept in memory and beside it, and the views of it."""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from pathlib import Path

from weft.adapters.sqlite.database import Connection
from weft.adapters.sqlite.feed import changes_since, current_version
from weft.adapters.sqlite.rows import scoped, whole
from weft.adapters.sqlite.segment_files import load, save
from weft.domain.scope import Scope
from weft.index.snapshot import Snapshot, apply, empty
from weft.index.view import View, view

_VIEWS = 16


class Snapshots:
    """Keeps one snapshot in step with the file, and a few views by readable classes."""

    def __init__(self, folder: Path, identity: str, dimensions: int) -> None:
        """Load nothing yet; `identity` tells this knowledge base from another at the same place."""
        self._folder = folder
        self._identity = identity
        self._dimensions = dimensions
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._saved = -1
        self._views: OrderedDict[tuple[int, ...], View] = OrderedDict()

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
        """Take in what changed."""
        with self._lock:
            self._current(connection)

    def persist(self) -> None:
        """Write the snapshot beside the file if it is newer than what lies there."""
        with self._lock:
            if self._snapshot is None or self._snapshot.version <= self._saved:
                return
            self._snapshot = save(self._folder, self._identity, self._snapshot)
            self._saved = self._snapshot.version

    def _current(self, connection: Connection) -> Snapshot:
        version = current_version(connection)
        held = self._snapshot
        if held is None:
            held = load(self._folder, self._identity, self._dimensions)
            self._saved = -1 if held is None else held.version
            if held is None or held.version > version:
                held = empty(self._dimensions)
        if held.version < version:
            changes = changes_since(connection, held, version)
            held = apply(held, changes, name=f"s{version}-{uuid.uuid4().hex[:8]}")
        if held.version == version:
            self._snapshot = held
        return held
