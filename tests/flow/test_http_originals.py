"""Originals over HTTP: byte for byte, never drawn as a page of the service, hidden as if absent."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from flow.http_world import APOLLO, ended, served, workspace
from principals import somebody
from unit.adapters.reader.samples import pdf
from weft.bootstrap.app import load_settings, open_app
from weft.ingest.jobs.ingestion import IngestRequest

PDF = pdf(["Heron is in Bergen.", "Kestrel is in Oslo."], "Birds")
HTML = b"<html><body><p>Owl is in Rome.</p><script>alert(1)</script></body></html>"
BO = somebody("bo")


async def bring_in_for_bo(home: Path) -> None:
    app = await open_app(load_settings(home))
    try:
        (home / "board").mkdir()
        (home / "board" / "plan.md").write_text("# Plan\n\nThe plan is secret.\n")
        store = await app.library.ensured(BO, "Board")
        request = IngestRequest(path=home / "board", acl=frozenset({"user:bo"}))
        await app.ingest.bring_in(BO, store, request=request, watch=lambda _: None)
    finally:
        await app.close()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    home = workspace(tmp_path_factory.mktemp("originals"))
    asyncio.run(bring_in_for_bo(home))
    with served(home) as opened:
        yield opened


@pytest.fixture(scope="module")
def place(client: TestClient) -> str:
    assert client.post("/v1/kb", json={"name": "Birds"}).status_code == 201
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("owl.html", HTML)
    files = {"새/birds 1.pdf": PDF, "owl.html": HTML, "all.zip": packed.getvalue()}
    files |= {"team/original": b"# Original\n\nIt is called so.\n", "note.txt": b"A plain note."}
    parts = [("files", (name, data, "application/pdf")) for name, data in files.items()]
    run = client.post("/v1/kb/Birds/documents", files=parts).json()
    assert ended(client, run["run_id"])["status"] == "finished"
    return "/v1/kb/Birds/documents"


def address(place: str, key: str) -> str:
    return f"{place}/{quote(key)}/original"


def test_a_pdf_is_shown_with_its_name(client: TestClient, place: str) -> None:
    url = address(place, "file:inbox/새/birds 1.pdf")
    reply = client.get(url)
    assert (reply.status_code, reply.content) == (200, PDF)
    assert reply.headers["content-type"] == "application/pdf"
    assert reply.headers["content-disposition"] == "inline; filename*=UTF-8''birds%201.pdf"
    assert reply.headers["content-length"] == str(len(PDF))
    opened = client.get(url.removesuffix("/original"), params={"original": True}).json()
    assert opened["original"] == {
        "name": "birds 1.pdf",
        "media_type": "application/pdf",
        "size": len(PDF),
    }
    assert client.get(url.removesuffix("/original")).json()["original"] is None


@pytest.mark.parametrize("name", ["owl.html", "all.zip/owl.html", "note.txt"])
def test_what_could_run_here_is_handed_out_to_be_saved(
    client: TestClient, place: str, name: str
) -> None:
    """Its name and what was said of its type when it came decide nothing."""
    reply = client.get(address(place, f"file:inbox/{name}"))
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "application/octet-stream"
    assert reply.headers["content-disposition"].startswith("attachment; ")
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["content-security-policy"].startswith("default-src 'none'")
    assert reply.headers["cache-control"] == "no-store"


def test_hidden_and_absent_are_told_alike(client: TestClient) -> None:
    told = set()
    for key in ("file:board/plan.md", "file:board/never.md", "file:nowhere/x", "y", "record:a/b#1"):
        reply = client.get(address("/v1/kb/Board/documents", key), headers={"X-Request-ID": "same"})
        assert reply.status_code == 404
        told.add((reply.content, tuple(sorted(reply.headers.items()))))
    assert len(told) == 1


def test_a_token_is_needed(client: TestClient, place: str) -> None:
    reply = client.get(address(place, "file:inbox/note.txt"), headers={"Authorization": ""})
    assert reply.status_code == 401


def test_a_document_of_that_name_is_opened_as_any_other(client: TestClient, place: str) -> None:
    opened = client.get(f"{place}/file:inbox/team/original").json()
    assert opened["document"]["title"] == "Original"
    assert "It is called so." in opened["text"]
    reply = client.get(address(place, "file:inbox/team/original"))
    assert reply.content.startswith(b"# Original")


def test_what_is_taken_back_takes_its_file_along(client: TestClient, place: str) -> None:
    parts = [("files", ("brief.md", b"# Brief\n\nIt stays briefly.\n", "text/markdown"))]
    run = client.post(place, files=parts).json()
    assert ended(client, run["run_id"])["status"] == "finished"
    url = address(place, "file:inbox/brief.md")
    assert client.get(url).status_code == 200
    assert client.delete(f"{place}/file:inbox/brief.md").status_code == 204
    assert client.get(url).status_code == 404


def test_a_folder_brought_in_before_the_service_is_opened_in_its_place(client: TestClient) -> None:
    (base,) = [each for each in client.get("/v1/kb").json()["items"] if each["folder"]]
    reply = client.get(address(f"/v1/kb/{base['id']}/documents", "file:notes/apollo.md"))
    assert reply.text == APOLLO
