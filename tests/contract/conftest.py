"""What the contract tests tell at the end of a run: which backend passed how many of which port."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from _pytest.terminal import TerminalReporter

from contract.stores import BACKENDS

HERE = Path(__file__).parent
# The stores' backends first, then the databases of records and the networks of the embedder.
NAMES = [*BACKENDS, "postgres", "onnx", "numpy", "endpoint"]
PROPERTY = "contract"
# What runs under a backend's name is told by the version that was started.
VERSIONS = {"neo4j 5.26": "NEO4J_VERSION", "neo4j 2026": "NEO4J_VERSION_2"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Note on each contract test its port and the backend it runs on."""
    for item in items:
        if item.path.parent == HERE and (backend := _backend(item)):
            port = item.path.stem.removeprefix("test_").replace("_", " ")
            item.user_properties.append((PROPERTY, f"{port}|{backend}"))


def _backend(item: pytest.Item) -> str:
    """Return the backend among a test's parameters, or nothing."""
    callspec = getattr(item, "callspec", None)
    if callspec is None:
        return ""
    words = f"-{callspec.id}-"
    return next((name for name in sorted(NAMES, key=len)[::-1] if f"-{name}-" in words), "")


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Print ports × backends: tests passed of those that ran, and how many were skipped."""
    table: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.stats.get(outcome, []):
            for name, value in getattr(report, "user_properties", ()):
                if name == PROPERTY:
                    port, backend = str(value).split("|")
                    table[port][backend][outcome] += 1
    if table:
        terminalreporter.section("contract tests passed: ports × backends")
        for line in _lines(table):
            terminalreporter.line(line)


def _lines(table: dict[str, dict[str, Counter[str]]]) -> list[str]:
    seen = {backend for row in table.values() for backend in row}
    backends = [name for name in NAMES if name in seen]
    shown = [_shown(name) for name in backends]
    widths = [max(len(name), 9) for name in shown]
    names = "  ".join(name.rjust(width) for name, width in zip(shown, widths, strict=True))
    lines = [f"{'':<16}  {names}"]
    for port, row in sorted(table.items()):
        cells = [
            _cell(row.get(name, Counter())).rjust(w)
            for name, w in zip(backends, widths, strict=True)
        ]
        lines.append(f"{port:<16}  {'  '.join(cells)}")
    return lines


def _shown(backend: str) -> str:
    version = os.environ.get(VERSIONS.get(backend, ""), "")
    return f"neo4j {version}" if version else backend


def _cell(counted: Counter[str]) -> str:
    if not counted:
        return ""
    ran = counted["passed"] + counted["failed"] + counted["error"]
    return f"{counted['passed']}/{ran}" if ran else "skipped"
