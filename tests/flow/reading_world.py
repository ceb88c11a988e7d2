"""Random worlds of bases and documents for several readers, and all that a reader is answered."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

from httpx2 import Response

from flow.people_world import PeopleWorld, dependencies
from weft.api.host import Host
from weft.domain.scope import Scope
from weft.domain.target import EMBEDDED
from weft.ingest.sources.inbox import RECORDS, record_file
from weft.platform.identity import operator, principal_scope
from weft.platform.people.roles import BUILT_IN
from weft.ports.records.bases import Sharing
from weft.ports.records.jobs import JobStatus

# By name: groups (those within which they lie included) and roles.
READERS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ann": (("red",), ("user",)),
    "bob": (("blue", "green"), ("user",)),
    "cara": (("green",), ("curator", "admin")),
}
MAKER = "maker"
PRINCIPALS = (
    *(f"group:{name}" for name in ("red", "blue", "green")),
    *(f"user:{name}" for name in READERS),
)
EVERYONE = "tenant:*"
NAMES = ("Alpha", "Beta", "Gamma", "Delta")
SENTENCES = (
    "Apollo was founded in 1999 by Li Wei.",
    "Li Wei leads the Payments team in Seoul.",
    "The outage of Apollo began on 3 March 2024.",
    "Ada Lovelace wrote the first program.",
    "Grace Hopper built a compiler for the Payments team.",
    "See PAY-12 for the outage of Apollo.",
    "김철수는 서울에서 일한다.",
)
QUESTIONS = ("Who founded Apollo?", "When did the outage of Apollo begin?")
# Random or of the clock by nature: ids of runs, requests, sessions, conversations; times.
_RANDOM = frozenset(
    """run_id request_id session_id conversation_id tenant created created_at started finished
    updated timestamp ts ms start_ms took_ms latency_ms expires_at""".split()
)
_CHATTED = re.compile(r"(chatcmpl-|resp_|msg_)[0-9a-f]{8,}")
T = TypeVar("T")
ROWS = "rows.jsonl"
_RUN = ("", "/trace", "/events")
_HEX = re.compile(r"\b[0-9a-f]{16}\b|\b[0-9a-f]{8}-[0-9a-f-]{27}\b")


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A document: in which base, for whom, and a word that stands nowhere else."""

    name: str
    base: str
    acl: tuple[str, ...]
    text: str
    canary: str
    in_rows: bool = False


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """A knowledge base and to whom it is open."""

    name: str
    title: str
    readers: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A world: bases and documents."""

    shelves: tuple[Shelf, ...]
    papers: tuple[Paper, ...]

    def without(self, name: str) -> Draft:
        """Return the world without what somebody may not read.

        Of a base that one may manage and not read, the name is known and nothing else.
        """
        own = principals_of(name)
        managing = "admin" in READERS[name][1]
        open_to = {one.name for one in self.shelves if not own.isdisjoint(one.readers)}
        return Draft(
            shelves=tuple(one for one in self.shelves if one.name in open_to or managing),
            papers=tuple(
                one
                for one in self.papers
                if one.base in open_to and not own.isdisjoint(one.acl or (EVERYONE,))
            ),
        )


def principals_of(name: str) -> frozenset[str]:
    """Return all that a reader answers to."""
    groups = READERS[name][0]
    return frozenset({EVERYONE, f"user:{name}", *(f"group:{group}" for group in groups)})


def drawn(seed: int, *, shelves: int = 3) -> Draft:
    """Return a world by chance."""
    chance = random.Random(seed)
    made = []
    for name in chance.sample(NAMES, k=chance.randint(1, shelves)):
        readers = chance.choice(
            [(EVERYONE,), (EVERYONE,), *((one,) for one in PRINCIPALS), PRINCIPALS[:2]]
        )
        made.append(Shelf(name=name, title=f"Title {name}", readers=readers))
    papers = []
    for number in range(chance.randint(3, 7)):
        canary = f"Quokka{seed}x{number}"
        few = chance.sample(PRINCIPALS, k=chance.randint(1, 2))
        sentences = chance.sample(SENTENCES, k=chance.randint(1, 3))
        text = " ".join([*sentences, f"{canary} was founded by Li Wei."])
        papers.append(
            Paper(
                name=f"paper-{number}",
                base=chance.choice(made).name,
                acl=chance.choice([(), (EVERYONE,), tuple(sorted(few)), tuple(sorted(few))]),
                text=text,
                canary=canary,
                in_rows=chance.random() < 0.4,
            )
        )
    return Draft(shelves=tuple(made), papers=tuple(papers))


def add_people(world: PeopleWorld, tenant: str) -> None:
    """Add the readers of a tenant, and who makes its bases."""
    world.add_tenant(tenant)
    for group in ("red", "blue", "green"):
        world.add_group(group, tenant=tenant)
    for name, (groups, roles) in READERS.items():
        world.add(name, tenant=tenant, groups=groups, roles=roles)
    world.add(MAKER, tenant=tenant, roles=("admin", "curator"))


def build(world: PeopleWorld, tenant: str, draft: Draft, *, store: str = EMBEDDED) -> None:
    """Make the bases and documents of a world in a tenant."""
    maker, host = f"{tenant}/{MAKER}", dependencies(world.client).host
    scope = principal_scope(
        tenant=tenant,
        actor=f"user:{MAKER}",
        groups=(),
        permissions=BUILT_IN["admin"] | BUILT_IN["curator"],
    )
    for shelf in draft.shelves:
        world.run(host.app.library.create, scope, shelf.name, title=shelf.title, store=store)
        open_to = Sharing(default_acl=frozenset({EVERYONE}), readers=frozenset(shelf.readers))
        world.run(host.app.records.bases.share, scope, shelf.name, open_to)
        papers = [one for one in draft.papers if one.base == shelf.name]
        for body in _handed(papers):
            sent = world.ask(maker, "POST", f"/v1/kb/{shelf.name}/documents", **body)
            assert sent.status_code == 202, sent.text
            world.run(_ended, host, operator(tenant), str(sent.json()["run_id"]))


def clear(world: PeopleWorld, tenant: str, draft: Draft) -> None:
    """Take all bases of a tenant away."""
    for shelf in draft.shelves:
        gone = world.ask(f"{tenant}/{MAKER}", "DELETE", f"/v1/kb/{shelf.name}")
        assert gone.status_code == 204, gone.text


def answers(world: PeopleWorld, who: str, draft: Draft, *, share: float = 1.0) -> dict[str, object]:
    """Return what a reader is answered, asking also for what there may not be.

    `draft` is the whole world: in both worlds the very same is asked, of all that can be asked a
    `share` drawn by chance.
    """
    chance = random.Random(draft.papers[0].canary)
    seen: dict[str, object] = {}
    session = str(world.ask(who, "POST", "/v1/sessions").json()["session_id"])

    def ask(method: str, path: str, body: object = None, **options: Any) -> Response:
        sent = {} if body is None else {"json": body}
        reply = world.ask(who, method, path, **sent, **options)
        assert reply.status_code < 500, (method, path, reply.text)
        label = f"{method} {path} {json.dumps(body, sort_keys=True)} {options}"
        # A session is given out: its id is no part of what was asked.
        seen[label.replace(session, "SESSION")] = (reply.status_code, _steady(reply))
        return reply

    def some(every: Iterable[T]) -> list[T]:
        return [one for one in every if chance.random() < share]

    for path in some(_plain(draft)):
        ask("GET", path)
    for base in [*(one.name for one in draft.shelves), "NoSuchBase"]:
        for path in some(_of_base(base, draft)):
            page = ask("GET", path)
            if "limit=2" in path and page.status_code == 200 and page.json()["next"]:
                ask("GET", f"{path}&cursor={page.json()['next']}")
    runs = [str(ask(*one).headers.get("X-Run-ID", "")) for one in some(_asked(draft, session))]
    runs = [run for run in runs if run]
    _after(ask, runs, seen, session=session)
    for number, run in enumerate(runs):
        _seen_again(ask, run, seen, number=number, paths=some(_RUN) or _RUN[-1:])
    world.ask(who, "POST", "/chat/clear", json={"session_id": session})
    return seen


def _plain(draft: Draft) -> Iterator[str]:
    yield from ("/v1/kb", "/v1/kb?limit=1", "/v1/models", "/agents", "/v1/me", "/index/stats")
    yield from ("/graph", "/graph?view=entities", "/graph/stats", "/v1/suggestions?limit=6")
    yield f"/graph/document/{quote(_key(draft.papers[0]))}?depth=2"


def _of_base(base: str, draft: Draft) -> Iterator[str]:
    yield from (f"/v1/kb/{base}", f"/v1/kb/{base}/stats", f"/v1/suggestions?kb={base}")
    yield from (f"/v1/kb/{base}/ledger?limit=2", f"/v1/kb/{base}/ledger?unread=true")
    yield from (f"/v1/kb/{base}/documents?limit=2", f"/v1/kb/{base}/documents?q=quokka")
    yield from (f"/graph?kb={base}", f"/graph?kb={base}&view=entities", f"/graph/stats?kb={base}")
    for paper in draft.papers:
        if paper.base == base:
            key = quote(_key(paper))
            yield from (f"/v1/kb/{base}/documents/{key}", f"/graph/document/{key}?depth=3")


def _asked(draft: Draft, session: str) -> Iterator[tuple[str, str, object]]:
    bases = sorted(one.name for one in draft.shelves)
    canary = draft.papers[-1].canary
    yield "POST", "/v1/search", {"query": "Apollo Payments Li Wei", "top_k": 20, "explain": True}
    yield "POST", "/v1/search", {"query": canary, "top_k": 20, "explain": True}
    yield "POST", "/v1/search", {"query": "Apollo", "kb": [bases[0]]}
    filters = {"exact": {"canary": canary}}
    yield "POST", "/v1/search", {"query": "Apollo", "filters": filters}
    yield "POST", "/ask", {"question": f"Who founded {canary}?"}
    yield "POST", "/ask", {"question": QUESTIONS[0], "stream": True}
    yield "POST", "/ask", {"question": QUESTIONS[0], "sources": ["nowhere"]}
    yield "POST", "/ask", {"question": QUESTIONS[0], "kb": [bases[-1]]}
    yield "POST", "/v1/rag/query", {"query": QUESTIONS[1], "top_k": 20}
    for question in (QUESTIONS[0], f"Who founded {canary}?", "instances of the class person"):
        yield "POST", "/run_agent", {"query": question}
        yield "POST", "/run_agent_semantic", {"query": question}
    messages = [{"role": "user", "content": QUESTIONS[1]}]
    yield "POST", "/v1/chat/completions", {"model": "weft", "messages": messages}
    model = f"weft:{bases[0]}"
    yield (
        "POST",
        "/v1/chat/completions",
        {"model": model, "messages": messages, "stream": True},
    )
    yield "POST", "/v1/responses", {"model": "weft", "input": QUESTIONS[1]}
    yield "POST", "/v1/responses", {"model": model, "input": QUESTIONS[0], "stream": True}
    yield "POST", "/v1/chat/message", {"message": QUESTIONS[0], "session_id": session}
    yield "POST", "/v1/chat/message", {"message": "When was it founded?", "session_id": session}


def _after(ask: Any, runs: Sequence[str], seen: dict[str, object], *, session: str) -> None:
    headers = {"X-Session-ID": session}
    ask("GET", "/chat/history", headers=headers)
    ask("GET", "/v1/conversations", headers=headers)
    # Where the next page begins is said by a time and a run's id.
    label = f"/v1/runs?limit={len(runs) + 1}"
    seen[label] = [_without(one) for one in ask("GET", label).json()["items"]]
    seen.pop(f"GET {label} null {{}}")


def _seen_again(
    ask: Any, run: str, seen: dict[str, object], *, number: int, paths: Iterable[str]
) -> None:
    """Ask how a run went, and keep that under its number: its id is another one each time."""
    for path in paths:
        before = set(seen)
        ask("GET", f"/v1/runs/{run}{path}")
        (label,) = set(seen) - before
        seen[f"run {number}{path}"] = seen.pop(label)


def _key(paper: Paper) -> str:
    if paper.in_rows:
        return f"record:inbox/{ROWS}#{paper.name}"
    return f"record:inbox/{RECORDS}/{record_file(paper.name)}#{paper.name}"


def _handed(papers: Sequence[Paper]) -> Iterator[dict[str, Any]]:
    """Yield documents as they are handed over: records, and rows of one file."""
    records = [_record(one) for one in papers if not one.in_rows]
    for record in records:
        if not record["acl"]:
            del record["acl"]  # for those whom the base names by default
    if records:
        yield {"json": {"records": records}}
    rows = [{**_record(one), "metadata": "", "canary": one.canary} for one in papers if one.in_rows]
    if rows:
        lines = "\n".join(map(json.dumps, rows))
        yield {"files": {"files": (ROWS, lines.encode(), "application/json")}}


def _record(paper: Paper) -> dict[str, object]:
    return {
        "id": paper.name,
        "title": f"{paper.canary} paper",
        "content": paper.text,
        "uri": f"https://example.org/{paper.canary}",
        "metadata": {"canary": paper.canary, "owner": f"owner of {paper.canary}"},
        "acl": [*paper.acl],
    }


async def _ended(host: Host, scope: Scope, run_id: str) -> None:
    """Wait for a job on the own loop of the service, which has enough to do besides."""
    for _ in range(3000):
        found = await host.app.records.jobs.get(scope, run_id)
        if found.status not in {JobStatus.QUEUED, JobStatus.RUNNING}:
            assert found.status is JobStatus.FINISHED, found
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{run_id} does not end")


def _steady(reply: Response) -> object:
    """Return a reply without what is random by nature."""
    if reply.headers.get("content-type", "").startswith("text/event-stream"):
        lines = [line for line in reply.text.splitlines() if line.startswith(("event:", "data:"))]
        return [_data(line) for line in lines]
    return _without(reply.json()) if reply.content else None


def _data(line: str) -> object:
    name, _, said = line.partition(":")
    try:
        return name, _without(json.loads(said))
    except ValueError:
        return name, said


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: "*" if key in _RANDOM else _without(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without(each) for each in value]
    return _HEX.sub("*", _CHATTED.sub(r"\1*", value)) if isinstance(value, str) else value


def hidden(draft: Draft, name: str) -> list[str]:
    """Return the canaries of what somebody may not read."""
    kept = draft.without(name)
    return [one.canary for one in draft.papers if one not in kept.papers]
