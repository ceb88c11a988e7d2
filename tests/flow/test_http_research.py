"""Research over HTTP: begun, watched, read; whose it is; gone with what it quotes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from flow.http_world import ended, over, workspace
from flow.people_world import PeopleWorld, base_of, peopled

QUESTION = "Write a report on Apollo and Borealis"
HIDDEN = "Apollo was founded by Ada Kim in Busan, and Borealis belongs to Apollo."
_RANDOM = re.compile(r'"(run_id|last_updated)": ?"[^"]*"')


@pytest.fixture
def world(tmp_path: Path) -> Iterator[PeopleWorld]:
    people = {"ann": "user", "bob": "user", "boss": "admin curator @board"}
    with peopled(workspace(tmp_path), people) as made:
        yield made


def begun(world: PeopleWorld, who: str = "ann", **more: Any) -> str:
    body = {"query": QUESTION, "kb": [base_of(world)], **more}
    reply = world.ask(f"local/{who}", "POST", "/v1/research", json=body)
    assert reply.status_code == 202, reply.text
    return str(reply.json()["run_id"])


def read(world: PeopleWorld, run_id: str, who: str = "ann", form: str = "json") -> Any:
    return world.ask(f"local/{who}", "GET", f"/v1/research/{run_id}?format={form}")


def done(world: PeopleWorld, run_id: str) -> dict[str, Any]:
    ended(world.client, run_id)
    found: dict[str, Any] = read(world, run_id).json()
    return found


def run_of(world: PeopleWorld, who: str = "ann", **more: Any) -> dict[str, Any]:
    run_id = begun(world, who, **more)
    return over(lambda: read(world, run_id, who).json())


def test_it_is_begun_watched_and_read(world: PeopleWorld) -> None:
    found = run_of(world)
    assert (found["status"], found["why_not"], found["report"]["mode"]) == ("finished", "", "deep")
    assert found["outcome"] == "answered"
    said = [s["text"] for one in found["report"]["sections"] for s in one["sentences"]]
    assert "Apollo was founded by Li Wei in Seoul." in said
    assert found["report"]["references"][0]["snippet"]
    run_id = found["run_id"]
    events = world.ask("local/ann", "GET", f"/v1/runs/{run_id}/events").text
    assert '"section"' in events
    assert "run_finished" in events
    markdown = read(world, run_id, form="markdown")
    assert markdown.headers["content-type"].startswith("text/markdown")
    assert markdown.text == found["markdown"]
    page = read(world, run_id, form="html")
    assert "sandbox" in page.headers["content-security-policy"]
    assert page.text.startswith("<!doctype html>")


def test_a_budget_that_ends_it_is_named(world: PeopleWorld) -> None:
    found = run_of(world, mode="iterative", budget={"tool_calls": 2})
    assert (found["report"]["is_partial"], found["report"]["ended_by"]) == (True, "tool_calls")
    assert found["report"]["references"]


def test_what_is_no_research_is_refused(world: PeopleWorld) -> None:
    for body, status in (
        ({"query": ""}, 422),
        ({"query": QUESTION, "mode": "wild"}, 422),
        ({"query": QUESTION, "kb": ["Nowhere"]}, 404),
        ({"query": QUESTION, "budget": {"tokens": -1}}, 422),
        ({"query": QUESTION, "more": 1}, 422),
    ):
        assert world.ask("local/ann", "POST", "/v1/research", json=body).status_code == status


def test_it_is_nobody_elses(world: PeopleWorld) -> None:
    run_id = run_of(world)["run_id"]
    assert read(world, run_id, "bob").status_code == 404
    assert read(world, "nothing").status_code == 404
    assert world.ask("", "GET", f"/v1/research/{run_id}").status_code == 401


def test_it_goes_with_what_it_quotes(world: PeopleWorld) -> None:
    added = {"records": [{"id": "r", "content": "Apollo carries 12 tonnes to Borealis."}]}
    sent = world.client.post(f"/v1/kb/{base_of(world)}/documents", json=added).json()
    ended(world.client, sent["run_id"])
    found = run_of(world)
    cited = {one["doc_id"] for one in found["report"]["references"]}
    gone = next(one for one in cited if not one.startswith("file:"))
    path = f"/v1/kb/{base_of(world)}/documents/{quote(gone, safe='')}"
    assert world.client.delete(path).status_code < 300
    after = read(world, found["run_id"]).json()
    assert (after["why_not"], after["report"], after["markdown"]) == ("source_deleted", None, "")
    assert read(world, found["run_id"], form="html").status_code == 404
    assert "12 tonnes" not in json.dumps(after)


def test_it_closes_with_what_it_quotes(world: PeopleWorld) -> None:
    found = run_of(world)
    base = base_of(world)
    shared = {"readers": ["group:board"], "writers": [], "admins": ["user:owner"]}
    assert world.client.patch(f"/v1/kb/{base}", json=shared).status_code == 200
    after = read(world, found["run_id"]).json()
    assert (after["why_not"], after["report"]) == ("not_readable", None)
    assert after["outcome"] is None


def test_a_hidden_document_changes_no_byte(world: PeopleWorld) -> None:
    def told() -> str:
        found = run_of(world)
        events = world.ask("local/ann", "GET", f"/v1/runs/{found['run_id']}").json()["summary"]
        return _RANDOM.sub("", json.dumps([found, events], sort_keys=True))

    before = told()
    assert "Li Wei" in before
    assert _RANDOM.sub("", json.dumps(run_of(world, kb=[]), sort_keys=True)) in before
    hidden = {"records": [{"id": "h", "content": HIDDEN, "acl": ["group:board"]}]}
    sent = world.client.post(f"/v1/kb/{base_of(world)}/documents", json=hidden).json()
    ended(world.client, sent["run_id"])
    assert told() == before
    secret = {
        "target_database": "Secret",
        "create_database_if_missing": True,
        "records": [{"id": "s", "content": HIDDEN}],
    }
    assert world.client.post("/platform/ingest/raw", json=secret).json()["ok"]
    closed = {"readers": ["group:board"], "writers": [], "admins": ["user:owner"]}
    assert world.client.patch("/v1/kb/Secret", json=closed).status_code == 200
    everywhere = _RANDOM.sub("", json.dumps(run_of(world, kb=[]), sort_keys=True))
    assert everywhere in before
    assert "Ada Kim" in json.dumps(run_of(world, "boss"))
