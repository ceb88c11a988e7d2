"""What the platform's own endpoints take and give: questions, modes, cards, traces."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from weft.domain.entity import EntityOverride
from weft.domain.errors import BadInput
from weft.flows.asking import LONGEST_QUESTION

Name = Annotated[str, Field(max_length=100)]
Names = Annotated[list[Name], Field(max_length=64)]
Question = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]


class PinnedEntity(BaseModel):
    """A thing that is meant by a name of the question, as its asker pins it."""

    model_config = ConfigDict(extra="forbid")

    question_entity: str = Field(min_length=1, max_length=500)
    node_id: str = Field(min_length=1, max_length=2000)
    database: Name = ""
    display_name: str = Field(default="", max_length=500)
    labels: Annotated[list[Name], Field(max_length=32)] = Field(default_factory=list)

    def override(self) -> EntityOverride:
        """Return it as flows take it."""
        return EntityOverride(
            question_entity=self.question_entity,
            node_id=self.node_id,
            database=self.database,
            display_name=self.display_name,
            labels=tuple(self.labels),
        )


Overrides = Annotated[list[PinnedEntity], Field(max_length=32)]


class AgentQuestion(BaseModel):
    """A question to agents; `kb`, or `databases`, names knowledge bases (all of them if empty)."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"query": "Who founded Apollo?"}},
    )

    query: Question
    kb: Names = Field(default_factory=list)
    databases: Names = Field(default_factory=list)
    stream: bool | None = None

    def bases(self) -> list[str]:
        """Return the knowledge bases that are named; raises `BadInput` where both fields are."""
        return named_once(self.kb, self.databases)


def named_once(kb: list[str], databases: list[str]) -> list[str]:
    """Return knowledge bases that are named in one of two fields, or raise `BadInput`."""
    if kb and databases:
        raise BadInput("databases: give kb or databases, not both; they mean the same.")
    return list(dict.fromkeys(kb or databases))
