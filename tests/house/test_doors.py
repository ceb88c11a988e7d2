"""One module reads the environment, one adapter opens connections, nothing runs text as code."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TypeGuard

from house.source import WEFT, dotted, imports, lines, place, trees

ENVIRONMENT = ("os.environ", "os.environb", "os.getenv", "os.getenvb")
# What is set for a library that can be told in no other way; nothing is read.
SET = {WEFT / "cli" / "main.py": ("os.environ.setdefault",)}
RUNS_TEXT = {"eval", "exec", "compile", "__import__"}
# What `weft.domain.frozen` makes itself: with other words it asks the standard library.
_QUICK = {"frozen", "slots", "kw_only"}
UNSAFE = {"dill", "marshal", "pickle", "shelve"}
HTTP = {
    "aiohttp",
    "ftplib",
    "http.client",
    "httpcore",
    "httpcore2",
    "httplib2",
    "httpx",
    "httpx2",
    "niquests",
    "pycurl",
    "requests",
    "smtplib",
    "treq",
    "urllib.request",
    "urllib3",
    "websocket",
    "websockets",
    "xmlrpc.client",
}
# What looks up a name or connects without any library, as a call or a method ends.
CONNECTS = {
    "create_connection",
    "create_datagram_endpoint",
    "getaddrinfo",
    "gethostbyname",
    "gethostbyname_ex",
    "open_connection",
    "sock_connect",
    "urlopen",
    "urlretrieve",
}


def _is_or_is_in(name: str, modules: set[str]) -> bool:
    return any(name == module or name.startswith(module + ".") for module in modules)


def _may_connect(path: Path) -> bool:
    folder = path.relative_to(WEFT).parts[:2]
    # The fetcher is the way out. A model's endpoint is the operator's own choice, and may be on
    # this machine: its adapter has a client of its own.
    adapters = {("adapters", "fetch"), ("adapters", "llm")}
    # The client runs in its user's program, not in the service.
    return folder in adapters or folder == ("sdk", "client.py")


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


def test_nothing_connects_beside_the_door() -> None:
    wrong = [
        f"{place(path, node)} {dotted(node.func)}"
        for path, tree in trees().items()
        if not _may_connect(path)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] in CONNECTS
    ]
    assert not wrong, lines(wrong)


def test_the_fetcher_trusts_nothing_from_the_environment() -> None:
    """Proxies, `.netrc` and certificates of the environment have no say where it goes."""
    made = [
        (place(path, node), {k.arg: k.value for k in node.keywords})
        for path, tree in trees().items()
        if path.relative_to(WEFT).parts[:2] == ("adapters", "fetch")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and dotted(node.func).rpartition(".")[2]
        in {"AsyncHTTPTransport", "AsyncClient", "Client", "HTTPTransport", "create_ssl_context"}
    ]
    assert made
    wrong = [
        where
        for where, keywords in made
        if "trust_env" not in keywords or not _is_false(keywords["trust_env"])
    ]
    assert not wrong, lines(wrong)


def test_frozen_values_are_made_quickly() -> None:
    """The decorator of the standard library compiles what `weft.domain.frozen` does not."""
    wrong = []
    for path, tree in trees().items():
        slow = any(name == "dataclasses.dataclass" for name, _ in imports(tree))
        if slow and path != WEFT / "domain" / "frozen.py":
            wrong += [place(path, node) for node in ast.walk(tree) if _makes_frozen_slots(node)]
    assert not wrong, lines(wrong)


def _makes_frozen_slots(node: ast.AST) -> TypeGuard[ast.Call]:
    if not isinstance(node, ast.Call) or dotted(node.func) != "dataclass":
        return False
    return {"frozen", "slots"} <= {word.arg for word in node.keywords} <= _QUICK
