"""A service killed at any moment under load: what it did is in its log, and the chain holds."""

from __future__ import annotations

import json
import random
import sqlite3
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any

import anyio
import pytest

from e2e.service_process import Service
from fault.killing import kill, no_parser_of
from weft.adapters.sql.records import open_records
from weft.platform.identity import local_owner
from weft.platform.secret import secret_in
from weft.platform.time import SystemClock
from weft.ports.records.audit import AuditDecision, AuditReport, AuditRow, Phase

WORKERS = 6
BASE = "Store"
# Of each kind of call: what it does in the log, and what is sent.
ACTIONS = {
    "base": "kb.create",
    "record": "document.add",
    "talk": "conversation.create",
    "user": "admin.user.add",
    "search": "search",
    "read": "kb.read",
    "stranger": "kb.read",
}


def wanted(kind: str, name: str) -> tuple[str, Any]:
    """Return the path and the body of a call."""
    record = {"id": name, "content": f"The cat {name} sleeps on the roof of the mill."}
    return {
        "base": ("/v1/kb", {"name": name}),
        "record": (f"/v1/kb/{BASE}/documents", {"records": [record]}),
        "talk": ("/v1/conversations", {}),
        "user": ("/v1/admin/users", {"name": name}),
        "search": ("/v1/search", {"query": "cat roof", "kb": [BASE]}),
        "read": (f"/v1/kb/{BASE}/stats", None),
        "stranger": (f"/v1/kb/{BASE}/stats", None),
    }[kind]


@dataclass(kw_only=True)
class Load:
    """Callers who call without end; what was answered to whom is in `answered`."""

    service: Service
    round: int
    answered: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    ending: threading.Event = field(default_factory=threading.Event)

    def run(self, seconds: float) -> None:
        """Call for some seconds, then kill the service in the middle of it."""
        workers = [threading.Thread(target=self._work, args=(number,)) for number in range(WORKERS)]
        for worker in workers:
            worker.start()
        time.sleep(seconds)
        process = self.service.process
        assert process is not None
        kill(process)
        assert no_parser_of(process.pid)
        self.ending.set()
        for worker in workers:
            worker.join()

    def _work(self, worker: int) -> None:
        rng = random.Random(f"{self.round} {worker}")
        number = 0
        while not self.ending.is_set():
            number += 1
            kind = rng.choice(list(ACTIONS))
            name = f"n{self.round}x{worker}x{number}"
            try:
                status = self._call(kind, name)
            except (OSError, ValueError, HTTPException):  # killed before it answered whole
                return
            self.answered[name] = (kind, ACTIONS[kind], status)

    def _call(self, kind: str, name: str) -> int:
        token = (self.service.home / "token").read_text(encoding="utf-8").strip()
        path, body = wanted(kind, name)
        headers = {
            "Authorization": f"Bearer {'wrong' if kind == 'stranger' else token}",
            "Content-Type": "application/json",
            "X-Request-ID": name,
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.service.address + path, data=data, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                json.load(reply)
                return int(reply.status)
        except urllib.error.HTTPError as error:
            return error.code


async def _read(home: Path) -> tuple[AuditReport, list[AuditRow]]:
    records = open_records(
        f"sqlite:///{home / 'records.db'}",
        audit_key=secret_in(home / "audit.key"),
        clock=SystemClock(),
        audit_heads=home / "audit.heads",
    )
    report = await records.audit.verify(local_owner())
    rows = await records.audit.rows(local_owner(), limit=1_000_000)
    await records.close()
    return report, rows


def visible(home: Path) -> dict[str, set[str]]:
    """Return what is there of all that the callers made, by the action that makes it."""
    with sqlite3.connect(home / "records.db") as connection:
        bases = {f"kb:{name}" for (name,) in connection.execute("SELECT name FROM knowledge_bases")}
        users = {f"user:{name}" for (name,) in connection.execute("SELECT name FROM users")}
        talks = {one for (one,) in connection.execute("SELECT id FROM conversations")}
    kept = {path.name for path in (home / "inbox").rglob("n*x*x*") if path.is_file()}
    return {"kb.create": bases, "admin.user.add": users, "conversation.create": talks, "kept": kept}


def check(home: Path, answered: dict[str, tuple[str, str, int]]) -> tuple[int, int]:
    """Check that the log is whole; return its rows and how many acts have no outcome."""
    report, rows = anyio.run(_read, home)
    assert report.is_intact, report
    intents = {row.entry.intent_id: row for row in rows if row.entry.phase is Phase.INTENT}
    outcomes = [row for row in rows if row.entry.phase is Phase.OUTCOME]
    for row in outcomes:
        before = intents[row.entry.intent_id]
        assert before.seq < row.seq
        assert before.entry.deed.action == row.entry.deed.action
    decided = {row.entry.intent_id for row in outcomes}
    of_request: dict[str, list[AuditRow]] = {}
    for row in rows:
        of_request.setdefault(row.entry.deed.request_id, []).append(row)
    for name, (kind, action, status) in answered.items():
        own = [row for row in of_request.get(name, ()) if row.entry.deed.action == action]
        ends = [
            row.entry.decision for row in own if row.entry.decision is not AuditDecision.PENDING
        ]
        if kind == "stranger":
            assert (status, ends, len(own)) == (401, [AuditDecision.DENIED], 1), name
        else:
            assert 200 <= status < 300, (name, kind, status)
            assert ends == [AuditDecision.OK], (name, kind, own)
    check_effects(home, list(intents.values()))
    open_acts = {
        key for key, row in intents.items() if row.entry.decision is AuditDecision.PENDING
    } - decided
    assert report.unfinished == len(open_acts)
    return report.rows, len(open_acts)


def check_effects(home: Path, intents: list[AuditRow]) -> None:
    """Check that of everything that is there the log has the intent."""
    told = {(row.entry.deed.action, row.entry.deed.target) for row in intents}
    actions = Counter(row.entry.deed.action for row in intents)
    there = visible(home)
    for action in ("kb.create", "admin.user.add"):
        missing = {target for target in there[action] if (action, target) not in told}
        assert not missing, (action, missing)
    assert len(there["conversation.create"]) <= actions["conversation.create"]
    assert len(there["kept"]) <= actions["document.add"]


def killed_under_load(home: Path, rounds: int) -> list[str]:
    """Kill a service in as many rounds, and check after each; return what was seen."""
    home.mkdir(mode=0o700)
    limits = {"WEFT_RATE_TENANT": "0", "WEFT_RATE_USER": "0"}
    service = Service(home=home, settings={"WEFT_EMBEDDER": "none", **limits})
    service.start()
    service.call("/v1/kb", {"name": BASE})
    answered: dict[str, tuple[str, str, int]] = {}
    rows = open_acts = 0
    for number in range(rounds):
        load = Load(service=service, round=number)
        load.run(random.Random(number).uniform(0.2, 2.5))
        answered |= load.answered
        rows, open_acts = check(home, answered)
        service.start()
    service.stop()
    kinds = Counter(kind for kind, _, _ in answered.values())
    assert set(kinds) == set(ACTIONS), kinds
    return [
        f"service killed under load: {rounds} kills, {len(answered)} calls answered, {rows} rows",
        f"  each call that was answered has its rows; {open_acts} acts have no outcome, shown so",
    ]


@pytest.mark.fault
def test_a_service_killed_under_load_leaves_a_whole_log(tmp_path: Path, report: list[str]) -> None:
    report += killed_under_load(tmp_path / "home", 3)


@pytest.mark.chaos
@pytest.mark.fault
def test_a_service_killed_often_leaves_a_whole_log(tmp_path: Path, report: list[str]) -> None:
    report += killed_under_load(tmp_path / "home", 40)
