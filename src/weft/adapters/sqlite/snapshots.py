"""The current snapshot of one file, kept in memory and beside it, and the views of it."""

from __future__ import annotations

import threading
from contextlib import suppress

from weft.adapters.sqlite.database import Connection
from weft.adapters.sqlite.feed import (
    brought_up,
    current_version,
    happened,
    stamp_of,
    waiting_since,
)
from weft.adapters.sqlite.names_files import NamesFiles
from weft.adapters.sqlite.rows import scoped
from weft.adapters.sqlite.segment_files import SegmentFiles
from weft.domain.scope import Scope
from weft.index.snapshot import FEW_SMALL, Snapshot, compacted
from weft.index.view import View
from weft.index.view_cache import Classes, ViewCache, all_classes, lagging, may_lag
from weft.stores.values import whole

# So many views' names are kept beside the file: those last asked for.
_KEPT_VIEWS = 4


class SqliteSnapshots:
    """Keeps one snapshot in step with the file, and a few views by readable classes."""

    def __init__(self, files: SegmentFiles, names: NamesFiles, *, dimensions: int) -> None:
        """Load nothing yet."""
        self._files = files
        self._names = names
        self._cache = ViewCache(dimensions)
        self._lock = threading.Lock()
        self._saved = -1
        # Of which version, and for which classes, names lie beside the file.
        self._counted: tuple[int, frozenset[Classes]] = (-1, frozenset())

    @property
    def is_loaded(self) -> bool:
        """Tell whether anyone has asked for the arrays yet."""
        return self._cache.snapshot is not None

    def view(self, connection: Connection, scope: Scope) -> View:
        """Return the view of a scope at the version that this connection's transaction sees.

        While much that is new waits to be taken in, it is the last complete one, marked so.
        """
        classes = _readable(connection, scope)
        last = self._cache.last(classes)
        if last is not None and last.version < current_version(connection):
            waiting = waiting_since(connection, last.snapshot)
            if may_lag(last, waiting):
                return lagging(last, waiting, classes=classes)
        with self._lock:
            return self._cache.view(self._current(connection), classes)

    def has_all(self, connection: Connection) -> bool:
        """Tell whether the arrays have all that the file has, so that nothing waits to come in."""
        held = self._cache.snapshot
        return held is not None and held.version == current_version(connection)

    def catch_up(self, connection: Connection, scope: Scope) -> None:
        """Take in what is waiting and count its names; questions go by the last view meanwhile."""
        with self._lock:
            snapshot = self._current(connection)
        self._cache.complete(snapshot, _readable(connection, scope))

    def refresh(self, connection: Connection) -> None:
        """Take in what changed, unless what lies beside the file has it all."""
        with self._lock:
            now = stamp_of(connection, current_version(connection))
            if self._cache.snapshot is None and self._files.stamp() == now:
                return
            snapshot = self._files.mapped(self._files.cleaned(self._current(connection)))
            self._cache.put(snapshot)

    def compact(self) -> None:
        """Merge what many changes left in small segments, while nobody waits for it."""
        with self._lock:
            held = self._cache.snapshot
            if held is None:
                return
            made = compacted(held, most=FEW_SMALL)
            if made is not held:
                self._cache.put(self._files.mapped(made))
                self._saved = -1  # what lies beside the file has the small ones

    def count_names(self) -> None:
        """Complete the views that questions went by; before any, that of who may read all."""
        snapshot = self._cache.snapshot
        if snapshot is not None:
            for classes in self._cache.known() or [all_classes(snapshot)]:
                self._cache.complete(snapshot, classes)

    def persist(self, connection: Connection) -> None:
        """Write the snapshot beside the file if it is newer than what lies there.

        Where that cannot be written nothing is lost: the next start builds it again.
        """
        with self._lock:
            held = self._cache.snapshot
            if held is None or held.version <= self._saved:
                return
            stamp = stamp_of(connection, held.version)
            with suppress(OSError):
                kept = self._files.save(held, stamp, belongs=lambda s: happened(connection, s))
                self._cache.put(kept)
                self._saved = held.version

    def keep_names(self) -> None:
        """Write what is counted of the saved snapshot, unless that lies there.

        Where it cannot be written nothing is lost: the next start counts it again.
        """
        with self._lock:
            held = self._cache.snapshot
            if held is None or held.version != self._saved:
                return
            counted = self._cache.counted(held, limit=_KEPT_VIEWS)
            version, known = self._counted
            if counted and (version != held.version or not known.issuperset(counted)):
                with suppress(OSError):
                    self._names.save(held, counted)
                    self._counted = (held.version, frozenset(counted))

    def _current(self, connection: Connection) -> Snapshot:
        version = current_version(connection)
        held = self._cache.snapshot
        if held is None:
            held = self._loaded(connection) or self._cache.nothing()
        if held.version < version:
            held = brought_up(connection, held, version=version, mapped=self._files.mapped)
        if held.version == version:
            self._cache.put(held)
        return held

    def _loaded(self, connection: Connection) -> Snapshot | None:
        """Return what lies beside the file, and hold what is counted of it for views to come."""
        found = self._files.load(lambda stamp: happened(connection, stamp))
        if found is None:
            self._saved = -1
            return None
        snapshot, counted = self._names.load(found)
        self._saved = snapshot.version
        self._counted = (snapshot.version, frozenset(counted))
        self._cache.hold(snapshot, counted)
        return snapshot


def _readable(connection: Connection, scope: Scope) -> Classes:
    rows = connection.run("readable", scoped(scope)).fetchall()
    return tuple(sorted({whole(row[0]) for row in rows}))
