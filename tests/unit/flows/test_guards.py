"""What leaves passes the policy: of what may be meant, only what passes as it is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from weft.domain.answer import Answer, Meaning
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows.guards import GuardOutput
from weft.platform.identity import local_owner
from weft.ports.policy import Action, Place, Verdict, Violation
from weft.runtime.context import RunContext


class Masking:
    """A policy that masks a name wherever it leaves."""

    async def check(self, scope: Scope, place: Place, text: str) -> Verdict:
        del scope
        if place is not Place.OUTPUT or "Kittiwake" not in text:
            return Verdict(text=text)
        masked = text.replace("Kittiwake", "[name]")
        broken = Violation(rule="names", action=Action.REDACT, excerpt="[name]")
        return Verdict(text=masked, action=Action.REDACT, violations=(broken,))


async def test_a_meaning_that_the_policy_would_change_does_not_leave() -> None:
    kept = Meaning(id="0badcafe", text="Ships · most seats · show name")
    masked = Meaning(id="deadbeef", text="Ships · name = Kittiwake · show seats")
    answer = Answer(
        answer="Nothing answers this.",
        sentences=(),
        refused=True,
        missing=(),
        offline=True,
        run_id=RunId("r"),
        meanings=(masked, kept),
    )
    told: list[object] = []
    ctx = SimpleNamespace(
        state={"answer": answer}, scope=local_owner(), emit=lambda *said: told.append(said)
    )
    found = await GuardOutput(Masking()).run(cast("RunContext", ctx))
    assert found.answer is not None
    assert found.answer.meanings == (kept,)
    assert len(told) == 1
