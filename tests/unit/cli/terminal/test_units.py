"""Times with their units, as people say them."""

from __future__ import annotations

import pytest

from weft.cli.terminal.units import left, took


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.0004, "0 ms"),
        (0.4251, "425 ms"),
        (0.9996, "1.0 s"),
        (1.24, "1.2 s"),
        (59.96, "1 min 0 s"),
        (125, "2 min 5 s"),
        (3840, "1 h 4 min"),
    ],
)
def test_what_something_took(seconds: float, said: str) -> None:
    assert took(seconds) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (3, "a few seconds left"),
        (38, "40 seconds left"),
        (58, "1 minute left"),
        (178, "3 minutes left"),
        (3590, "1 hour left"),
        (4800, "1 hour 20 minutes left"),
    ],
)
def test_how_long_it_will_take(seconds: float, said: str) -> None:
    assert left(seconds) == said
