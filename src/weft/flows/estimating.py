"""What a run will take, before it begins: by what such runs took, and at the most."""

from __future__ import annotations

from decimal import Decimal

from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.flows.flow import Flow
from weft.flows.services import Services
from weft.ports.records.usage import UsualRun
from weft.runtime.amounts import within


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEstimate:
    """What a run of a flow will take with a model; without one (`model` is "") nothing.

    `usual` tells what the last hundred such runs took. `most_tokens` and `most_money` (dollars) are
    never passed by more than one call; None where there is no limit, or no price is known.
    """

    flow: str
    model: str
    usual: UsualRun | None
    most_tokens: int | None
    most_money: Decimal | None


async def estimated(services: Services, flow: Flow, scope: Scope) -> RunEstimate:
    """Return what a run of a flow will take if its caller sets no limits."""
    model = services.filler.model
    if services.quota is None or services.filler.is_offline:
        return RunEstimate(
            flow=flow.name, model="", usual=None, most_tokens=0, most_money=Decimal(0)
        )
    given = await services.quota.left(scope, flow=flow.name, model=model)
    left = within(flow.spec.budget, services.most, given)
    dearest = None if left.tokens is None else services.filler.price(0, left.tokens)
    amounts = [one for one in (left.money, dearest) if one is not None]
    return RunEstimate(
        flow=flow.name,
        model=model,
        usual=await services.quota.usual(scope, flow=flow.name, model=model),
        most_tokens=left.tokens,
        most_money=min(amounts) if amounts else None,
    )
