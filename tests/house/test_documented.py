"""Everything public says what it promises."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from house.source import Function, lines, place, trees

ENDS = (".", "?", "!", ":", "…")


def _public(tree: ast.Module | ast.ClassDef) -> Iterator[Function | ast.ClassDef]:
    """Yield what can be reached from outside without an underscore; not what a function hides."""
    for node in tree.body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from _public(node)


def _is_repeated(node: Function | ast.ClassDef) -> bool:
    """Overloads and setters are told with the function they belong to."""
    names = {getattr(d, "attr", getattr(d, "id", "")) for d in node.decorator_list}
    return bool(names & {"overload", "setter", "override"})


def test_every_module_is_documented() -> None:
    assert not [place(path) for path, tree in trees().items() if not ast.get_docstring(tree)]


def test_everything_public_is_documented() -> None:
    wrong = [
        f"{place(path, node)} {node.name}"
        for path, tree in trees().items()
        for node in _public(tree)
        if not _is_repeated(node) and not ast.get_docstring(node)
    ]
    assert not wrong, lines(wrong)


def test_a_docstring_opens_with_a_sentence() -> None:
    wrong = []
    for path, tree in trees().items():
        for node in _public(tree):
            first = (ast.get_docstring(node) or ".").split("\n\n")[0]
            if not first.rstrip().endswith(ENDS):
                wrong.append(f"{place(path, node)} {node.name}")
    assert not wrong, lines(wrong)
