"""Readers of what is handed over: who they are, who they stay, and what nobody else replaces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from flow.http_world import ended, over, workspace
from flow.people_world import PeopleWorld, peopled
from flow.test_http_documents import made

REFUSED = "One of the names or ids cannot be used here; choose another."
ROWS = (
    "id,title,content,acl\n1,Canteen,Soup is served at noon.,\n2,Pay,Pay rises in May.,group:hr\n"
)
OPEN_ROWS = "id,title,content,acl\n1,Canteen,Soup is served at one.,\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspace(tmp_path_factory.mktemp("readers"))


@pytest.fixture(scope="module")
def world(home: Path) -> Iterator[PeopleWorld]:
    with peopled(home, {"ed": "curator", "hana": "curator @hr"}) as people:
        yield people


@pytest.fixture(scope="module")
def client(world: PeopleWorld) -> TestClient:
    return world.client


def shared(world: PeopleWorld, name: str) -> str:
    """Make a knowledge base that everyone may fill; return the address of its documents."""
    place = made(world.client, name)
    opened = world.client.patch(f"/v1/kb/{name}", json={"writers": ["tenant:*"]})
    assert opened.status_code == 200
    return place


def sent(
    world: PeopleWorld, who: str, place: str, *, name: str = "r.csv", text: str = ROWS
) -> Response:
    """Hand a file over as somebody and wait until it was read."""
    reply = world.ask(who, "POST", place, files={"files": (name, text.encode())})
    if reply.status_code == 202:
        over(lambda: world.ask(who, "GET", f"/v1/runs/{reply.json()['run_id']}").json())
    return reply


def titles(world: PeopleWorld, who: str, place: str) -> set[str]:
    return {each["title"] for each in world.ask(who, "GET", place).json()["items"]}


def test_rows_that_a_writer_may_not_read_are_not_replaced(world: PeopleWorld) -> None:
    place = shared(world, "Rows")
    assert sent(world, "local/hana", place).status_code == 202
    assert titles(world, "local/ed", place) == {"Canteen"}
    refused = sent(world, "local/ed", place, text=OPEN_ROWS)
    assert (refused.status_code, refused.json()["detail"]) == (422, REFUSED)
    assert titles(world, "local/hana", place) == {"Canteen", "Pay"}
    assert sent(world, "local/hana", place, text=OPEN_ROWS).status_code == 202
    assert sent(world, "local/ed", place, text=OPEN_ROWS).status_code == 202
    assert titles(world, "local/ed", place) == {"Canteen"}


def test_a_document_of_a_file_does_not_tell_how_many_there_are(world: PeopleWorld) -> None:
    place = shared(world, "Counted")
    sent(world, "local/hana", place)
    (seen,) = world.ask("local/ed", "GET", place).json()["items"]
    path = f"{place}/{seen['id'].replace('#', '%23')}"
    refused = world.ask("local/ed", "DELETE", path)
    assert refused.status_code == 422
    assert refused.json()["detail"] == (
        "This document is a record of the file 'r.csv': hand the file over anew."
    )


def test_what_is_handed_over_anew_keeps_its_readers(world: PeopleWorld) -> None:
    place = shared(world, "Kept")
    client = world.client
    file = {"files": ("pay.md", b"# Pay\n\nPay rises in May.\n")}
    record = {"id": "plan", "title": "Plan", "content": "The plan is secret."}
    raw = {"target_database": "Kept", "records": [{"id": "raw", "content": "a,b\n1,2\n"}]}
    for said in ({"acl": ["group:hr"]}, {}):
        ended(client, client.post(place, files=file, data=said).json()["run_id"])
        body = {"records": [{**record, **said}]}
        ended(client, client.post(place, json=body).json()["run_id"])
        assert client.post("/platform/ingest/raw", json=raw).json()["ok"]
        if said:
            for item in client.get(f"{place}?q=raw").json()["items"]:
                path = f"{place}/{item['id'].replace('#', '%23')}"
                assert client.patch(path, json={"acl": ["group:hr"]}).status_code == 200
    found = {each["id"]: each["acl"] for each in client.get(place).json()["items"]}
    assert len(found) == 3
    assert all(acl == ["group:hr", "user:owner"] for acl in found.values()), found
    assert world.ask("local/ed", "GET", place).json()["items"] == []
    ended(client, client.post(place, files=file, data={"acl": "tenant:*"}).json()["run_id"])
    assert titles(world, "local/ed", place) == {"Pay"}


@pytest.mark.parametrize(
    "body",
    [
        {"records": [{"id": "x", "content": "y", "acl": []}]},
        {"source": {"path": "/tmp", "acl": []}},
    ],
)
def test_an_empty_list_of_readers_is_refused(client: TestClient, body: object) -> None:
    client.post("/v1/kb", json={"name": "Empty"})
    refused = client.post("/v1/kb/Empty/documents", json=body)
    assert refused.status_code == 422
    assert "acl" in refused.json()["detail"]
    assert client.get("/v1/kb/Empty/documents").json()["items"] == []


@pytest.mark.parametrize("field", ["ACL", "readers", "acls[]", "tags"])
def test_a_field_that_a_form_has_not_is_named(client: TestClient, field: str) -> None:
    client.post("/v1/kb", json={"name": "Forms"})
    place, files = "/v1/kb/Forms/documents", {"files": ("a.md", b"# A\n\nA is a.\n")}
    refused = client.post(place, files=files, data={field: "group:hr"})
    assert refused.status_code == 422
    assert refused.json()["detail"] == f"{field}: there is no such field in a form."
    assert client.get(place).json()["items"] == []


@pytest.mark.parametrize("given", ["", " , "])
def test_a_form_names_readers_or_leaves_them_out(client: TestClient, given: str) -> None:
    client.post("/v1/kb", json={"name": "Forms"})
    place, files = "/v1/kb/Forms/documents", {"files": ("a.md", b"# A\n\nA is a.\n")}
    refused = client.post(place, files=files, data={"acl": given})
    assert refused.status_code == 422
    assert "acl" in refused.json()["detail"]
    as_file = client.post(place, files={**files, "acl": ("acl.txt", b"group:hr")})
    assert (as_file.status_code, as_file.json()["detail"]) == (
        422,
        "acl: it is text, not a file.",
    )


@pytest.mark.parametrize(
    "data",
    [
        {"acl[]": ["group:hr", "user:ed"]},
        {"acl": "group:hr, user:ed"},
        {"acl": ["group:hr"], "acl[]": ["user:ed"]},
    ],
)
def test_a_form_spells_readers_in_more_than_one_way(
    client: TestClient, data: dict[str, str | list[str]]
) -> None:
    base = f"Spelt{abs(hash(json.dumps(data)))}"
    place = made(client, base)
    files = {"files": ("a.md", b"# A\n\nA is a.\n")}
    reply = client.post(place, files=files, data=data)
    ended(client, reply.json()["run_id"])
    (item,) = client.get(place).json()["items"]
    assert item["acl"] == ["group:hr", "user:ed", "user:owner"]
