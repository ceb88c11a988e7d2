"""Where a knowledge base is: a database of a server, as people write it and as it is registered."""

from __future__ import annotations

import re
from typing import Self
from urllib.parse import SplitResult, parse_qsl, urlsplit

from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass

EMBEDDED = "sqlite:"
SCHEMES = frozenset({"neo4j", "neo4j+s", "bolt", "bolt+s"})
DEFAULT_PORT = 7687
# What the server keeps for itself.
HIDDEN = frozenset({"system"})
# Made by the server itself: a knowledge base is there only where it can hold no other database.
SOLE = "neo4j"
_DATABASE = re.compile(r"[a-z][a-z0-9.-]{2,62}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTarget:
    """A database of a server: `neo4j://[USER@]HOST[:PORT][/DATABASE][?password=REFERENCE]`.

    `password` says where the password is found (`env:NAME`, `file:PATH`), never what it is; empty
    fields mean what the settings or the server say.
    """

    scheme: str
    host: str
    port: int = DEFAULT_PORT
    database: str = ""
    user: str = ""
    password: str = ""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a target; raises `BadInput` saying what is wrong, without repeating a password."""
        try:
            parts = urlsplit(text)
            port = parts.port or DEFAULT_PORT
        except ValueError:
            raise _wrong("an address is HOST or HOST:PORT") from None
        asked = dict(parse_qsl(parts.query, keep_blank_values=True))
        reference = asked.pop("password", "")
        _check(parts, reference, unknown=bool(asked))
        return cls(
            scheme=parts.scheme,
            host=parts.hostname or "",
            port=port,
            database=_database(parts.path.strip("/")),
            user=parts.username or "",
            password=reference,
        )

    @property
    def address(self) -> str:
        """Return the server's address, without user and database."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def place(self) -> tuple[str, int, str]:
        """Return what two names of one database have in common."""
        return self.host, self.port, self.database

    def __str__(self) -> str:
        said = self.address.replace("://", f"://{self.user}@" if self.user else "://")
        said += f"/{self.database}" if self.database else ""
        return said + (f"?password={self.password}" if self.password else "")


def is_server_target(text: str) -> bool:
    """Tell whether a target names a server."""
    return text.partition("://")[0] in SCHEMES and "://" in text


def database_name(name: str) -> str:
    """Return the database that a knowledge base's name becomes where a server can make one."""
    plain = name.lower()[:58]
    reserved = plain in HIDDEN | {SOLE} or plain.startswith("system")
    return f"weft-{plain}" if reserved or not _DATABASE.fullmatch(plain) else plain


def _check(parts: SplitResult, reference: str, *, unknown: bool) -> None:
    if parts.scheme not in SCHEMES or not parts.hostname:
        raise _wrong(f"it begins with one of {', '.join(sorted(SCHEMES))}, then :// and a host")
    if parts.password is not None:
        raise _wrong("no password stands in it; name one: --password env:NAME or file:PATH")
    if reference and reference.partition(":")[0] not in {"env", "file"}:
        raise _wrong("a password is named by env:NAME or file:PATH")
    if unknown or parts.fragment:
        raise _wrong("it ends with the database")


def _database(name: str) -> str:
    plain = name.lower()
    if plain in HIDDEN:
        raise _wrong(f"'{plain}' is the server's own database")
    if plain and not _DATABASE.fullmatch(plain):
        raise _wrong("a database's name is 3 to 63 letters, digits, dots and dashes")
    return plain


def _wrong(said: str) -> BadInput:
    return BadInput(f"That is no target neo4j://HOST:PORT/DATABASE: {said}.")
