"""A run whose process is killed at any save goes on in another one, to the same answer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from model_server import Body, ModelServer, Say, evidence_of, hand_in, model_server

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]
OPENED = "The Harbour Bridge was opened by Ada Lindqvist on 14 March 1932."
QUESTION = "When was the Harbour Bridge opened?"
WEFT = [sys.executable, "-c", "from weft.cli.main import main; main()"]


def script(body: Body) -> Say:
    """Search, look again, then answer."""
    turns = sum(message["role"] == "assistant" for message in body["messages"])
    if turns < 2:
        words = ("Harbour Bridge opened", "Lindqvist")[turns]
        return Say(calls=[("rag_search", {"query": words})])
    found = next(item for item in evidence_of(body) if OPENED in item["text"])
    return hand_in(body, (OPENED, [found["id"]]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """A workspace with a folder, and a model behind a server."""

    home: Path
    docs: Path
    server: ModelServer
    engine: str

    def run(self, *words: str, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("WEFT_", "OPENAI_"))}
        own = {
            "WEFT_HOME": str(self.home),
            "WEFT_MODEL": "openai:scripted",
            "WEFT_EMBEDDER": "none",
            "WEFT_ENGINE": self.engine,
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": self.server.base_url,
        }
        return subprocess.run(
            [*(before or WEFT), *words],
            env=kept | own,
            capture_output=True,
            encoding="utf-8",
            timeout=90,
            check=False,
        )

    def json(self, *words: str) -> Any:
        done = self.run(*words, "--json")
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def killed(self, save: int, *words: str) -> str:
        """Ask, and be killed at a save; return the run's id, empty if it came to its end."""
        words = words or ("ask", str(self.docs), QUESTION)
        before = (sys.executable, str(Path(__file__).with_name("asking_process.py")), str(save))
        done = self.run(*words, "--json", before=before)
        if done.returncode != -signal.SIGKILL:
            assert done.returncode == 0, done.stderr
            return ""
        (run,) = self.json("runs", "list", "--status", "running")
        return str(run["run_id"])


def told(answer: Any) -> object:
    keys = ("text", "tier", "citations")
    return answer["answer"], [{key: one[key] for key in keys} for one in answer["sentences"]]


@pytest.mark.parametrize("engine", ["simple", "langgraph"])
def test_a_question_killed_at_every_save_is_answered_as_in_calm(
    tmp_path: Path, engine: str
) -> None:
    if engine != "simple":
        pytest.importorskip(engine)
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "harbour.md").write_text(f"# Harbour Bridge\n\n{OPENED}\n")
    (docs / "trams.md").write_text("# Trams\n\nThe trams of the harbour are green.\n")
    with model_server(script) as server:
        desk = Desk(home=tmp_path / "home", docs=docs, server=server, engine=engine)
        calm = desk.json("ask", str(docs), QUESTION)
        assert OPENED in calm["answer"]
        assert not calm["offline"]
        calls = len(server.requests)
        saves, stride = 0, 1 if engine == "simple" else 2
        while True:
            saves += stride
            server.requests.clear()
            run_id = desk.killed(saves)
            if not run_id:
                break
            assert told(desk.json("runs", "resume", run_id)) == told(calm)
            assert len(server.requests) <= calls + 1
            shown = desk.json("runs", "show", run_id)
            assert shown["status"] == "finished"
            tools = Counter(one["action_id"] for one in shown["tool_runs"])
            assert set(tools.values()) == {1}
            seqs = [event["seq"] for event in shown["events"]]
            assert seqs == list(range(1, len(seqs) + 1))
        assert saves > 2
