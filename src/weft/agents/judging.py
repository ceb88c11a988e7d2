"""The judging role: does a passage entail a sentence?"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

from weft.agents.roles import Role, RoleSettings
from weft.domain.frozen import dataclass
from weft.domain.outside.limits import Limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Entailment:
    """A passage, and a sentence that may follow from it."""

    passage: str
    sentence: str

    def told(self) -> str:
        """Return both as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """How surely whoever believes the passage believes the sentence, 0 to 1."""

    probability: Annotated[float, Limit(ge=0.0, le=1.0)]


JUDGE: Role[Entailment, Judgement] = Role(
    name="judge",
    prompt="judge",
    output=Judgement,
    tell=Entailment.told,
    settings=RoleSettings(timeout_s=20.0, max_turns=2, max_tokens=4_000, retries=1),
)
