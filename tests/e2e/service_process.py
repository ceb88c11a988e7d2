"""The service as people start it: a process of its own, a workspace of its own, a printed link."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

START_SECONDS = 60
SETTINGS = ("WEFT_", "OPENAI_", "AZURE_OPENAI_", "OLLAMA_", "EMBEDDING_")


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


def _command() -> list[str]:
    """Return how `weft` is called: the one that WEFT_E2E_COMMAND names, else this source tree."""
    if named := os.environ.get("WEFT_E2E_COMMAND"):
        return [named]
    return [sys.executable, "-c", "from weft.cli.main import main; main()"]


@dataclass(kw_only=True)
class Service:
    """`weft serve` in a workspace; it can be stopped and started again."""

    home: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    command: Sequence[str] = field(default_factory=_command)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> str:
        """Start the service and return the one-time link that it prints."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(SETTINGS)}
        environment = {**inherited, "WEFT_HOME": str(self.home), **self.settings}
        log = self.home / "serve.log"
        with log.open("wb") as out:
            self.process = subprocess.Popen(
                [*self.command, "serve", "--port", str(self.port)],
                env=environment,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        end = time.monotonic() + START_SECONDS
        while not (link := re.search(r"http://\S+\?key=\S+", log.read_text(encoding="utf-8"))):
            said = log.read_text(encoding="utf-8")
            assert self.process.poll() is None, f"weft serve ended:\n{said}"
            assert time.monotonic() < end, f"weft serve does not answer:\n{said}"
            time.sleep(0.1)
        ready = self._readiness()
        assert ready == "200", f"the link is printed once it can be opened, not before: {ready}"
        return link[0]

    def stop(self) -> None:
        """Stop the service as Ctrl-C would."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(timeout=START_SECONDS)
            self.process = None

    def call(self, path: str, body: object = None) -> Any:
        """Return what the service answers to whoever has the token."""
        token = (self.home / "token").read_text(encoding="utf-8").strip()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data=data, headers=headers)
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.load(reply)

    def ingested(self, run_id: str) -> Any:
        """Wait until documents that were handed over have been read."""
        end = time.monotonic() + START_SECONDS
        while (run := self.call(f"/v1/runs/{run_id}"))["status"] not in {"finished", "failed"}:
            assert time.monotonic() < end, run
            time.sleep(0.1)
        assert run["status"] == "finished", run
        return run

    def _readiness(self) -> str:
        """Return the status that the service tells, or why it tells none."""
        try:
            with urllib.request.urlopen(f"{self.address}/health/ready", timeout=10) as reply:
                return str(reply.status)
        except (urllib.error.URLError, ConnectionError, TimeoutError) as error:
            return f"{error} {getattr(error, 'read', bytes)()!r}"
