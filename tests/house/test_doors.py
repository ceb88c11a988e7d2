"""One module reads the environment, one adapter opens connections, nothing runs text as code."""

from __future__ import annotations

import ast
from pathlib import Path

from house.source import WEFT, dotted, imports, lines, place, trees

ENVIRONMENT = ("os.environ", "os.environb", "os.getenv", "os.getenvb")
# What is set for a library that can be told in no other way; nothing is read.
SET = {WEFT / "cli" / "main.py": ("os.environ.setdefault",)}
RUNS_TEXT = {"eval", "exec", "compile", "__import__"}
UNSAFE = {"dill", "marshal", "pickle", "shelve"}
HTTP = {
    "aiohttp",
    "http.client",
    "httpx",
    "httpx2",
    "requests",
    "urllib.request",
    "urllib3",
    "websockets",
}


def _is_or_is_in(name: str, modules: set[str]) -> bool:
    return any(name == module or name.startswith(module + ".") for module in modules)


def _may_connect(path: Path) -> bool:
    folder = path.relative_to(WEFT).parts[:2]
    adapters = {("adapters", "llm"), ("adapters", "fetch")}
    # The client runs in its user's program, not in the service.
    return folder in adapters or folder == ("sdk", "client.py") or path.stem == "weights"


def test_only_config_reads_the_environment() -> None:
    wrong = []
    for path, tree in trees().items():
        if path == WEFT / "config.py":
            continue
        wrong += [place(path, n) for name, n in imports(tree) if name in ENVIRONMENT]
        attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
        set_there = {id(one.value) for one in attributes if dotted(one) in SET.get(path, ())}
        wrong += [
            place(path, node)
            for node in attributes
            if dotted(node) in ENVIRONMENT and id(node) not in set_there
        ]
    assert not wrong, lines(wrong)


def test_nothing_runs_text_as_code() -> None:
    wrong = []
    for path, tree in trees().items():
        wrong += [place(path, n) for name, n in imports(tree) if _is_or_is_in(name, UNSAFE)]
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            pickled = any(k.arg == "allow_pickle" and not _is_false(k.value) for k in node.keywords)
            if pickled or dotted(node.func) in RUNS_TEXT:
                wrong.append(place(path, node))
    assert not wrong, lines(wrong)


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def test_one_door_out() -> None:
    wrong = [
        f"{place(path, node)} {name}"
        for path, tree in trees().items()
        if not _may_connect(path)
        for name, node in imports(tree)
        if _is_or_is_in(name, HTTP)
    ]
    assert not wrong, lines(wrong)
