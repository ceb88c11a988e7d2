"""The source as trees, for the tests of this folder."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
WEFT = SRC / "weft"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@functools.cache
def trees() -> dict[Path, ast.Module]:
    """Return every module of the product, parsed, by its path."""
    return {
        path: ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
        for path in sorted(WEFT.rglob("*.py"))
    }


def lines(wrong: Iterable[str]) -> str:
    """Return one a line, for the message of a failing test."""
    return "\n".join(["", *sorted(wrong)])


def place(path: Path, node: ast.stmt | ast.expr | None = None) -> str:
    """Return `file:line`, as an editor understands it."""
    name = path.relative_to(ROOT).as_posix()
    return f"{name}:{node.lineno}" if node else name


def module_name(path: Path) -> str:
    """Return the dotted name of a module or, for its `__init__.py`, of a package."""
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def functions(tree: ast.AST) -> Iterator[Function]:
    """Yield every function and method, nested ones included."""
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield node


def imports(tree: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    """Yield the full name of each imported module, and of each name taken from one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node


def dotted(node: ast.expr) -> str:
    """Return `a.b.c` for such an expression, else an empty string."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (owner := dotted(node.value)):
        return f"{owner}.{node.attr}"
    return ""
