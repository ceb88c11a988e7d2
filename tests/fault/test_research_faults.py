"""Research by a model that misbehaves in every way: nothing hangs, no tool runs twice."""

from __future__ import annotations

import pytest

from research_chaos import research_chaos

pytestmark = [
    pytest.mark.anyio, pytest.mark.fault, pytest.mark.slow, pytest.mark.timeout(600),
]  # fmt: skip
RUNS, CHAOS = 6, 100
SHARES = [(0.05, 0.99), (0.2, 0.95), (0.5, 0.0)]


@pytest.mark.parametrize(("share", "least"), SHARES)
async def test_research_by_a_misbehaving_model(
    share: float, least: float, report: list[str]
) -> None:
    report.append(await _told(share, least=least, runs=RUNS))


@pytest.mark.chaos
@pytest.mark.parametrize(("share", "least"), SHARES)
async def test_much_research_by_a_misbehaving_model(
    share: float, least: float, report: list[str]
) -> None:
    report.append(await _told(share, least=least, runs=CHAOS))


async def _told(share: float, *, least: float, runs: int) -> str:
    tally = await research_chaos(share, runs, seed=round(share * 100))
    assert tally.runs == runs
    assert tally.hung == 0
    assert tally.tools_twice == 0
    assert tally.success >= least
    return f"research {tally.line(share)}"
