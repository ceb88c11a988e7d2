"""What a model's reply costs: by a tariff that is set, else by the built-in table of prices."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from pydantic_ai.messages import ModelResponse

_MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tariff:
    """Dollars per million tokens."""

    input: Decimal
    output: Decimal


def read_tariff(text: str) -> Tariff | None:
    """Return the tariff written as `0.15/0.60`; None for an empty text."""
    if not text:
        return None
    asked, given = text.split("/")
    return Tariff(input=Decimal(asked), output=Decimal(given))


def cost_of(reply: ModelResponse, tariff: Tariff | None) -> Decimal | None:
    """Return dollars; None where neither a tariff nor the table knows the model's price."""
    if tariff is not None:
        usage = reply.usage
        dollars = usage.input_tokens * tariff.input + usage.output_tokens * tariff.output
        return dollars / _MILLION
    if not reply.model_name:
        return None
    try:
        return reply.cost().total_price
    except (LookupError, ValueError):  # an unknown model, or a reply that does not count
        return None
