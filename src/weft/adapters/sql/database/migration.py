"""Bringing a database's tables to the revision that this version of Weft works with."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, select

from weft.adapters.sql.database import people_schema  # its tables are made with the others
from weft.adapters.sql.database.columns import REVISION
from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.dialect import lock, use_write_ahead_log
from weft.adapters.sql.database.schema import METADATA, alembic_version
from weft.domain.errors import StoreUnavailable

# Makes the tables of people part of the metadata, whoever else imports them.
_PEOPLE = people_schema.tenants
SCRIPTS = Path(__file__).with_name("migrations")


def prepare(database: SqlDatabase) -> None:
    """Make the tables in an empty database, upgrade older ones, leave current ones alone.

    Raises `StoreUnavailable` when a newer version of Weft made them.
    """
    if database.read_now(stored_revision) == REVISION:
        return
    use_write_ahead_log(database.engine)
    database.write_now(_bring_up)


def stored_revision(connection: Connection) -> str | None:
    """Return the revision of the tables; None for a database without any."""
    if not inspect(connection).has_table(alembic_version.name):
        return None
    return connection.execute(select(alembic_version.c.version_num)).scalar()


def _bring_up(connection: Connection) -> None:
    lock(connection, "weft:schema", patient=True)  # another's migration may take its time
    stored = stored_revision(connection)  # another process may have been first
    if stored == REVISION:
        return
    if stored is None:
        METADATA.create_all(connection, checkfirst=False)
        alembic_version.create(connection, checkfirst=False)
        connection.execute(alembic_version.insert().values(version_num=REVISION))
    else:
        upgrade(connection)


def upgrade(connection: Connection) -> None:
    """Run the migration scripts up to the head, within the caller's transaction."""
    # Only here: loading it takes many times as long as opening a current database.
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise StoreUnavailable(
            "The records were made by another version of Weft, which this one cannot read."
        ) from error
