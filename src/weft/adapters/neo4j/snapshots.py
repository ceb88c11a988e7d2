"""The current snapshot of one knowledge base, kept in memory, and the views of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field

from weft.adapters.neo4j.feed import ChangesSince, Feed
from weft.domain.errors import StoreUnavailable, WeftError
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.index.segment import DocumentRow
from weft.index.snapshot import FEW_SMALL, Snapshot, compacted
from weft.index.view import View
from weft.index.view_cache import Classes, PendingChanges, ViewCache, lagging, may_lag
from weft.stores.feed import gone, renewed

# What there are arrays for is answered within two seconds, or it is said that it is not.
VIEW_SECONDS = 1.8


@dataclass(slots=True, kw_only=True)
class _Held:
    """What is held of one history of a knowledge base: clearing it begins another.

    `readers` are the principals of every class that its snapshot may have.
    """

    identity: str
    tenant: str
    cache: ViewCache
    readers: dict[int, frozenset[str]] = field(default_factory=dict)

    @property
    def version(self) -> int:
        """Return the version of the snapshot, 0 before there is one."""
        snapshot = self.cache.snapshot
        return 0 if snapshot is None else snapshot.version

    def has(self, changed: ChangesSince) -> bool:
        """Tell whether the snapshot has all that there was when changes were asked for."""
        held = self.cache.snapshot
        same = self.identity == changed.identity
        return same and held is not None and held.version >= changed.latest

    def readable(self, scope: Scope) -> Classes:
        """Return the classes that a caller may read, none for another tenant."""
        if scope.tenant != self.tenant:
            return ()
        principals = scope.principals
        return tuple(sorted(n for n, of in self.readers.items() if not of.isdisjoint(principals)))


class Neo4jSnapshots:
    """Keeps one snapshot in step with the database, and a few views by readable classes."""

    def __init__(self, feed: Feed, dimensions: int, *, seconds: float = VIEW_SECONDS) -> None:
        """Load nothing yet; views of arrays that are there take at most so many seconds."""
        self._feed = feed
        self._seconds = seconds
        self._dimensions = dimensions
        self._lock = asyncio.Lock()
        self._held = self._nothing("", "")
        self._next: asyncio.Task[None] | None = None
        self._under_way: set[asyncio.Task[View]] = set()
        self._failure: StoreUnavailable | None = None

    @property
    def is_loaded(self) -> bool:
        """Tell whether anyone has asked for the arrays yet."""
        return self._held.cache.snapshot is not None

    async def view(self, scope: Scope) -> View:
        """Return the view of a scope at the database's version.

        While much that is new waits to be taken in, it is the last complete one, marked so, and
        the next one is begun. Once there are arrays it is there in time, or
        `StoreUnavailable` is raised and what is being read goes on, for the next question.
        """
        if not self.is_loaded:
            return await self._view(scope)
        task = asyncio.create_task(self._view(scope))
        self._under_way.add(task)
        task.add_done_callback(self._ended)
        try:
            async with asyncio.timeout(self._seconds):
                return await asyncio.shield(task)
        except TimeoutError as error:
            said = f"What changed could not be read within {self._seconds:g} s; try again."
            raise StoreUnavailable(said, reason="timeout") from error

    def _ended(self, task: asyncio.Task[View]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()  # said to whoever waited, if anyone still did

    async def _view(self, scope: Scope) -> View:
        held = self._held
        last = held.cache.last(held.readable(scope))
        changed = await self._changed(held, held.version if last is None else last.version)
        if last is not None and held is self._held and last.version < changed.version:
            classes = held.readable(scope)
            waiting = _waiting(last.snapshot, changed)
            known = held.cache.last(classes) is not None and changed.version == changed.latest
            if known and may_lag(last, waiting):
                return self._begin_next(scope, lagging(last, waiting, classes=classes))
        held, snapshot = await self._current(changed)
        return await asyncio.to_thread(held.cache.view, snapshot, held.readable(scope))

    async def settle(self) -> None:
        """Wait until no view is being built."""
        tasks = [*self._under_way, *([] if self._next is None else [self._next])]
        if tasks:
            await asyncio.wait(tasks)

    async def refresh(self) -> None:
        """Take in what changed; the views that questions went by are complete afterwards."""
        held, snapshot = await self._latest()
        for classes in held.cache.known():
            await asyncio.to_thread(held.cache.complete, snapshot, classes)

    def _begin_next(self, scope: Scope, last: View) -> View:
        if last.lags and (self._next is None or self._next.done()):
            self._next = asyncio.create_task(self._catch_up(scope))
        return last

    async def _catch_up(self, scope: Scope) -> None:
        with suppress(WeftError):  # it is said to the next question that needs what is missing
            held, snapshot = await self._latest()
            await asyncio.to_thread(held.cache.complete, snapshot, held.readable(scope))

    async def _latest(self) -> tuple[_Held, Snapshot]:
        held = self._held
        return await self._current(await self._changed(held, held.version))

    async def _changed(self, held: _Held, since: int) -> ChangesSince:
        """Return what happened since a version of what is held, or ever if that is history."""
        changed = await self._feed.changed(held.identity, since=since)
        if self._held is held and (changed.identity != held.identity or changed.since != since):
            self._held = self._nothing(changed.identity, changed.tenant)
        if self._held.identity == changed.identity:
            self._held.readers.update(changed.readers)
        return changed

    async def _current(self, changed: ChangesSince) -> tuple[_Held, Snapshot]:
        """Return what is held, with a snapshot that has at least what was found to have changed."""
        held = self._held
        if held.has(changed) and held.cache.snapshot is not None:
            return held, held.cache.snapshot
        failure = self._failure
        async with self._lock:
            if self._failure is not None and self._failure is not failure:
                # Whoever was first in line failed meanwhile; to try as well would take too long.
                raise _again(self._failure)
            try:
                return await self._taken(changed)
            except StoreUnavailable as error:
                self._failure = _again(error)
                raise

    async def _taken(self, changed: ChangesSince) -> tuple[_Held, Snapshot]:
        """Take in what was found to have changed; part by part where there is very much of it."""
        wanted = changed
        while not self._held.has(wanted):
            held = self._held
            if changed.identity != held.identity or changed.since != held.version:
                changed = await self._changed(held, held.version)
            if self._held is not held:  # it was cleared meanwhile
                wanted, held = changed, self._held
            changed = await self._take(held, changed)
        held = self._held
        assert held.cache.snapshot is not None
        return held, held.cache.snapshot

    async def _take(self, held: _Held, changed: ChangesSince) -> ChangesSince:
        """Take in what is announced; return what was announced when all of it was whole."""
        changed, documents = await self._feed.take(changed)
        held.readers.update(changed.readers)
        snapshot = held.cache.snapshot or held.cache.nothing()
        held.cache.put(await asyncio.to_thread(_applied, snapshot, changed, documents))
        return changed

    def _nothing(self, identity: str, tenant: str) -> _Held:
        return _Held(identity=identity, tenant=tenant, cache=ViewCache(self._dimensions))


def _again(error: StoreUnavailable) -> StoreUnavailable:
    return StoreUnavailable(error.message, **error.fields)


def _applied(
    snapshot: Snapshot, changed: ChangesSince, documents: Sequence[DocumentRow]
) -> Snapshot:
    made = renewed(snapshot, documents, deleted=changed.deleted, version=changed.version)
    return compacted(made, most=FEW_SMALL)


def _waiting(snapshot: Snapshot, changed: ChangesSince) -> PendingChanges:
    return PendingChanges(
        published=[(each.id, each.number, each.passages) for each in changed.published],
        gone=gone(snapshot, changed.deleted),
    )
