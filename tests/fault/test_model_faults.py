"""A model that misbehaves in every way it can: nothing hangs, no tool runs twice, answers come."""

from __future__ import annotations

import pytest

from model_chaos import chaos

pytestmark = [
    pytest.mark.anyio, pytest.mark.fault, pytest.mark.slow, pytest.mark.timeout(600),
]  # fmt: skip
RUNS = {"rag": 200, "router": 100, "semantic": 100}


@pytest.mark.parametrize("flow", RUNS)
@pytest.mark.parametrize(("share", "least"), [(0.05, 0.99), (0.2, 0.95), (0.5, 0.0)])
async def test_a_misbehaving_model(
    flow: str, share: float, least: float, report: list[str]
) -> None:
    tally = await chaos(share, RUNS[flow], seed=round(share * 100), flow=flow)
    report.append(f"{flow}: {tally.line(share)}")
    assert tally.runs == RUNS[flow]
    assert tally.hung == 0
    assert tally.tools_twice == 0
    assert tally.success >= least
