"""What a model hands in: sentences that name their evidence, to be checked before believed."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class DraftSentence(BaseModel):
    """One sentence and the ids of the evidence that bears it out."""

    model_config = ConfigDict(frozen=True)

    text: str = Field(min_length=1, max_length=2000)
    evidence_ids: list[str] = Field(max_length=20)


class DraftAnswer(BaseModel):
    """The sentences of an answer; with none of them, `missing` names what was not found."""

    model_config = ConfigDict(frozen=True)

    sentences: list[DraftSentence] = Field(max_length=40)
    missing: list[str] = Field(default_factory=list, max_length=20)
