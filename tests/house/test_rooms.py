"""A room has a sentence, and docs/architecture.md is the list of those sentences."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from house.source import ROOT, WEFT, lines, module_name, place, trees

ROOMS = {path: tree for path, tree in trees().items() if path.name == "__init__.py"}
TOP = WEFT / "__init__.py"


def _is_export(node: ast.stmt) -> bool:
    """Accept the version, the names the package gives out, and how it gives them out lazily."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.FunctionDef):
        return node.name == "__getattr__"
    if isinstance(node, ast.If):  # if TYPE_CHECKING
        return all(_is_export(inner) for inner in node.body)
    targets = node.targets if isinstance(node, ast.Assign) else []
    return bool(targets) and all(getattr(t, "id", "").startswith("__") for t in targets)


def _sentence(path: Path) -> str:
    return ast.get_docstring(ROOMS[path]) or ""


def test_a_room_has_one_sentence_and_nothing_else() -> None:
    wrong = []
    for path, tree in ROOMS.items():
        one = re.fullmatch(r"[^\n]*[^.\n]\.", _sentence(path)) and ". " not in _sentence(path)
        rest = tree.body[1:]
        alone = all(map(_is_export, rest)) if path == TOP else not rest
        if not (one and alone):
            wrong.append(place(path))
    assert not wrong, lines(wrong)


def test_every_folder_of_code_is_a_room() -> None:
    # Alembic loads its scripts by their path; nothing imports them.
    folders = {path.parent for path in trees() if "migrations" not in path.parts}
    wrong = [place(folder) for folder in folders if not (folder / "__init__.py").exists()]
    assert not wrong, lines(wrong)


def test_the_architecture_page_is_the_list_of_the_rooms() -> None:
    expected = [f"- `{module_name(p)}`: {_sentence(p)}" for p in ROOMS if p != TOP]
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = re.search(r"^## Rooms$(.*?)(?=^## |\Z)", page, flags=re.M | re.S)
    assert section, "docs/architecture.md has no heading '## Rooms'"
    listed = [line for line in section[1].splitlines() if line.startswith("- ")]
    assert sorted(listed) == sorted(expected), "the list should be:\n" + "\n".join(expected)
