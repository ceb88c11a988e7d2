"""What the fault tests tell at the end of a run: where ingestion was killed and how it went on."""

from __future__ import annotations

import pytest
from _pytest.terminal import TerminalReporter

REPORT = pytest.StashKey[list[str]]()


@pytest.fixture
def report(pytestconfig: pytest.Config) -> list[str]:
    """Return the lines that are printed at the end of the run."""
    return pytestconfig.stash.setdefault(REPORT, [])


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Print what the tests reported."""
    lines = terminalreporter.config.stash.get(REPORT, [])
    if lines:
        terminalreporter.section("faults")
        for line in lines:
            terminalreporter.line(line)
