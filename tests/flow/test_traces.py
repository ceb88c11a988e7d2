"""Traces: the spans of every flow as a collector reads them, and collectors that are none."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from flow.http_world import served, workspace
from model_server import Body, Say, evidence_of, hand_in, model_server, output_schema, output_tool
from otlp_receiver import Received, attributes, receiver
from patience import SOON, eventually
from research_world import Researcher, role_of

QUESTION = "Who founded Apollo?"
FOUNDED = "Apollo was founded by Li Wei in Seoul."
_RAG = ["guard_input", "rewrite", "think", "verify", "finish", "guard_output"]


def told(body: Body) -> Say:
    """Fill whatever role is asked: route, research, supervise, or search and answer."""
    wanted = output_schema(body)["properties"]
    if role_of(body) != "read":
        return Researcher()(body)
    for name, value in (("specialist", "vector"), ("side", "lpg")):
        if name in wanted:
            return Say(calls=[(output_tool(body), {name: value})])
    if "disagreements" in wanted:
        return Say(calls=[(output_tool(body), {"sentences": [], "disagreements": []})])
    found = evidence_of(body)
    if not found:
        return Say(calls=[("rag_search", {"query": QUESTION})])
    return hand_in(body, (FOUNDED, [found[0]["id"]]))


@contextmanager
def traced(folder: Path, address: str, *, model: str = "", more: str = "") -> Iterator[TestClient]:
    settings = f"embedder: none\notel_exporter_otlp_endpoint: {address}\n{more}"
    if model:
        settings += f"model: openai:scripted\nopenai_base_url: {model}\n"
    with served(workspace(folder, settings)) as client:
        yield client


def ask(client: TestClient, flow: str, **headers: str) -> str:
    base = next(e["id"] for e in client.get("/v1/kb").json()["items"] if e["folder"])
    body = {"message": QUESTION, "agent_id": flow, "kb": [base]}
    reply = client.post("/v1/chat/message", json=body, headers=headers)
    assert reply.status_code == 200, reply.text
    return str(reply.headers["x-run-id"])


def within(name: str, inner: list[str]) -> list[str]:
    return [name, *(f"  {one}" for one in inner)]


def visits(flow: str, nodes: list[str], calls: dict[str, list[str]]) -> list[str]:
    return [line for n in nodes for line in within(f"{flow}.{n}", calls.get(n, []))]


ASKED = ["chat scripted", "execute_tool rag_search"]
AGENT = visits("debate", _RAG, {"think": ASKED})
TREES: dict[str, list[str]] = {
    "rag": visits("rag", _RAG, {"think": ASKED}),
    "router": visits(
        "router",
        ["guard_input", "rewrite", "route", "vector_agent", "verify", "finish", "guard_output"],
        {"route": ["chat scripted"], "vector_agent": ASKED},
    ),
    "semantic": visits(
        "semantic",
        ["guard_input", "rewrite", "resolve", "side", "lpg_agent", "verify", "finish"],
        {
            "resolve": ["execute_tool find_entities"],
            "side": ["chat scripted"],
            "lpg_agent": [
                "execute_tool describe_graph",
                "execute_tool graph_pattern",
                "chat scripted",
                "execute_tool rag_search",
            ],
        },
    )
    + visits("semantic", ["guard_output"], {}),
    "debate": [
        *visits("debate", ["guard_input", "convene", "fan_out"], {}),
        *within("debate.run_single_agent", AGENT),
        *visits("debate", ["collect"], {}),
        *within("debate.supervisor_synthesis", ["chat scripted"]),
        *visits("debate", ["check", "conclude", "guard_output"], {}),
    ],
    "research": [
        *visits("research", ["guard_input", "outline", "investigate"], {}),
        *within(
            "research.run_section",
            visits(
                "research",
                ["gaps", "select", "agents", "assess", "write"],
                {
                    **{one: ["chat scripted"] for one in ("gaps", "select", "assess", "write")},
                    "agents": ASKED,
                },
            ),
        ),
        *visits("research", ["sum_up", "report", "guard_output"], {}),
    ],
}


@pytest.mark.parametrize("flow", sorted(TREES))
def test_the_spans_of_each_flow_are_those_of_the_table(tmp_path: Path, flow: str) -> None:
    with (
        model_server(told) as model,
        receiver() as got,
        traced(tmp_path, got.address, model=model.base_url) as client,
    ):
        run_id = ask(client, flow)
        got.wait(f"agent_server.run_{flow} [{flow}-mode]")
    inner = within(f"{flow}.run_{flow}", TREES[flow])
    assert got.tree() == within(f"agent_server.run_{flow} [{flow}-mode]", inner)
    assert len({one.trace_id for one in got.spans}) == 1
    root = attributes(got.spans[0])
    assert (root["weft.run_id"], root["gen_ai.operation.name"]) == (run_id, "invoke_agent")
    assert got.about["service.name"] == "weft"
    check_conventions(got)


def check_conventions(got: Received) -> None:
    for span in got.spans:
        assert span.end_time_unix_nano >= span.start_time_unix_nano > 0
        said = attributes(span)
        if span.name.startswith("chat "):
            assert span.kind == Span.SPAN_KIND_CLIENT
            assert said["gen_ai.provider.name"] == "openai"
            assert said["gen_ai.request.model"] == "scripted"
            assert said["gen_ai.usage.input_tokens"] == 5
            assert said["gen_ai.usage.output_tokens"] == 7
        if span.name.startswith("execute_tool "):
            assert said["gen_ai.tool.name"] == span.name.removeprefix("execute_tool ")
            assert span.status.code == Status.STATUS_CODE_OK


def test_a_debate_says_its_phases(tmp_path: Path) -> None:
    with receiver() as got, traced(tmp_path, got.address) as client:
        ask(client, "debate")
        got.wait("debate.run_single_agent")
    spans = {one.name: attributes(one) for one in got.spans}
    assert spans["debate.run_debate"]["phase"] == "orchestration"
    assert spans["debate.run_debate"]["agent_count"] == 1
    assert spans["debate.run_single_agent"]["phase"] == "fan-out"
    assert spans["debate.run_single_agent"]["db"]
    assert spans["debate.supervisor_synthesis"]["phase"] == "synthesis"


@pytest.mark.parametrize("is_told", [False, True])
def test_nothing_of_question_or_documents_is_told_unless_wanted(
    tmp_path: Path, *, is_told: bool
) -> None:
    more = f"trace_content: {str(is_told).lower()}\n"
    with receiver() as got, traced(tmp_path, got.address, more=more) as client:
        ask(client, "rag")
        got.wait("rag.finish")
    assert (QUESTION.encode() in got.raw) is is_told
    for text in (b"Li Wei", b"Seoul", b"Borealis"):
        assert text not in got.raw


def test_a_trace_is_gone_on_with(tmp_path: Path) -> None:
    trace, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    with receiver() as got, traced(tmp_path, got.address) as client:
        ask(client, "rag", traceparent=f"00-{trace}-{span}-01")
        got.wait("rag.finish")
        root = next(one for one in got.spans if one.name.startswith("agent_server"))
        assert (root.trace_id.hex(), root.parent_span_id.hex()) == (trace, span)
        got.spans.clear()
        ask(client, "rag", traceparent="00-nonsense")
        got.wait("rag.finish")
        assert all(one.trace_id.hex() != trace for one in got.spans)


def test_headers_and_names_are_those_of_the_settings(tmp_path: Path) -> None:
    with receiver() as got:
        more = (
            f"opik_url: {got.address}/api\nopik_workspace: ours\nopik_project_name: answers\n"
            "opik_api_key: k3y\notel_service_name: desk\n"
            "otel_resource_attributes: deployment.environment.name=test\n"
        )
        with traced(tmp_path, '""', more=more) as client:
            ask(client, "rag")
            got.wait("rag.finish")
    sent = got.headers[0]
    assert (sent["authorization"], sent["comet-workspace"]) == ("k3y", "ours")
    assert sent["projectname"] == "answers"
    assert got.about["service.name"] == "desk"
    assert got.about["deployment.environment.name"] == "test"


def standing(client: TestClient) -> dict[str, Any]:
    parts = client.get("/health/runtime").json()["components"]
    return next(one for one in parts if one["name"] == "traces")


def once_it_is(client: TestClient, status: str) -> dict[str, Any]:
    """Return how the traces stand, once they stand so."""

    def stands_so() -> dict[str, Any]:
        found = standing(client)
        return found if found["status"] == status else {}

    return eventually(stands_so, what=f"traces that are {status}")


def test_a_collector_that_is_away_costs_nothing_and_is_told(tmp_path: Path) -> None:
    with traced(tmp_path, "http://127.0.0.1:9") as client:
        assert standing(client)["status"] == "ready"
        for _ in range(3):
            ask(client, "rag")
        found = once_it_is(client, "degraded")
        assert "does not answer" in found["reason"]
        assert client.get("/health/runtime").json()["status"] == "degraded"


def test_a_collector_that_refuses_is_told(tmp_path: Path) -> None:
    with receiver(status=400) as got, traced(tmp_path, got.address) as client:
        ask(client, "rag")
        assert "refuses" in once_it_is(client, "degraded")["reason"]


def test_a_collector_that_fails_is_told_until_it_takes_them_again(tmp_path: Path) -> None:
    with receiver(status=500) as got, traced(tmp_path, got.address) as client:
        ask(client, "rag")
        once_it_is(client, "degraded")
        got.status = 200
        ask(client, "rag")
        got.wait("rag.run_rag")
        once_it_is(client, "ready")


def test_one_that_hangs_holds_up_no_answer(tmp_path: Path) -> None:
    with receiver(hangs=True) as got, traced(tmp_path, got.address) as client:
        began = time.monotonic()
        for _ in range(5):
            ask(client, "rag")
        assert time.monotonic() - began < SOON
        ended = time.monotonic()
    assert time.monotonic() - ended < SOON


def test_without_a_collector_the_sdk_stays_out(tmp_path: Path) -> None:
    home = workspace(tmp_path)
    code = (
        "import sys; sys.argv = ['weft', 'ask', 'notes', 'Who founded Apollo?']\n"
        "from weft.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "assert not [m for m in sys.modules if m.startswith('opentelemetry.sdk')]\n"
        "assert 'structlog' not in sys.modules"
    )
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=home,
        env=os.environ | {"WEFT_HOME": str(home)},
        check=True,
        timeout=60,
    )
    assert standing_of(home)["status"] == "off"


def standing_of(home: Path) -> dict[str, Any]:
    with served(home) as client:
        return standing(client)


@pytest.mark.parametrize(
    "settings",
    ["otel_exporter_otlp_endpoint: ftp://here\n", "otel_exporter_otlp_endpoint: http://127.0.0.1:9\n"
     "otel_exporter_otlp_headers: nonsense\n"],
)  # fmt: skip
def test_what_cannot_be_sent_to_is_named(tmp_path: Path, settings: str) -> None:
    home = workspace(tmp_path)
    (home / "weft.yaml").write_text("embedder: none\n" + settings)
    done = subprocess.run(
        [sys.executable, "-c", "from weft.cli.main import main; main()", "ask", "notes", "Who?"],
        cwd=home, env=os.environ | {"WEFT_HOME": str(home)}, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "traces" in done.stderr or "otel_exporter_otlp_headers" in done.stderr
    assert "nonsense" not in done.stderr
