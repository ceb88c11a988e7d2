"""The register of knowledge bases in a table."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, select, update

from weft.adapters.sql.answering.register import BaseRegister, unknown
from weft.adapters.sql.database.columns import clean
from weft.adapters.sql.database.dialect import lock
from weft.adapters.sql.database.schema import jobs, knowledge_bases, schedules
from weft.adapters.sql.people.names import move
from weft.domain.acl import EVERYONE, Guarded, checked
from weft.domain.errors import BadInput, KnowledgeBaseExists
from weft.domain.ids import is_knowledge_base_name
from weft.domain.scope import Scope
from weft.platform.access import require, sees
from weft.ports.records.bases import NewBase, RegisteredBase, Sharing
from weft.ports.records.jobs import INGESTION


class SqlBases(BaseRegister):
    """The port `Bases` on a `SqlDatabase`."""

    async def create(self, scope: Scope, base: NewBase) -> RegisteredBase:
        """Register a knowledge base.

        Raises `BadInput` for a name that `domain.ids` does not allow, `KnowledgeBaseExists` when
        the tenant has that name or that folder already.
        """
        if not is_knowledge_base_name(base.name):
            raise BadInput(
                f"'{base.name}' cannot name a knowledge base: a letter, then letters and digits.",
                name=base.name,
            )
        row = self._row(scope, base)

        def work(connection: Connection) -> RegisteredBase:
            lock(connection, f"bases:{scope.tenant}")
            _refuse_twins(connection, scope, base)
            connection.execute(knowledge_bases.insert(), row)
            return _find(connection, scope, _named(scope, base.name), name=base.name)

        return await self._database.write(work)

    async def listed(self, scope: Scope) -> list[RegisteredBase]:
        """Return the knowledge bases that are open to the caller, ordered by name."""
        query = (
            select(knowledge_bases)
            .where(knowledge_bases.c.tenant == scope.tenant)
            .order_by(knowledge_bases.c.name_key)
        )
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [base for base in map(_base, rows) if sees(scope, base.guard)]

    async def retitle(self, scope: Scope, name: str, title: str) -> RegisteredBase:
        """Give a knowledge base another title, or raise `UnknownKnowledgeBase`."""

        def work(connection: Connection) -> RegisteredBase:
            wanted = _named(scope, name)
            require(scope, "kb.admin", _find(connection, scope, wanted, name=name).guard)
            connection.execute(update(knowledge_bases).where(wanted).values(title=clean(title)))
            return _find(connection, scope, wanted, name=name)

        return await self._database.write(work)

    async def share(self, scope: Scope, name: str, sharing: Sharing) -> RegisteredBase:
        """Open a knowledge base to others, or raise `UnknownKnowledgeBase`, or `Forbidden`."""
        wanted = _named(scope, name)
        values = {
            column: sorted(checked(one) for one in principals)
            for column, principals in asdict(sharing).items()
            if principals is not None
        }

        def work(connection: Connection) -> RegisteredBase:
            require(scope, "kb.admin", _find(connection, scope, wanted, name=name).guard)
            if values:
                connection.execute(update(knowledge_bases).where(wanted).values(values))
                move(connection, scope.tenant, clock=self._clock)
            return _find(connection, scope, wanted, name=name)

        return await self._database.write(work)

    async def drop(self, scope: Scope, name: str) -> None:
        """Take a knowledge base off the register, or raise `UnknownKnowledgeBase`.

        The jobs that filled it and its schedules go with it, since their rows name it. Whoever is
        at a job finds its lease refused.
        """

        def work(connection: Connection) -> None:
            found = _find(connection, scope, _named(scope, name), name=name)
            require(scope, "kb.admin", found.guard)
            for table in (jobs, schedules):
                of_tenant = table.c.tenant == scope.tenant
                of_base = and_(of_tenant, table.c.kind == f"{INGESTION}{found.name}")
                connection.execute(delete(table).where(of_base))
            connection.execute(delete(knowledge_bases).where(_named(scope, name)))

        await self._database.write(work)

    def _row(self, scope: Scope, base: NewBase) -> dict[str, object]:
        return {
            "tenant": scope.tenant,
            "name_key": base.name.casefold(),
            "name": base.name,
            "target": base.target,
            "title": clean(base.title),
            "folder_key": base.folder_key,
            "folder": clean(base.folder),
            "created": self._clock.now(),
            "readers": [EVERYONE],
            "writers": [],
            "admins": [scope.actor],
            "default_acl": [EVERYONE],
        }


def _refuse_twins(connection: Connection, scope: Scope, base: NewBase) -> None:
    taken = {"name": _named(scope, base.name)}
    if base.folder_key is not None:
        taken["folder"] = _of_folder(scope, base.folder_key)
    for what, condition in taken.items():
        found = connection.execute(select(knowledge_bases).where(condition)).one_or_none()
        if found is None:
            continue
        # Of one that is not open to the caller nothing is told but what it said itself.
        shown = found.name if sees(scope, _base(found).guard) else base.name
        raise KnowledgeBaseExists(
            f"There is a knowledge base of that {what} already: {shown}.", name=shown
        )


def _named(scope: Scope, name: str) -> ColumnElement[bool]:
    return and_(
        knowledge_bases.c.tenant == scope.tenant,
        knowledge_bases.c.name_key == name.casefold(),
    )


def _of_folder(scope: Scope, folder_key: str) -> ColumnElement[bool]:
    return and_(
        knowledge_bases.c.tenant == scope.tenant,
        knowledge_bases.c.folder_key == folder_key,
    )


def _find(
    connection: Connection, scope: Scope, wanted: ColumnElement[bool], *, name: str
) -> RegisteredBase:
    found = connection.execute(select(knowledge_bases).where(wanted)).one_or_none()
    if found is None or not sees(scope, _base(found).guard):
        raise unknown(name)
    return _base(found)


def _base(row: Row[Any]) -> RegisteredBase:
    return RegisteredBase(
        name=row.name,
        target=row.target,
        title=row.title or row.folder or row.name,
        folder_key=row.folder_key,
        folder=row.folder,
        created=row.created,
        guard=Guarded(
            name=row.name,
            readers=frozenset(row.readers),
            writers=frozenset(row.writers),
            admins=frozenset(row.admins),
        ),
        default_acl=frozenset(row.default_acl),
    )
