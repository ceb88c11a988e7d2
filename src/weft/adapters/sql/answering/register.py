"""The register of knowledge bases as a question asks it: one base by its name or its folder."""

from __future__ import annotations

import json
from typing import Any

from weft.adapters.sql.database.columns import moment
from weft.adapters.sql.database.connection import SqlDatabase
from weft.domain.acl import Guarded
from weft.domain.errors import UnknownKnowledgeBase
from weft.domain.scope import Scope
from weft.platform.access import sees
from weft.ports.clock import Clock
from weft.ports.records.bases import RegisteredBase


class BaseRegister:
    """The part of the port `Bases` that a question needs."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        """Take the database and the time."""
        self._database = database
        self._clock = clock

    async def named(self, scope: Scope, name: str) -> RegisteredBase:
        """Return the knowledge base of that name, or raise `UnknownKnowledgeBase`."""
        found = await self._found("base_of_name", scope, {"name_key": name.casefold()})
        if found is None:
            raise unknown(name)
        return found

    async def of_folder(self, scope: Scope, folder_key: str) -> RegisteredBase:
        """Return the knowledge base of that folder, or raise `UnknownKnowledgeBase`."""
        found = await self._found("base_of_folder", scope, {"folder_key": folder_key})
        if found is None:
            raise unknown("")
        return found

    async def _found(
        self, query: str, scope: Scope, key: dict[str, object]
    ) -> RegisteredBase | None:
        values = {"tenant": scope.tenant, **key}
        rows = await self._database.plain(lambda plain: plain.rows(query, values), writes=False)
        found = _base(rows[0]) if rows else None
        return found if found is not None and sees(scope, found.guard) else None


def unknown(name: str) -> UnknownKnowledgeBase:
    """Return the one error for a base that is not there and for one that is not open."""
    what = f"no knowledge base '{name}'" if name else "no knowledge base of this folder"
    return UnknownKnowledgeBase(f"There is {what}.", name=name)


def _base(row: dict[str, Any]) -> RegisteredBase:
    readers, writers, admins, default_acl = (
        frozenset(json.loads(row[column]))
        for column in ("readers", "writers", "admins", "default_acl")
    )
    return RegisteredBase(
        name=row["name"],
        target=row["target"],
        title=row["title"] or row["folder"] or row["name"],
        folder_key=row["folder_key"],
        folder=row["folder"],
        created=moment(row["created"]),
        guard=Guarded(name=row["name"], readers=readers, writers=writers, admins=admins),
        default_acl=default_acl,
    )
