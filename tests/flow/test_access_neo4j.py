"""What one may not read changes nothing that one is answered from a server either."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flow.test_access_differential import checked

WORLDS = 1


@pytest.mark.server("neo4j")
@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_what_one_may_not_read_changes_nothing_on_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPH_SECRET", os.environ.get("NEO4J_PASSWORD", ""))
    store = f"{os.environ['NEO4J_URI']}?password=env:GRAPH_SECRET"
    checked(tmp_path, range(5000, 5000 + WORLDS), store=store, shelves=1)
