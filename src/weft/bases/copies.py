"""A knowledge base copied into another one, whatever each of them is kept in.

Every document is published whole, as it stands; one that is there already in its version is left
alone. So a copy that was stopped is simply begun again, and one that is whole costs a look.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from weft.domain.claim import Link
from weft.domain.errors import BadInput, Forbidden, IndexMismatch, NotFound, VersionConflict
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.ledger import FileEntry
from weft.domain.scope import Scope
from weft.ports.holdings import Holdings
from weft.ports.ledger import Ledger
from weft.ports.links import Links
from weft.ports.publishing import Fence, Publishing
from weft.ports.store import Recipe, Store

_PASSES = 3
_FENCE = "copy"
# Settings that are not the recipe's own: the store adds them.
_ADDED = frozenset({"dimensions", "schema"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CopySide:
    """One of the two knowledge bases, by the ports that a copy needs."""

    holdings: Holdings
    publishing: Publishing
    ledger: Ledger
    links: Links


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyProgress:
    """How far a copy has come: documents in all and done, those written and those removed."""

    documents: int
    done: int = 0
    written: int = 0
    removed: int = 0
    files: int = 0
    links: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyOptions:
    """Who watches a copy, and who is told of documents that are taken out of it.

    With `prune`, what the copy has and the original has not is taken out; else it is refused.
    """

    watch: Callable[[CopyProgress], None]
    forget: Callable[[Sequence[DocumentId]], Awaitable[None]]
    prune: bool = False


def side_of(store: Store) -> CopySide:
    """Return an opened knowledge base as one side of a copy."""
    return CopySide(
        holdings=store.holdings,
        publishing=store.publishing,
        ledger=store.ledger,
        links=store.links,
    )


async def recipe_of(scope: Scope, holdings: Holdings) -> Recipe:
    """Return the recipe by which a copy of a knowledge base is made."""
    made_with = await holdings.settings(scope)
    settings = {key: value for key, value in made_with.items() if key not in _ADDED}
    return Recipe(settings=settings, dimensions=int(made_with.get("dimensions", "0")))


async def check_readable(scope: Scope, original: Holdings) -> dict[DocumentId, str]:
    """Return the versions of all documents; raises `Forbidden` where some cannot be read."""
    held = await original.versions(scope, None)
    if (await original.counts(scope)).documents < len(held):
        raise Forbidden("You may not read all that is in it, so that a copy would lack some.")
    return held


async def copy(
    scope: Scope, original: CopySide, *, into: CopySide, options: CopyOptions
) -> CopyProgress:
    """Make one knowledge base hold what another one holds, and return what was done.

    Raises `IndexMismatch` where they were made with other settings, `Forbidden` where the caller
    may not read all of the original, `BadInput` where the copy holds something else and nothing
    is to be pruned, `VersionConflict` where the original changes all the time.
    """
    if await original.holdings.settings(scope) != await into.holdings.settings(scope):
        raise IndexMismatch("The two knowledge bases were made with other settings.")
    work = _Copy(scope, original, into, options=options)
    for _ in range(_PASSES):
        held = await check_readable(scope, original.holdings)
        await work.run(held)
        if await original.holdings.versions(scope, None) == held:
            return work.progress
    raise VersionConflict("The knowledge base changes faster than it can be copied; try again.")


class _Copy:
    """One copy on its way."""

    def __init__(
        self, scope: Scope, original: CopySide, into: CopySide, *, options: CopyOptions
    ) -> None:
        self._scope = scope
        self._original = original
        self._into = into
        self._options = options
        self.progress = CopyProgress(documents=0)

    async def run(self, held: dict[DocumentId, str]) -> None:
        """Bring the copy in step with what the original holds now."""
        there = await self._into.holdings.versions(self._scope, None)
        gone = sorted(there.keys() - held.keys())
        files = await self._files(self._original), await self._files(self._into)
        if (gone or files[1].keys() - files[0].keys()) and not self._options.prune:
            raise BadInput(
                "The other one holds what this one does not; --prune takes that out of it.",
                documents=len(gone),
            )
        self.progress = replace(self.progress, documents=len(held), done=0)
        fence = await self._into.publishing.issue_fence(self._scope, _FENCE)
        await self._remove(gone, fence)
        for key in sorted(held):
            await self._document(key, held[key], there.get(key), fence)
        await self._sources()
        await self._rows(*files)
        await self._links()

    async def _document(
        self, key: DocumentId, version: str, there: str | None, fence: Fence
    ) -> None:
        written = 0
        if version != there:
            try:
                patch = await self._original.holdings.patch(self._scope, key)
            except NotFound:  # deleted in between: the next pass takes it out
                return
            await self._into.publishing.publish(
                self._scope, patch, expected_version=there, fence=fence
            )
            written = 1
        self._tell(done=1, written=written)

    async def _remove(self, gone: Sequence[DocumentId], fence: Fence) -> None:
        if not gone:
            return
        await self._options.forget(gone)  # before and after, as when a source is pruned
        for key in gone:
            await self._into.publishing.delete(self._scope, key, fence=fence)
            self._tell(removed=1)
        await self._options.forget(gone)

    async def _sources(self) -> None:
        there = await self._into.ledger.sources(self._scope)
        for each in await self._original.ledger.sources(self._scope):
            if each in there:
                continue
            kept = await self._into.ledger.source(
                self._scope, each.root, wanted=each.name, acl=each.acl
            )
            if kept != each:
                raise BadInput(
                    f"The other one knows '{each.root}' as '{kept.name}', not '{each.name}'.",
                    source=each.name,
                )

    async def _files(self, side: CopySide) -> dict[tuple[str, str], FileEntry]:
        """Return every row of a side's ledger that can be seen, by source and path."""
        rows = await side.ledger.files(self._scope, None)
        for source in await side.ledger.sources(self._scope):
            rows += await side.ledger.standing(self._scope, source.name)
        return {(row.source, row.path): row for row in rows}

    async def _rows(
        self,
        wanted: dict[tuple[str, str], FileEntry],
        there: dict[tuple[str, str], FileEntry],
    ) -> None:
        for source, path in sorted(there.keys() - wanted.keys()):
            await self._into.ledger.forget(self._scope, source, [path])
        for place, row in sorted(wanted.items()):
            if there.get(place) != row:
                await self._into.ledger.record(self._scope, row)
                self._tell(files=1)

    async def _links(self) -> None:
        wanted = await self._all_links(self._original)
        there = await self._all_links(self._into)
        if self._options.prune:
            for key in sorted(there.keys() - wanted.keys()):
                await self._into.links.retract(self._scope, key)
        for key, link in sorted(wanted.items()):
            if there.get(key) != link:
                await self._into.links.add(self._scope, link)
                self._tell(links=1)

    async def _all_links(self, side: CopySide) -> dict[str, Link]:
        found = await side.links.touching(self._scope, frozenset())
        return {link.key: link for link in found}

    def _tell(self, **more: int) -> None:
        added = {name: getattr(self.progress, name) + count for name, count in more.items()}
        self.progress = replace(self.progress, **added)
        self._options.watch(self.progress)
