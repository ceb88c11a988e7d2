"""Vectors drawn from the words of a text, in place of the local network's: next to no work."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from weft.adapters.onnx.encoder import MiniLm, open_embedder
from weft.domain.facts import Vectors
from weft.ports.embedder import PassageText

_WORDS = 4096


class DrawnEmbedder:
    """Passages by their words, questions by the network: what asks cannot tell the difference."""

    def __init__(self, network: MiniLm) -> None:
        """Take the network that it stands for."""
        self._network = network
        self.fingerprint = network.fingerprint
        self.dimensions = network.dimensions
        self.max_tokens = network.max_tokens
        drawn = np.random.default_rng(7).standard_normal((_WORDS, self.dimensions))
        self._rows = drawn.astype(np.float32)
        self._places: dict[str, int] = {}

    def token_ends(self, text: str) -> Sequence[int]:
        """Return the end of each token, by the network's own tokenizer."""
        return self._network.token_ends(text)

    async def passages(self, texts: Sequence[PassageText]) -> list[Vectors]:
        """Return the means of each text's words, and of each of its sentences'."""
        return [self._vectors(each) for each in texts]

    async def queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the network's vectors."""
        return await self._network.queries(texts)

    async def close(self) -> None:
        """End the network's threads."""
        await self._network.close()

    def _vectors(self, each: PassageText) -> Vectors:
        """Return the vectors at little cost: else a tenth of a small change would be this."""
        said = [f"{each.title} {each.text}"]
        said += [each.text[span.start : span.end] for span in each.sentences]
        words = [one.split() or [""] for one in said]
        places = [self._place(word) for own in words for word in own]
        begins = np.cumsum([0, *(len(own) for own in words[:-1])])
        sums = np.add.reduceat(self._rows[places], begins, axis=0)
        made = sums / np.sqrt(np.einsum("ij,ij->i", sums, sums))[:, None]
        return Vectors(passage=made[0], sentences=made[1:])

    def _place(self, word: str) -> int:
        place = self._places.get(word)
        if place is None:
            place = self._places[word] = zlib.crc32(word.encode()) % _WORDS
        return place


@contextmanager
def drawn_vectors(cache: Path, *, wanted: bool) -> Iterator[None]:
    """Let the product be built with drawn vectors, if they are wanted."""
    if not wanted:
        yield
        return
    drawn = DrawnEmbedder(open_embedder(cache.resolve()))
    with patch("weft.bootstrap.app.open_embedder_of", lambda *_: (drawn, [])):
        yield
