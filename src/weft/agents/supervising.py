"""The supervising role: what agents concluded, each from a knowledge base of its own, compared."""

from __future__ import annotations

import json
from dataclasses import asdict

from pydantic import BaseModel, ConfigDict, Field

from weft.agents.answering import DraftSentence
from weft.agents.roles import Role
from weft.domain.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPassage:
    """What an agent cites, under its id in the debate."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What the agent of one knowledge base concluded: checked sentences and what they stand on."""

    knowledge_base: str
    sentences: tuple[DraftSentence, ...]
    passages: tuple[CitedPassage, ...]

    def text_of(self, sentence: DraftSentence) -> str:
        """Return the cited words that a sentence of this conclusion stands on."""
        own = set(sentence.evidence_ids)
        return "\n".join(one.text for one in self.passages if one.id in own)


@dataclass(frozen=True, slots=True, kw_only=True)
class Debated:
    """A question, and what each agent that answered it concluded."""

    question: str
    conclusions: tuple[Conclusion, ...]

    def told(self) -> str:
        """Return all of it as JSON."""
        said = [
            {
                "knowledge_base": one.knowledge_base,
                "sentences": [asdict(sentence) for sentence in one.sentences],
                "evidence": [
                    {"id": each.id, "title": each.title, "text": each.text} for each in one.passages
                ],
            }
            for one in self.conclusions
        ]
        return json.dumps({"question": self.question, "conclusions": said}, ensure_ascii=False)


class DebateDraft(BaseModel):
    """The sentences of a supervisor's answer, and which of them contradict each other.

    `disagreements` names sentences by their places, from 0, some for each thing that is disputed.
    """

    model_config = ConfigDict(frozen=True, defer_build=True)

    sentences: list[DraftSentence] = Field(max_length=200)
    disagreements: list[list[int]] = Field(default_factory=list, max_length=40)


SUPERVISOR: Role[Debated, DebateDraft] = Role(
    name="supervisor", prompt="supervise", output=DebateDraft, tell=Debated.told
)
