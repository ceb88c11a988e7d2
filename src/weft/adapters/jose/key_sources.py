"""Where the keys of an issuer come from: a file, or its server by the one way out."""

from __future__ import annotations

import asyncio
from pathlib import Path

from weft.adapters.jose.signing_keys import MOST_BYTES, read_keys
from weft.domain.errors import BadInput, ConfigurationError, FetchFailed
from weft.domain.scope import Scope
from weft.ports.fetching import Fetching, FetchRequest

_TYPES = frozenset({"application/json", "application/jwk-set+json"})
_SECONDS = 10.0
_OK = 200


class FileKeys:
    """Keys in a file on this machine, which may be replaced at any time."""

    def __init__(self, path: Path) -> None:
        """Take the path; raises `ConfigurationError` where no keys are there now."""
        self._path = path
        try:
            read_keys(self._read())
        except BadInput as error:
            message = f"The setting 'jwt_jwks' (WEFT_JWT_JWKS): '{path}': {error.message}"
            raise ConfigurationError(message, setting="jwt_jwks") from error

    async def read(self) -> bytes:
        """Return the file as it is now."""
        return await asyncio.to_thread(self._read)

    def _read(self) -> bytes:
        try:
            with self._path.open("rb") as file:
                return file.read(MOST_BYTES + 1)
        except OSError as error:
            raise BadInput(f"It cannot be read ({error.strerror}).") from error


class FetchedKeys:
    """Keys that an issuer's server publishes."""

    def __init__(self, fetcher: Fetching, scope: Scope, url: str) -> None:
        """Take the way out, in whose name it is gone, and the address."""
        if not url.startswith("https://"):
            raise ConfigurationError(
                "The setting 'jwt_jwks' (WEFT_JWT_JWKS) is the path of a file, or an https URL.",
                setting="jwt_jwks",
            )
        self._fetcher = fetcher
        self._scope = scope
        self._request = FetchRequest(
            url=url,
            headers={"Accept": ", ".join(sorted(_TYPES))},
            content_types=_TYPES,
            most_bytes=MOST_BYTES,
            seconds=_SECONDS,
        )

    async def read(self) -> bytes:
        """Return what the server publishes now."""
        reply = await self._fetcher.fetch(self._scope, self._request)
        if reply.status != _OK:
            raise FetchFailed("The issuer's server gives no keys.", reason="status")
        return reply.body
