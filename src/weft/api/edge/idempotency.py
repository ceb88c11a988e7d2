"""`Idempotency-Key`: a request that makes something, sent twice, makes it once."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Annotated, Any
from weakref import WeakValueDictionary

from fastapi import Header
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from weft.domain.errors import BadInput, MadeAlready
from weft.domain.ids import digest
from weft.domain.scope import Scope
from weft.ports.records.replies import Replies, StoredReply

_KEY = re.compile(r"[\x21-\x7e]{1,128}")
REPLAYED = "Idempotent-Replayed"
IdempotencyKey = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        max_length=128,
        description="The same key with the same body gives the same reply, made once.",
    ),
]


class ShownOnce(BaseModel):
    """A reply with a secret in it, which is kept nowhere."""


class Idempotency:
    """Makes things once a key; two requests of one key at once take turns."""

    def __init__(self, replies: Callable[[], Replies]) -> None:
        """Take where replies are kept, known once the service is open."""
        self._replies = replies
        self._turns: WeakValueDictionary[tuple[str, str, str], asyncio.Lock] = WeakValueDictionary()

    async def make(
        self,
        scope: Scope,
        key: str,
        *,
        asked: str,
        status: int,
        work: Callable[[], Awaitable[BaseModel]],
    ) -> JSONResponse:
        """Return what `work` makes, or the former reply to the same key and the same words.

        A reply that is `ShownOnce` is not kept. Raises `MadeAlready` where such a one was made
        under the key, and `BadInput` where the key was used for something else.
        """
        if not key:
            return _made(await work(), status)
        asked = digest(asked)
        async with self._turn(scope, key):
            known = await self._known(scope, key, asked)
            if known is not None and not known.body:
                raise MadeAlready
            if known is not None:
                headers = {REPLAYED: "true"}
                return JSONResponse(dict(known.body), status_code=known.status, headers=headers)
            reply = _made(made := await work(), status)
            body: dict[str, Any] = (
                {} if isinstance(made, ShownOnce) else made.model_dump(mode="json")
            )
            kept = StoredReply(request_hash=asked, status=status, body=body)
            await self._replies().keep(scope, key, kept)
            return reply

    def _turn(self, scope: Scope, key: str) -> asyncio.Lock:
        if not _KEY.fullmatch(key):
            raise BadInput("Idempotency-Key: 1 to 128 visible ASCII characters.")
        return self._turns.setdefault((scope.tenant, scope.actor, key), asyncio.Lock())

    async def _known(self, scope: Scope, key: str, asked: str) -> StoredReply | None:
        known = await self._replies().find(scope, key)
        if known is not None and known.request_hash != asked:
            raise BadInput("Idempotency-Key: it was used for another request.")
        return known


def _made(made: BaseModel, status: int) -> JSONResponse:
    return JSONResponse(made.model_dump(mode="json"), status_code=status)
