"""`POST /v1/search`: the passages for a question, without an answer."""

from __future__ import annotations

from fastapi import APIRouter

from weft.api.dependencies import Inside, ReadScope
from weft.api.searches import SearchReply, SearchWanted

router = APIRouter(tags=["answers"])


@router.post("/v1/search", summary="Find passages")
async def search(inside: Inside, scope: ReadScope, *, wanted: SearchWanted) -> SearchReply:
    """Find the passages for a question, best first, without writing an answer."""
    return await inside.searcher.search(scope, wanted)
