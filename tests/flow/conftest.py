"""One built network for all workspaces of this folder's tests: it is the same in each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from weft import Weft


@pytest.fixture(scope="session")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder where the local model's network is built by whoever needs it first."""
    return tmp_path_factory.mktemp("network")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, network: Path) -> Path:
    """Return a workspace for the tests of one module."""
    return workspace(tmp_path_factory.mktemp("home"), network)


@pytest.fixture(scope="module")
def office(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, home: Path
) -> Iterator[Weft]:
    """Return a knowledge base of the FILES of a test's module, opened once."""
    folder = tmp_path_factory.mktemp("kept") / "office"
    folder.mkdir()
    for name, text in request.module.FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    with Weft.open(folder, home=home) as opened:
        yield opened


def workspace(folder: Path, network: Path) -> Path:
    """Return a workspace that has the network already."""
    (folder / "cache").symlink_to(network)
    return folder
