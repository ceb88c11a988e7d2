"""The service: who comes in, what it answers, how errors leave."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import APIRouter, FastAPI
from fastapi.testclient import TestClient

from weft.api.app import build
from weft.api.edge.gate import check_routes
from weft.config import load_settings
from weft.domain.errors import ConfigurationError
from weft.platform.worker import Worker
from weft.sdk.weft import Weft


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("service")
    (folder / "weft.yaml").write_text("embedder: none\n")
    notes = folder / "notes"
    notes.mkdir()
    (notes / "apollo.md").write_text("# Apollo\n\nApollo was founded by Li Wei in Seoul.\n")
    with Weft.open(notes, home=folder) as weft:
        weft.sync()
    return folder


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[TestClient]:
    with TestClient(build(load_settings(home))) as opened:
        yield opened


def bearer(home: Path) -> dict[str, str]:
    return {"Authorization": f"Bearer {(home / 'token').read_text()}"}


def test_health_is_open(client: TestClient) -> None:
    assert client.get("/health/live").json() == {"status": "ok"}
    assert client.get("/health/ready").json()["status"] == "ready"


@pytest.mark.parametrize("given", ["", "Bearer ", "Bearer wrong", "Basic x"])
def test_nobody_asks_without_the_token(client: TestClient, given: str) -> None:
    reply = client.post("/ask", json={"question": "?"}, headers={"Authorization": given})
    assert reply.status_code == 401
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["code"] == "unauthenticated"


def test_the_token_is_its_owners_alone(client: TestClient, home: Path) -> None:
    assert (home / "token").stat().st_mode & 0o777 == 0o600


def test_an_answer_carries_what_it_cites(client: TestClient, home: Path) -> None:
    asked = {"question": "Who founded Apollo?"}
    answer = client.post("/ask", json=asked, headers=bearer(home)).json()
    assert not answer["refused"]
    (citation,) = answer["sentences"][0]["citations"]
    assert "Li Wei" in citation["snippet"]


@pytest.mark.parametrize(
    ("body", "status", "named"),
    [
        ({}, 422, "question"),
        ({"question": ""}, 422, "question"),
        ({"question": "x", "tenant": "other"}, 422, "tenant"),
        ({"question": "x", "kb": ["Nothing"]}, 404, "Nothing"),
    ],
)
def test_bad_input_is_named(
    client: TestClient, home: Path, body: dict[str, object], *, status: int, named: str
) -> None:
    reply = client.post("/ask", json=body, headers=bearer(home))
    assert reply.status_code == status
    assert named in reply.json()["detail"]


def test_a_route_without_a_permission_stops_the_start() -> None:
    router = APIRouter()

    @router.get("/secret")
    async def secret() -> dict[str, str]:
        return {}

    plain, included = FastAPI(openapi_url=None), FastAPI(openapi_url=None)
    plain.get("/secret")(secret)
    included.include_router(router)
    for app in (plain, included):
        with pytest.raises(ConfigurationError, match="/secret"):
            check_routes(app)


def test_a_worker_that_has_stopped_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def stopped(_: Worker) -> None:
        return

    monkeypatch.setattr(Worker, "work", stopped)
    with TestClient(build(load_settings(home))) as client:
        reply = client.get("/health/batch")
        assert (reply.status_code, reply.json()["status"]) == (503, "blocked")
        assert reply.headers["Retry-After"]


def test_an_ingestion_that_stands_still_is_told(home: Path) -> None:
    app = build(load_settings(home))
    with TestClient(app) as client:
        assert client.get("/health/batch").json()["status"] == "ready"
        ingestions = app.state.dependencies.host.line.ingestions
        ingestions._moved["job"] = ingestions._clock.elapsed() - 200.0
        for path in ("/health/batch", "/health/ready"):
            found = client.get(path).json()
            assert found["status"] == "degraded"
            assert found["reasons"] == ["1 ingestions have come no further for 200 s"]
