"""Documents over HTTP: handed over, found, changed, taken back."""

from __future__ import annotations

import errno
import io
import os
import sqlite3
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from flow.http_world import ended, served, workspace
from weft.ingest.sources.inbox import Inbox

RECORD = {
    "id": "zephyr/1",
    "title": "Zephyr",
    "content": "Zephyr was designed by Ana Souza in Lisbon.",
    "uri": "https://example.org/zephyr",
    "metadata": {"team": "west", "year": 2024},
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspace(tmp_path_factory.mktemp("documents"))


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[TestClient]:
    with served(home) as opened:
        yield opened


def jobs_of(home: Path) -> str:
    """Return all that the rows of jobs hold."""
    connection = sqlite3.connect(home / "records.db")
    try:
        return repr(connection.execute("SELECT * FROM jobs").fetchall())
    finally:
        connection.close()


def made(client: TestClient, name: str) -> str:
    assert client.post("/v1/kb", json={"name": name}).status_code == 201
    return f"/v1/kb/{name}/documents"


def handed(client: TestClient, place: str, *records: dict[str, Any]) -> dict[str, Any]:
    reply = client.post(place, json={"records": list(records)})
    assert reply.status_code == 202, reply.text
    return ended(client, reply.json()["run_id"])


def test_a_base_is_read_by_its_own_ontology(client: TestClient) -> None:
    wanted = {"name": "Lending", "ontology": "finance"}
    assert client.post("/v1/kb", json=wanted).status_code == 201
    made_with = client.get("/v1/kb/Lending/stats").json()["made_with"]
    assert made_with["ontology"].startswith("finance@")


def test_a_record_is_taken_in_found_and_taken_back(client: TestClient) -> None:
    place = made(client, "Records")
    done = handed(client, place, RECORD)
    assert (done["status"], done["kind"], done["progress"]["documents"]) == (
        "finished",
        "ingest",
        1,
    )
    (listed,) = client.get(place).json()["items"]
    assert listed["title"] == "Zephyr"
    assert listed["uri"] == RECORD["uri"]
    assert {"team": "west", "year": 2024}.items() <= listed["metadata"].items()
    opened = client.get(f"{place}/{listed['id'].replace('#', '%23')}").json()
    assert opened["text"] == RECORD["content"]
    asked = {"question": "Who designed Zephyr?", "kb": ["Records"]}
    answer = client.post("/ask", json=asked).json()
    assert not answer["refused"]
    assert answer["citations"][0]["kb"] == "Records"
    assert answer["source_documents"][0]["id"] == listed["id"]
    gone = client.delete(f"{place}/{listed['id'].replace('#', '%23')}")
    assert gone.status_code == 204
    assert client.get(place).json()["items"] == []
    assert client.post("/ask", json=asked).json()["refused"]
    run = client.get(f"/v1/runs/{answer['run_id']}").json()
    assert run["source_deleted"]


def test_an_address_tells_the_name_and_not_where_it_is_kept(client: TestClient, home: Path) -> None:
    place = made(client, "Addresses")
    handed(client, place, {"id": "note 1", "title": "Kestrel", "content": "Kestrel is in Oslo."})
    files = [
        (
            "files",
            ("team/크레인 1.md", b"# Heron\n\nHeron is in Bergen.\n", "text/markdown"),
        ),
        ("files", ("rows.csv", b"id,name\nr1,Owl\nr2,Lark\n", "text/csv")),
    ]
    run = client.post(place, files=files).json()
    assert ended(client, run["run_id"])["status"] == "finished"
    listed = {item["title"]: item["uri"] for item in client.get(place).json()["items"]}
    assert listed["Kestrel"] == "inbox:note%201"
    assert listed["Heron"] == "inbox:team/%ED%81%AC%EB%A0%88%EC%9D%B8%201.md"
    assert list(listed.values()).count("inbox:rows.csv") == 2
    answer = client.post("/ask", json={"question": "Where is Heron?", "kb": ["Addresses"]}).json()
    assert answer["citations"][0]["uri"] == listed["Heron"]
    patched = client.get(place, params={"q": "크레인"}).json()["items"][0]
    changed = client.patch(f"{place}/{patched['id']}", json={"title": "Grey heron"}).json()
    assert (changed["title"], changed["uri"]) == ("Grey heron", listed["Heron"])
    for path in (place, "/chat/history", "/v1/kb/Addresses/ledger", "/v1/runs?kind=ingest"):
        assert str(home) not in client.get(path).text


def test_the_ledger_names_the_files_that_gave_no_text(client: TestClient) -> None:
    place = made(client, "Mixed")
    files = [
        ("files", ("good.md", b"# Heron\n\nHeron is in Bergen.\n", "text/markdown")),
        ("files", ("tools/setup.exe", b"MZ\x90\0" * 64, "application/octet-stream")),
        ("files", ("empty.txt", b"", "text/plain")),
    ]
    progress = ended(client, client.post(place, files=files).json()["run_id"])["progress"]
    ledger = "/v1/kb/Mixed/ledger"
    unread = client.get(ledger, params={"unread": True}).json()["files"]
    assert {(one["path"], one["status"]) for one in unread} == {
        ("tools/setup.exe", "unsupported"),
        ("empty.txt", "no_text"),
    }
    assert all(one["reason"] for one in unread)
    assert (progress["failed"], len(client.get(ledger).json()["files"])) == (2, 3)


def test_the_same_record_again_changes_nothing_and_another_text_replaces_it(
    client: TestClient,
) -> None:
    place = made(client, "Again")
    handed(client, place, RECORD)
    again = handed(client, place, RECORD)
    assert (again["progress"]["unchanged"], again["progress"]["documents"]) == (1, 0)
    handed(client, place, {**RECORD, "content": "Zephyr was designed by Bo Berg in Oslo."})
    (listed,) = client.get(place).json()["items"]
    opened = client.get(f"{place}/{listed['id'].replace('#', '%23')}").json()
    assert "Bo Berg" in opened["text"]


def test_files_keep_their_paths_and_hidden_ones_are_refused(client: TestClient) -> None:
    place = made(client, "Files")
    files = [
        ("files", ("team/north.md", b"# North\n\nThe north team has six members.\n")),
        ("files", ("south.txt", b"The south team has nine members.")),
    ]
    reply = client.post(place, files=files, data={"acl": ["group:staff"], "metadata": '{"y": 1}'})
    assert reply.status_code == 202, reply.text
    done = ended(client, reply.json()["run_id"])
    assert done["progress"] | {"current": "", "rate": 0.0} == {
        "rate": 0.0,
        "seconds_left": 0.0,
        "files_total": 2,
        "files_done": 2,
        "unchanged": 0,
        "failed": 0,
        "removed": 0,
        "retried": 0,
        "documents": 2,
        "chunks": 2,
        "current": "",
    }
    items = client.get(place).json()["items"]
    assert [item["id"] for item in items] == ["file:inbox/south.txt", "file:inbox/team/north.md"]
    assert all(item["acl"] == ["group:staff", "user:owner"] for item in items)
    assert all(item["metadata"]["y"] == 1 for item in items)
    for name in ("../x.md", "/x.md", "a/.git/x", "weft.acl.yaml", "_records/x.json", "a\\b"):
        refused = client.post(place, files=[("files", (name, b"text"))])
        assert refused.status_code == 422, name


def test_readers_change_at_once_and_a_version_that_has_passed_is_a_conflict(
    client: TestClient,
) -> None:
    place = made(client, "Readers")
    handed(client, place, RECORD)
    (before,) = client.get(place).json()["items"]
    path = f"{place}/{before['id'].replace('#', '%23')}"
    changed = client.patch(path, json={"acl": ["group:staff"]})
    assert changed.json()["acl"] == ["group:staff", "user:owner"]
    late = client.patch(
        path, json={"title": "Late"}, headers={"If-Match": f'"{before["version"]}"'}
    )
    assert (late.status_code, late.json()["code"]) == (409, "version_conflict")
    titled = client.patch(path, json={"title": "Zephyr II", "metadata": {"team": "east"}}).json()
    assert titled["title"] == "Zephyr II"
    assert titled["metadata"]["team"] == "east"
    assert "year" not in titled["metadata"]
    assert titled["acl"] == ["group:staff", "user:owner"]
    whichever = client.patch(path, json={"title": "Any"}, headers={"If-Match": "*"})
    assert (whichever.status_code, whichever.json()["title"]) == (200, "Any")
    given = {"If-Match": whichever.headers["ETag"]}
    assert client.get(path).headers["ETag"] == given["If-Match"]
    assert client.patch(path, json={"title": "Next"}, headers=given).status_code == 200
    several = client.patch(path, json={"title": "No"}, headers={"If-Match": '"a", "b"'})
    assert (several.status_code, several.json()["detail"]) == (422, "If-Match: name one version.")


def test_a_folders_document_is_changed_in_its_folder(client: TestClient) -> None:
    (base,) = [b["id"] for b in client.get("/v1/kb").json()["items"] if b["folder"]]
    item = client.get(f"/v1/kb/{base}/documents").json()["items"][0]
    reply = client.delete(f"/v1/kb/{base}/documents/{item['id']}")
    assert reply.status_code == 422
    assert "source" in reply.json()["detail"]


def test_an_idempotency_key_makes_once(client: TestClient) -> None:
    place = made(client, "Once")
    headers = {"Idempotency-Key": "first-1"}
    body = {"records": [RECORD]}
    first = client.post(place, json=body, headers=headers)
    second = client.post(place, json=body, headers=headers)
    assert second.json() == first.json()
    assert second.headers["Idempotent-Replayed"] == "true"
    other = client.post(place, json={"records": [{"content": "x"}]}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (422, "bad_input")
    base = {"name": "OnceBase"}
    key = {"Idempotency-Key": "base-1"}
    assert client.post("/v1/kb", json=base, headers=key).status_code == 201
    assert client.post("/v1/kb", json=base, headers=key).status_code == 201
    assert client.post("/v1/kb", json=base).status_code == 409


def test_what_was_accepted_is_done_after_a_restart(tmp_path: Path) -> None:
    home = workspace(tmp_path)
    with served(home) as first:
        place = made(first, "Later")
        records = [{"id": f"l{n}", "content": f"Later {n}. " * 50} for n in range(60)]
        run_id = first.post(place, json={"records": records}).json()["run_id"]
    with served(home) as second:
        assert ended(second, run_id)["status"] == "finished"
        stats = second.get("/v1/kb/Later/stats").json()
        assert stats["documents"] == 60


def test_pages_come_in_order_and_end(client: TestClient) -> None:
    place = made(client, "Pages")
    handed(client, place, *[{"id": f"r{n}", "content": f"Record {n}."} for n in range(5)])
    seen: list[str] = []
    cursor = ""
    while True:
        page = client.get(place, params={"limit": 2, "cursor": cursor}).json()
        seen += [item["id"] for item in page["items"]]
        cursor = page["next"]
        if not cursor:
            break
    assert len(seen) == 5
    assert seen == sorted(seen)
    assert client.get(place, params={"cursor": "!!"}).status_code == 422


def test_a_dropped_base_is_gone_with_all_that_was_handed_over(
    client: TestClient, home: Path
) -> None:
    place = made(client, "Dropped")
    handed(client, place, RECORD)
    assert list(home.glob("inbox/*/Dropped/inbox/_records/*.json"))
    assert client.delete("/v1/kb/Dropped").status_code == 204
    assert client.get(place).status_code == 404
    assert not list(home.glob("inbox/*/Dropped"))
    assert "Dropped" not in jobs_of(home)


def test_a_deleted_document_leaves_no_name_among_the_jobs(client: TestClient, home: Path) -> None:
    place = made(client, "Names")
    file = ("merger-with-Quux.md", b"# Quux\n\nQuux was bought in May.\n")
    sent = client.post(place, files={"files": file})
    assert ended(client, sent.json()["run_id"])["status"] == "finished"
    (listed,) = client.get(place).json()["items"]
    assert client.delete(f"{place}/{listed['id']}").status_code == 204
    assert "ingest:Names" in jobs_of(home)
    assert "Quux" not in jobs_of(home)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"records": []}, "records"),
        ({"records": [{"content": ""}]}, "content"),
        ({"records": [{"content": "x", "acl": ["ann"]}]}, "acl"),
        ({"records": [{"content": "x", "metadata": {"acl": "user:eve"}}]}, "metadata"),
        ({"records": [{"content": "x"}], "source": {"path": "/tmp"}}, "body"),
        ({"source": {"path": "/nowhere/at/all"}}, "path"),
        ({}, "body"),
        ({"records": [{"id": "q", "content": "x"}, {"id": "q", "content": "y"}]}, "'q' is there"),
    ],
)
def test_what_cannot_be_taken_is_named(
    client: TestClient, body: dict[str, object], *, named: str
) -> None:
    client.post("/v1/kb", json={"name": "Wrong"})
    reply = client.post("/v1/kb/Wrong/documents", json=body)
    assert reply.status_code == 422
    assert named in reply.json()["detail"]


@pytest.mark.parametrize("where", ["draft", "inbox"])
def test_a_disk_that_is_full_is_told_and_the_same_is_taken_in_later(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    place = made(client, f"Full{where}")
    given = {"files": ("ferry.txt", b"The ferry to Full sails at nine.")}

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        if where == "draft":
            patched.setattr(os, "fsync", full)
        else:
            patched.setattr(Inbox, "take", full)
        reply = client.post(place, files=given)
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "2")
    told = reply.json()
    assert told["code"] == "store_unwritable"
    assert told["detail"] == "What is handed over cannot be kept: No space left on device."
    ended(client, client.post(place, files=given).json()["run_id"])
    assert len(client.get(place).json()["items"]) == 1


def test_of_one_request_no_part_replaces_another(client: TestClient) -> None:
    place = made(client, "Twins")
    twins = [{"id": "dup1", "content": "First."}, {"id": "dup1", "content": "Second."}]
    reply = client.post(place, json={"records": [RECORD, *twins]})
    assert reply.status_code == 422
    assert reply.json()["detail"] == "records: the id 'dup1' is there twice."
    files = [("files", (name, b"# Owl\n")) for name in ("team/owl.md", "lark.md", "team//owl.md")]
    refused = client.post(place, files=files)
    assert refused.status_code == 422
    assert refused.json()["detail"] == "files: the name 'team/owl.md' is there twice."
    assert client.get(place).json()["items"] == []
    assert client.get("/v1/runs", params={"kind": "ingest", "kb": "Twins"}).json()["items"] == []


def test_a_list_says_what_became_of_each_document(client: TestClient) -> None:
    place = made(client, "States")
    handed(client, place, RECORD)
    files = {"files": ("rows.csv", b"id,name,town\n1,Heron,Oslo\n2,Kestrel,Bergen\n", "text/csv")}
    ended(client, client.post(place, files=files).json()["run_id"])
    items = client.get(place).json()["items"]
    assert [(each["chunks"], each["status"], each["reason"]) for each in items] == [
        (1, "read", "")
    ] * 3
    assert client.get(place, params={"q": "nowhere"}).json() == {"items": [], "next": ""}


def test_others_conversations_look_like_those_that_are_not_there(client: TestClient) -> None:
    path = "/v1/conversations/00000000-0000-4000-8000-000000000000"
    replies = [client.get(path), client.patch(path, json={"title": "x"}), client.delete(path)]
    assert {reply.status_code for reply in replies} == {404}
    assert len({reply.json()["detail"] for reply in replies}) == 1


def zipped(**files: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"in/{name}.md", text)
    return out.getvalue()


def test_an_archive_is_taken_in_as_what_is_in_it_and_changed_as_a_whole(
    client: TestClient,
) -> None:
    place = made(client, "Archives")
    for held in (
        {"crane": "The crane was sold.", "pump": "The pump is old."},
        {"pump": "It runs."},
    ):
        files = {"files": ("a.zip", zipped(**held), "application/zip")}
        reply = client.post(place, files=files)
        assert reply.status_code == 202, reply.text
        assert ended(client, reply.json()["run_id"])["status"] == "finished"
        listed = {each["id"] for each in client.get(place).json()["items"]}
        assert listed == {f"file:inbox/a.zip/in/{name}.md" for name in held}
    refused = client.delete(f"{place}/file:inbox/a.zip/in/pump.md")
    assert refused.status_code == 422, refused.text
    assert "lies within the file 'a.zip'" in refused.text
