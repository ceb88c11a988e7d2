"""What passes from the store to a run: the policy looks first, the record says what was read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from weft.agents.tools.library import RunLibrary, RunReader
from weft.domain.errors import PolicyViolation
from weft.domain.event import EventType
from weft.domain.ids import DocumentId
from weft.platform.policy import apply, violation_data
from weft.ports.policy import Action, Place, Violation
from weft.ports.records.tape import RunSource
from weft.retrieval.hits import Hit


class Passing:
    """Lets passages pass for one run, and keeps which documents it was given."""

    def __init__(self, library: RunLibrary, reader: RunReader) -> None:
        """Take the policy and the record, and who reads."""
        self._library = library
        self._reader = reader
        self._known: set[RunSource] = set()

    async def let_pass(self, hits: Iterable[Hit]) -> list[Hit]:
        """Return passages as far as the policy lets them pass.

        The run's record says which documents it read before anybody sees their text.
        """
        passed = [hit for hit in [await self._passed(hit) for hit in hits] if hit is not None]
        await self._read(passed)
        return passed

    async def whole(self, hits: Sequence[Hit]) -> list[Hit] | None:
        """Return passages if all of them may pass, else None: then none was read."""
        passed = [hit for hit in [await self._passed(hit) for hit in hits] if hit is not None]
        if len(passed) < len(hits):
            return None
        await self._read(passed)
        return passed

    async def is_open(self, texts: Iterable[str]) -> bool:
        """Tell whether the policy lets some texts pass as they are."""
        for text in texts:
            try:
                verdict = await apply(
                    self._library.policy, self._reader.scope, Place.RETRIEVED, text=text
                )
            except PolicyViolation as error:
                self._tell(Violation(rule=error.code, action=Action.BLOCK, excerpt=""))
                return False
            for violation in verdict.violations:
                self._tell(violation)
            if verdict.text != text:
                return False
        return True

    async def read(self, documents: Iterable[tuple[str, DocumentId]]) -> None:
        """Take down that the run was given something of some documents (knowledge base, id)."""
        sources = {RunSource(knowledge_base=base, document=one) for base, one in documents}
        new = sorted(sources - self._known)
        if new:
            await self._library.tape.add_sources(self._reader.scope, self._reader.run_id, new)
            self._known |= sources

    async def _read(self, hits: Sequence[Hit]) -> None:
        await self.read((hit.evidence.knowledge_base, hit.evidence.document_id) for hit in hits)

    async def _passed(self, hit: Hit) -> Hit | None:
        policy, scope = self._library.policy, self._reader.scope
        try:
            verdict = await apply(policy, scope, Place.RETRIEVED, text=hit.evidence.text)
        except PolicyViolation as error:
            self._tell(Violation(rule=error.code, action=Action.BLOCK, excerpt=""))
            return None
        for violation in verdict.violations:
            self._tell(violation)
        if verdict.text == hit.evidence.text:
            return hit
        # Another text has other sentences: spans and cosines of the old one do not fit it.
        evidence = replace(hit.evidence, text=verdict.text, sentences=())
        return replace(hit, evidence=evidence, cosines=())

    def _tell(self, violation: Violation) -> None:
        data = violation_data(Place.RETRIEVED, violation)
        self._reader.emit(EventType.POLICY_VIOLATION, data)
