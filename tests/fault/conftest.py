"""What the fault tests tell at the end of a run: where ingestion was killed and how it went on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from _pytest.terminal import TerminalReporter

from fault.neo4j_server import PrivateServer

REPORT = pytest.StashKey[list[str]]()


@pytest.fixture
def report(pytestconfig: pytest.Config) -> list[str]:
    """Return the lines that are printed at the end of the run."""
    return pytestconfig.stash.setdefault(REPORT, [])


@pytest.fixture(scope="session")
def neo4j_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateServer]:
    """Yield a Neo4j that tests may freeze and kill; each leaves it running."""
    made = PrivateServer(folder=tmp_path_factory.mktemp("neo4j") / "server")
    made.start()
    yield made
    made.stop()


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Print what the tests reported."""
    lines = terminalreporter.config.stash.get(REPORT, [])
    if lines:
        terminalreporter.section("faults")
        for line in lines:
            terminalreporter.line(line)
