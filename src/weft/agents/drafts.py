"""What a model hands in: sentences that name their evidence, to be checked before believed."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema


class DraftSentence(BaseModel):
    """One sentence and the ids of the evidence that bears it out."""

    model_config = ConfigDict(frozen=True)

    text: str = Field(min_length=1, max_length=2000)
    evidence_ids: list[str] = Field(max_length=20)


class DraftAnswer(BaseModel):
    """The sentences of an answer; with none of them, `missing` names what was not found.

    `short` states the answer in a few words and `reason` says why there is none: both are taken
    only from the offline rules, which compute them from the sentences that they cite.
    """

    model_config = ConfigDict(frozen=True)

    sentences: list[DraftSentence] = Field(max_length=40)
    missing: list[str] = Field(default_factory=list, max_length=20)
    short: SkipJsonSchema[str] = Field(default="", max_length=300)
    reason: SkipJsonSchema[str] = Field(default="", max_length=600)
    notes: SkipJsonSchema[list[str]] = Field(default_factory=list, max_length=10)
