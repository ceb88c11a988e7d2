"""A model that misbehaves in every way it can: nothing hangs, no tool runs twice, answers come."""

from __future__ import annotations

import pytest

from model_chaos import chaos

pytestmark = [
    pytest.mark.anyio, pytest.mark.fault, pytest.mark.slow, pytest.mark.timeout(600),
]  # fmt: skip
FLOWS = ("rag", "router", "semantic")
RUNS, CHAOS = 12, 200
SHARES = [(0.05, 0.99), (0.2, 0.95), (0.5, 0.0)]


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize(("share", "least"), SHARES)
async def test_a_misbehaving_model(
    flow: str, share: float, least: float, report: list[str]
) -> None:
    report.append(await _told(flow, share, least=least, runs=RUNS))


@pytest.mark.chaos
@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize(("share", "least"), SHARES)
async def test_a_misbehaving_model_many_times(
    flow: str, share: float, least: float, report: list[str]
) -> None:
    report.append(await _told(flow, share, least=least, runs=CHAOS))


async def _told(flow: str, share: float, *, least: float, runs: int) -> str:
    tally = await chaos(share, runs, seed=round(share * 100), flow=flow)
    assert tally.runs == runs
    # Each run asks for itself: what one was told is no other's.
    assert tally.requests >= 2 * runs
    assert tally.hung == 0
    assert tally.tools_twice == 0
    assert tally.success >= least
    return f"{flow}: {tally.line(share)}"
