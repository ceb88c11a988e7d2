"""The ladder of an ontology, loaded when a document needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.extraction.version import ladder_version
from weft.ontology.collection import Ontologies
from weft.ports.clock import Clock

if TYPE_CHECKING:
    from weft.extraction.ladder.ladder import DocumentDraft, Extracted, Ladder


class LateLadder:
    """Climbs without a model; a question about a folder that has not changed never loads it."""

    def __init__(self, ontologies: Ontologies, name: str, *, clock: Clock) -> None:
        """Load nothing yet; raises `BadInput` where there is no ontology of that name."""
        self._ontologies = ontologies
        self._name = name
        self._clock = clock
        self._ladder: Ladder | None = None
        self._fingerprint = ontologies.fingerprint(name)

    @property
    def version(self) -> str:
        """Return what the facts of a document depend on beside its text."""
        return ladder_version(self._fingerprint, has_model=False)

    async def climb(self, draft: DocumentDraft) -> Extracted:
        """Fill a draft and return what it accepted; every chunk of it has an outcome."""
        if self._ladder is None:
            # Here, because the rules and their tables take long to load.
            from weft.extraction.ladder.ladder import Ladder

            self._ladder = Ladder(ontology=self._ontologies.named(self._name), clock=self._clock)
        return await self._ladder.climb(draft)
