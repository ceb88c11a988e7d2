"""Every test of the engine runs once a walker."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from unit.runtime import flow_world

_LANGGRAPH = "langgraph"


@pytest.fixture(params=["simple", _LANGGRAPH], autouse=True, scope="module")
def walker(request: pytest.FixtureRequest) -> Iterator[str]:
    """Have all engines of a module walk in one way; without LangGraph in the other alone."""
    if request.param == _LANGGRAPH and find_spec(_LANGGRAPH) is None:
        pytest.skip("LangGraph is not installed (make setup EXTRAS=langgraph)")
    flow_world.WALKING.append(request.param)
    yield request.param
    flow_world.WALKING.pop()
