"""What is read of a sheet of words is what people have written."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from house.source import WEFT

TOOL = Path(__file__).parents[2] / "tools" / "sheets.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sheets", TOOL)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_every_sheet_has_its_twin(tool: ModuleType) -> None:
    sheets = tool.sheets_of(WEFT)
    assert sheets
    stale = [
        one.name
        for one in sheets
        if not one.with_suffix(".json").exists()
        or one.with_suffix(".json").read_text(encoding="utf-8") != tool.twin_of(one)
    ]
    assert not stale, "run make sheets"
