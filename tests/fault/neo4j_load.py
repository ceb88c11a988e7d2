"""Readers and writers that go on whatever becomes of the server, and note how each call went."""

from __future__ import annotations

import asyncio
import gc
import random
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from time import monotonic
from traceback import walk_tb
from typing import Any

from weft.bases.library import Library
from weft.bases.readiness import readiness
from weft.domain.errors import StoreUnavailable
from weft.domain.ids import DocumentId
from weft.domain.readiness import State
from weft.domain.scope import Scope
from weft.index.scoring import bm25
from weft.language.terms import terms
from weft.ports.knowledge import DocumentFilter
from weft.ports.publishing import Fence
from weft.ports.store import Store
from worlds import SENTENCES, WRITER, Draft, patch_of, scope_of

READER = scope_of("group:blue")
OPEN, RED = frozenset({"tenant:*"}), frozenset({"group:red"})
# What is there all the time: readable, and not, with the same names.
SEEN = tuple(Draft(f"seen{n}", OPEN, ((1, n), (2, 4))) for n in range(4))
HIDDEN = tuple(Draft(f"hidden{n}", RED, ((1, n), (2, 4))) for n in range(4))
READ_LIMIT = 2.0
WRITE_LIMIT = 16.0
_PULSE_SECONDS = 0.02


@contextmanager
def refusals_unheard() -> Iterator[None]:
    """Pass over refused connections whose exception the driver drops; all else is told as before.

    Its `wait_for` does not look at what a connect came to that ended in the same turn of the
    loop in which the call was cancelled (neo4j 6.4, Python below 3.12), and asyncio tells of it.
    """
    loop = asyncio.get_running_loop()
    told = loop.get_exception_handler()

    def tell(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        where = [] if error is None else [f.f_code.co_name for f, _ in walk_tb(error.__traceback__)]
        unheard = context.get("message") == "Task exception was never retrieved"
        if unheard and isinstance(error, ConnectionError) and where[:1] == ["sock_connect"]:
            return
        if told is None:
            loop.default_exception_handler(context)
        else:
            told(loop, context)

    loop.set_exception_handler(tell)
    try:
        yield
        gc.collect()
    finally:
        loop.set_exception_handler(told)


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call: when it began, how long it took, and the reason why it failed, if it did.

    For `starved` of its seconds this process had no turn on a processor.
    """

    kind: str
    began: float
    seconds: float
    failed: str = ""
    starved: float = 0.0


@dataclass(kw_only=True)
class Load:
    """The calls made so far, and what was acknowledged of each document (its version)."""

    calls: list[Call] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    acknowledged: dict[DocumentId, str] = field(default_factory=dict)
    unsure: defaultdict[DocumentId, set[str]] = field(default_factory=lambda: defaultdict(set))
    states: list[tuple[float, State, str]] = field(default_factory=list)
    is_over: bool = False
    starved: float = 0.0

    async def call(self, kind: str, act: Callable[[], Awaitable[None]]) -> bool:
        """Make one call and note how it went; tell whether it went well."""
        began, failed, starved = monotonic(), "", self.starved
        try:
            await act()
        except StoreUnavailable as error:
            failed = str(error.fields.get("reason") or error.code)
        seconds = monotonic() - began
        waited = self.starved - starved
        self.calls.append(
            Call(kind=kind, began=began, seconds=seconds, failed=failed, starved=waited)
        )
        return not failed

    def between(self, start: float, end: float) -> list[Call]:
        """Return the calls that were under way or began in some time."""
        return [c for c in self.calls if c.began < end and c.began + c.seconds > start]

    def first_success(self, kind: str, since: float) -> float:
        """Return when a call of a kind first went well that began after a time."""
        ends = [
            c.began + c.seconds
            for c in self.calls
            if c.kind == kind and c.began >= since and not c.failed
        ]
        return min(ends, default=float("inf"))

    def slowest(self) -> dict[str, float]:
        """Return the longest of each kind of call, in seconds."""
        found: dict[str, float] = {}
        for call in self.calls:
            found[call.kind] = max(found.get(call.kind, 0.0), call.seconds)
        return found

    def counts(self) -> str:
        """Return how many calls of each kind answered and failed, in words."""
        counted = Counter((c.kind, c.failed or "answered") for c in self.calls)
        return ", ".join(f"{kind} {how} {n}" for (kind, how), n in sorted(counted.items()))


async def fill(store: Store) -> None:
    """Publish what is there all the time."""
    fence = await store.publishing.issue_fence(WRITER, "world")
    for draft in (*SEEN, *HIDDEN):
        await store.publishing.publish(WRITER, patch_of(draft), expected_version=None, fence=fence)


async def look(load: Load, store: Store, scope: Scope = READER) -> None:
    """Read on and on, and check that nothing hidden and nothing less than all is seen."""
    wanted = {patch_of(draft).document.id for draft in SEEN}
    never = {patch_of(draft).document.id for draft in HIDDEN}

    def check(kind: str, found: set[DocumentId]) -> None:
        if found & never or not wanted <= found:
            load.wrong.append(f"{kind}: {sorted(found & never)} {sorted(wanted - found)}")

    async def by_ranking() -> None:
        view = await store.knowledge.view(scope)
        scores = bm25(view, terms("Apollo Payments outage"))
        slots = [int(slot) for slot in view.readable.nonzero()[0] if scores[slot] > 0]
        places = [view.place(slot) for slot in slots]
        check("view", {DocumentId(place.document_id) for place in places})

    async def by_fields() -> None:
        found = await store.knowledge.find(scope, DocumentFilter(types=frozenset({"file"})), 500)
        check("find", {document.id for document in found})

    while not load.is_over:
        await load.call("view", by_ranking)
        await load.call("find", by_fields)
        await asyncio.sleep(0.01)


async def write(load: Load, store: Store, number: int, *, documents: int = 5) -> None:
    """Publish one document after the other, and keep what was acknowledged."""
    chance = random.Random(number)
    fences: list[Fence] = []
    held: dict[DocumentId, str] = {}

    async def take_fence() -> None:
        fences.append(await store.publishing.issue_fence(WRITER, f"writer{number}"))

    async def ask_versions() -> None:
        held.clear()
        held.update(await store.holdings.versions(WRITER, "world"))

    async def publish() -> None:
        name = f"w{number}-{chance.randrange(documents)}-{chance.randrange(9)}"
        patch = patch_of(_draft(name, chance))
        key, version = patch.document.id, patch.document.version
        load.unsure[key].add(version)
        await store.publishing.publish(
            WRITER, patch, expected_version=held.get(key), fence=fences[0]
        )
        load.acknowledged[key] = version
        load.unsure[key] = {version}

    while not load.is_over:
        ready = bool(fences) or await load.call("fence", take_fence)
        if ready and await load.call("versions", ask_versions):
            await load.call("publish", publish)
        await asyncio.sleep(0.01)


def _draft(name: str, chance: random.Random) -> Draft:
    chunks = tuple(
        tuple(chance.randrange(len(SENTENCES)) for _ in range(2))
        for _ in range(chance.choice((1, 3)))
    )
    return Draft(name, OPEN, chunks)


async def watch(load: Load, library: Library, name: str) -> None:
    """Ask on and on how the knowledge base stands, and check that another one stays ready."""
    while not load.is_over:
        began = monotonic()
        found = {each.name: each for each in await readiness(library, WRITER)}
        seen = found[name]
        load.calls.append(Call(kind="readiness", began=began, seconds=monotonic() - began))
        load.states.append((monotonic(), seen.state, " ".join(seen.reasons)))
        for other, each in found.items():
            if other != name and each.state is not State.READY:
                load.wrong.append(f"{other} is {each.state}: {each.reasons}")
        await asyncio.sleep(0.1)


async def pulse(load: Load) -> None:
    """Note for how long the loop had no turn: what a busy machine takes is no call's doing."""
    while not load.is_over:
        due = monotonic() + _PULSE_SECONDS
        await asyncio.sleep(_PULSE_SECONDS)
        load.starved += max(monotonic() - due - _PULSE_SECONDS, 0.0)


async def settle(store: Store, load: Load) -> Counter[str]:
    """Return how many acknowledged documents are there, lost, and published without an answer."""
    held = await store.holdings.versions(WRITER, "world")
    counted: Counter[str] = Counter()
    for key, versions in load.unsure.items():
        if held.get(key) in versions:
            counted["there" if key in load.acknowledged else "there, never acknowledged"] += 1
        elif key in load.acknowledged:
            counted["lost"] += 1
        else:
            counted["never acknowledged"] += 1
    return counted


class Under:
    """Runs a load while a test does something to the server."""

    def __init__(self, load: Load, library: Library, store: Store, *, writers: int = 2) -> None:
        """Start nothing yet."""
        self._load = load
        self._jobs = [look(load, store), look(load, store), watch(load, library, store.name)]
        self._jobs.append(pulse(load))
        self._jobs += [write(load, store, number) for number in range(writers)]
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Load:
        group = await self._stack.enter_async_context(asyncio.TaskGroup())
        for job in self._jobs:
            group.create_task(job)
        return self._load

    async def __aexit__(self, *raised: object) -> None:
        self._load.is_over = True
        await self._stack.aclose()
