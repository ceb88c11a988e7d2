"""What each route leaves in the audit log: made from the interface's own description."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from flow.http_world import ended, served, workspace
from weft.api.app import build
from weft.api.edge.gate import PUBLIC, PUBLIC_FOLDERS
from weft.api.edge.trail import RouteTrail, trails
from weft.config import load_settings
from weft.platform.trail.audited_actions import ACTIONS

DOCUMENT = "file:inbox/one.md"
# What fills the slots and bodies of a call that goes well; of all others nothing is needed.
BODIES: dict[str, Any] = {
    "POST /ask": {"question": "Who founded Apollo?"},
    "POST /run_agent": {"query": "Who founded Apollo?"},
    "POST /run_agent_semantic": {"query": "Who founded Apollo?"},
    "POST /v1/rag/query": {"query": "Who founded Apollo?"},
    "POST /v1/chat/message": {"message": "Who founded Apollo?"},
    "POST /v1/chat/completions": {"messages": [{"role": "user", "content": "Who founded Apollo?"}]},
    "POST /v1/responses": {"input": "Who founded Apollo?"},
    "POST /v1/embeddings": {"input": "Apollo"},
    "POST /v1/search": {"query": "Apollo"},
    "POST /v1/research": {"query": "Who founded Apollo?"},
    "POST /run_debate": {"query": "Who founded Apollo?"},
    "POST /api/chat/send": {"message": "Who founded Apollo?"},
    "POST /platform/chat/send": {"message": "Who founded Apollo?"},
    "POST /indexes/fulltext/ensure": {},
    "POST /platform/ingest/raw": {
        "target_database": "Raw",
        "create_database_if_missing": True,
        "records": [{"id": "r1", "content": "Apollo is a ship."}],
    },
    "POST /v1/kb": {"name": "Second"},
    "PATCH /v1/kb/{id}": {"title": "The notes"},
    "POST /v1/kb/{id}/documents": {"records": [{"id": "r1", "content": "Apollo is a ship."}]},
    "PATCH /v1/kb/{id}/documents/{doc}": {"title": "One"},
    "POST /v1/kb/{id}/sources/schedules": {"path": __file__, "cron": "0 3 29 2 *"},
    "PATCH /v1/conversations/{id}": {"title": "Ships"},
    "POST /v1/runs/{id}/budget": {"tokens": 100},
    "POST /v1/admin/users": {"name": "bob"},
    "PATCH /v1/admin/users/{name}": {"disabled": True},
    "POST /v1/admin/groups": {"name": "crew"},
    "PATCH /v1/admin/groups/{name}": {"roles": []},
    "POST /v1/admin/roles": {"name": "teller", "permissions": ["ask"]},
    "PATCH /v1/admin/roles/{name}": {"permissions": ["ask", "kb.read"]},
    "POST /v1/admin/keys": {"user": "ann"},
    "POST /v1/admin/tenants": {"name": "globex"},
}
# What cannot go well here: a run that has ended takes no orders, and nobody makes vectors.
REFUSED = {
    "POST /v1/embeddings",
    "POST /v1/runs/{id}/pause",
    "POST /v1/runs/{id}/resume",
    "POST /v1/runs/{id}/budget",
}
KINDS = ("runs", "conversations", "users", "groups", "roles", "keys")
LAST = ("DELETE", "sign-out", "/chat/clear")


def routes(home: Path) -> dict[str, RouteTrail | None]:
    """Return what each route that is not public says it leaves, as the description names it."""
    found = {}
    for (method, path), trail in trails(build(load_settings(home))).items():
        if path not in PUBLIC and not path.startswith(PUBLIC_FOLDERS):
            found[f"{method} {path.replace(':path', '')}"] = trail
    return found


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspace(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[TestClient]:
    with served(home) as client:
        yield client


def rows_of(client: TestClient, request_id: str) -> list[dict[str, Any]]:
    asked: dict[str, str | int] = {"request": request_id, "oldest_first": True, "limit": 200}
    found = client.get("/v1/admin/audit", params=asked, headers={"X-Request-ID": "looking"})
    assert found.status_code == 200, found.text
    return [dict(row) for row in found.json()["items"]]


def prepared(client: TestClient) -> dict[str, str]:
    """Put a document, a run and a conversation there; return the slots that name them."""
    name = client.get("/v1/kb").json()["items"][0]["id"]
    sent = client.post(
        f"/v1/kb/{name}/documents", files={"files": ("one.md", "# One\n\nApollo is a ship.\n")}
    )
    assert ended(client, sent.json()["run_id"])["status"] == "finished"
    run = client.post("/ask", json={"question": "Who founded Apollo?", "kb": [name]}).json()
    talk = client.post("/v1/conversations").json()
    session = client.post("/v1/sessions").json()["session_id"]
    schedules = f"/v1/kb/{name}/sources/schedules"
    schedule = client.post(schedules, json=BODIES["POST /v1/kb/{id}/sources/schedules"]).json()
    documents = client.get(f"/v1/kb/{name}/documents").json()["items"]
    (document,) = [each["id"] for each in documents if each["id"].endswith("one.md")]
    people: dict[str, dict[str, Any]] = {
        "users": {"name": "ann"},
        "groups": {"name": "staff"},
        "roles": {"name": "asker", "permissions": ["ask"]},
    }
    for kind, body in people.items():
        assert client.post(f"/v1/admin/{kind}", json=body).status_code == 201
    key = client.post("/v1/admin/keys", json={"user": "ann"}).json()
    slots = {kind: body["name"] for kind, body in people.items()} | {"keys": key["id"]}
    answered = {
        "runs": run["run_id"], "conversations": talk["id"], "session": session
    }  # fmt: skip
    return {"kb": name, "doc": document, "schedule": schedule["id"], **answered, **slots}


def path_of(route: str, slots: dict[str, str]) -> str:
    path = route.partition(" ")[2]
    kind = next((each for each in KINDS if f"/{each}/" in path), "kb")
    if "/document/{id}" in path:
        kind = "doc"
    if "/research/{id}" in path:
        kind = "runs"
    return (
        path.replace("{model}", "weft")
        .replace("{doc}", slots["doc"])
        .replace("{schedule}", slots["schedule"])
        .replace("{session_id}", slots["session"])
        .replace("{id}", slots[kind])
        .replace("{name}", slots[kind])
    )


def test_every_route_says_what_it_leaves(home: Path, client: TestClient) -> None:
    said = routes(home)
    described = {
        f"{method.upper()} {path}"
        for path, item in client.get("/openapi.json").json()["paths"].items()
        for method in item
        if path not in PUBLIC
    }
    assert described <= set(said)
    silent = sorted(route for route in described if said[route] is None)
    assert not silent, f"these say nothing of the audit log (api/edge/trail.py): {silent}"
    for trail in said.values():
        assert trail is None or trail.why_nothing or trail.action in ACTIONS


def test_each_route_leaves_the_rows_that_it_says(tmp_path: Path) -> None:
    home = workspace(tmp_path)  # its own: what is there goes in the end
    with served(home) as client:
        check_each(client, routes(home), prepared(client))


def check_each(
    client: TestClient, said: dict[str, RouteTrail | None], slots: dict[str, str]
) -> None:
    for route in sorted(
        said, key=lambda each: (any(w in each for w in LAST), "users" in each, -len(each))
    ):
        trail, method = said[route], route.partition(" ")[0]
        assert trail is not None
        request_id = secrets.token_hex(8)
        headers = {"X-Request-ID": request_id}
        body = BODIES.get(route)
        reply = client.request(method, path_of(route, slots), json=body, headers=headers)
        assert (reply.status_code < 300) is (route not in REFUSED), (route, reply.text)
        rows = rows_of(client, request_id)
        if trail.why_nothing:
            assert not rows, route
            continue
        own = [row for row in rows if row["action"] == trail.action]
        phases = [row["phase"] for row in own]
        assert phases == ["intent", "outcome"], (route, rows)
        assert own[0]["intent_id"] == own[1]["intent_id"]
        assert own[0]["decision"] == "pending"
        assert own[1]["decision"] == ("failed" if route in REFUSED else "ok"), (route, own)
        assert {row["actor"] for row in rows} == {"user:owner"}
    report = client.get("/v1/admin/audit/verify").json()
    assert (report["intact"], report["unfinished"]) == (True, 0)


def test_each_route_leaves_one_row_of_a_stranger(home: Path, client: TestClient) -> None:
    for route, trail in routes(home).items():
        assert trail is not None
        for token in ("", "Bearer something-wrong"):
            request_id = secrets.token_hex(8)
            headers = {"X-Request-ID": request_id, "Authorization": token}
            slots = dict.fromkeys(("kb", "doc", "schedule", "session", *KINDS), "nothing")
            method, path = route.partition(" ")[0], path_of(route, slots)
            reply = client.request(method, path, json=BODIES.get(route), headers=headers)
            assert reply.status_code == 401, (route, reply.text)
            (row,) = rows_of(client, request_id)
            told = (row["actor"], row["decision"], row["phase"], row["action"])
            assert told == ("stranger", "denied", "intent", trail.action or "access.denied"), route
            assert row["target"] == f"http:{path}"
            assert "something-wrong" not in json.dumps(row)
    assert client.get("/v1/admin/audit/verify").json()["unfinished"] == 0


def test_what_is_not_there_leaves_a_row_too(client: TestClient) -> None:
    for path in ("/v1/kb/Nothing/documents/x", "/v1/runs/nothing", "/graph/document/nothing"):
        request_id = secrets.token_hex(8)
        assert client.get(path, headers={"X-Request-ID": request_id}).status_code == 404
        last = rows_of(client, request_id)[-1]
        assert (last["decision"], last["actor"]) == ("failed", "user:owner")


def test_what_was_read_is_in_the_row(client: TestClient) -> None:
    headers = {"X-Request-ID": "searching"}
    found = client.post("/v1/search", json={"query": "Apollo"}, headers=headers).json()["evidence"]
    _, outcome = rows_of(client, "searching")
    assert outcome["meta"]["chunks"] == list(dict.fromkeys(one["chunk_id"] for one in found))
    assert outcome["meta"]["documents_count"] == len({one["doc_id"] for one in found})
    asked = client.post("/ask", json={"question": "Who founded Apollo?"}).json()
    tools = client.get(
        "/v1/admin/audit", params={"run": asked["run_id"], "action": "tool.run"}
    ).json()["items"]
    read = {chunk for row in tools for chunk in row["meta"].get("chunks", ())}
    assert {each["chunk_id"] for one in asked["sentences"] for each in one["citations"]} <= read


@pytest.mark.parametrize(
    "asked",
    [
        {"decision": "perhaps"},
        {"since": "yesterday"},
        {"since": "2026-11-21T10:00:00"},
        {"cursor": "!!"},
        {"cursor": "eHg"},
        {"limit": 0},
        {"limit": 100000},
    ],
)
def test_a_filter_that_is_none_is_a_problem(client: TestClient, asked: dict[str, str]) -> None:
    reply = client.get("/v1/admin/audit", params=asked)
    assert reply.status_code == 422
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["code"] == "bad_input"


def test_pages_are_the_whole_log_each_row_once(client: TestClient) -> None:
    for _ in range(10):
        client.get("/v1/kb")
    seqs: list[int] = []
    asked: dict[str, Any] = {"limit": 7, "action": "kb.*"}
    while True:
        page = client.get("/v1/admin/audit", params=asked).json()
        seqs += [row["seq"] for row in page["items"]]
        assert all(row["action"].startswith("kb.") for row in page["items"])
        if not page["next"]:
            break
        asked["cursor"] = page["next"]
    assert len(seqs) > 7
    assert seqs == sorted(set(seqs), reverse=True)


def test_the_export_verifies_alone(client: TestClient, home: Path) -> None:
    import runpy

    from house.source import ROOT

    verify = runpy.run_path(str(ROOT / "docs" / "verify_audit.py"))["verify"]
    head = client.get("/v1/admin/audit/head").json()
    for form in ("jsonl", "ocsf"):
        reply = client.get("/v1/admin/audit/export", params={"format": form})
        assert reply.headers["content-type"].startswith("application/x-ndjson")
        verify(
            reply.text.splitlines(), (home / "audit.key").read_bytes(), (head["seq"], head["mac"])
        )
    known = f"{head['seq']}:{head['mac']}"
    assert client.get("/v1/admin/audit/verify", params={"head": known}).json()["intact"]
    other = f"{head['seq']}:{'0' * 64}"
    report = client.get("/v1/admin/audit/verify", params={"head": other}).json()
    assert (report["intact"], report["broken_at"]) == (False, head["seq"])
    wrong = client.get("/v1/admin/audit/verify", params={"head": str(home / "audit.heads")})
    assert wrong.status_code == 422
