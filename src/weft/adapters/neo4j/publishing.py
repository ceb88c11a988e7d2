"""Writing: a document's patch in place of its former one, in one transaction.

Every change takes the knowledge base's lock first, so that none deadlocks with another and no
entity is removed that another document is about to share.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from weft.adapters.neo4j.database import WRITE_SECONDS, Neo4jDatabase, Transaction
from weft.adapters.neo4j.patches import PatchRows, patch_rows
from weft.adapters.neo4j.vocabulary import Vocabulary
from weft.domain.acl import AclClass, acl_class
from weft.domain.document import Document
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId, digest
from weft.domain.patch import Patch
from weft.domain.scope import Scope
from weft.ports.publishing import Fence
from weft.stores.changes import check_fence, class_columns, is_new, reclassified
from weft.stores.missing import no_base
from weft.stores.values import texts, whole

# A large document is given more time, and is written by so many rows at once.
_CHUNKS_PER_SECOND = 100
_ROWS = 1000


class _Unchanged(Exception):
    """There is nothing to change: the number of the last change stays."""

    def __init__(self, version: int = 0) -> None:
        super().__init__()
        self.version = version


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """A change that has the lock: its number, and the document as it stood until now."""

    v: int
    document: DocumentId
    version: str | None
    number: int
    relations: tuple[str, ...]


class Neo4jPublishing:
    """Implements `ports/publishing.py` on one database."""

    def __init__(self, database: Neo4jDatabase, words: Vocabulary) -> None:
        """Write with the labels and relationship types of a vocabulary."""
        self._database = database
        self._words = words

    async def publish(
        self, scope: Scope, patch: Patch, *, expected_version: str | None, fence: Fence
    ) -> int:
        """Replace the document's former patch; see the port."""
        document = patch.document
        parts = await asyncio.to_thread(patch_rows, patch, self._words)

        async def replace(transaction: Transaction) -> int:
            change = await _begin(transaction, scope, document.id, fence)
            if not is_new(document, stored=change.version, expected=expected_version):
                raise _Unchanged(change.v - 1)
            await self._replace(transaction, change, parts, fence)
            return change.v

        seconds = WRITE_SECONDS + len(parts.chunks) / _CHUNKS_PER_SECOND
        try:
            return await self._database.write(replace, seconds=seconds)
        except _Unchanged as unchanged:
            return unchanged.version

    async def delete(self, scope: Scope, document_id: DocumentId, *, fence: Fence) -> bool:
        """Publish the empty patch; see the port."""
        found = False  # by an attempt whose end is not known, when the next finds nothing

        async def remove(transaction: Transaction) -> None:
            nonlocal found
            change = await _begin(transaction, scope, document_id, fence)
            if change.version is None:
                raise _Unchanged
            found = True
            keys, names = await self._clear(transaction, change)
            await transaction.run("drop_document", {"doc": document_id})
            await _drop(transaction, keys, names)
            await transaction.run("drop_links", {"doc": document_id})
            gone: dict[str, object] = {"hash": digest(document_id), "v": change.v}
            await transaction.run("mark_deleted", gone)
            await _drop_class(transaction, change, None)

        try:
            await self._database.write(remove)
        except _Unchanged:
            return found
        return True

    async def issue_fence(self, scope: Scope, key: str) -> Fence:
        """Return the next fence for a piece of work."""
        parameters: dict[str, object] = {"tenant": scope.tenant, "key": key}
        rows = await self._database.write(lambda t: t.run("next_fence", parameters))
        if not rows:
            raise no_base()
        return Fence(key=key, number=whole(rows[0][0]))

    async def reclassify(self, scope: Scope, document: Document, *, fence: Fence) -> bool:
        """Give a stored document another ACL; see the port."""

        async def give(transaction: Transaction) -> None:
            change = await _begin(transaction, scope, document.id, fence)
            if change.version in (None, document.version):
                raise _Unchanged(0 if change.version is None else 1)
            await self._reclassify(transaction, change, document, fence)

        try:
            await self._database.write(give)
        except _Unchanged as unchanged:
            return bool(unchanged.version)
        return True

    async def _replace(
        self, transaction: Transaction, change: _Change, parts: PatchRows, fence: Fence
    ) -> None:
        keys, names = set[str](), set[str]()
        if change.version is not None:
            keys, names = await self._clear(transaction, change)
        given = {
            "doc": change.document,
            "v": change.v,
            "row": {**parts.document, "v": change.v, "fence": fence.number},
            "properties": {**parts.stamped, "v": change.v},
        }
        for some in pieces(parts):
            await transaction.run("put_document", {**given, **some})
        if change.version is not None:
            await _drop(transaction, keys - parts.keys, names - parts.handles)
            await transaction.run("drop_links", {"doc": change.document})
            await _drop_class(transaction, change, parts.readers)

    async def _clear(self, transaction: Transaction, change: _Change) -> tuple[set[str], set[str]]:
        """Take out all but the document's node; return the keys and handles that it touched."""
        doc: dict[str, object] = {"doc": change.document}
        keys = set(texts((await transaction.run("former_keys", doc))[0][0]))
        for relation in self._known(change):
            name = "drop_claims" if relation else "drop_other_claims"
            keys |= set(texts((await transaction.run(name, doc, identifier=relation))[0][0]))
        await transaction.run("drop_chunks", doc)
        names = texts((await transaction.run("drop_names", doc))[0][0])
        return keys, set(names)

    def _known(self, change: _Change) -> list[str | None]:
        """Return the types of a document's claims, and None where one is known no more."""
        types = self._words.all_types()
        known: list[str | None] = [each for each in change.relations if each in types]
        return known if len(known) == len(change.relations) else [*known, None]

    async def _reclassify(
        self, transaction: Transaction, change: _Change, document: Document, fence: Fence
    ) -> None:
        chosen = acl_class(document.acl)
        await _put_class(transaction, chosen)
        row = reclassified(document, chosen, v=change.v, fence=fence)
        row["acl"] = sorted(chosen.principals)
        await transaction.run("reclassify_document", {"doc": document.id, "row": row})
        given = {"doc": document.id, "acl_class": chosen.number, "v": change.v}
        await transaction.run("reclassify_chunks", given)
        await transaction.run("reclassify_evidence", given)
        for relation in self._known(change):
            name = "reclassify_claims" if relation else "reclassify_other_claims"
            await transaction.run(name, given, identifier=relation)
        await _drop_class(transaction, change, chosen)


async def _begin(
    transaction: Transaction, scope: Scope, document: DocumentId, fence: Fence
) -> _Change:
    """Take the lock and the next number; refuse another tenant and an older worker."""
    asked: dict[str, object] = {"tenant": scope.tenant, "key": fence.key, "doc": document}
    rows = await transaction.run("begin_change", asked)
    if not rows:
        raise no_base()
    v, number, version, held, relations = rows[0]
    check_fence(fence, number)
    return _Change(
        v=whole(v),
        document=document,
        version=None if version is None else str(version),
        number=0 if held is None else whole(held),
        relations=tuple(texts(relations or [])),
    )


async def _put_class(transaction: Transaction, chosen: AclClass) -> None:
    await transaction.run("put_class", class_columns(chosen))


def pieces(parts: PatchRows) -> Iterator[dict[str, object]]:
    """Yield a patch's rows as they are written: all at once, or many rows of a large document.

    What others lead to comes first; strings that are referred by come last, and once.
    """
    ends: dict[str, Sequence[object]] = {"chunks": parts.chunks, "entities": parts.entities}
    ways: dict[str, Sequence[object]] = {
        "mentions": parts.mentions,
        "sightings": parts.sightings,
        "claims": parts.claims,
        "literals": parts.literals,
    }
    names = {"handles": parts.document["handles"], "names": parts.names}
    nothing: dict[str, object] = {key: [] for key in (*ends, *ways, *names)}
    if all(len(rows) <= _ROWS for rows in (*ends.values(), *ways.values())):
        yield {**ends, **ways, **names}
        return
    for kinds in (ends, ways):
        for at in range(0, max(map(len, kinds.values())), _ROWS):
            some = {name: rows[at : at + _ROWS] for name, rows in kinds.items()}
            yield {**nothing, **some}
    yield {**nothing, **names}


async def _drop_class(transaction: Transaction, change: _Change, chosen: AclClass | None) -> None:
    """Forget the class that the document had, where nothing has it any more."""
    if chosen is None or chosen.number != change.number:
        await transaction.run("drop_class", {"number": change.number})


async def _drop(transaction: Transaction, keys: set[str], names: set[str]) -> None:
    if keys or names:
        await transaction.run("drop_orphans", {"keys": sorted(keys), "names": sorted(names)})
