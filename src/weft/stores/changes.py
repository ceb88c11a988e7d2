"""Whether a change is to be made: fences and versions, as every backend checks them."""

from __future__ import annotations

from weft.domain.acl import AclClass
from weft.domain.document import Document
from weft.domain.errors import FenceRefused, VersionConflict
from weft.ports.publishing import Fence
from weft.stores.rows import Columns
from weft.stores.values import whole


def check_fence(fence: Fence, last: object) -> None:
    """Refuse an older worker; `last` is the number that was issued last, None without one."""
    if last is None or fence.number < whole(last):
        raise FenceRefused(key=fence.key, number=fence.number)


def is_new(document: Document, *, stored: str | None, expected: str | None) -> bool:
    """Tell whether a document is not stored in this version yet.

    `stored` is the version that is there. Raises `VersionConflict` where it is not the `expected`.
    """
    if stored == document.version:
        return False
    if stored != expected:
        raise VersionConflict(document=document.id, expected=expected)
    return True


def class_columns(chosen: AclClass) -> Columns:
    """Return a class with its principals."""
    return {"number": chosen.number, "principals": sorted(chosen.principals)}


def reclassified(document: Document, chosen: AclClass, *, v: int, fence: Fence) -> Columns:
    """Return the columns that another ACL changes in a document."""
    return {
        "acl_class": chosen.number,
        "version": document.version,
        "v": v,
        "fence": fence.number,
    }
