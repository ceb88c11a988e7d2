"""A service process and people of it, something of whom is under way when a right is taken away."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import httpx2

from e2e.service_process import Service
from model_server import Body, Say, evidence_of, hand_in, model_server
from weft.bootstrap.app import open_app
from weft.bootstrap.flows import build_flows
from weft.config import load_settings
from weft.domain.ids import RunId
from weft.flows.asking import Asking
from weft.flows.jobs import FlowJobs
from weft.flows.reading_rights import ReadingRights

FACT = "Apollo was founded by Li Wei."
ROWS = 6000
_PATIENCE = 60.0
_OVER = frozenset({"finished", "failed", "cancelled"})
_NUMBERS = itertools.count(1)
_HELD_SECONDS = 20.0


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody with a key, in a group to which a knowledge base with one document is open."""

    name: str
    key_id: str
    key: str
    base: str
    document: str
    client: httpx2.Client

    @property
    def question(self) -> str:
        """Return the question that this person alone asks."""
        return f"Who founded Apollo, asks {self.name}?"

    def send(self, method: str, path: str, **options: Any) -> httpx2.Response:
        """Send a request that works as long as nothing was taken away."""
        reply = self.client.request(method, path, **options)
        assert reply.status_code < 400, (path, reply.text)
        return reply


@dataclass
class HeldModel:
    """A model that looks something up, then thinks for as long as it is held."""

    free: threading.Event = field(default_factory=threading.Event)
    waiting: set[str] = field(default_factory=set)

    def __call__(self, body: Body) -> Say:
        found = [item for item in evidence_of(body) if FACT in item["text"]]
        if not found:
            return Say(calls=[("rag_search", {"query": "Apollo founded"})])
        said = json.dumps(body["messages"])
        self.waiting.add(said.partition("asks ")[2].partition("?")[0])
        self.free.wait(_HELD_SECONDS)
        return hand_in(body, (FACT, [found[0]["id"]]))


@dataclass(kw_only=True)
class Office:
    """A service process, its model, and its owner."""

    service: Service
    model: HeldModel
    owner: httpx2.Client
    clients: ExitStack

    def send(self, method: str, path: str, **options: Any) -> Any:
        """Send a request of the owner; return what is answered."""
        reply = self.owner.request(method, path, **options)
        assert reply.status_code < 400, (path, reply.text)
        return reply.json() if reply.content else None

    def hire(self, *, role: str = "developer") -> Person:
        """Add somebody, with a group, a knowledge base that is open to it, and a document."""
        number = next(_NUMBERS)
        name, group, base = f"user{number}", f"group{number}", f"Base{number}"
        open_to = [f"group:{group}"]
        self.send("POST", "/v1/admin/groups", json={"name": group})
        person = {"name": name, "groups": [group], "roles": [role]}
        self.send("POST", "/v1/admin/users", json=person)
        key = self.send("POST", "/v1/admin/keys", json={"user": name})
        self.send("POST", "/v1/kb", json={"name": base})
        shared = {"readers": open_to, "writers": open_to, "default_acl": open_to}
        self.send("PATCH", f"/v1/kb/{base}", json=shared)
        record = {"id": "apollo", "title": "Apollo", "content": FACT, "acl": open_to}
        sent = self.send("POST", f"/v1/kb/{base}/documents", json={"records": [record]})
        self.service.ingested(sent["run_id"])
        (document,) = self.send("GET", f"/v1/kb/{base}/documents")["items"]
        client = self.clients.enter_context(_client(self.service.address, key["key"]))
        return Person(
            name=name,
            key_id=key["id"],
            key=key["key"],
            base=base,
            document=document["id"],
            client=client,
        )

    def wait_until_held(self, person: Person) -> None:
        """Wait until the model has read the document and thinks about the person's question."""
        _wait(lambda: person.name in self.model.waiting)

    def status(self, run_id: str) -> str:
        """Return how a run or a job of anybody stands, as the records of the service have it."""
        reply = self.overseer.get(f"/v1/runs/{run_id}")
        return str(reply.json()["status"])

    @cached_property
    def overseer(self) -> httpx2.Client:
        """Return a client that sees everybody's runs and jobs."""
        role = {"name": "overseers", "permissions": ["run.read", "run.read.all", "job.manage"]}
        self.send("POST", "/v1/admin/roles", json=role)
        self.send("POST", "/v1/admin/users", json={"name": "overseer", "roles": ["overseers"]})
        key = self.send("POST", "/v1/admin/keys", json={"user": "overseer"})
        return self.clients.enter_context(_client(self.service.address, key["key"]))


@contextmanager
def office(home: Path) -> Iterator[Office]:
    """Run a service in an empty workspace, with a model that can be held."""
    home.mkdir(mode=0o700)
    model = HeldModel()
    with model_server(model) as server:
        limits = {f"WEFT_RATE_{each}": "0" for each in ("TENANT", "USER", "KEY")}
        settings = {
            **limits,
            "WEFT_MODEL": "openai:scripted",
            "WEFT_EMBEDDER": "none",
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": server.base_url,
        }
        service = Service(home=home, settings=settings)
        service.start()
        token = (home / "token").read_text(encoding="utf-8").strip()
        try:
            with ExitStack() as clients:
                owner = clients.enter_context(_client(service.address, token))
                yield Office(service=service, model=model, owner=owner, clients=clients)
        finally:
            model.free.set()
            service.stop()


def revoke_key(office: Office, person: Person) -> None:
    """Revoke the key that something was begun with."""
    office.send("DELETE", f"/v1/admin/keys/{person.key_id}")


def disable_user(office: Office, person: Person) -> None:
    """Disable who began something."""
    office.send("PATCH", f"/v1/admin/users/{person.name}", json={"disabled": True})


def leave_group(office: Office, person: Person) -> None:
    """Take somebody out of the group that opens the knowledge base."""
    office.send("PATCH", f"/v1/admin/users/{person.name}", json={"groups": []})


def narrow_document(office: Office, person: Person) -> None:
    """Leave a document that was read to its owner alone."""
    path = f"/v1/kb/{person.base}/documents/{quote(person.document)}"
    office.send("PATCH", path, json={"acl": ["user:owner"]})


def close_base(office: Office, person: Person) -> None:
    """Share a knowledge base with nobody but its owner."""
    alone = ["user:owner"]
    shared = {"readers": alone, "writers": alone, "admins": alone}
    office.send("PATCH", f"/v1/kb/{person.base}", json=shared)


REVOCATIONS: Mapping[str, Callable[[Office, Person], None]] = {
    "key revoked": revoke_key,
    "user disabled": disable_user,
    "group left": leave_group,
    "document ACL narrowed": narrow_document,
    "base no longer shared": close_base,
}


@dataclass
class OpenStream:
    """A stream that is read in a thread of its own until it ends."""

    person: Person
    method: str
    path: str
    body: dict[str, object] | None = None
    run_id: str = ""
    text: str = ""
    ended: float = 0.0
    _begun: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        """Open the stream; return once it has begun."""
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()
        assert self._begun.wait(_PATIENCE), self.path

    def _read(self) -> None:
        with self.person.client.stream(self.method, self.path, json=self.body) as reply:
            self.run_id = reply.headers.get("X-Run-ID", "")
            self._begun.set()
            for piece in reply.iter_text():
                self.text += piece
        self.ended = time.perf_counter()

    def wait(self) -> float:
        """Wait until it has ended; return when that was, by `time.perf_counter`."""
        self._reading.join(_PATIENCE)
        assert self.ended, f"{self.path} does not end"
        return self.ended


def asked(office: Office, person: Person) -> OpenStream:
    """Open the stream of an answer that the model thinks about."""
    stream = OpenStream(person, "POST", "/ask", {"question": person.question, "stream": True})
    office.wait_until_held(person)
    return stream


def watched(person: Person, run_id: str) -> OpenStream:
    """Open the stream of the events of a run or of a job."""
    return OpenStream(person, "GET", f"/v1/runs/{run_id}/events")


def begin_ingestion(office: Office, person: Person, *, rows: int = ROWS) -> str:
    """Begin a job that goes on for many seconds; return its id once it is under way."""
    records = ({"id": f"r{n}", "content": f"Row {n}: {FACT}"} for n in range(rows))
    lines = "\n".join(map(json.dumps, records)).encode()
    files = {"files": ("rows.jsonl", lines, "application/json")}
    sent = person.send("POST", f"/v1/kb/{person.base}/documents", files=files)
    run_id = str(sent.json()["run_id"])
    _wait(lambda: office.status(run_id) == "running")
    return run_id


def begin_job(office: Office, person: Person) -> str:
    """Put the person's question in line, and wait until the model thinks about it."""
    run_id = anyio.run(_submitted, office.service.home, person)
    office.wait_until_held(person)
    return str(run_id)


async def _submitted(home: Path, person: Person) -> RunId:
    app = await open_app(load_settings(home))
    try:
        caller = await app.principals.of_key(person.key)
        assert caller is not None
        flows = FlowJobs(
            build_flows(app),
            principals=app.principals,
            reading=ReadingRights(app.library, app.records.tape),
            jobs=app.records.jobs,
            worklist=app.records.worklist,
        )
        asking = Asking(question=person.question, knowledge_bases=(person.base,))
        return await flows.submit(caller.scope, asking)
    finally:
        await app.close()


def wait_until_over(office: Office, run_id: str) -> str:
    """Wait until a run or a job has ended; return how."""
    _wait(lambda: office.status(run_id) in _OVER)
    return office.status(run_id)


def _client(address: str, token: str) -> httpx2.Client:
    return httpx2.Client(
        base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=_PATIENCE
    )


def _wait(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE
    while not is_so():
        assert time.monotonic() < end, "what is waited for does not come"
        time.sleep(0.02)
