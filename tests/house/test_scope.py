"""Tenant safety is a type: one module makes it, and what touches tenant data takes it first."""

from __future__ import annotations

import ast
from pathlib import Path

from house.source import WEFT, Function, dotted, lines, place, trees

IDENTITY = WEFT / "platform" / "identity.py"
# A port that sees no tenant's data by itself, and why; every other port takes the scope first.
TENANT_FREE = {
    "clock": "tells the time",
    "logs": "is given names and numbers, and no text",
    "tracing": "reads a run under the scope it is given, and tells how sending stands",
    "embedder": "is given the text and keeps none of it",
    "extractor": "is given the chunk and keeps none of it",
    "lifetime": "is a hold on what was opened under a scope",
    "judge": "is given both texts and keeps none of them",
    "rdf_dataset": "holds what was projected for one scope, and nothing else",
    "ocr": "is given a file's path and keeps none of it",
    "passwords": "is given the password and keeps none of it",
    "rates": "counts by the names that it is given",
    "standings": "tells who somebody is, from which a scope is made",
    "tokens": "is given the token and keeps none of it",
    "rdf": "is given a file's bytes and keeps none of them",
    "reader": "is given a file's path and keeps none of it",
    "timetable": "puts in line what is due of any tenant, with the rights of its owner",
    "worklist": "hands a worker the next job of any tenant, with the rights of its owner",
}


def _makes_scope(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = dotted(node.func).rpartition(".")[2]
    if called == "Scope":
        return True
    first = dotted(node.args[0]).rpartition(".")[2] if node.args else ""
    return called == "replace" and (first == "scope" or first.endswith("_scope"))


def _ports() -> dict[Path, list[ast.ClassDef]]:
    return {
        path: [
            node
            for node in tree.body
            if isinstance(node, ast.ClassDef)
            and any(dotted(b).rpartition(".")[2] == "Protocol" for b in node.bases)
        ]
        for path, tree in trees().items()
        if WEFT / "ports" in path.parents and path.name != "__init__.py"
    }


def _takes_scope_first(method: Function) -> bool:
    arguments = [*method.args.posonlyargs, *method.args.args]
    if len(arguments) < 2 or arguments[1].annotation is None:
        return False
    return arguments[1].arg == "scope" and dotted(arguments[1].annotation) == "Scope"


def test_only_identity_makes_a_scope() -> None:
    wrong = [
        place(path, node)
        for path, tree in trees().items()
        if path != IDENTITY
        for node in ast.walk(tree)
        if isinstance(node, ast.expr) and _makes_scope(node)
    ]
    assert not wrong, lines(wrong)


def test_a_port_takes_the_scope_first() -> None:
    wrong = [
        f"{place(path, method)} {port.name}.{method.name}"
        for path, ports in _ports().items()
        if path.stem not in TENANT_FREE
        for port in ports
        for method in port.body
        if isinstance(method, Function) and not _takes_scope_first(method)
    ]
    assert not wrong, lines(wrong)


def test_a_file_of_ports_holds_a_protocol() -> None:
    assert not [place(path) for path, ports in _ports().items() if not ports]


def test_the_list_of_tenant_free_ports_is_current() -> None:
    assert set(TENANT_FREE) <= {path.stem for path in _ports()}
