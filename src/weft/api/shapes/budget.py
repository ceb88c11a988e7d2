"""What a run may spend, as callers say it."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from weft.flows.asking import limits_of
from weft.runtime.amounts import Limits

_MOST = 10**12
Count = Annotated[int | None, Field(ge=0, le=_MOST)]


class BudgetShape(BaseModel):
    """The most a run may spend; `money` is in dollars, `time` in seconds.

    What is not named is as the flow has it; nothing goes past what the service allows.
    """

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"tokens": 50000}})

    tokens: Count = None
    money: Decimal | None = Field(default=None, ge=0, le=_MOST)
    time: float | None = Field(default=None, ge=0, le=_MOST)
    iterations: Count = None
    tool_calls: Count = None

    def limits(self) -> Limits:
        """Return it as the kernel reads it."""
        return limits_of(self.model_dump())
