"""Meters of the service, and the rules that watch them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from flow.http_world import ended, served, workspace
from house.source import ROOT
from weft.api.edge.metrics import Meters
from weft.ports.store import Store

DEPLOY = ROOT / "deploy" / "prometheus"
_METER = re.compile(r"\bweft_\w+")


# What a store can be asked for, by the fields of its port.
_OPERATIONS = {name for port in get_type_hints(Store).values() for name in dir(port)}


def meters(text: str) -> dict[str, list[tuple[dict[str, str], float]]]:
    found: dict[str, list[tuple[dict[str, str], float]]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


def value(found: Any, name: str, **labels: str) -> float:
    return sum(float(v) for own, v in found.get(name, []) if labels.items() <= own.items())


def test_runs_tools_stages_jobs_and_bases_are_counted(tmp_path: Path) -> None:
    with served(workspace(tmp_path)) as client:
        base = next(e["id"] for e in client.get("/v1/kb").json()["items"] if e["folder"])
        for flow in ("rag", "debate"):
            body = {"message": "Who founded Apollo?", "agent_id": flow, "kb": [base]}
            assert client.post("/v1/chat/message", json=body).status_code == 200
        added = {"records": [{"id": "r1", "content": "Apollo is a ship."}]}
        sent = client.post(f"/v1/kb/{base}/documents", json=added).json()
        ended(client, sent["run_id"])
        text = client.get("/metrics").text
    found = meters(text)
    assert value(found, "weft_flow_runs_total", flow="rag", status="finished") == 1
    assert value(found, "weft_flow_runs_total", flow="debate", status="finished") == 1
    assert value(found, "weft_node_seconds_count", flow="rag", node="think") == 1
    assert value(found, "weft_node_seconds_count", flow="debate", node="(child run)") == 1
    assert value(found, "weft_tool_calls_total", tool="rag_search", status="ok") >= 2
    for stage in ("split", "extract", "join", "publish", "read"):
        assert value(found, "weft_ingest_stage_seconds_count", stage=stage, status="ok") >= 1
    for operation in ("view", "chunks", "publish", "versions"):
        told = {"store": "sqlite", "operation": operation, "status": "ok"}
        assert value(found, "weft_store_call_seconds_count", **told) >= 1, operation
    assert value(found, "weft_store_call_seconds_count", status="failed") == 0
    assert value(found, "weft_jobs", kind="ingest", status="finished") >= 1
    assert value(found, "weft_knowledge_bases", state="ready") >= 1
    for secret in ("Apollo", "Li Wei", str(base)):
        assert secret not in text


def test_labels_are_few_however_many_runs(tmp_path: Path) -> None:
    with served(workspace(tmp_path)) as client:
        base = next(e["id"] for e in client.get("/v1/kb").json()["items"] if e["folder"])
        rounds = []
        for _ in range(3):
            for n in range(3):
                body = {"message": f"Who founded Apollo {n}?", "agent_id": "research", "kb": [base]}
                client.post("/v1/chat/message", json=body)
            rounds.append(client.get("/metrics").text.splitlines())
    # What a store does beside the runs it does when it comes to it.
    beside = [[line for line in each if 'operation="' in line] for each in rounds]
    sizes = [len(each) - len(one) for each, one in zip(rounds, beside, strict=True)]
    assert sizes[1] == sizes[2]
    operations = set(re.findall(r'operation="([^"]*)"', "".join(beside[2])))
    assert operations <= _OPERATIONS


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load((DEPLOY / "alerts.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule["alert"])
def test_a_rule_watches_meters_that_there_are(rule: dict[str, Any]) -> None:
    there = {"up"}
    for family in Meters().registry.collect():
        kinds = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum")}
        there |= {f"{family.name}{end}" for end in kinds.get(family.type, ("",))}
    assert set(_METER.findall(rule["expr"])) <= there, rule["expr"]
    assert rule["labels"]["role"] in {"on-call", "curator", "developer", "owner"}
    assert rule["labels"]["severity"] in {"page", "ticket"}
    assert rule["annotations"]["summary"]


@pytest.mark.skipif(shutil.which("promtool") is None, reason="no promtool on this machine")
@pytest.mark.parametrize(
    "words", [("check", "rules", "alerts.yml"), ("test", "rules", "alerts_test.yml")], ids="-".join
)
def test_prometheus_reads_the_rules_and_fires_when_it_should(words: tuple[str, ...]) -> None:
    done = subprocess.run(
        ["promtool", *words], cwd=DEPLOY, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
