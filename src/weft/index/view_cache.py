"""What a process holds of one knowledge base: the current snapshot, and views of it by classes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from weft.domain.frozen import dataclass
from weft.index.entities import Entities
from weft.index.named_view import counted_of, named_view
from weft.index.snapshot import Snapshot, empty
from weft.index.view import View, view

VIEWS = 16
# So many new passages are taken in while a question waits; for more it goes by the last view.
AT_ONCE = 64

Classes = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingChanges:
    """What happened since a snapshot.

    `published` are documents as (id, ACL class, number of passages); `gone` are ids, of those
    deleted only the ones that the snapshot has.
    """

    published: Sequence[tuple[str, int, int]]
    gone: frozenset[str]


class ViewCache:
    """Keeps one snapshot and the views last asked for; safe to use from several threads."""

    def __init__(self, dimensions: int) -> None:
        """Hold nothing yet; `dimensions` is that of the vectors."""
        self._dimensions = dimensions
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._views: OrderedDict[Classes, View] = OrderedDict()

    @property
    def snapshot(self) -> Snapshot | None:
        """Return the snapshot held, None before the first."""
        return self._snapshot

    def nothing(self) -> Snapshot:
        """Return the snapshot to begin with: that of a base where nothing was ever published."""
        return empty(self._dimensions)

    def put(self, snapshot: Snapshot) -> None:
        """Hold a snapshot from now on, unless a newer one is held."""
        with self._lock:
            if self._snapshot is None or self._snapshot.version <= snapshot.version:
                self._snapshot = snapshot

    def last(self, classes: Classes) -> View | None:
        """Return the last view of these classes whose names are all counted, if there is one."""
        with self._lock:
            held = self._views.get(classes)
            if held is None:
                return None
            self._views.move_to_end(classes)
            return held if held.kept else next(iter(held.former), None)

    def view(self, snapshot: Snapshot, classes: Classes) -> View:
        """Return the view of a snapshot for these classes, made from the last one where it can."""
        with self._lock:
            held = self._views.get(classes)
            if held is not None and held.snapshot is snapshot:
                self._views.move_to_end(classes)
                return held
        made = view(snapshot, classes, after=held)
        self._keep(classes, made)
        return made

    def complete(self, snapshot: Snapshot, classes: Classes) -> None:
        """Make the view of a snapshot with all its names.

        A question meanwhile goes by the last complete view if it may, or waits for this one.
        """
        with self._lock:
            held = self._views.get(classes)
        if held is not None and held.kept and _is_of(held, snapshot):
            return
        named_view(self.view(snapshot, classes))

    def hold(self, snapshot: Snapshot, counted: Mapping[Classes, Entities]) -> None:
        """Hold what was counted of views of a snapshot before this process began."""
        for classes, entities in counted.items():
            made = view(snapshot, classes)
            made.kept[entities.titles] = entities
            self._keep(classes, made)

    def counted(self, snapshot: Snapshot, *, limit: int) -> dict[Classes, Entities]:
        """Return what is counted of the views of a snapshot that were last asked for."""
        with self._lock:
            views = [item for item in self._views.items() if item[1].snapshot is snapshot]
        found = {classes: counted_of(held) for classes, held in reversed(views)}
        known = {classes: held for classes, held in found.items() if held is not None}
        return dict(islice(known.items(), limit))

    def known(self) -> list[Classes]:
        """Return the sets of classes that views are kept for."""
        with self._lock:
            return list(self._views)

    def _keep(self, classes: Classes, made: View) -> None:
        with self._lock:
            held = self._views.get(classes)
            if held is None or held.version <= made.version:
                self._views[classes] = made
            self._views.move_to_end(classes)
            while len(self._views) > VIEWS:
                self._views.popitem(last=False)


def all_classes(snapshot: Snapshot) -> Classes:
    """Return the classes of all passages of a snapshot."""
    found = [np.unique(live.segment.acl_class[live.alive]) for live in snapshot.segments]
    return tuple(sorted({number for numbers in found for number in numbers.tolist()}))


def may_lag(last: View, waiting: PendingChanges) -> bool:
    """Tell whether a question may go by an earlier view while what is waiting is taken in.

    It may where there is much of it and all of it is new: what was deleted, replaced or given to
    other readers since then never waits.
    """
    if sum(passages for _, _, passages in waiting.published) <= AT_ONCE:
        return False
    changed = (*waiting.gone, *(document for document, _, _ in waiting.published))
    return not any(_has(last.snapshot, document) for document in changed)


def lagging(last: View, waiting: PendingChanges, *, classes: Classes) -> View:
    """Return an earlier view, marked if a reader of these classes misses something in it.

    What is waiting and hidden from that reader would change no figure, so it leaves no mark.
    """
    missed = any(number in classes for _, number, _ in waiting.published)
    return replace(last, lags=True) if missed else last


def _is_of(held: View, snapshot: Snapshot) -> bool:
    return held.snapshot is snapshot or held.version > snapshot.version


def _has(snapshot: Snapshot, document: str) -> bool:
    for live in snapshot.segments:
        place = live.segment.place(document)
        if place is not None and live.alive[place].any():
            return True
    return False
