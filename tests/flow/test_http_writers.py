"""Several writers at once, through two services over one workspace: one wins, the others know."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier

import httpx2
import pytest

from flow.http_world import bearer, ended, running, workspace

ROUNDS = 4
Send = Callable[[], httpx2.Response]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspace(tmp_path_factory.mktemp("writers"))


@pytest.fixture(scope="module")
def clients(home: Path) -> Iterator[tuple[httpx2.Client, httpx2.Client]]:
    with (
        running(home) as one,
        running(home) as other,
        httpx2.Client(base_url=one, headers=bearer(home), timeout=60) as first,
        httpx2.Client(base_url=other, headers=bearer(home), timeout=60) as second,
    ):
        yield first, second


def at_once(*sends: Send) -> list[httpx2.Response]:
    """Send requests at one moment and return the replies in their order."""
    ready = Barrier(len(sends))

    def send(one: Send) -> httpx2.Response:
        ready.wait()
        return one()

    with ThreadPoolExecutor(len(sends)) as threads:
        return list(threads.map(send, sends))


def handed(client: httpx2.Client, place: str, name: str) -> str:
    """Hand a record over and return the path of its document."""
    record = {"id": name, "title": name, "content": f"{name} was designed in Lisbon."}
    reply = client.post(place, json={"records": [record]})
    ended(client, reply.json()["run_id"])
    (found,) = client.get(place, params={"q": name}).json()["items"]
    return f"{place}/{found['id'].replace('#', '%23')}"


def test_of_writers_with_one_version_one_wins(
    clients: tuple[httpx2.Client, httpx2.Client],
) -> None:
    first, second = clients
    assert first.post("/v1/kb", json={"name": "Writers"}).status_code == 201
    path = handed(first, "/v1/kb/Writers/documents", "Zephyr")
    for number in range(ROUNDS):
        headers = {"If-Match": first.get(path).headers["ETag"]}
        changes: list[dict[str, object]] = [
            {"acl": [f"user:cy{number}"]},
            {"acl": [f"group:staff{number}"]},
            {"title": f"Zephyr {number}"},
        ]
        replies = at_once(
            partial(first.patch, path, json=changes[0], headers=headers),
            partial(second.patch, path, json=changes[1], headers=headers),
            partial(first.patch, path, json=changes[2], headers=headers),
        )
        assert sorted(one.status_code for one in replies) == [200, 409, 409]
        (won,) = [one.json() for one in replies if one.status_code == 200]
        assert {one.json()["code"] for one in replies if one.status_code == 409} == {
            "version_conflict"
        }
        assert first.get(path).json()["document"] == won
        assert second.get(path).json()["document"] == won


def test_what_is_changed_without_a_version_is_all_kept(
    clients: tuple[httpx2.Client, httpx2.Client],
) -> None:
    first, second = clients
    assert first.post("/v1/kb", json={"name": "Both"}).status_code == 201
    path = handed(first, "/v1/kb/Both/documents", "Kestrel")
    for number in range(ROUNDS):
        acl = [f"group:staff{number}", "user:owner"]
        replies = at_once(
            partial(first.patch, path, json={"acl": acl}),
            partial(second.patch, path, json={"title": f"Kestrel {number}"}),
        )
        assert [one.status_code for one in replies] == [200, 200]
        found = first.get(path).json()["document"]
        assert (found["acl"], found["title"]) == (acl, f"Kestrel {number}")


def test_a_document_that_is_deleted_while_it_is_changed_is_gone(
    clients: tuple[httpx2.Client, httpx2.Client], home: Path
) -> None:
    first, second = clients
    assert first.post("/v1/kb", json={"name": "Gone"}).status_code == 201
    place = "/v1/kb/Gone/documents"
    for number in range(ROUNDS):
        path = handed(first, place, f"Heron{number}")
        changed, deleted = at_once(
            partial(first.patch, path, json={"acl": ["group:staff"]}),
            partial(second.delete, path),
        )
        assert deleted.status_code == 204
        assert changed.status_code in {200, 404}
        assert first.get(path).status_code == second.get(path).status_code == 404
    assert not list(home.glob("inbox/*/Gone/inbox/_records/*.json"))
