"""The files that documents came from, byte for byte."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, BinaryIO

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse, StreamingResponse

from weft.api.dependencies import Inside, ReadScope
from weft.api.edge.trail import leaves
from weft.api.routes.documents import DocId, opened, original_of
from weft.api.routes.kb import BaseName
from weft.api.shapes.originals import KINDS, described, headers_of
from weft.domain.errors import NotFound
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.ports.store import Store

_BLOCK = 1 << 18
_BINARY = {"schema": {"type": "string", "format": "binary"}}
_DESCRIBED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file; of a document whose id ends so, the document.",
        "content": {
            **dict.fromkeys(KINDS, _BINARY),
            "application/json": {"schema": {"$ref": "#/components/schemas/OpenedShape"}},
        },
    }
}

router = APIRouter(prefix="/v1/kb/{id}/documents", tags=["documents"])


@router.get(
    "/{doc:path}/original",
    summary="Open the file of a document",
    response_class=Response,
    responses=_DESCRIBED,
)
@leaves("document.read", "kb:{name}/{doc}")
async def original(inside: Inside, scope: ReadScope, *, name: BaseName, doc: DocId) -> Response:
    """Return the file that a document came from, as it was when it was read.

    Of a file within a file it is the outermost one. There is none where the file has changed and no
    copy is kept, or where something in it is not the caller's to read; the file of a table, whose
    rows may have readers of their own, is for those who may fill the knowledge base. A browser
    shows a PDF (`#page=N`), PNG or JPEG; any other file is to be saved. A document whose own id
    ends in `/original` is opened as any other is.
    """
    store = await inside.host.store(scope, name)
    if await _is_document(scope, store, f"{doc}/original"):
        key, response = f"{doc}/original", Response()
        shape = await opened(inside=inside, scope=scope, name=name, doc=key, response=response)
        return JSONResponse(shape.model_dump(mode="json"))
    found = await original_of(inside.host, scope, store=store, key=DocumentId(doc))
    headers = headers_of(await described(found))
    return StreamingResponse(_blocks(found.file), headers=headers)


async def _is_document(scope: Scope, store: Store, key: str) -> bool:
    try:
        await store.documents.document(scope, DocumentId(key))
    except NotFound:
        return False
    return True


async def _blocks(file: BinaryIO) -> AsyncIterator[bytes]:
    with file:
        while block := await asyncio.to_thread(file.read, _BLOCK):
            yield block
