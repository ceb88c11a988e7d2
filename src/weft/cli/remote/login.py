"""`weft login`, `weft logout`, `weft whoami`: a service somewhere else, known by a key."""

from __future__ import annotations

import getpass
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from weft.cli.admin.managing import Json, show_done
from weft.cli.invocation import refusal, show_json, tell
from weft.cli.remote.asked import address_meant, kept_keys
from weft.cli.remote.kept_keys import address_of, is_readable_on_the_way
from weft.cli.screen import screen
from weft.cli.terminal.tables import show_table, words
from weft.domain.errors import BadInput, Unauthenticated, WeftError
from weft.platform.identity import local_owner

Url = Annotated[str, typer.Argument(metavar="URL", help="Where the service is.")]
UrlOrLast = Annotated[
    str, typer.Argument(metavar="[URL]", help="Where it is; else the one signed in to last.")
]
_SECONDS = 20.0


def login(url: Url, *, as_json: Json = False) -> None:
    """Sign in to a service by a key, which is asked for or read from standard input.

    The key is checked, then kept in the workspace for its owner alone, and never shown.
    """
    try:
        address = address_of(url)
        if is_readable_on_the_way(address):
            tell(f"{address} is not encrypted: whoever is on the way can read the key.")
        key = _asked(address)
        found = _identity(address, key)
        kept_keys().keep(address, key)
    except WeftError as error:
        raise refusal(error, as_json=as_json) from error
    told = f"Signed in to {address} as {found['name']} of the tenant {found['tenant']}."
    show_done({"url": address, **found}, told, as_json=as_json)


def logout(url: UrlOrLast = "", *, as_json: Json = False) -> None:
    """Forget the key of a service; the key itself stays good until somebody revokes it there."""
    try:
        address = address_meant(url)
        kept_keys().forget(address)
    except WeftError as error:
        raise refusal(error, as_json=as_json) from error
    told = f"The key of {address} is forgotten here. weft admin key revoke ends it there."
    show_done({"url": address, "forgotten": True}, told, as_json=as_json)


def whoami(url: UrlOrLast = "", *, as_json: Json = False) -> None:
    """Say who one is at a service, and what one may do there; without one, on this machine."""
    try:
        address = address_of(url) if url else kept_keys().last()
        row = _identity(address, kept_keys().key(address)) if address else _here()
    except WeftError as error:
        raise refusal(error, as_json=as_json) from error
    row = {"url": address, **row}
    if as_json:
        show_json(row)
        return
    rows = [[key.replace("_", " "), _words(value)] for key, value in row.items() if value]
    show_table(screen(highlight=False), [words("who", whole=True), words("")], rows=rows)


def _identity(address: str, key: str) -> dict[str, object]:
    """Return who one is at a service by a key."""
    from weft import Client

    with Client(address, key, timeout=_SECONDS) as client:
        try:
            return asdict(client.account.me())
        except Unauthenticated as error:
            raise Unauthenticated(
                f"{address} does not know this key, or does not take it any more.", url=address
            ) from error


def _here() -> dict[str, object]:
    owner = local_owner()
    return {
        "tenant": owner.tenant,
        "actor": owner.actor,
        "name": "owner",
        "kind": "person",
        "groups": [],
        "roles": ["owner"],
        "permissions": sorted(owner.permissions),
        "key_id": "",
    }


def _asked(address: str) -> str:
    """Return the key that is typed unseen, or the first line of standard input."""
    unseen = sys.stdin.isatty()
    key = (getpass.getpass(f"Key of {address}: ") if unseen else sys.stdin.readline()).strip()
    if not key:
        raise BadInput("No key was given.")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise BadInput("What was given is no key: letters, digits, - and _ in one word.")
    return key


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
