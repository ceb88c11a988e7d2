"""Versions of packages are those that the standard library tells."""

from __future__ import annotations

from importlib.metadata import distributions
from pathlib import Path

import pytest

from weft.adapters.reader.installed import version_of


def test_each_installed_package_has_the_version_that_it_states() -> None:
    known = {one.metadata["Name"]: one.version for one in distributions()}
    assert len(known) > 20
    assert {name: version_of(name) for name in known} == known


def test_a_package_that_is_not_there_has_none() -> None:
    assert version_of("no-such-package-anywhere") is None


def test_what_states_no_version_is_asked_of_the_standard_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "odd_one-1.0.dist-info"
    made.mkdir()
    (made / "METADATA").write_text("Name: odd-one\n\nVersion: 9\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert version_of("odd.one") is None
