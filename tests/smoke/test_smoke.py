"""The way every user goes, over HTTP, against the service as it is started: nothing is let pass.

Raw records in, the index ensured, questions of the chat in its modes, the trace and the runtime
payload read; on embedded knowledge bases, and with one of them on Neo4j.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.service_process import Service
from flow.command import Command

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
CITY, PRESS = "City", "Press"
QUESTION = "When was the Harbour Bridge opened?"
SAID = {
    CITY: "The Harbour Bridge was opened by Ada Lindqvist on 14 March 1932.",
    PRESS: "The Harbour Bridge was opened by Ada Lindqvist on 9 May 1935.",
}
SETTINGS = {"WEFT_EMBEDDER": "none"}


@pytest.fixture(params=["sqlite", pytest.param("neo4j", marks=pytest.mark.server("neo4j"))])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    """Return a service whose knowledge base `City` is kept there, empty, and `Press` embedded."""
    secret = {"GRAPH_SECRET": os.environ.get("NEO4J_PASSWORD", "")}
    weft = Command(home=tmp_path, folder=tmp_path, settings={**SETTINGS, **secret})
    if request.param == "neo4j":
        where = ("--store", os.environ["NEO4J_URI"], "--password", "env:GRAPH_SECRET")
        weft("kb", "create", CITY, *where, "--attach")  # what another test left there, if it did
        weft("kb", "drop", CITY, "--yes")
        made = weft("kb", "create", CITY, *where)
        assert made.code == 0, made.err
        weft("kb", "browse", CITY, "--off")
    served = Service(home=tmp_path, settings={**SETTINGS, **secret})
    served.start()
    try:
        yield served
    finally:
        served.stop()
        if request.param == "neo4j":
            weft("kb", "browse", CITY, "--off")
            weft("kb", "drop", CITY, "--yes")


def filled(service: Service, base: str) -> None:
    told = service.call(
        "/platform/ingest/raw",
        {
            "target_database": base,
            "create_database_if_missing": True,
            "records": [{"id": "bridge", "content": SAID[base], "category": "places"}],
        },
    )
    assert (told["ok"], told["records_processed"], told["errors"]) == (True, 1, [])
    assert told["status"] in {"success", "success_with_fallback"}
    assert told["total_nodes"] > 0


def ensured(service: Service) -> list[dict[str, Any]]:
    told = service.call("/indexes/fulltext/ensure", {"databases": [CITY, PRESS]})
    results: list[dict[str, Any]] = told["results"]
    assert [one["database"] for one in results] == [CITY, PRESS]
    assert all(one["exists"] and one["state"] == "ONLINE" for one in results)
    return results


def sent(service: Service, mode: str) -> dict[str, Any]:
    said = {"message": QUESTION, "mode": mode, "databases": [CITY, PRESS]}
    told: dict[str, Any] = service.call("/api/chat/send", said)
    assert (told["mode"], told["runtime_control"]) == (mode, None)
    assert told["assistant_message"]
    assert [one["role"] for one in told["history"]] == ["user", "assistant"]
    steps = {step["id"] for step in told["trace_steps"]}
    for step in told["trace_steps"]:
        parent = step["metadata"]["parent"]
        assert {*([parent] if parent else []), *step["metadata"]["sources"]} <= steps
    assert told["ui_payload"]["trace_summary"]["steps"] == len(steps) > 0
    runtime = told["runtime_payload"]
    assert (runtime["run_id"], runtime["outcome"]) == (told["run_id"], "answered")
    return told


def test_the_way_every_user_goes(service: Service) -> None:
    for base in (CITY, PRESS):
        filled(service, base)
    first = {one["database"]: one for one in ensured(service)}
    assert first[CITY]["created"] is ("Part of" not in first[CITY]["message"])
    assert not any(one["created"] for one in ensured(service))
    for mode in ("rag", "semantic", "router"):
        told = sent(service, mode)
        assert "14 March 1932" in told["assistant_message"] + str(told["runtime_payload"])
    told = sent(service, "debate")
    runtime = told["runtime_payload"]
    assert (runtime["debate_state"], runtime["degraded"]) == ("ready", False)
    assert {one["kb"]: one["status"] for one in runtime["agent_statuses"]} == {
        CITY: "ready", PRESS: "ready"
    }  # fmt: skip
    (dispute,) = runtime["disagreements"]
    assert sorted(base for one in dispute["positions"] for base in one["kbs"]) == [CITY, PRESS]
    assert [step["type"] for step in told["trace_steps"]] == [
        "FANOUT", "DEBATE", "DEBATE", "COLLECT", "SYNTHESIS"
    ]  # fmt: skip
    trace = service.call(f"/v1/runs/{told['run_id']}/trace")
    assert trace["status"] == "finished"
    assert {step["id"] for step in told["trace_steps"]} <= {one["node"] for one in trace["steps"]}
    kept = service.call(f"/platform/chat/session/{told['session_id']}")
    assert kept["history"] == told["history"]
