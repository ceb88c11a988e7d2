"""Knowledge bases on a Neo4j by the command line: made, filled, asked, listed, gone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flow.command import DOCUMENTS, Command, citations, write

# Each call is a process that starts cold, which takes long where the cores are busy.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
on_server = pytest.mark.server("neo4j")
NOBODY = "neo4j://127.0.0.1:1"


@pytest.fixture
def weft(tmp_path: Path) -> Command:
    """Return the command in a workspace of its own, beside `docs`."""
    write(tmp_path / "docs")
    home = tmp_path / "home"
    home.mkdir()
    return Command(home=home, folder=tmp_path, settings={"WEFT_EMBEDDER": "none"})


@pytest.fixture
def secret() -> dict[str, str]:
    """Return the first server's password under a name of this test's own."""
    return {"GRAPH_SECRET": os.environ.get("NEO4J_PASSWORD", "")}


@pytest.fixture
def weft_on_server(weft: Command, secret: dict[str, str]) -> Command:
    """Return the command in a workspace whose base `Graph` is on the server, new and empty."""
    store = os.environ["NEO4J_URI"]
    create = ("kb", "create", "Graph", "--store", store, "--password", "env:GRAPH_SECRET")
    weft(*create, "--attach", **secret)  # what another test left there, if it did
    weft("kb", "drop", "Graph", "--yes", **secret)
    made = weft(*create, **secret)
    assert made.code == 0, made.err
    return weft


@on_server
def test_a_base_on_a_server_is_filled_and_asked_like_any_other(
    weft_on_server: Command, secret: dict[str, str]
) -> None:
    weft = weft_on_server
    (read,) = weft("ingest", "docs", "--kb", "Graph", "--json", **secret).json
    assert read["files_done"] == len(DOCUMENTS)
    question = ("What does the new crane lift?", "--json")
    answer = weft("ask", *question, "--kb", "Graph", **secret).json
    assert any("120 tonnes" in one["snippet"] for one in citations(answer))
    assert weft("kb", "stats", "Graph", "--json", **secret).json["documents"] == 6
    (row,) = weft("kb", "list", "--json", **secret).json
    assert row["state"] == "ready"
    assert row["target"].endswith("/neo4j?password=env:GRAPH_SECRET")
    kept = b"".join(path.read_bytes() for path in weft.home.glob("records.db*"))
    assert secret["GRAPH_SECRET"].encode() not in kept
    (row,) = weft("kb", "databases", "--json", **secret).json
    assert (row["database"], row["knowledge_base"]) == ("neo4j", "Graph")
    refused = weft(
        *("kb", "create", "Second", "--store", os.environ["NEO4J_URI"], "--json"),
        NEO4J_PASSWORD=secret["GRAPH_SECRET"],
    )
    assert "'Graph'" in refused.error["message"]
    assert weft("kb", "drop", "Graph", "--yes", **secret).code == 0
    assert weft("kb", "list", "--json").json == []


@on_server
def test_a_wrong_password_is_told_and_leaves_no_name(weft: Command) -> None:
    said = weft(
        *("kb", "create", "Graph", "--store", os.environ["NEO4J_URI"], "--json"),
        NEO4J_PASSWORD="wrong",
    )
    assert said.error["reason"] == "credentials"
    assert weft("kb", "list", "--json").json == []


def test_a_password_in_an_address_is_refused_unseen(weft: Command) -> None:
    said = weft("kb", "create", "Graph", "--store", "neo4j://ann:hunter2@127.0.0.1", "--json")
    assert said.error["code"] == "bad_input"
    assert "hunter2" not in said.out + said.err


def test_an_address_where_nobody_is_leaves_no_name(weft: Command) -> None:
    said = weft("kb", "create", "Graph", "--store", NOBODY, "--json", NEO4J_PASSWORD="x")
    assert said.error["code"] == "store_unavailable"
    assert weft("kb", "list", "--json").json == []


def test_without_the_extra_files_work_and_servers_say_what_to_install(weft: Command) -> None:
    shadow = weft.folder / "shadow" / "neo4j"
    write(shadow, {"__init__.py": "raise ModuleNotFoundError(name='neo4j')\n"})
    path = os.pathsep.join([str(shadow.parent), os.environ.get("PYTHONPATH", "")])
    bare = {"PYTHONPATH": path}
    assert weft("ingest", "docs", "--json", **bare).code == 0
    assert weft("kb", "list", "--json", **bare).json[0]["state"] == "ready"
    said = weft("kb", "create", "Graph", "--store", NOBODY, "--json", **bare)
    assert "pip install 'weft[neo4j]'" in said.error["message"]


@on_server
def test_a_base_whose_server_is_gone_is_blocked_and_the_others_answer(
    weft_on_server: Command, secret: dict[str, str]
) -> None:
    weft = weft_on_server
    assert weft("ingest", "docs", "--kb", "Plain", "--json").code == 0
    # Without its secret the server is as good as gone.
    rows = {row["name"]: row for row in weft("kb", "list", "--json").json}
    assert (rows["Graph"]["state"], rows["Plain"]["state"]) == ("blocked", "ready")
    assert "env:GRAPH_SECRET" in rows["Graph"]["reasons"][0]
    doctor = weft("doctor", "--json")
    assert doctor.code == 1
    assert '"what": "kb Graph"' in doctor.out
    assert "blocked" in doctor.out
    answer = weft("ask", "What does the new crane lift?", "--kb", "Plain", "--json").json
    assert citations(answer)
    assert weft("kb", "drop", "Graph", "--yes", "--forget").code == 0
    assert [row["name"] for row in weft("kb", "list", "--json").json] == ["Plain"]
    on = ("--store", os.environ["NEO4J_URI"], "--json")
    opened = {"NEO4J_PASSWORD": secret["GRAPH_SECRET"]}
    for verb in (("create", "Other"), ("copy", "Plain", "Other")):
        refused = weft("kb", *verb, *on, **opened)
        assert (refused.error["code"], "'Graph'" in refused.error["message"]) == (
            "knowledge_base_exists",
            True,
        )
    assert [row["name"] for row in weft("kb", "list", "--json").json] == ["Plain"]
    assert weft("kb", "create", "Again", *on, "--attach", **opened).code == 0
    assert weft("kb", "browse", "Again", "--json", **opened).json["browsable"]
    assert not weft("kb", "browse", "Again", "--off", "--json", **opened).json["browsable"]
    assert "is a file" in weft("kb", "browse", "Plain", "--json").error["message"]
    assert weft("kb", "drop", "Again", "--yes", **opened).code == 0
