"""Two tenants with one thing of every kind each, and every operation with ids to put into it."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from fastapi import FastAPI
from httpx2 import Response
from sqlalchemy import Connection, select

from flow.http_world import over, served, workspace
from flow.operations import Operation, operations_of
from flow.people_world import PeopleWorld, dependencies
from weft.adapters.sql.database.schema import METADATA
from weft.platform.access import PERMISSIONS, allows
from weft.platform.identity import LOCAL_TENANT, local_owner

UNLIMITED = "embedder: none\nrate_tenant: 0\nrate_user: 0\nrate_key: 0\n"
CANARY = "Quokkaberg"
QUESTION = f"Who founded {CANARY}?"
# Bodies where the example of the document does not fit.
FITTING: dict[str, dict[str, Any]] = {
    "POST /v1/admin/users": {"name": "new"},
    "POST /v1/admin/groups": {"name": "new"},
    "POST /v1/admin/roles": {"name": "new", "permissions": ["ask"]},
    "PATCH /v1/admin/users/{name}": {"groups": []},
    "PATCH /v1/admin/roles/{name}": {"permissions": ["ask"]},
    "POST /v1/admin/tenants": {"name": "third"},
    "POST /v1/kb": {"name": "Fresh"},
    "POST /v1/chat/message": {"message": QUESTION},
    "POST /ask": {"question": QUESTION},
    "POST /v1/rag/query": {"query": QUESTION},
    "POST /v1/runs/{id}/replay": {},
    "POST /v1/search": {"query": CANARY},
    "POST /run_agent": {"query": QUESTION},
    "POST /run_agent_semantic": {"query": QUESTION},
    "POST /run_debate": {"query": QUESTION},
    "POST /platform/chat/send": {"message": QUESTION, "mode": "debate"},
    "POST /api/chat/send": {"message": QUESTION},
    "POST /platform/ingest/raw": {
        "target_database": "Plans",
        "records": [{"id": "r1", "content": "Apollo is a ship."}],
    },
    # Of a file that is there, at a time that does not come while a test runs.
    "POST /v1/kb/{id}/sources/schedules": {
        "path": str(Path(__file__)),
        "cron": "0 3 29 2 *",
    },
}
AUDIT = frozenset({"audit_logs", "audit_heads"})
# What differs between two replies to one request: ids of requests and runs, and times.
_NEVER = re.compile(r'"(request_id|run_id|created|ts|mac)":\s?"[^"]*"')
_VARYING = frozenset({"x-request-id", "x-run-id", "date", "content-length"})
_KNOWN_BY_PATH = {
    "/v1/research/": "run",
    "/v1/kb": "base",
    "/v1/runs": "run",
    "/v1/conversations": "conversation",
    "/v1/admin/users": "user",
    "/v1/admin/groups": "group",
    "/v1/admin/roles": "role",
    "/v1/admin/keys": "key",
    "/graph/document": "document",
}
_KNOWN_BY_NAME = {
    "doc": "document",
    "schedule": "schedule",
    "kb": "base",
    "databases": "base",
    "target_database": "base",
    "user": "user",
    "conversation_id": "conversation",
    "session_id": "session",
    "X-Session-ID": "session",
    "within": "group",
    "groups": "group",
    "run": "run",
}


@dataclass(frozen=True, kw_only=True)
class Ids:
    """Ids of one tenant, by what they name."""

    base: str
    document: str
    run: str
    conversation: str
    session: str
    key: str
    schedule: str
    user: str = "ann"
    group: str = "staff"
    role: str = "readers"

    def of(self, operation: Operation, slot: str) -> str:
        """Return what goes into a slot."""
        if slot == "model":
            return f"weft:{self.base}"
        by_path = (one for begin, one in _KNOWN_BY_PATH.items() if operation.path.startswith(begin))
        return str(getattr(self, _KNOWN_BY_NAME.get(slot) or next(by_path)))

    def absent(self) -> Ids:
        """Return ids of the same form and length that nobody has."""
        values = {one.name: str(getattr(self, one.name)) for one in fields(self)}
        return Ids(**{name: value[:-1] + _another(value[-1]) for name, value in values.items()})

    def blinded(self, text: str) -> str:
        """Return a text with `<NAME>` in place of each id."""
        named = {str(getattr(self, one.name)): one.name for one in fields(self)}
        for value in sorted(named, key=len, reverse=True):
            text = text.replace(value, f"<{named[value]}>")
        return text


def _another(sign: str) -> str:
    return "0" if sign != "0" else "1"


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """A service with two tenants, what each holds, and all operations."""

    world: PeopleWorld
    operations: list[Operation]
    ours: Ids
    theirs: Ids
    sent: Counter[str] = field(default_factory=Counter)

    def send(self, who: str, operation: Operation, ids: Ids, **options: Any) -> Response:
        """Send an operation that names the given ids in its path."""
        path = re.sub(r"{(\w+)}", lambda slot: quote(ids.of(operation, slot[1])), operation.path)
        if operation.example is not None:
            options.setdefault("json", dict(operation.example))
        self.sent[who or "nobody"] += 1
        return self.world.ask(who, operation.method, path, **options)

    def acts(self, tenant: str) -> set[str]:
        """Return the ids of all acts in a tenant's log."""
        return set(self._of_table(tenant, "audit_logs", "intent_id"))

    def dump(self, tenant: str, *, but: frozenset[str] = frozenset()) -> dict[str, list[str]]:
        """Return all rows of a tenant, and its knowledge bases as they are exported."""
        rows = {
            table.name: self._of_table(tenant, table.name)
            for table in METADATA.sorted_tables
            if "tenant" in table.c and table.name not in but
        }
        return {**rows, "export": self.world.run(self._exported)}

    async def _exported(self) -> list[str]:
        app = dependencies(self.world.client).host.app
        store = await app.library.named(local_owner(), self.ours.base)
        files = sorted(app.settings.home.glob("inbox/*/*/inbox/**/*.json"))
        lines = [line async for line in store.holdings.export(local_owner())]
        return [*lines, *(path.read_text("utf-8") for path in files if "Twinly" not in path.parts)]

    def _of_table(self, tenant: str, name: str, column: str = "") -> list[str]:
        table = METADATA.tables[name]
        wanted = select(table.c[column]) if column else select(table)

        def read(connection: Connection) -> list[str]:
            found = connection.execute(wanted.where(table.c.tenant == tenant)).all()
            return sorted(str(tuple(row)) for row in found)

        records = dependencies(self.world.client).host.app.records
        found: list[str] = []
        for database in {records.database, records.answering.database}:
            found += cast("list[str]", self.world.run(database.read, read))
        return found


@contextmanager
def matrix_of(home: Path) -> Iterator[Matrix]:
    """Serve a workspace of two tenants with one of everything; say at the end what was asked."""
    with served(workspace(home, UNLIMITED)) as client:
        owner = client.headers["Authorization"].split()[1]
        world = PeopleWorld(client=client, keys={"wrong token": "wrong", "owner": owner})
        operations = operations_of(cast(FastAPI, client.app))
        world.add_tenant("twin")
        for tenant in (LOCAL_TENANT, "twin"):
            world.add_role("sources", "kb.source", tenant=tenant)
            world.add("boss", tenant=tenant, roles=("admin", "curator", "sources"))
        codes = {one.permission for one in operations}
        add_lacking(world, codes - {"", "known", "platform.tenants"})
        made = Matrix(
            world=world,
            operations=operations,
            ours=with_one_of_each(world, LOCAL_TENANT, base="Plans"),
            theirs=with_one_of_each(world, "twin", base="Twinly"),
        )
        add_strangers(world)
        yield made
        sent = made.sent
        print(f"\n{len(operations)} operations, {sent.total()} requests: {dict(sent)}")


def alike(reply: Response, ids: Ids) -> tuple[object, ...]:
    """Return all of a reply but what is random by nature and what it repeats of the request."""
    headers = {key.lower(): value for key, value in reply.headers.items()}
    kept = sorted(item for item in headers.items() if item[0] not in _VARYING)
    return reply.status_code, ids.blinded(_NEVER.sub("", reply.text)), tuple(kept)


def with_one_of_each(world: PeopleWorld, tenant: str, *, base: str) -> Ids:
    """Make one thing of every kind in a tenant, by its `boss`."""
    boss = f"{tenant}/boss"
    assert world.ask(boss, "POST", "/v1/kb", json={"name": base}).status_code == 201
    text = f"# {CANARY}\n\n{CANARY} was founded by Li Wei of {tenant}."
    record = {"records": [{"id": f"{tenant}-only", "title": CANARY, "content": text}]}
    sent = world.ask(boss, "POST", f"/v1/kb/{base}/documents", json=record)
    ended(world, boss, str(sent.json()["run_id"]))
    listed = world.ask(boss, "GET", f"/v1/kb/{base}/documents").json()["items"]
    session = str(world.ask(boss, "POST", "/v1/sessions").json()["session_id"])
    said = {"message": f"Who founded {CANARY}?", "session_id": session}
    answer = world.ask(boss, "POST", "/v1/chat/message", json=said).json()
    assert answer["sentences"], answer
    nightly = FITTING["POST /v1/kb/{id}/sources/schedules"]
    scheduled = world.ask(boss, "POST", f"/v1/kb/{base}/sources/schedules", json=nightly)
    assert scheduled.status_code == 201, scheduled.text
    world.add_group("staff", tenant=tenant)
    role = {"name": "readers", "permissions": ["kb.read"]}
    assert world.ask(boss, "POST", "/v1/admin/roles", json=role).status_code == 201
    world.add("ann", tenant=tenant, groups=("staff",))
    return Ids(
        base=base,
        document=str(listed[0]["id"]),
        run=str(answer["run_id"]),
        conversation=str(answer["conversation_id"]),
        session=session,
        schedule=str(scheduled.json()["id"]),
        key=world.add_key("ann", tenant=tenant, called=f"{tenant}/second"),
    )


def job_of(world: PeopleWorld, ids: Ids) -> Ids:
    """Return ids with an ingestion in place of an answer's run."""
    listed = world.ask("local/boss", "GET", "/v1/runs?kind=ingest").json()["items"]
    return replace(ids, run=str(listed[0]["run_id"]))


def ended(world: PeopleWorld, who: str, run_id: str) -> None:
    """Wait until a run has ended."""
    over(lambda: world.ask(who, "GET", f"/v1/runs/{run_id}").json())


def add_strangers(world: PeopleWorld) -> None:
    """Add those who were known once: by a key that is over, was revoked, or whose user is out."""
    keys = world.administration.keys
    for name in ("expired", "revoked", "disabled"):
        world.add(name, roles=("admin", "curator"))
    soon = dependencies(world.client).host.app.clock.now() + timedelta(seconds=1)
    made = world.run(keys.add, local_owner(), "expired", scopes=(), expires=soon)
    world.keys["expired key"] = made.text
    key_id = world.add_key("revoked", called="revoked key")
    assert world.ask("revoked key", "GET", "/v1/me").status_code == 200
    assert world.client.delete(f"/v1/admin/keys/{key_id}").status_code == 204
    world.add_key("disabled", called="disabled user")
    shut = world.client.patch("/v1/admin/users/disabled", json={"disabled": True})
    assert shut.status_code == 200
    while world.ask("expired key", "GET", "/v1/me").status_code == 200:
        time.sleep(0.1)


def add_lacking(world: PeopleWorld, codes: Iterable[str]) -> None:
    """Add for each permission somebody who has all others that can be given."""
    managing = {f"admin.{one}" for one in ("users", "groups", "roles", "keys", "bases")}
    every = {*PERMISSIONS, *managing} - {"admin.*", "platform.tenants"}
    for code in sorted(codes):
        kept = sorted(one for one in every if not allows(frozenset({one}), code))
        role = {"name": _lacking(code), "permissions": kept}
        assert world.client.post("/v1/admin/roles", json=role).status_code == 201, code
        world.add(_lacking(code), roles=(_lacking(code),))


def who_lacks(operation: Operation) -> str:
    """Return who may do everything but an operation."""
    if operation.permission == "platform.tenants":
        return "local/boss"
    return f"{LOCAL_TENANT}/{_lacking(operation.permission)}"


def _lacking(code: str) -> str:
    return "no-" + code.replace("*", "all")
