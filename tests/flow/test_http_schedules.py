"""Schedules over HTTP: made, listed, paused, resumed, removed; whose they are; what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from flow.http_world import served, workspace
from flow.people_world import PeopleWorld, dependencies
from patience import eventually
from weft.adapters.sql.database.schema import schedules

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
NIGHTLY = {"cron": "0 3 * * *", "zone": "Asia/Seoul"}
PATH = "/v1/kb/Plans/sources/schedules"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("contracts")
    (made / "crane.txt").write_text("The crane lifts 120 tonnes.")
    return made


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PeopleWorld]:
    with served(workspace(tmp_path_factory.mktemp("schedules"))) as client:
        token = client.headers["Authorization"].split()[1]
        made = PeopleWorld(client=client, keys={"owner": token})
        for name, permissions in (
            ("keepers", ["kb.read", "kb.write", "kb.source", "run.read"]),
            ("writers", ["kb.read", "kb.write"]),
            ("overseers", ["kb.read", "kb.write", "job.manage"]),
        ):
            role = {"name": name, "permissions": permissions}
            assert client.post("/v1/admin/roles", json=role).status_code == 201
        for name, role_name in (
            ("kim", "keepers"),
            ("lee", "keepers"),
            ("ann", "writers"),
            ("bob", "overseers"),
        ):
            made.add(name, roles=(role_name,))
        for base in ("Plans", "Other"):
            everyone = {"readers": ["tenant:*"], "writers": ["tenant:*"]}
            assert client.post("/v1/kb", json={"name": base}).status_code == 201
            assert client.patch(f"/v1/kb/{base}", json=everyone).status_code == 200
        yield made


def add(world: PeopleWorld, folder: Path, who: str = "local/kim", **more: Any) -> dict[str, Any]:
    reply = world.ask(who, "POST", PATH, json={"path": str(folder), **NIGHTLY, **more})
    assert reply.status_code == 201, reply.text
    made: dict[str, Any] = reply.json()
    return made


def listed(world: PeopleWorld, who: str, base: str = "Plans") -> list[str]:
    found = world.ask(who, "GET", f"/v1/kb/{base}/sources/schedules")
    assert found.status_code == 200, found.text
    return [each["id"] for each in found.json()["items"]]


def test_a_schedule_is_made_listed_paused_resumed_and_removed(
    world: PeopleWorld, folder: Path
) -> None:
    made = add(world, folder, prune=True)
    assert made["path"] == str(folder)
    assert (made["cron"], made["zone"], made["prune"]) == ("0 3 * * *", "Asia/Seoul", True)
    assert (made["kb"], made["owner"]) == ("Plans", "user:kim")
    assert "T18:00:00" in made["next"]  # three in Seoul, in UTC
    assert (made["last"], made["last_run"], made["last_status"], made["missed"]) == (
        None,
        "",
        "",
        0,
    )
    own = f"{PATH}/{made['id']}"
    paused = world.ask("local/kim", "POST", f"{own}/pause")
    assert paused.json() == {**made, "paused": True}
    assert world.ask("local/kim", "GET", PATH).json() == {"items": [paused.json()]}
    assert world.ask("local/kim", "POST", f"{own}/resume").json() == made
    assert world.ask("local/kim", "DELETE", own).status_code == 204
    assert listed(world, "local/kim") == []
    assert world.ask("local/kim", "DELETE", own).status_code == 404
    told = world.ask("owner", "GET", "/v1/admin/audit?action=schedule.*&limit=100").json()["items"]
    of_it = {
        (row["intent_id"], row["action"])
        for row in told
        if row["target"] == f"schedule:{made['id']}"
    }
    acts = ["schedule.change", "schedule.change", "schedule.remove", "schedule.remove"]
    assert sorted(action for _, action in of_it) == acts
    # Other tests of this service were refused schedules of their own.
    added = [row for row in told if row["meta"].get("schedule") == made["id"]]
    assert {(row["action"], row["target"]) for row in added} == {("schedule.add", "kb:Plans")}


def test_the_same_key_makes_it_once(world: PeopleWorld, folder: Path) -> None:
    body = {"path": str(folder), **NIGHTLY}
    key = {"Idempotency-Key": "once"}
    one, other = (world.ask("local/kim", "POST", PATH, json=body, headers=key) for _ in range(2))
    assert one.json() == other.json()
    assert listed(world, "local/kim") == [one.json()["id"]]
    world.ask("local/kim", "DELETE", f"{PATH}/{one.json()['id']}")


def test_a_schedule_is_its_owners_and_of_one_base(world: PeopleWorld, folder: Path) -> None:
    made = add(world, folder)
    own = f"{PATH}/{made['id']}"
    for stranger in ("local/lee", "local/ann"):
        assert listed(world, stranger) == []
        for method, path in (("POST", f"{own}/pause"), ("POST", f"{own}/resume"), ("DELETE", own)):
            hidden = world.ask(stranger, method, path)
            absent = world.ask(stranger, method, path.replace(made["id"], "f" * 16))
            assert hidden.status_code == absent.status_code == 404
            assert hidden.json()["detail"] == absent.json()["detail"]
    elsewhere = f"/v1/kb/Other/sources/schedules/{made['id']}"
    assert world.ask("local/kim", "DELETE", elsewhere).status_code == 404
    assert listed(world, "local/kim", "Other") == []
    assert listed(world, "local/bob") == listed(world, "local/kim") == [made["id"]]
    assert world.ask("local/bob", "POST", f"{own}/pause").json()["paused"] is True
    assert world.ask("local/bob", "DELETE", own).status_code == 204
    assert listed(world, "local/kim") == []


def test_who_may_bring_in_no_folders_schedules_none(world: PeopleWorld, folder: Path) -> None:
    reply = world.ask("local/ann", "POST", PATH, json={"path": str(folder), **NIGHTLY})
    assert reply.status_code == 403
    assert "kb.source" in reply.json()["detail"]
    assert listed(world, "local/bob") == []


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"cron": "0 3 * *"}, "0 3 * *"),
        ({"cron": "0 99 * * *"}, "0 99 * * *"),
        ({"cron": "0 0 30 2 *"}, "0 0 30 2 *"),
        ({"cron": "* * * * *\n* * * * *"}, "no time"),
        ({"zone": "Mars/Olympus"}, "Mars/Olympus"),
        ({"zone": "../../etc/passwd"}, "etc/passwd"),
        ({"path": "/nothing/here"}, "/nothing/here"),
        ({"path": "a\x00b"}, "path"),
        ({"acl": ["user:x"]}, "acl"),
    ],
)
def test_what_is_not_valid_is_named(
    world: PeopleWorld, folder: Path, more: dict[str, Any], said: str
) -> None:
    reply = world.ask("local/kim", "POST", PATH, json={"path": str(folder), **NIGHTLY, **more})
    assert reply.status_code == 422, reply.text
    assert said in reply.text
    assert listed(world, "local/kim") == []


def test_what_is_due_is_read_by_the_service(world: PeopleWorld, folder: Path) -> None:
    made = add(world, folder)
    records = dependencies(world.client).host.app.records
    earlier = datetime.fromisoformat(made["created"]) - timedelta(minutes=1)
    moved = update(schedules).values(next_at=earlier)  # till three is too long to wait
    world.run(records.database.write, lambda connection: connection.execute(moved).rowcount)

    def once_read() -> dict[str, Any]:
        (found,) = world.ask("local/kim", "GET", PATH).json()["items"]
        return found if found["last_status"] == "finished" else {}

    found = eventually(once_read, what="the reading that is due")
    run = world.ask("local/kim", "GET", f"/v1/runs/{found['last_run']}").json()
    assert run["status"] == "finished"
    rows = world.ask("local/kim", "GET", "/v1/kb/Plans/ledger").json()["files"]
    assert [row["path"] for row in rows] == ["crane.txt"]
    assert world.ask("local/kim", "DELETE", f"{PATH}/{made['id']}").status_code == 204
