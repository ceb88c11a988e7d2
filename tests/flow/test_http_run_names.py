"""Runs tell no name of a file or a knowledge base to those who may not see it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flow.http_world import workspace
from flow.people_world import PeopleWorld, peopled
from flow.test_debate_rights import QUESTION, SEEN, take_in
from weft.ingest.jobs.worker import IngestJobs
from weft.ingest.progress import IngestProgress

CLOSED = {"readers": ["group:board"], "writers": [], "admins": ["user:owner"]}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[PeopleWorld]:
    with peopled(workspace(tmp_path), {"ann": "user", "cara": "curator"}) as made:
        made.add_group("board")
        made.add_role("watcher", "run.read", "job.manage")
        made.add("dan", roles=("watcher",))
        yield made


def told(world: PeopleWorld, run_id: str) -> list[str]:
    """Return all that a run tells ann: itself, its events, its steps and its place in the list."""
    place = f"/v1/runs/{run_id}"
    paths = (place, f"{place}/events", f"{place}/trace", "/v1/runs")
    return [world.ask("local/ann", "GET", path).text for path in paths]


def steps(world: PeopleWorld, run_id: str) -> list[dict[str, Any]]:
    found = world.ask("local/ann", "GET", f"/v1/runs/{run_id}/trace").json()["steps"]
    return list(found)


def test_a_base_that_is_closed_is_not_named_by_runs_of_before(world: PeopleWorld) -> None:
    for base in ("Open", "Hrone", "Hrtwo"):
        take_in(world, base, SEEN if base != "Hrtwo" else "Nothing of that kind.")
    body = {"query": QUESTION, "kb": ["Open", "Hrone", "Hrtwo"]}
    run_id = world.ask("local/ann", "POST", "/run_debate", json=body).json()["run_id"]
    before = steps(world, run_id)
    assert all("Hrone" in text and "Hrtwo" in text for text in told(world, run_id))
    for base in ("Hrone", "Hrtwo"):
        assert world.client.patch(f"/v1/kb/{base}", json=CLOSED).status_code == 200
    assert not any("Hrone" in text or "Hrtwo" in text for text in told(world, run_id))
    after = steps(world, run_id)
    veiled = [one["node"].replace("Hrone", "hidden").replace("Hrtwo", "hidden2") for one in before]
    assert [one["node"] for one in after] == veiled
    assert world.ask("local/ann", "GET", f"/v1/runs/{run_id}").json()["kb"] == ["Open"]
    for name, count in (("Open", 1), ("Hrone", 0)):
        listed = world.ask("local/ann", "GET", "/v1/runs", params={"kb": name}).json()
        assert len(listed["items"]) == count


def test_a_base_of_which_nothing_was_read_is_not_named_either(world: PeopleWorld) -> None:
    take_in(world, "Open", SEEN)
    take_in(world, "Hrone", "Nothing of that kind.")
    body = {"query": QUESTION, "kb": ["Open", "Hrone"]}
    run_id = world.ask("local/ann", "POST", "/run_debate", json=body).json()["run_id"]
    assert world.client.patch("/v1/kb/Hrone", json=CLOSED).status_code == 200
    assert not any("Hrone" in text for text in told(world, run_id))


def test_the_file_that_is_read_is_told_to_whoever_began_alone(
    world: PeopleWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert world.ask("local/cara", "POST", "/v1/kb", json={"name": "Pay"}).status_code == 201
    sent = world.ask(
        "local/cara",
        "POST",
        "/v1/kb/Pay/documents",
        files={"files": ("merger-with-Quux.md", b"# Quux\n\nQuux was bought in May.\n")},
    ).json()
    place = f"/v1/runs/{sent['run_id']}"
    while world.ask("local/cara", "GET", place).json()["status"] in {"queued", "running"}:
        pass
    at_work = IngestProgress(files=1, current="merger-with-Quux.md")
    monkeypatch.setattr(IngestJobs, "latest", {sent["run_id"]: at_work})
    listed = "/v1/runs?kind=ingest&kb=Pay"
    assert "Quux" in world.ask("local/cara", "GET", place).text
    for path in (place, listed):
        reply = world.ask("local/dan", "GET", path)
        assert (reply.status_code, "Quux" in reply.text) == (200, False)
    assert world.ask("local/dan", "GET", place).json()["kb"] == ["Pay"]
    closed = {"readers": ["user:cara"], "writers": ["user:cara"], "admins": ["user:cara"]}
    assert world.ask("local/cara", "PATCH", "/v1/kb/Pay", json=closed).status_code == 200
    hidden = world.ask("local/dan", "GET", place)
    assert (hidden.json()["kb"], "Pay" in hidden.text) == ([], False)
    assert world.ask("local/dan", "GET", listed).json()["items"] == []
    assert world.ask("local/dan", "GET", "/v1/runs?kind=ingest").json()["items"]
