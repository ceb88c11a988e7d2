"""What a run began with, as its tape keeps it: enough to go the same way once more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, cast

from weft.agents.answering import Caution
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows.asking import Asking, limits_data, limits_of
from weft.flows.services import Services
from weft.ports.records.tape import RunSource, Tape, TapeEntry, TapeKind
from weft.runtime.amounts import Limits
from weft.runtime.codec import StateCodec
from weft.runtime.context import RunSeed
from weft.stores.places import tells_places
from weft.verification.citations import Unsupported

_KEY = "start"


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """The state, the limits and the settings of a run; `model` is empty where rules answered.

    `flow` is the fingerprint of its graph, `sources` those that its searches kept to (None: all),
    `answers` what people and browsers said while it went on, `granted` what it was given besides;
    `written` is what the person who asks wrote, and `sees_places` whether that person is told where
    files lie.
    """

    flow: str
    state: Mapping[str, object]
    limits: Limits | None
    model: str
    unsupported: Unsupported
    caution: Caution
    sources: tuple[str, ...] | None = None
    answers: Mapping[str, object] = field(default_factory=dict)
    granted: tuple[Limits, ...] = ()
    written: tuple[str, ...] = ()
    sees_places: bool = True


def begin(flow: str, seed: RunSeed, *, services: Services) -> Beginning:
    """Return what a run begins with here and now."""
    sources = seed.scope.sources
    return Beginning(
        flow=flow,
        state=seed.state,
        limits=seed.limits,
        model=services.filler.model,
        unsupported=services.unsupported,
        caution=services.caution,
        sources=None if sources is None else tuple(sorted(sources)),
        sees_places=tells_places(seed.scope),
    )


class Beginnings:
    """Keeps the beginnings of runs on their tapes."""

    def __init__(self, tape: Tape, codec: StateCodec) -> None:
        """Take the tape, and what writes states as JSON."""
        self._tape = tape
        self._codec = codec

    async def keep(
        self, scope: Scope, run_id: RunId, known: Beginning, *, asking: Asking | None = None
    ) -> None:
        """Keep a beginning; what the conversation before it had read goes with its words."""
        read: frozenset[RunSource] = frozenset()
        if asking is not None:
            known = replace(known, written=asking.written)
            read = frozenset(asking.talk.read) if asking.talk is not None else read
        entry = TapeEntry(
            key=_KEY,
            kind=TapeKind.START,
            request_hash=known.flow,
            reply=self._written(known),
            sources=read,
        )
        await self._tape.put(scope, run_id, entry)

    async def find(self, scope: Scope, run_id: RunId) -> Beginning | None:
        """Return what a run began with; None where its tape does not say, or no longer."""
        entry = await self._tape.find(scope, run_id, _KEY)
        if entry is None or entry.source_deleted or not isinstance(entry.reply, Mapping):
            return None
        return self._read(entry.request_hash, entry.reply)

    async def answered(self, scope: Scope, run_id: RunId, answers: Mapping[str, object]) -> None:
        """Keep what was answered to a run that goes on."""
        known = await self.find(scope, run_id)
        if known is not None and answers:
            told = {**known.answers, **answers}
            await self.keep(scope, run_id, replace(known, answers=told))

    async def granted(self, scope: Scope, run_id: RunId, more: Limits) -> None:
        """Keep what a run was given besides."""
        known = await self.find(scope, run_id)
        if known is not None:
            await self.keep(scope, run_id, replace(known, granted=(*known.granted, more)))

    def _written(self, known: Beginning) -> dict[str, object]:
        return {
            "state": self._codec.encode(known.state),
            "limits": None if known.limits is None else limits_data(known.limits),
            "model": known.model,
            "unsupported": known.unsupported.value,
            "caution": known.caution.value,
            "sources": None if known.sources is None else list(known.sources),
            "answers": self._codec.encode(known.answers),
            "granted": [limits_data(more) for more in known.granted],
            "written": list(known.written),
            "sees_places": known.sees_places,
        }

    def _read(self, flow: str, said: Mapping[str, Any]) -> Beginning:
        return Beginning(
            flow=flow,
            state=cast("Mapping[str, object]", self._codec.decode(said["state"])),
            limits=None if said["limits"] is None else limits_of(said["limits"]),
            model=said["model"],
            unsupported=Unsupported(said["unsupported"]),
            caution=Caution(said["caution"]),
            sources=None if said["sources"] is None else tuple(said["sources"]),
            answers=cast("Mapping[str, object]", self._codec.decode(said["answers"])),
            granted=tuple(limits_of(more) for more in said["granted"]),
            written=tuple(said.get("written", ())),  # not said by tapes of before
            sees_places=said.get("sees_places", True),
        )
