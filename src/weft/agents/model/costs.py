"""What a model's reply costs: by a price that is set, else by the built-in table of prices.

Both are dated: of several prices of a model that one counts which held on the day of the reply.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from fnmatch import fnmatchcase

from genai_prices import Usage as PricedUsage
from genai_prices import calc_price
from pydantic_ai.messages import ModelResponse

from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.language.patterns import pattern

_MILLION = Decimal(1_000_000)
_BEGINNING = date(1, 1, 1)
_ENTRY = pattern(
    r"(?:(?P<model>[^\s,@=]+)(?:@(?P<since>\d{4}-\d{2}-\d{2}))?\s*=\s*)?"
    r"(?P<input>\d+(?:\.\d+)?)/(?P<output>\d+(?:\.\d+)?)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tariff:
    """Dollars per million tokens, of the models that a pattern names, from a day on."""

    input: Decimal
    output: Decimal
    model: str = "*"
    since: date = _BEGINNING

    def price(self, input_tokens: int, output_tokens: int) -> Decimal:
        """Return dollars."""
        return (input_tokens * self.input + output_tokens * self.output) / _MILLION


class PriceList:
    """Prices that an organisation has set, before those of the built-in table."""

    def __init__(self, tariffs: Sequence[Tariff] = ()) -> None:
        """Take the prices that are set."""
        # The most exact pattern counts, then the latest day.
        self._tariffs = sorted(tariffs, key=lambda one: (-len(one.model), -one.since.toordinal()))

    def of(self, model: str, day: date) -> Tariff | None:
        """Return the price that is set for a model on a day."""
        fits = (one for one in self._tariffs if fnmatchcase(model.casefold(), one.model.casefold()))
        return next((one for one in fits if one.since <= day), None)

    def cost(self, reply: ModelResponse) -> Decimal | None:
        """Return dollars; None where neither this list nor the table knows the model's price."""
        usage, name = reply.usage, reply.model_name or ""
        tariff = self.of(name, reply.timestamp.date())
        if tariff is not None:
            return tariff.price(usage.input_tokens, usage.output_tokens)
        if not name:
            return None
        try:
            return reply.cost().total_price
        except (LookupError, ValueError):  # an unknown model, or a reply that does not count
            return None

    def estimate(self, model: str, *, input_tokens: int, output_tokens: int) -> Decimal | None:
        """Return dollars for so many tokens today; None where nobody knows the price."""
        now = datetime.now(UTC)
        tariff = self.of(model, now.date())
        if tariff is not None:
            return tariff.price(input_tokens, output_tokens)
        tokens = PricedUsage(input_tokens=input_tokens, output_tokens=output_tokens)
        try:
            return calc_price(tokens, model, genai_request_timestamp=now).total_price
        except (LookupError, ValueError):
            return None


def read_prices(text: str) -> PriceList:
    """Return the prices written as `0.15/0.60` or `gpt-5*=1.25/10, gpt-5*@2026-12-01=1/8`.

    Raises `BadInput` naming what is no price.
    """
    return PriceList([_tariff(one.strip()) for one in text.split(",") if one.strip()])


def _tariff(text: str) -> Tariff:
    match = _ENTRY.fullmatch(text)
    if match is None:
        raise BadInput(
            f"'{text}' is no price; write it as 0.15/0.60 or MODEL=0.15/0.60 or"
            " MODEL@2026-12-01=0.15/0.60: dollars per million tokens in and out."
        )
    try:
        since = date.fromisoformat(match["since"]) if match["since"] else _BEGINNING
    except ValueError:
        raise BadInput(f"'{match['since']}' is no day: in the price '{text}'.") from None
    return Tariff(
        input=Decimal(match["input"]),
        output=Decimal(match["output"]),
        model=match["model"] or "*",
        since=since,
    )
