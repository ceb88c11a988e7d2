"""A model that fails in a row is left alone, then tried by one call."""

from __future__ import annotations

from typing import cast

from weft.agents.model.breaker import MOST_FAILURES, PAUSE_S, Breaker
from weft.ports.clock import Clock


class HandClock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def elapsed(self) -> float:
        return self.now_s


def broken() -> tuple[Breaker, HandClock]:
    clock = HandClock()
    breaker = Breaker(cast("Clock", clock))
    for _ in range(MOST_FAILURES):
        assert breaker.admits()
        breaker.failed()
    return breaker, clock


def test_it_opens_after_failures_in_a_row() -> None:
    breaker, clock = broken()
    assert not breaker.admits()
    assert breaker.failures == MOST_FAILURES
    clock.now_s += PAUSE_S - 1
    assert not breaker.admits()


def test_a_reply_in_between_counts_anew() -> None:
    breaker = Breaker(cast("Clock", HandClock()))
    for _ in range(10):
        breaker.failed()
        breaker.failed()
        breaker.replied()
    assert breaker.admits()


def test_after_the_pause_one_call_tries_it() -> None:
    breaker, clock = broken()
    clock.now_s += PAUSE_S
    assert breaker.admits()
    assert not breaker.admits()
    breaker.replied()
    assert breaker.admits()
    assert breaker.admits()


def test_a_trial_that_fails_begins_the_pause_anew() -> None:
    breaker, clock = broken()
    clock.now_s += PAUSE_S
    assert breaker.admits()
    breaker.failed()
    assert not breaker.admits()
    clock.now_s += PAUSE_S
    assert breaker.admits()


def test_a_trial_that_somebody_ended_leaves_its_place_to_the_next() -> None:
    breaker, clock = broken()
    clock.now_s += PAUSE_S
    assert breaker.admits()
    breaker.left()
    assert breaker.admits()
    assert not breaker.admits()
