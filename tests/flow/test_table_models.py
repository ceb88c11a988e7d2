"""A model fills plans over tables through the tools, over HTTP, and cites the rows that it got."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from model_server import Body, ModelServer, Say, hand_in, model_server, returns_of
from principals import somebody
from weft.bootstrap.app import load_settings, open_app
from weft.bootstrap.flows import build_flows
from weft.domain.answer import Answer
from weft.flows.asking import Asking
from weft.platform.identity import local_owner
from weft.sdk.weft import Weft

QUESTION = "How many tonnes do the paid orders of Oslo come to?"
ORDERS = """id,order,city,status,tonnes,acl
1,A-1,Oslo,paid,120,tenant:*
2,A-2,Oslo,open,75,tenant:*
3,A-3,Turku,paid,310,tenant:*
4,A-4,Oslo,paid,45,tenant:*
"""
SECRETS = "id,name,salary,acl\n1,Kittiwake,9000,group:board\n2,Gannet,8000,group:board\n"
PLAN: dict[str, Any] = {
    "filters": [
        {"column": "city", "op": "=", "value": "Oslo"},
        {"column": "status", "op": "=", "value": "paid"},
    ],
    "aggregates": [{"function": "sum", "column": "tonnes"}],
}
Planned = Callable[[list[dict[str, Any]]], dict[str, Any]]


def planning(plan: Planned) -> Callable[[Body], Say]:
    """Look at the tables, hand in a plan over them, and answer from what it gave."""

    def script(body: Body) -> Say:
        told = [one for one in returns_of(body) if isinstance(one, dict)]
        tables = next((one["tables"] for one in told if "tables" in one), None)
        worked = next((one for one in told if "plan" in one), None)
        if worked is not None:
            first = worked["evidence"][0]
            return hand_in(body, (first["text"], [first["id"]]))
        if tables is None:
            asked = {"query": QUESTION, "stems": ["order", "salari", "pay"]}
            return Say(calls=[("describe_tables", asked)])
        if len(told) > 1:
            return hand_in(body, missing=["the plan was refused"])
        return Say(calls=[("table_query", plan(tables))])

    return script


def asked(home: Path, server: ModelServer, reader: str, monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Return what the model behind a server answers a reader."""
    monkeypatch.setenv("WEFT_MODEL", "openai:scripted")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    async def ask() -> Answer:
        app = await open_app(load_settings(home))
        scope = somebody(reader, f"group:{reader}", "tenant:*")
        try:
            [known] = await app.records.bases.listed(local_owner())
            asking = Asking(question=QUESTION, knowledge_bases=(known.name,))
            return (await build_flows(app).run(scope, asking)).answer
        finally:
            await app.close()

    return asyncio.run(ask())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a workspace with a table for all, and one that only the board may read."""
    folder, home = tmp_path / "tables", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    (folder / "orders.csv").write_text(ORDERS, encoding="utf-8")
    (folder / "salaries.csv").write_text(SECRETS, encoding="utf-8")
    (home / "weft.yaml").write_text("embedder: none\n")
    with Weft.open(folder, home=home) as opened:
        opened.sync()
    return home


def told(server: ModelServer) -> list[Any]:
    """Return what the tools gave, as the model saw it in the end."""
    return returns_of(server.requests[-1])


def test_a_models_plan_is_run_and_its_rows_are_cited(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def over(tables: list[dict[str, Any]]) -> dict[str, Any]:
        assert [one["title"] for one in tables] == ["orders.csv"]
        return {"tables": [tables[0]["name"]], **PLAN}

    with model_server(planning(over)) as server:
        answer = asked(home, server, "crew", monkeypatch)
        worked = told(server)[1]
    assert worked["rows"] == [["165"]]
    assert worked["counted"] == len(worked["cites"]) == 2
    assert worked["plan"] == "orders.csv · city = Oslo · status = paid · sum(tonnes)"
    assert not answer.offline
    [citation] = [one for said in answer.sentences for one in said.citations]
    assert "order: A-1" in citation.snippet


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"filters": [{"column": "city", "op": "like", "value": "O%"}]}, "filters/0/op"),
        ({"filters": [{"column": "harbour", "op": "=", "value": "Oslo"}]}, "harbour"),
        ({"aggregates": [{"function": "sum", "column": "city"}]}, "city"),
        ({"aggregates": [{"function": "count"}], "sql": "drop table orders"}, "sql"),
    ],
)
def test_a_malformed_plan_is_told_what_is_wrong_with_it(
    home: Path, monkeypatch: pytest.MonkeyPatch, wrong: dict[str, Any], named: str
) -> None:
    with model_server(planning(lambda tables: {"tables": [tables[0]["name"]], **wrong})) as server:
        answer = asked(home, server, "crew", monkeypatch)
        error = str(told(server)[1])
    assert named in error
    assert not answer.short


def test_a_table_that_may_not_be_read_is_none(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def hidden(tables: list[dict[str, Any]]) -> dict[str, Any]:
        name = tables[0]["name"].replace("orders", "salaries")
        seen.append(name)
        return {"tables": [name], "aggregates": [{"function": "sum", "column": "salary"}]}

    with model_server(planning(hidden)) as server:
        asked(home, server, "crew", monkeypatch)
        refused = str(told(server)[1])
    assert f"There is no table '{seen[0]}'." in refused
    assert "9000" not in str(server.requests)
    assert "Kittiwake" not in str(server.requests)
    with model_server(planning(hidden)) as server:
        asked(home, server, "board", monkeypatch)
        assert told(server)[1]["rows"] == [["17000"]]


@pytest.mark.parametrize(("reader", "sees"), [("crew", False), ("board", True)])
def test_a_models_tool_tells_of_the_tables_that_may_be_read(
    home: Path, monkeypatch: pytest.MonkeyPatch, reader: str, sees: bool
) -> None:
    with model_server(lambda body: hand_in(body, missing=["nothing"])) as server:
        asked(home, server, reader, monkeypatch)
        [tool] = [
            one["function"]
            for one in server.requests[0]["tools"]
            if one["function"]["name"] == "table_query"
        ]
    described = tool["description"]
    assert "orders.csv, 4 rows): " in described
    assert "city category (Oslo, Turku)" in described
    assert "tonnes number (45–310)" in described
    assert ("salaries.csv" in described) is sees
    assert ("Kittiwake" in described or "9000" in described) is sees
