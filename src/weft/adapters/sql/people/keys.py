"""Keys of programs in a table."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, and_, select, update

from weft.adapters.sql.database.people_schema import api_keys, users
from weft.adapters.sql.people.names import name_key
from weft.adapters.sql.people.users import find, of
from weft.domain.errors import NotFound
from weft.ports.clock import Clock
from weft.ports.records.people import ApiKey, NewKey
from weft.ports.records.standings import KeptKey

_WITH_USER = select(api_keys, users.c.name.label("user_name")).join(
    users, and_(users.c.tenant == api_keys.c.tenant, users.c.name_key == api_keys.c.user)
)


def add(connection: Connection, tenant: str, *, key: NewKey, clock: Clock) -> ApiKey:
    """Keep a key of a user; raises `NotFound` for nobody."""
    owner = find(connection, tenant, name=key.user)
    row = {
        "tenant": tenant,
        "id": key.id,
        "user": name_key(owner.name),
        "mac": key.mac,
        "scopes": sorted(key.scopes),
        "created": clock.now(),
        "expires": key.expires,
        "revoked": None,
    }
    connection.execute(api_keys.insert(), row)
    return _one(connection, tenant, key_id=key.id)


def every(connection: Connection, tenant: str, *, user: str) -> list[ApiKey]:
    """Return the keys of a tenant, of a user if one is named, the newest first."""
    wanted = api_keys.c.tenant == tenant
    if user:
        wanted = and_(wanted, api_keys.c.user == name_key(find(connection, tenant, name=user).name))
    query = _WITH_USER.where(wanted).order_by(api_keys.c.created.desc(), api_keys.c.id)
    return [_key(row) for row in connection.execute(query).all()]


def revoke(connection: Connection, tenant: str, *, key_id: str, clock: Clock) -> ApiKey:
    """Revoke a key, or raise `NotFound`."""
    still = and_(of(api_keys, tenant, id=key_id), api_keys.c.revoked.is_(None))
    connection.execute(update(api_keys).where(still).values(revoked=clock.now()))
    return _one(connection, tenant, key_id=key_id)


def kept(connection: Connection, key_id: str) -> KeptKey | None:
    """Return a key of whichever tenant."""
    row = connection.execute(_WITH_USER.where(api_keys.c.id == key_id)).one_or_none()
    if row is None:
        return None
    return KeptKey(
        tenant=row.tenant,
        user=row.user_name,
        mac=row.mac,
        scopes=frozenset(row.scopes),
        expires=row.expires,
        is_revoked=row.revoked is not None,
    )


def _one(connection: Connection, tenant: str, *, key_id: str) -> ApiKey:
    found = connection.execute(_WITH_USER.where(of(api_keys, tenant, id=key_id))).one_or_none()
    if found is None:
        raise NotFound("There is no such key.", key=key_id[:40])
    return _key(found)


def _key(row: Row[Any]) -> ApiKey:
    return ApiKey(
        id=row.id,
        user=row.user_name,
        scopes=frozenset(row.scopes),
        created=row.created,
        expires=row.expires,
        revoked=row.revoked,
    )
