"""Vectors of texts, by the embedder that the knowledge bases are searched with."""

from __future__ import annotations

import base64
from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, field_validator

from weft.api.dependencies import AskScope, Inside
from weft.api.edge.trail import leaves
from weft.api.routes.openai.asked import MODEL
from weft.domain.errors import BadInput, ConfigurationError, NotFound
from weft.ports.embedder import Embedder, PassageText

MOST_TEXTS, _LONGEST = 128, 40_000
# With the two special tokens at the ends of every text.
_SPECIAL = 2
EmbeddedText = Annotated[str, Field(min_length=1, max_length=_LONGEST)]


class EmbeddingsBody(BaseModel):
    """A request for vectors: of one text or several, as text and not as tokens."""

    model_config = ConfigDict(
        extra="ignore", json_schema_extra={"example": {"model": "weft", "input": "Apollo"}}
    )

    model: str = Field(default=MODEL, max_length=200)
    input: EmbeddedText | Annotated[list[EmbeddedText], Field(min_length=1, max_length=MOST_TEXTS)]

    @field_validator("input", mode="before")
    @classmethod
    def _are_texts(cls, given: object) -> object:
        """Say what to do to a client that sends the numbers of tokens, as some do unasked."""
        if isinstance(given, list) and any(isinstance(one, int | list) for one in given):
            raise ValueError("send texts, not tokens")
        return given

    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = Field(default=None, ge=1)


class EmbeddingShape(BaseModel):
    """A unit vector: numbers, or little-endian float32 in base64."""

    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str


class EmbeddingsUsage(BaseModel):
    """Tokens of the texts."""

    prompt_tokens: int
    total_tokens: int


class EmbeddingList(BaseModel):
    """The vectors, in the order of the texts."""

    object: Literal["list"] = "list"
    data: list[EmbeddingShape]
    model: str
    usage: EmbeddingsUsage


router = APIRouter(prefix="/v1", tags=["openai"])


@router.post("/embeddings", summary="Embed texts")
@leaves("embed", "embedder:{body.model}")
async def embed(inside: Inside, scope: AskScope, *, body: EmbeddingsBody) -> EmbeddingList:
    """Embed texts as passages of that text are embedded; nothing of them is kept.

    A text of more tokens than the embedder reads is refused, so that none is cut in silence.
    """
    del scope
    embedder = inside.host.app.embedder
    if body.model != MODEL:
        raise NotFound(f"There is no model '{body.model}' here that embeds; '{MODEL}' does.")
    if embedder is None:
        raise ConfigurationError("There is no embedder here: search goes by words alone.")
    if body.dimensions not in (None, embedder.dimensions):
        raise BadInput(
            f"dimensions: vectors have {embedder.dimensions} here and no other number.",
            field="dimensions",
        )
    texts = [body.input] if isinstance(body.input, str) else body.input
    tokens = sum(_counted(embedder, texts))
    passages = [PassageText(title="", text=text, sentences=()) for text in texts]
    found = [one.passage.astype("<f4") for one in await embedder.passages(passages)]
    is_packed = body.encoding_format == "base64"
    return EmbeddingList(
        data=[
            EmbeddingShape(index=at, embedding=_packed(one) if is_packed else one.tolist())
            for at, one in enumerate(found)
        ],
        model=MODEL,
        usage=EmbeddingsUsage(prompt_tokens=tokens, total_tokens=tokens),
    )


def _counted(embedder: Embedder, texts: list[str]) -> list[int]:
    """Return the tokens of each text; raises `BadInput` for one that has too many."""
    counts = [len(embedder.token_ends(text)) for text in texts]
    most = embedder.max_tokens - _SPECIAL
    for at, count in enumerate(counts):
        if count > most:
            said = f"input[{at}]: at most {most} tokens; it has {count:,}."
            raise BadInput(said, field=f"input[{at}]")
    return counts


def _packed(vector: np.ndarray) -> str:
    return base64.b64encode(vector.tobytes()).decode("ascii")
