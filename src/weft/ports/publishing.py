"""What one document teaches, put into a knowledge base or taken out again, whole."""

from __future__ import annotations

from typing import Protocol

from weft.domain.document import Document
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.patch import Patch
from weft.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """A worker's number for one piece of work; the store refuses a lower one than it gave last."""

    key: str
    number: int


class Publishing(Protocol):
    """Writes one document at a time, atomically."""

    async def publish(
        self, scope: Scope, patch: Patch, *, expected_version: str | None, fence: Fence
    ) -> int:
        """Replace the document's former patch and return the knowledge base's new version.

        Raises `VersionConflict` when the stored document is not at `expected_version` (None: not
        there), `FenceRefused` when a newer worker holds the fence. The same version again changes
        nothing.
        """
        ...

    async def delete(self, scope: Scope, document_id: DocumentId, *, fence: Fence) -> bool:
        """Publish the empty patch: afterwards the document was never there. False if it was not."""
        ...

    async def issue_fence(self, scope: Scope, key: str) -> Fence:
        """Return the next fence for a piece of work; older ones are refused from now on."""
        ...

    async def reclassify(self, scope: Scope, document: Document, *, fence: Fence) -> bool:
        """Give a stored document the ACL and version of `document`; its content stays.

        False if no document of that id is there.
        """
        ...
