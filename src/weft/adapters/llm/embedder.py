"""Vectors from an endpoint: any that speaks OpenAI's embeddings protocol, Ollama's too."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import openai
from pydantic import BaseModel, ConfigDict, FiniteFloat, ValidationError

from weft.domain.errors import BadModelReply, ModelUnavailable
from weft.domain.facts import Vectors
from weft.domain.frozen import dataclass
from weft.language.hangul import SCRIPT
from weft.ports.embedder import PassageText

Array = npt.NDArray[np.float32]

# Hangul, kana and ideographs are words of one character; other runs count as several words when
# long, since an address or a key is many tokens.
_IDEOGRAPHS = f"{SCRIPT}\u2e80-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_IDEOGRAPHS}]|[^\s{_IDEOGRAPHS}]{{1,16}}")
_TENTHS_OF_TOKENS_A_WORD = 13
_NO_KEY = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointModel:
    """A model behind an endpoint, and the limits of a call to it.

    `provider` is the word before the colon in the setting (`openai`, `ollama` ...); `timeout` is
    for one attempt and `deadline` for one batch with all its attempts, both in seconds.
    """

    provider: str
    name: str
    base_url: str
    dimensions: int
    api_key: str = ""
    max_tokens: int = 512
    batch: int = 64
    timeout: float = 30.0
    retries: int = 4
    deadline: float = 120.0


class _Item(BaseModel):
    model_config = ConfigDict(frozen=True)

    embedding: tuple[FiniteFloat, ...]
    index: int | None = None


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True)

    data: tuple[_Item, ...]


class EndpointEmbedder:
    """An `Embedder` over HTTP. It has no token states, so it gives no sentence vectors."""

    def __init__(self, model: EndpointModel) -> None:
        """Take the model; nothing is sent before the first text."""
        self._model = model
        self._client = openai.AsyncOpenAI(
            api_key=model.api_key or _NO_KEY,
            base_url=model.base_url,
            timeout=model.timeout,
            max_retries=model.retries,
        )

    @property
    def fingerprint(self) -> str:
        """Return provider, model and d; the address is left out, a model may move."""
        return f"{self._model.provider}:{self._model.name}/{self._model.dimensions}"

    @property
    def dimensions(self) -> int:
        """Return d as configured; a reply of another length is an error."""
        return self._model.dimensions

    @property
    def max_tokens(self) -> int:
        """Return how many tokens, counted as `token_ends` does, are sent of one text."""
        return self._model.max_tokens

    def token_ends(self, text: str) -> Sequence[int]:
        """Return the ends of the words, every fourth or third of them twice: 1.3 tokens a word.

        The tokenizer behind an endpoint is not known. After n words there are ⌊1.3 n⌋ ends.
        """
        ends: list[int] = []
        for count, word in enumerate(_WORD.finditer(text), start=1):
            due = count * _TENTHS_OF_TOKENS_A_WORD // 10
            ends += [word.end()] * (due - len(ends))
        return ends

    async def passages(self, texts: Sequence[PassageText]) -> list[Vectors]:
        """Return the vector of each `title\\ntext`, with float32[0, d] for its sentences.

        Raises `ModelUnavailable` or `BadModelReply`.
        """
        rows = await self.queries(
            [f"{text.title}\n{text.text}" if text.title else text.text for text in texts]
        )
        nothing = np.empty((0, self.dimensions), np.float32)
        return [Vectors(passage=row, sentences=nothing) for row in rows]

    async def queries(self, texts: Sequence[str]) -> Array:
        """Return float32[len(texts), d]; equal texts are sent once.

        Raises `ModelUnavailable` or `BadModelReply`.
        """
        sendable = [self._sendable(text) for text in texts]
        distinct = list(dict.fromkeys(sendable))
        rows: dict[str, Array] = {}
        for batch in _batches(distinct, self._model.batch):
            rows.update(zip(batch, await self._embed(batch), strict=True))
        if not rows:
            return np.empty((0, self.dimensions), np.float32)
        return np.stack([rows[text] for text in sendable])

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    def _sendable(self, text: str) -> str:
        """Return the text cut to `max_tokens`; a blank for the empty text, which is refused."""
        ends = self.token_ends(text)
        if len(ends) > self.max_tokens:
            text = text[: ends[self.max_tokens - 1]]
        return text.encode("utf-8", "replace").decode("utf-8") or " "

    async def _embed(self, batch: list[str]) -> Array:
        """Return unit vectors of one batch, float32[len(batch), d]."""
        raw = await self._ask(batch)
        try:
            reply = _Reply.model_validate_json(raw)
        except ValidationError as error:
            problem = error.errors(include_input=False, include_url=False)[0]["msg"]
            raise BadModelReply(f"{self._model.name} sent no vectors: {problem}") from None
        return self._vectors(reply, len(batch))

    async def _ask(self, batch: list[str]) -> bytes:
        """Return the body of the reply; the client repeats what may pass, within the deadline.

        Those are resets, timeouts, 408, 409, 429 and 5xx, with growing pauses or those the server
        asks for by Retry-After. Messages name the model and the status, never the texts sent.
        """
        try:
            async with asyncio.timeout(self._model.deadline):
                reply = await self._client.embeddings.with_raw_response.create(
                    input=batch, model=self._model.name, encoding_format="float"
                )
        except openai.APIStatusError as error:
            message = f"{self._model.name} answers with status {error.status_code}"
            raise ModelUnavailable(message, status=error.status_code) from None
        except (TimeoutError, openai.APITimeoutError) as error:
            raise ModelUnavailable(f"{self._model.name} does not answer in time") from error
        except openai.APIConnectionError as error:
            message = f"{self._model.name} cannot be reached at {self._client.base_url.host}"
            raise ModelUnavailable(message) from error
        return reply.content

    def _vectors(self, reply: _Reply, count: int) -> Array:
        """Return the vectors in the order asked, or raise `BadModelReply`."""
        items = reply.data
        if all(item.index is not None for item in items):
            items = tuple(sorted(items, key=lambda item: item.index or 0))
        if len(items) != count or any(
            item.index not in (None, place) for place, item in enumerate(items)
        ):
            raise BadModelReply(f"{self._model.name} sent other vectors than were asked for")
        for found in {len(item.embedding) for item in items} - {self.dimensions}:
            raise BadModelReply(
                f"{self._model.name} gives {found} numbers a vector, {self.dimensions} are"
                f" configured; set EMBEDDING_DIMENSION to {found}",
                found=found,
                configured=self.dimensions,
            )
        return self._unit(np.array([item.embedding for item in items], np.float64))

    def _unit(self, rows: npt.NDArray[np.float64]) -> Array:
        with np.errstate(over="ignore"):
            norms = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
        if not np.all((norms > 0) & np.isfinite(norms)):
            raise BadModelReply(f"{self._model.name} sent a vector without a direction")
        unit: Array = (rows / norms).astype(np.float32)
        return unit


def _batches(texts: list[str], size: int) -> Iterator[list[str]]:
    for begin in range(0, len(texts), size):
        yield texts[begin : begin + size]
