"""What every test gets: asyncio, no network but loopback, servers and data by name."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import hypothesis
import pytest
from _pytest.terminal import TerminalReporter

SERVERS = {
    "neo4j": "NEO4J_URI",
    "neo4j-2": "NEO4J_URI_2",
    "postgres": "WEFT_TEST_DATABASE_URL",
    "redis": "WEFT_REDIS_URL",
}
SECONDS = {"chaos": 3600, "fault": 300}  # the first that a test is marked with holds

# How long one example takes depends on the machine; the time limit per test is pytest-timeout's.
# Nothing is traced to explain a failure: an alarm that comes then never ends in Python 3.11.
hypothesis.settings.register_profile(
    "weft",
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    phases=[phase for phase in hypothesis.Phase if phase is not hypothesis.Phase.explain],
)
hypothesis.settings.load_profile("weft")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the tests that inject faults the time they need."""
    for item in items:
        for name, seconds in SECONDS.items():
            if item.get_closest_marker(name) and not item.get_closest_marker("timeout"):
                item.add_marker(pytest.mark.timeout(seconds))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose server is absent; on CI every server must be there, so fail instead."""
    for marker in item.iter_markers("server"):
        name = marker.args[0]
        variable = SERVERS[name]
        if os.environ.get(variable):
            continue
        reason = f"no {name} on this machine ({variable} is not set)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """List what was skipped and why, one line a reason."""
    reasons: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        if isinstance(report.longrepr, tuple):
            reasons[report.longrepr[2].removeprefix("Skipped: ")] += 1
    if not reasons:
        return
    terminalreporter.section("skipped")
    for reason, count in sorted(reasons.items()):
        terminalreporter.line(f"{count:>5}  {reason}")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run coroutine tests on asyncio, the loop the product runs on."""
    return "asyncio"


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of evaluation sets; they are not part of the repository."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("DATA") or beside)
    if not folder.is_dir():
        pytest.skip("no evaluation sets on this machine (DATA is not set)")
    return folder


def _server_hosts() -> frozenset[str]:
    urls = (os.environ.get(variable, "") for variable in SERVERS.values())
    return frozenset(host for url in urls if (host := urlsplit(url).hostname))


def _is_allowed(host: object, servers: frozenset[str]) -> bool:
    if isinstance(host, bytes):
        host = host.decode()
    if host in (None, "", "localhost") or host in servers:
        return True
    try:
        address = ipaddress.ip_address(str(host).partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


@pytest.fixture(scope="session", autouse=True)
def _loopback_only() -> Iterator[None]:
    """Refuse every connection and look-up that would leave the machine."""
    servers = set(_server_hosts())
    with pytest.MonkeyPatch.context() as patch:
        look_up = socket.getaddrinfo

        def guarded_look_up(host: Any, *args: Any, **options: Any) -> Any:
            if not _is_allowed(host, frozenset(servers)):
                raise PermissionError(f"tests reach nothing but loopback, not {host!r}")
            found = look_up(host, *args, **options)
            servers.update(str(entry[4][0]) for entry in found)
            return found

        patch.setattr(socket, "getaddrinfo", guarded_look_up)
        for name in ("connect", "connect_ex", "sendto"):
            patch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name), servers))
        yield


def _guarded(method: Any, servers: set[str]) -> Any:
    def guarded(self: socket.socket, *args: Any) -> Any:
        address = args[-1]
        inet = self.family in (socket.AF_INET, socket.AF_INET6)
        if inet and not _is_allowed(address[0], frozenset(servers)):
            raise PermissionError(f"tests reach nothing but loopback, not {address!r}")
        return method(self, *args)

    return guarded
