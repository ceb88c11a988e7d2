"""What the version of a stored document tells, without what made it."""

from __future__ import annotations

from weft.domain.document import content_version

# Ends the content's part of a version where the record itself says who may read it.
OWN_ACL = "!"


def has_own_acl(version: str) -> bool:
    """Tell whether a document's own record says who may read it, not the file's place."""
    return content_version(version).endswith(OWN_ACL)


def readers_of(version: str) -> str:
    """Return what a version names a document's readers by: those with the same have the same."""
    return version.rpartition("-")[2]


def same_content(version: str, other: str) -> bool:
    """Tell whether two versions differ at most in who may read them."""
    one, two = (content_version(each).removesuffix(OWN_ACL) for each in (version, other))
    return one == two
