"""`weft admin`: all its verbs."""

from __future__ import annotations

import typer

from weft.cli.admin import groups, keys, own_roles, tenants, users
from weft.cli.admin.rights import explain, permissions
from weft.cli.admin.usage import usage

app = typer.Typer(help="Who may ask, and what they may do.", no_args_is_help=True)
app.add_typer(users.app, name="user")
app.add_typer(groups.app, name="group")
app.add_typer(own_roles.app, name="role")
app.add_typer(keys.app, name="key")
app.add_typer(tenants.app, name="tenant")
app.command()(explain)
app.command()(permissions)
app.command()(usage)
