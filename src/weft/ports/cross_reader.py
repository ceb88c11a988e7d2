"""What reads a question and a text together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from weft.domain.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TextUnder:
    """A text and the headings that it stands under, from the title down."""

    head: tuple[str, ...]
    text: str


class CrossReader(Protocol):
    """Tells of texts how well each answers a question."""

    def read(self, question: str, texts: Sequence[TextUnder]) -> npt.NDArray[np.float64] | None:
        """Return float64[texts, 2], the higher the likelier; None where it cannot read.

        The first column compares the texts of one question with each other, the second is the
        logit of the chance that a text answers, whatever the others say. Blocks for some ten
        milliseconds: not for the thread of a loop.
        """
        ...
