"""Writing: a document's patch in place of its former one, in one transaction."""

from __future__ import annotations

from collections.abc import Callable

from weft.adapters.sqlite import text_parts
from weft.adapters.sqlite.database import Connection, SqliteDatabase
from weft.adapters.sqlite.rows import (
    chunk_row,
    claim_row,
    document_row,
    encoded,
    handle_rows,
    mention_row,
    reference_row,
)
from weft.domain.acl import AclClass, acl_class
from weft.domain.document import Document
from weft.domain.ids import DocumentId, digest
from weft.domain.patch import Patch
from weft.domain.scope import Scope
from weft.ports.publishing import Fence
from weft.stores.changes import check_fence, class_columns, is_new, reclassified
from weft.stores.missing import no_base
from weft.stores.values import whole

_PARTS = ("text", "chunks", "mentions", "claims", "references", "handles")


class SqlitePublishing:
    """Implements `ports/publishing.py` on one file."""

    def __init__(
        self, database: SqliteDatabase, *, changing: Callable[[], None] = lambda: None
    ) -> None:
        """Write through the one writing thread; `changing` is told before each change."""
        self._database = database
        self._changing = changing

    async def is_tidy(self) -> bool:
        """Tell whether no words of removed documents are left anywhere in the file."""
        return await self._database.read(lambda c: c.run("untidy").fetchone() is None)

    async def tidy(self) -> None:
        """Take what is left of removed documents out of the file and its write-ahead log."""
        await self._database.write(text_parts.tidy)
        await self._database.prepare(lambda c: c.empty_log())

    async def publish(
        self, scope: Scope, patch: Patch, *, expected_version: str | None, fence: Fence
    ) -> int:
        """Replace the document's former patch; see the port."""
        self._changing()
        return await self._database.write(
            lambda c: _publish(c, scope, patch, expected_version, fence)
        )

    async def delete(self, scope: Scope, document_id: DocumentId, *, fence: Fence) -> bool:
        """Publish the empty patch; see the port."""
        self._changing()
        return await self._database.write(lambda c: _delete(c, scope, document_id, fence))

    async def issue_fence(self, scope: Scope, key: str) -> Fence:
        """Return the next fence for a piece of work."""

        def issue(connection: Connection) -> Fence:
            own_tenant(connection, scope)
            row = connection.run("next_fence", {"key": key}).fetchone()
            return Fence(key=key, number=whole(row[0]))

        return await self._database.write(issue)

    async def reclassify(self, scope: Scope, document: Document, *, fence: Fence) -> bool:
        """Give a stored document another ACL; see the port."""
        return await self._database.write(lambda c: _reclassify(c, scope, document, fence))


def own_tenant(connection: Connection, scope: Scope) -> None:
    """Refuse a writer of another tenant as if the knowledge base were not there."""
    if not connection.run("settings", {"tenant": scope.tenant}).fetchone():
        raise no_base()


def _check_fence(connection: Connection, fence: Fence) -> None:
    row = connection.run("current_fence", {"key": fence.key}).fetchone()
    check_fence(fence, None if row is None else row[0])


def next_version(connection: Connection) -> int:
    """Count one more change, mark it, and return its number."""
    connection.run("bump")
    connection.run("put_mark")
    return whole(connection.run("version").fetchone()[0])


def put_class(connection: Connection, chosen: AclClass) -> None:
    """Table a class and its principals."""
    connection.run("put_class", encoded(class_columns(chosen)))
    names = sorted(chosen.principals)
    rows: list[dict[str, object]] = [{"principal": p, "number": chosen.number} for p in names]
    connection.each("put_principal", rows)


def drop_unused_classes(connection: Connection) -> None:
    """Forget classes that no document and no file has any more."""
    connection.run("drop_classes")
    connection.run("drop_principals")


def _publish(
    connection: Connection, scope: Scope, patch: Patch, expected: str | None, fence: Fence
) -> int:
    own_tenant(connection, scope)
    _check_fence(connection, fence)
    document = patch.document
    stored = connection.run("stored", {"id": document.id}).fetchone()
    if not is_new(document, stored=None if stored is None else stored[0], expected=expected):
        return whole(connection.run("version").fetchone()[0])
    v = next_version(connection)
    chosen = acl_class(document.acl)
    if stored is not None:
        _clear(connection, document.id)
    connection.run("unmark_deleted", {"hash": digest(document.id)})
    put_class(connection, chosen)
    row = document_row(document, v=v, fence=fence.number, number=chosen.number)
    connection.run("put_document", row)
    _insert(connection, patch, chosen.number)
    if stored is not None:
        connection.run("drop_links", {"id": document.id})
        drop_unused_classes(connection)
    return v


def _insert(connection: Connection, patch: Patch, number: int) -> None:
    document = patch.document.id
    connection.run("put_text", {"id": document, "acl_class": number, "text": patch.text})
    text_parts.make_room(connection, len(patch.passages))
    connection.each("put_chunk", [chunk_row(passage, number) for passage in patch.passages])
    mentions = [mention_row(document, mention, number=number) for mention in patch.mentions]
    connection.each("put_mention", mentions)
    connection.each(
        "put_claim", [claim_row(document, claim, number=number) for claim in patch.claims]
    )
    references = [reference_row(document, found, number=number) for found in patch.references]
    connection.each("put_reference", references)
    connection.each("put_handle", handle_rows(patch, number))


def _clear(connection: Connection, document_id: DocumentId) -> None:
    connection.run("put_untidy", {"id": document_id})
    for part in _PARTS:
        connection.run(f"drop_{part}", {"id": document_id})
    connection.run("drop_document", {"id": document_id})


def _delete(connection: Connection, scope: Scope, document_id: DocumentId, fence: Fence) -> bool:
    own_tenant(connection, scope)
    _check_fence(connection, fence)
    if connection.run("stored", {"id": document_id}).fetchone() is None:
        return False
    v = next_version(connection)
    _clear(connection, document_id)
    connection.run("drop_links", {"id": document_id})
    connection.run("mark_deleted", {"hash": digest(document_id), "v": v})
    drop_unused_classes(connection)
    return True


def _reclassify(connection: Connection, scope: Scope, document: Document, fence: Fence) -> bool:
    own_tenant(connection, scope)
    _check_fence(connection, fence)
    stored = connection.run("stored", {"id": document.id}).fetchone()
    if stored is None:
        return False
    if stored[0] == document.version:
        return True
    chosen = acl_class(document.acl)
    put_class(connection, chosen)
    row = reclassified(document, chosen, v=next_version(connection), fence=fence)
    connection.run("reclassify_document", {**row, "id": document.id})
    for part in _PARTS:
        connection.run(f"reclassify_{part}", {"id": document.id, "acl_class": chosen.number})
    drop_unused_classes(connection)
    return True
