"""The ladder of the ontology that comes with the product, loaded when a document needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.extraction.version import ladder_version
from weft.ontology.baseline import fingerprint
from weft.ports.clock import Clock

if TYPE_CHECKING:
    from weft.extraction.ladder.ladder import DocumentDraft, Extracted, Ladder


class BaselineLadder:
    """Climbs without a model; a question about a folder that has not changed never loads it."""

    def __init__(self, clock: Clock) -> None:
        """Load nothing yet."""
        self._clock = clock
        self._ladder: Ladder | None = None

    @property
    def version(self) -> str:
        """Return what the facts of a document depend on beside its text."""
        return ladder_version(fingerprint(), has_model=False)

    async def climb(self, draft: DocumentDraft) -> Extracted:
        """Fill a draft and return what it accepted; every chunk of it has an outcome."""
        if self._ladder is None:
            # Here, because the rules and their tables take long to load.
            from weft.extraction.ladder.ladder import Ladder
            from weft.ontology.catalog import load_baseline

            self._ladder = Ladder(ontology=load_baseline(), clock=self._clock)
        return await self._ladder.climb(draft)
