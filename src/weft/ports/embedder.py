"""Vectors for passages and questions, and what reads both together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from weft.domain.document import Span
from weft.domain.facts import Vectors
from weft.domain.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageText:
    """What is embedded of a chunk: `title\\ntext`; `sentences` are spans within `text`."""

    title: str
    text: str
    sentences: tuple[Span, ...]


class Embedder(Protocol):
    """Turns text into unit vectors: the same text gives the same bits in any company."""

    @property
    def fingerprint(self) -> str:
        """Return what an index must have been made with to be comparable (model, variant, d)."""
        ...

    @property
    def dimensions(self) -> int:
        """Return d, the length of a vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """Return how many tokens one passage may have, title and special tokens included."""
        ...

    def token_ends(self, text: str) -> Sequence[int]:
        """Return the end offset in `text` of each token, in order, without special tokens."""
        ...

    async def passages(self, texts: Sequence[PassageText]) -> list[Vectors]:
        """Return the passage and sentence vectors of each text, in order.

        A sentence past the last token of a truncated passage gets the passage's own vector.
        """
        ...

    async def queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return float32[len(texts), d]."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TextUnder:
    """A text and the headings that it stands under, from the title down."""

    head: tuple[str, ...]
    text: str


class CrossReader(Protocol):
    """Tells of texts how well each answers a question, and of plans whether it means them."""

    def prepare(self) -> None:
        """Begin to open what reading needs, beside whatever the caller does meanwhile."""
        ...

    def read(self, question: str, texts: Sequence[TextUnder]) -> npt.NDArray[np.float64] | None:
        """Return float64[texts, 2], the higher the likelier; None where it cannot read.

        The first column compares the texts of one question with each other, the second is the
        logit of the chance that a text answers, whatever the others say. Blocks for some ten
        milliseconds: not for the thread of a loop.
        """
        ...

    def read_plans(self, question: str, plans: Sequence[str]) -> npt.NDArray[np.float64] | None:
        """Return float64[plans, 2] as `read` does, of plans over tables that are told in words."""
        ...
