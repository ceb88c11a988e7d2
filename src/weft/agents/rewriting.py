"""The rewriting role: a message of a conversation made into a question that stands alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

from weft.agents.roles import Role, RoleSettings
from weft.domain.frozen import dataclass
from weft.domain.outside.limits import Limit, Untold

# A model reads no more of the conversation than this; the rules read all of it.
_TURNS = 6
_ANSWER = 1500


@dataclass(frozen=True, slots=True, kw_only=True)
class PastTurn:
    """A turn of the past: the question as it was understood, the answer, and the cited titles."""

    question: str
    answer: str
    titles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """A message, and the turns before it, the oldest first."""

    message: str
    turns: Sequence[PastTurn]

    def told(self) -> str:
        """Return the last turns and the message as JSON."""
        said = [{**asdict(one), "answer": one.answer[:_ANSWER]} for one in self.turns[-_TURNS:]]
        return json.dumps({"turns": said, "message": self.message}, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RewrittenQuestion:
    """A question that stands alone, and whether it speaks of the last answer's documents.

    `about` are words for what it goes on from where it does not stand alone: only rules leave it
    so.
    """

    question: Annotated[str, Limit(min_length=1, max_length=2000)]
    points_to_documents: bool = False
    about: Annotated[str, Limit(max_length=600), Untold()] = ""


REWRITER: Role[Rewriting, RewrittenQuestion] = Role(
    name="rewriter",
    prompt="rewrite",
    output=RewrittenQuestion,
    tell=Rewriting.told,
    settings=RoleSettings(max_turns=3, max_tokens=8_000, timeout_s=20.0),
)
