"""What a question will take, said before it is asked."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from weft.cli.invocation import run, show_json
from weft.platform.identity import local_owner

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.flows.estimating import RunEstimate


def show_estimate(flow: str, *, as_json: bool) -> None:
    """Print what a run of a flow will take with the configured model; nothing is asked."""

    async def estimated(app: App) -> RunEstimate:
        from weft.bootstrap.flows import build_flows

        return await build_flows(app).estimate(local_owner(), flow)

    found = run(estimated, with_models=False, as_json=as_json)
    if as_json:
        show_json(_data(found))
        return
    # Here, because JSON needs nothing that draws.
    from weft.cli.screen import screen
    from weft.cli.terminal.tables import say

    for line in _lines(found):
        say(screen(), line)


def _data(found: RunEstimate) -> dict[str, object]:
    usual = found.usual
    return {
        "flow": found.flow,
        "model": found.model,
        "usual": None
        if usual is None
        else {
            "runs": usual.runs,
            "tokens": list(usual.tokens),
            "money": usual.money and [str(one) for one in usual.money],
        },
        "most_tokens": found.most_tokens,
        "most_money": None if found.most_money is None else str(found.most_money),
    }


def _lines(found: RunEstimate) -> list[str]:
    if not found.model:
        return ["No model is configured: the rules answer, and it costs nothing."]
    usual, most = found.usual, found.most_tokens
    lines = [f"No run of {found.flow} with {found.model} has been counted yet."]
    if usual is not None:
        money = "" if usual.money is None else f", {_dollars(usual.money)}"
        lines = [
            f"{found.flow} with {found.model}: usually {usual.tokens[0]:,} tokens, 95 of 100 within"
            f" {usual.tokens[1]:,}{money} (of the last {usual.runs} runs)."
        ]
    if most is not None:
        dearest = "" if found.most_money is None else f", at the most ${found.most_money:.4f}"
        lines.append(f"No run takes more than {most:,} tokens and one call{dearest}.")
    return lines


def _dollars(money: tuple[Decimal, Decimal]) -> str:
    return f"${money[0]:.4f} and ${money[1]:.4f}"
