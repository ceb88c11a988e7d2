"""Debates of a model that misbehaves in every way: nothing hangs, no tool runs twice."""

from __future__ import annotations

import pytest

from debate_chaos import debate_chaos

pytestmark = [
    pytest.mark.anyio, pytest.mark.fault, pytest.mark.slow, pytest.mark.timeout(600),
]  # fmt: skip
RUNS = 100


@pytest.mark.parametrize(("share", "least"), [(0.05, 0.99), (0.2, 0.95), (0.5, 0.0)])
async def test_a_debate_of_a_misbehaving_model(
    share: float, least: float, report: list[str]
) -> None:
    tally = await debate_chaos(share, RUNS, seed=round(share * 100))
    report.append(f"debate {tally.line(share)}")
    assert tally.runs == RUNS
    assert tally.hung == 0
    assert tally.tools_twice == 0
    assert tally.success >= least
