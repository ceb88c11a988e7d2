"""What drivers of servers write to their logs stays out of the terminal."""

from __future__ import annotations

import subprocess
import sys

import pytest

MODULES = {"neo4j": "weft.adapters.neo4j.database", "psycopg": "weft.adapters.sql.database.server"}


@pytest.mark.parametrize("driver", list(MODULES))
def test_a_drivers_warning_is_not_written_to_the_terminal(driver: str) -> None:
    program = (
        f"import logging, {MODULES[driver]}; logging.getLogger('{driver}.pool').warning('retried')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr == ""
