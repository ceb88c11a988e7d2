"""What one passage teaches retrieval by itself, before any other passage is known."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from weft.domain.frozen import dataclass


class SpanReading(IntEnum):
    """When a span counts: its first word may be a capital only because it begins a sentence."""

    ALWAYS = 0
    UNLESS_COMMON = 1
    ONLY_IF_COMMON = 2


class DefinitionKind(IntEnum):
    """Where a definition name was found."""

    TITLE = 0
    DEFINITION = 1
    FALLBACK = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A normalised word, whether it has a capital or a digit, and its sentence (-1: the title)."""

    word: str
    flagged: bool
    sentence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NameSpan:
    """A span of capitalised words: key, sentence, when it counts, and its first word."""

    key: str
    sentence: int
    reading: SpanReading
    word0: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A name that the passage defines."""

    key: str
    kind: DefinitionKind
    order: int
    reading: SpanReading
    word0: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalFacts:
    """All local facts of one passage, as strings: nothing here depends on another document.

    `cases` counts each word in lower and in upper case; `terms` holds stem frequencies of
    `title\\nchunk` without stop words, `length` their sum.
    """

    tokens: tuple[Token, ...]
    spans: tuple[NameSpan, ...]
    definitions: tuple[Definition, ...]
    cases: tuple[tuple[str, int, int], ...]
    terms: tuple[tuple[str, int], ...]
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectors:
    """Unit vectors of a passage: `passage` float32[d], `sentences` float32[n, d] in order."""

    passage: npt.NDArray[np.float32]
    sentences: npt.NDArray[np.float32]
