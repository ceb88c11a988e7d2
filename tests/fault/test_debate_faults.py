"""Debates of a model that misbehaves in every way: nothing hangs, no tool runs twice."""

from __future__ import annotations

import pytest

from debate_chaos import debate_chaos

pytestmark = [
    pytest.mark.anyio, pytest.mark.fault, pytest.mark.slow, pytest.mark.timeout(600),
]  # fmt: skip
RUNS, CHAOS = 12, 100
SHARES = [(0.05, 0.99), (0.2, 0.95), (0.5, 0.0)]


@pytest.mark.parametrize(("share", "least"), SHARES)
async def test_a_debate_of_a_misbehaving_model(
    share: float, least: float, report: list[str]
) -> None:
    report.append(await _told(share, least=least, runs=RUNS))


@pytest.mark.chaos
@pytest.mark.parametrize(("share", "least"), SHARES)
async def test_many_debates_of_a_misbehaving_model(
    share: float, least: float, report: list[str]
) -> None:
    report.append(await _told(share, least=least, runs=CHAOS))


async def _told(share: float, *, least: float, runs: int) -> str:
    tally = await debate_chaos(share, runs, seed=round(share * 100))
    assert tally.runs == runs
    assert tally.hung == 0
    assert tally.tools_twice == 0
    assert tally.success >= least
    return f"debate {tally.line(share)}"
