"""Import once what the code imports, so that its bytecode is there before the first command.

Imports inside functions count too: they are lazy because they are slow, so they gain most. A
package that is there and cannot be imported ends the set-up here, with its name; one of an extra
that nobody asked for is passed over.
"""

import ast
import compileall
import importlib
import importlib.util
import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src"
LOADED_BY_NAME = {"sqlalchemy.dialects.sqlite"}


def imported_modules(path: pathlib.Path) -> set[str]:
    """Return the names of the third-party modules that a source file imports, at any depth."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    known = sys.stdlib_module_names | {"weft"}
    return {name for name in names if name.split(".")[0] not in known}


def main() -> None:
    """Import the third-party modules and compile the package."""
    # Some machines switch bytecode off for every program; the environment is ours to fill.
    sys.dont_write_bytecode = False
    wanted = set(LOADED_BY_NAME)
    for path in SOURCE.rglob("*.py"):
        wanted |= imported_modules(path)
    for name in sorted(wanted):
        if importlib.util.find_spec(name.split(".")[0]) is None:
            continue
        importlib.import_module(name)
    compileall.compile_dir(str(SOURCE), quiet=2)


if __name__ == "__main__":
    main()
