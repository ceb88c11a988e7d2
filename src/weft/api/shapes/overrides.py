"""What a person says that names of a question mean, as it comes in."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from weft.domain.entity import EntityOverride

_NODE = Annotated[str, Field(min_length=1, max_length=2000)]
_LABEL = Annotated[str, Field(max_length=100)]
_ENTITY = Annotated[str, Field(min_length=1, max_length=300)]


class OverrideShape(BaseModel):
    """A person's word that a name of the question means a node that was offered for it."""

    model_config = ConfigDict(extra="forbid")

    question_entity: _ENTITY
    node_id: _NODE
    database: str = Field(default="", max_length=100)
    display_name: str = Field(default="", max_length=300)
    labels: Annotated[list[_LABEL], Field(max_length=64)] = Field(default_factory=list)

    def override(self) -> EntityOverride:
        """Return it as flows take it."""
        return EntityOverride(
            question_entity=self.question_entity,
            node_id=self.node_id,
            database=self.database,
            display_name=self.display_name,
            labels=tuple(self.labels),
        )


Overrides = Annotated[list[OverrideShape], Field(max_length=20)]
