"""What is read of a sheet of words is what people have written."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from house.source import WEFT, lines

TOOL = Path(__file__).parents[2] / "tools" / "sheets.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sheets", TOOL)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_no_sheet_lists_a_word_twice(tool: ModuleType) -> None:
    sheets = tool.sheets_of(WEFT)
    assert sheets
    wrong = [f"{one.name}: {each}" for one in sheets for each in tool.doubles_in(one)]
    assert not wrong, lines(wrong)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("light: [come, look, come]", ["light: come"]),
        ("deep: {light: [{words: [a, b, a]}]}", ["deep.light.words: a"]),
        ("adverbs: then later thus hence here there today then", ["adverbs: then"]),
        (r"most: {pattern: '\b(?!(?:rest|test|rest)\b)most'}", ["most.pattern: rest"]),
        ("kin: {grandfather: [father, father]}", []),
        ("most: {has: [which one of the ten is the one]}", []),
        (r"most: {pattern: '(?:rest|test)|(?:rest|best)'}", []),
    ],
)
def test_what_is_listed_twice_is_told(
    tool: ModuleType, tmp_path: Path, said: str, found: list[str]
) -> None:
    sheet = tmp_path / "words.yaml"
    sheet.write_text(said, encoding="utf-8")
    assert list(tool.doubles_in(sheet)) == found


def test_a_sheet_with_a_double_is_refused(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = tmp_path / "offline" / "words.yaml"
    sheet.parent.mkdir()
    sheet.write_text("light: [come, come]", encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["sheets.py", str(tmp_path)])
    with pytest.raises(SystemExit, match="lists twice: light: come"):
        tool.main()
    assert not sheet.with_suffix(".json").exists()


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
