"""How Alembic runs the scripts: on the connection it is given, in the transaction that is open."""

from __future__ import annotations

from alembic import context

from weft.adapters.sql.database.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    # SQLite alters a table by copying it.
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
