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
    *("typer", "pydantic", "yaml"),  # options and help, what comes from outside, files of YAML
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
def loaded(home: Path, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Return the modules that a second question loads."""
    weft = Command(home=home, folder=write(tmp_path_factory.mktemp("documents")))
    assert weft("ask", ".", "Who is the lighthouse keeper?", "--json").json["sentences"]
    line = [sys.executable, "-c", _TELLING, "ask", ".", "Who is the crane operator?", "--json"]
    done = subprocess.run(
        line,
        cwd=weft.folder,
        env=environment(weft, {}),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Jun Ito" in json.loads(done.stdout)["answer"]
    return set(done.stderr.split())


def test_a_question_to_an_unchanged_folder_loads_what_it_needs_and_no_more(
    loaded: set[str],
) -> None:
    assert {"numpy", "onnxruntime", "weft.flows.rag.nodes"} <= loaded
    wrong = {
        one for one in loaded for kept in _KEPT_OUT if one == kept or one.startswith(f"{kept}.")
    }
    assert not wrong, sorted(wrong)
