"""Names of people and groups: which may be, when two are the same, and the stamp of a tenant."""

from __future__ import annotations

import re
import unicodedata

from sqlalchemy import Connection, update

from weft.adapters.sql.database.dialect import insert_new, lock
from weft.adapters.sql.database.people_schema import tenants
from weft.domain.errors import BadInput
from weft.ports.clock import Clock

_NAME = re.compile(r"\w[\w.@+-]{0,99}")


def name_key(name: str) -> str:
    """Return what two names have in common that differ by case and by the form of letters."""
    return unicodedata.normalize("NFKC", name).casefold()


def checked_name(name: str, *, of: str) -> str:
    """Return a name as it is kept, or raise `BadInput`."""
    normal = unicodedata.normalize("NFC", name)
    if not _NAME.fullmatch(normal):
        raise BadInput(
            f"'{name[:100]}' cannot name a {of}: letters, digits and . _ @ + - without blanks, "
            "100 at most, and none of the signs first.",
            name=name[:100],
        )
    return normal


def move(connection: Connection, tenant: str, *, clock: Clock) -> None:
    """Move a tenant's stamp within a transaction, which then has the tenant to itself."""
    lock(connection, f"people:{tenant}")
    row = {"tenant": tenant, "title": "", "stamp": 0, "created": clock.now()}
    connection.execute(insert_new(connection, tenants), [row])
    moved = update(tenants).where(tenants.c.tenant == tenant)
    connection.execute(moved.values(stamp=tenants.c.stamp + 1))
