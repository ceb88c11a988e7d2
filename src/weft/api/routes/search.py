"""Passages for a question, without an answer; and questions to begin with."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from weft.api.dependencies import Inside, ReadScope
from weft.api.edge.trail import leaves_within
from weft.api.searches import SearchReply, SearchWanted
from weft.api.suggesting import SuggestionList

router = APIRouter(tags=["answers"])
Bases = Annotated[
    list[Annotated[str, Field(max_length=100)]],
    Query(
        default_factory=list,
        max_length=64,
        description="Knowledge bases; all of them if none is named.",
    ),
]
Most = Annotated[int, Query(ge=1, le=6, description="The most questions.")]


@router.post("/v1/search", summary="Find passages")
@leaves_within("search")
async def search(inside: Inside, scope: ReadScope, *, wanted: SearchWanted) -> SearchReply:
    """Find the passages for a question, best first, without writing an answer."""
    return await inside.searcher.search(scope, wanted)


@router.get("/v1/suggestions", summary="Suggest questions")
@leaves_within("suggest")
async def suggested(
    inside: Inside, scope: ReadScope, *, kb: Bases, limit: Most = 3
) -> SuggestionList:
    """Suggest questions that documents of the caller answer, in the documents' language.

    They are made from headings, fields, tables and definitions, and each was tried: without a
    language model it is answered from the document that it was made of.
    """
    return await inside.suggester.suggest(scope, kb, limit=limit)
