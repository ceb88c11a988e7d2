"""What was used: over HTTP and the command line, of a tenant alone, and held to a day's quota."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import pytest

from flow.command import Command
from flow.http_world import workspace
from flow.people_world import PeopleWorld, base_of, peopled
from model_server import Body, ModelServer, Say, evidence_of, hand_in, model_server

QUESTION = "Who founded Apollo?"
FOUNDED = "Apollo was founded by Li Wei in Seoul."
# A scripted reply counts 5 tokens in and 7 out, and an answer takes two replies.
PRICE, TOKENS, MONEY = "1/2", 24, Decimal("0.000038")


def quoting(body: Body) -> Say:
    found = evidence_of(body)
    if not found:
        return Say(calls=[("rag_search", {"query": QUESTION})])
    return hand_in(body, (FOUNDED, [found[0]["id"]]))


@contextmanager
def people(folder: Path, *, more: str = "") -> Iterator[tuple[PeopleWorld, ModelServer]]:
    with model_server(quoting) as model:
        settings = (
            f"embedder: none\nmodel: openai:scripted\nopenai_base_url: {model.base_url}\n"
            f"model_price: {PRICE}\n{more}"
        )
        who = {"ann": "user", "bob": "user", "dan": "admin", "eve": "auditor", "twin/root": "admin"}
        with peopled(workspace(folder, settings), who) as made:
            yield made, model


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PeopleWorld]:
    with people(tmp_path_factory.mktemp("usage")) as (made, _):
        for who in ("ann", "ann", "bob"):
            assert ask(made, who)["offline"] is False
        yield made


def ask(made: PeopleWorld, who: str) -> dict[str, object]:
    body = {"question": QUESTION, "kb": [base_of(made)]}
    reply = made.ask(f"local/{who}", "POST", "/ask", json=body)
    assert reply.status_code == 200, reply.text
    found: dict[str, object] = reply.json()
    return found


def test_it_is_added_up_by_whatever_is_asked_for(world: PeopleWorld) -> None:
    sheets = {
        by: world.ask("local/dan", "GET", f"/v1/admin/usage?by={by}").json()
        for by in ("model", "user", "flow", "agent", "day")
    }
    for sheet in sheets.values():
        assert sheet["total"]["tokens"] == 3 * TOKENS == sum(r["tokens"] for r in sheet["rows"])
        assert Decimal(sheet["total"]["money"]) == 3 * MONEY
        assert (sheet["total"]["questions"], sheet["total"]["ended"]) == (3, {"answered": 3})
        assert (sheet["total"]["hit_rate"], sheet["total"]["citation_rate"]) == (1, 1)
        assert sheet["total"]["p95_ms"] >= sheet["total"]["p50_ms"] > 0
    people = {row["key"]: (row["runs"], row["tokens"]) for row in sheets["user"]["rows"]}
    assert people == {"user:ann": (2, 2 * TOKENS), "user:bob": (1, TOKENS)}
    assert [row["key"] for row in sheets["flow"]["rows"]] == ["rag"]
    assert [row["key"] for row in sheets["model"]["rows"]] == ["scripted"]
    searched = next(t for t in sheets["flow"]["tools"] if t["tool"] == "rag_search")
    assert (searched["calls"] >= 3, searched["failed"], searched["timed_out"]) == (True, 0, 0)


def test_it_is_of_some_time(world: PeopleWorld) -> None:
    asked = "/v1/admin/usage?since=2020-01-01T00:00:00Z&until=2021-01-01T00:00:00Z"
    found = world.ask("local/dan", "GET", asked).json()
    assert (found["total"]["runs"], found["rows"], found["tools"]) == (0, [], [])
    turned = "/v1/admin/usage?since=2021-01-01T00:00:00Z&until=2020-01-01T00:00:00Z"
    assert world.ask("local/dan", "GET", turned).status_code == 422
    assert world.ask("local/dan", "GET", "/v1/admin/usage?by=moon").status_code == 422


def test_who_may_not_know_is_told_nothing(world: PeopleWorld) -> None:
    assert world.ask("local/ann", "GET", "/v1/admin/usage").status_code == 403
    assert world.ask("", "GET", "/v1/admin/usage").status_code == 401
    assert world.ask("local/eve", "GET", "/v1/admin/usage").json()["total"]["runs"] == 3
    theirs = world.ask("twin/root", "GET", "/v1/admin/usage").json()
    assert (theirs["total"]["runs"], theirs["tools"]) == (0, [])


def test_what_a_run_will_take_is_told_before(world: PeopleWorld) -> None:
    found = world.ask("local/bob", "GET", "/v1/estimate").json()
    assert (found["flow"], found["model"]) == ("rag", "scripted")
    assert (found["usual"]["runs"], found["usual"]["tokens_p50"]) == (3, TOKENS)
    assert Decimal(found["usual"]["money_p95"]) == MONEY
    # 200,000 tokens, all of them written.
    assert (found["most_tokens"], Decimal(found["most_money"])) == (200_000, Decimal("0.4"))
    assert world.ask("local/bob", "GET", "/v1/estimate?flow=moon").status_code == 404


@pytest.mark.parametrize(
    ("setting", "others_too"),
    [
        ("quota_tokens: 30", False),
        ("quota_money: 0.00005", False),
        ("quota_tenant_tokens: 30", True),
        ("quota_tenant_money: 0.00005", True),
    ],
)
def test_what_is_used_up_is_answered_by_rules(
    tmp_path: Path, setting: str, *, others_too: bool
) -> None:
    with people(tmp_path, more=f"{setting}\n") as (made, model):
        assert ask(made, "ann")["offline"] is False
        before, late = len(model.requests), ask(made, "ann")
        assert (late["offline"], len(model.requests)) == (True, before)
        assert "Li Wei" in str(late["answer"])
        assert "No tokens are left" in str(late["notes"])
        before = len(model.requests)
        assert ask(made, "bob")["offline"] is others_too
        assert (len(model.requests) == before) is others_too


def test_the_command_line_shows_it(tmp_path: Path) -> None:
    workspace(tmp_path)
    weft = Command(home=tmp_path, folder=tmp_path)
    assert weft("admin", "usage").out.strip() == "Nothing was used in that time."
    weft("ask", "notes", QUESTION)
    shown = weft("admin", "usage", "--by", "flow")
    assert (shown.code, shown.out.split()[:3]) == (0, ["flow", "questions", "answered"])
    assert "100% of the answers cited" in shown.out
    found = json.loads(weft("admin", "usage", "--by", "user", "--json").out)
    assert [(row["key"], row["questions"]) for row in found["rows"]] == [("user:owner", 1)]
    assert "costs nothing" in weft("flow", "estimate").out
    assert weft("admin", "usage", "--since", "soon").code == 2
