"""One name, one meaning: of classes, of folders and test files, and of the paths in the docs."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

from house.source import ROOT, WEFT, lines, trees

UNIT = ROOT / "tests" / "unit"
MODULES_A_ROOM = 20
# Tests of what is beside the product.
BESIDE = {"bench"}
# `room/file.py`, and after a colon what is meant in it.
PATH = re.compile(r"`([\w/]+\.py)(?:: ([\w.]+))?[^`]*`")


def _homes() -> dict[str, list[str]]:
    """Return where each public class of a module is defined, by its name."""
    homes: defaultdict[str, list[str]] = defaultdict(list)
    for path, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path.relative_to(WEFT).as_posix())
    return homes


def test_no_two_public_classes_share_a_name() -> None:
    twice = {name: where for name, where in _homes().items() if len(where) > 1}
    wrong = [f"{name}: {', '.join(twice[name])}" for name in twice]
    assert not wrong, lines(wrong)


def _modules() -> dict[str, set[str]]:
    """Return the names of the modules of each folder, by its path below the product."""
    modules: defaultdict[str, set[str]] = defaultdict(set)
    for path in trees():
        if path.name != "__init__.py":
            modules[path.parent.relative_to(WEFT).as_posix()].add(path.stem)
    return modules


def test_a_room_has_at_most_20_modules() -> None:
    # Alembic's scripts are added to without end.
    sizes = {room: len(own) for room, own in _modules().items() if not room.endswith("/versions")}
    assert not {room: size for room, size in sizes.items() if size > MODULES_A_ROOM}


def _unit_tests() -> list[tuple[str, Path]]:
    """Return the tests of single rooms, each with the room that its folder names."""
    found = [(path.parent.relative_to(UNIT).as_posix(), path) for path in UNIT.rglob("test_*.py")]
    return [(room, path) for room, path in found if room.split("/")[0] not in BESIDE]


def test_the_folders_of_the_unit_tests_are_rooms() -> None:
    wrong = {room for room, _ in _unit_tests() if not (WEFT / room / "__init__.py").exists()}
    assert not wrong, lines(wrong)


def test_a_test_that_is_named_after_a_module_lies_in_its_room() -> None:
    modules = _modules()
    every = set[str]().union(*modules.values())
    wrong = [
        path.relative_to(ROOT).as_posix()
        for room, path in _unit_tests()
        if (module := path.stem.removeprefix("test_")) in every
        and module not in modules.get(room, set())
    ]
    assert not wrong, lines(wrong)


def test_every_path_in_the_docs_is_there() -> None:
    wrong = []
    for page in ("glossary.md", "architecture.md"):
        for path, meant in PATH.findall((ROOT / "docs" / page).read_text(encoding="utf-8")):
            file = (ROOT if path.startswith("tests/") else WEFT) / path
            if not file.exists():
                wrong.append(f"docs/{page}: {path}")
            elif not _holds(file, meant):
                wrong.append(f"docs/{page}: {path} has no {meant}")
    assert not wrong, lines(wrong)


def _holds(file: Path, meant: str) -> bool:
    text = file.read_text(encoding="utf-8")
    return all(re.search(rf"\b{word}\b", text) for word in filter(None, meant.split(".")))


@pytest.mark.parametrize("way", ["document", "question"])
def test_a_way_through_the_house_enters_at_most_eight_files_and_none_twice(way: str) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = page.split(f"## The way of one {way}\n")[1].split("\n## ")[0]
    entered = re.findall(r"`([\w/]+\.py)`", section)
    assert 5 <= len(entered) <= 8
    assert len(set(entered)) == len(entered)
