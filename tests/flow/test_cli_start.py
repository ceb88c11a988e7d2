"""What a question to an unchanged folder loads: each library more is waited for by everybody."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from flow.command import Command, environment, write

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
# Tells which modules the verb has loaded, once it is through.
_TELLING = """
import os, sys
leave = os._exit
def tell(code):
    print("\\n".join(sys.modules), file=sys.stderr, flush=True)
    leave(code)
os._exit = tell
from weft.cli.main import main
main()
"""
# Libraries and rooms, each with what alone needs it.
_KEPT_OUT = (
    "typer",  # options and help
    *("sqlalchemy", "alembic", "mako"),  # what is asked of the records later, a change of tables
    *("psycopg", "psycopg_pool", "procrastinate", "neo4j", "redis"),  # servers
    *("pydantic_ai", "openai", "jinja2", "httpx", "opentelemetry", "weft.agents.model"),  # models
    *("fastapi", "starlette", "uvicorn", "prometheus_client", "weft.api", "mcp"),  # the service
    *("argon2", "joserfc", "limits", "weft.platform.people", "weft.bootstrap.people"),  # people
    *("rich", "weft.cli.rendering", "weft.cli.screen"),  # drawing
    *("onnx", "watchfiles", "cronsim", "obstore"),  # building the network, watching, schedules
    *("pypdf", "docx", "pptx", "openpyxl", "trafilatura", "lxml", "pyarrow"),  # reading files
    *("phonenumbers", "stdnum", "ahocorasick_rs", "weft.extraction.rules"),  # extraction
    *("weft.adapters.neo4j", "weft.adapters.llm", "weft.adapters.sql.people.people"),
)


@pytest.fixture(scope="module")
def weft(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Return the command beside a folder that was read."""
    weft = Command(home=home, folder=write(tmp_path_factory.mktemp("documents")))
    assert weft("ask", ".", "Who is the lighthouse keeper?", "--json").json["sentences"]
    return weft


def loaded(weft: Command, question: str) -> tuple[str, set[str]]:
    """Return the answer to a further question, and the modules that it loads."""
    done = subprocess.run(
        [sys.executable, "-c", _TELLING, "ask", ".", question, "--json"],
        cwd=weft.folder,
        env=environment(weft, {}),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)["answer"], set(done.stderr.split())


def test_a_question_to_an_unchanged_folder_loads_what_it_needs_and_no_more(
    weft: Command,
) -> None:
    answer, modules = loaded(weft, "Who is the crane operator?")
    assert "Jun Ito" in answer
    assert {"numpy", "onnxruntime", "weft.flows.rag.nodes"} <= modules
    wrong = {
        one for one in modules for kept in _KEPT_OUT if one == kept or one.startswith(f"{kept}.")
    }
    assert not wrong, sorted({one.partition(".")[0] for one in wrong})


def test_what_asks_no_table_is_checked_by_no_framework(weft: Command) -> None:
    # A plan over the rows of a table is checked as what comes from outside is.
    _, modules = loaded(weft, "Why does the tide turn?")
    assert "weft.flows.rag.nodes" in modules
    assert not {"pydantic", "importlib.metadata"} & modules
