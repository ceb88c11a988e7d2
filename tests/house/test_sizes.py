"""A file, a function and a class fit on a screen, and a module is named after what is in it."""

from __future__ import annotations

import ast
from pathlib import Path

from house.source import WEFT, Function, functions, lines, place, trees

FILE_LINES = 400
FUNCTION_LINES = 50
PARAMETERS = 5
OPTIONS = 9  # what `weft ask` takes, which has the most that people ask for
SEARCH_OPTIONS = 12  # of a verb that lists: one for each thing that people look for
POSITIONAL = 2
PUBLIC_METHODS = 10
SAYS_NOTHING = {
    "base",
    "common",
    "helper",
    "helpers",
    "impl",
    "manager",
    "service",
    "util",
    "utils",
}
# Who is asking comes first in every call and is not part of what is asked.
NOT_COUNTED = {"self", "cls", "scope"}


def _positional(function: Function) -> list[str]:
    arguments = [*function.args.posonlyargs, *function.args.args]
    return [argument.arg for argument in arguments if argument.arg not in NOT_COUNTED]


def _parameters(function: Function) -> int:
    extra = [function.args.vararg, function.args.kwarg]
    return len(_positional(function)) + len(function.args.kwonlyargs) + len([a for a in extra if a])


def _is_given_by_python(function: Function) -> bool:
    """Tell whether the language, not we, says what the function takes (`__aexit__`)."""
    return function.name.startswith("__") and function.name != "__init__"


def _is_a_command(path: Path, function: Function) -> bool:
    """Tell whether it is a verb of the command line: what it takes by name people type."""
    options = [one.annotation for one in function.args.kwonlyargs]
    named = all(isinstance(one, ast.Name) and one.id[0].isupper() for one in options)
    most = SEARCH_OPTIONS if function.name.startswith("list_") else OPTIONS
    return "cli" in path.parts and bool(options) and named and len(options) <= most


def _has_a_row_of_positions(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether callers elsewhere must know an order: a file's own functions it knows itself."""
    is_own = function.name.startswith("_") and function.name != "__init__"
    return not is_own and len(_positional(function)) > POSITIONAL


def test_a_file_has_at_most_400_lines() -> None:
    sizes = {place(path): len(path.read_text().splitlines()) for path in trees()}
    assert not {name: lines for name, lines in sizes.items() if lines > FILE_LINES}


def test_a_function_has_at_most_50_lines() -> None:
    sizes = {
        place(path, node): (node.end_lineno or node.lineno) - node.lineno + 1
        for path, tree in trees().items()
        for node in functions(tree)
    }
    assert not {name: lines for name, lines in sizes.items() if lines > FUNCTION_LINES}


def test_a_function_takes_at_most_5_parameters_keyword_only_after_two() -> None:
    wrong = [
        f"{place(path, node)} {node.name}"
        for path, tree in trees().items()
        for node in functions(tree)
        if not _is_given_by_python(node)
        and not _is_a_command(path, node)
        and (_parameters(node) > PARAMETERS or _has_a_row_of_positions(node))
    ]
    assert not wrong, lines(wrong)


def test_a_class_has_at_most_10_public_methods() -> None:
    wrong = []
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.ClassDef):
                continue
            methods = [item for item in node.body if isinstance(item, Function)]
            if len({m.name for m in methods if not m.name.startswith("_")}) > PUBLIC_METHODS:
                wrong.append(f"{place(path, node)} {node.name}")
    assert not wrong, lines(wrong)


def test_a_module_is_named_after_what_is_in_it() -> None:
    parts = {
        place(path): set("_".join(path.relative_to(WEFT).with_suffix("").parts).split("_"))
        for path in trees()
    }
    assert not [name for name, words in parts.items() if words & SAYS_NOTHING]
