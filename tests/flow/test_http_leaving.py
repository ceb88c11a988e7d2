"""Whoever goes away, or cancels, frees the model call within two seconds."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

from flow.http_world import bearer, ended, running, workspace
from patience import SOON, eventually

BODY = {"question": "Who founded Apollo?"}


@dataclass
class SilentModel:
    """A model's address where every call is taken and none is answered."""

    url: str
    taken: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    freed: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))


@contextmanager
def silent_model() -> Iterator[SilentModel]:
    """Take calls, say nothing, and note when whoever called hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        model = SilentModel(url=f"http://127.0.0.1:{listening.getsockname()[1]}/v1")

        def hold(connection: socket.socket) -> None:
            with connection:
                model.taken.release()
                while connection.recv(65536):
                    pass
                model.freed.release()

        def accept() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                threading.Thread(target=hold, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield model


@pytest.fixture(scope="module")
def model() -> Iterator[SilentModel]:
    with silent_model() as opened:
        yield opened


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, model: SilentModel) -> Iterator[httpx2.Client]:
    home: Path = workspace(tmp_path_factory.mktemp("leaving"))
    settings = f"embedder: none\nmodel: openai:silent\nopenai_base_url: {model.url}\n"
    (home / "weft.yaml").write_text(settings + "openai_api_key: none\n")
    with (
        running(home) as address,
        httpx2.Client(base_url=address, headers=bearer(home), timeout=60) as opened,
    ):
        yield opened


def freed(model: SilentModel) -> bool:
    return model.freed.acquire(timeout=SOON)


def status_of(client: httpx2.Client, run_id: str) -> str:
    return str(ended(client, run_id, under_way=("running",))["status"])


def newest(client: httpx2.Client) -> str:
    return str(client.get("/v1/runs", params={"limit": 1}).json()["items"][0]["run_id"])


async def hangs_up(client: httpx2.Client, model: SilentModel) -> bool:
    """Ask, hang up once the model has the question, and tell whether it came to have it."""
    async with httpx2.AsyncClient(base_url=client.base_url, headers=client.headers) as caller:
        asking = asyncio.create_task(caller.post("/ask", json=BODY, timeout=60))
        is_taken = await asyncio.to_thread(model.taken.acquire, timeout=SOON)
        asking.cancel()
        await asyncio.wait([asking])
    return is_taken and asking.cancelled()


def test_a_caller_that_hangs_up_frees_the_model(client: httpx2.Client, model: SilentModel) -> None:
    assert asyncio.run(hangs_up(client, model))
    assert freed(model)
    assert status_of(client, newest(client)) == "cancelled"


@pytest.mark.parametrize("path", ["/ask", "/v1/chat/completions"])
def test_a_stream_that_is_left_frees_the_model(
    client: httpx2.Client, model: SilentModel, path: str
) -> None:
    message = {"model": "weft", "messages": [{"role": "user", "content": BODY["question"]}]}
    body = {**BODY, "stream": True} if path == "/ask" else {**message, "stream": True}
    with client.stream("POST", path, json=body) as reply:
        run_id = reply.headers["X-Run-ID"]
        assert model.taken.acquire(timeout=SOON)
    assert freed(model)
    assert status_of(client, run_id) == "cancelled"


def test_a_cancelled_run_frees_the_model_and_says_so(
    client: httpx2.Client, model: SilentModel
) -> None:
    with client.stream("POST", "/ask", json={**BODY, "stream": True}) as reply:
        run_id = reply.headers["X-Run-ID"]
        assert model.taken.acquire(timeout=SOON)
        assert client.post(f"/v1/runs/{run_id}/cancel").json()["status"] == "cancelled"
        assert freed(model)
        last = reply.read().decode().strip().split("\n\n")[-1]
    assert last.startswith("event: error")
    assert json.loads(last.split("data: ", 1)[1])["code"] == "cancelled"
    events = client.get(f"/v1/runs/{run_id}/events").text
    assert "event: run_cancelled" in events


def test_a_stream_that_goes_on_is_left_and_cancelled_later(
    client: httpx2.Client, model: SilentModel
) -> None:
    body = {"message": BODY["question"], "stream": True, "goes_on": True}
    with client.stream("POST", "/v1/chat/message", json=body) as reply:
        run_id = reply.headers["X-Run-ID"]
        assert model.taken.acquire(timeout=SOON)
    time.sleep(2.0)
    assert client.get(f"/v1/runs/{run_id}").json()["status"] == "running"
    assert client.post(f"/v1/runs/{run_id}/cancel").json()["status"] == "cancelled"
    assert freed(model)


def left_at_once(client: httpx2.Client, path: str, body: dict[str, object]) -> str:
    """Ask for a stream, hang up once its head has come, and return the run that it named."""
    with client.stream("POST", path, json=body, headers={"Accept": "text/event-stream"}) as reply:
        assert reply.status_code == 200
        return str(reply.headers["X-Run-ID"])


def unfinished(client: httpx2.Client) -> int:
    return int(client.get("/v1/admin/audit/verify").json()["unfinished"])


def nothing_stays_unfinished(client: httpx2.Client) -> bool:
    """Tell whether all that was begun gets its outcome, which may be written a moment later."""
    return eventually(lambda: unfinished(client) == 0, what="the outcome of all that was begun")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/ask", BODY),
        ("/v1/chat/message", {"message": BODY["question"]}),
        ("/platform/chat/send", {"message": BODY["question"]}),
        ("/run_debate", {"query": BODY["question"]}),
    ],
)
def test_a_stream_that_is_left_at_once_leaves_a_whole_record(
    client: httpx2.Client, path: str, body: dict[str, object]
) -> None:
    for _ in range(5):
        run_id = left_at_once(client, path, body)
        assert client.get(f"/v1/runs/{run_id}").status_code == 200
        assert status_of(client, run_id) == "cancelled"
        told = client.get(f"/v1/runs/{run_id}/events").text.strip().split("\n\n")
        kinds = [block.split("event: ", 1)[1].splitlines()[0] for block in told]
        assert kinds[-1] == "run_cancelled"
        assert kinds.count("run_cancelled") == 1
        assert client.get(f"/v1/runs/{run_id}/trace").status_code == 200
    assert nothing_stays_unfinished(client)


def test_a_run_that_is_left_while_it_waits_for_others_has_a_record(client: httpx2.Client) -> None:
    asked = {**BODY, "stream": True}
    with ExitStack() as others:
        for _ in range(16):
            others.enter_context(client.stream("POST", "/ask", json=asked))
        run_id = left_at_once(client, "/ask", asked)
        assert status_of(client, run_id) == "cancelled"
        assert "event: run_cancelled" in client.get(f"/v1/runs/{run_id}/events").text
