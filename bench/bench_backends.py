"""Neo4j beside SQLite: the same evidence, how fast it is found, how fast documents come in.

`bench_backends.py [DATA] [SPLIT]`: takes the knowledge bases of `bench_retrieval.py` (made by the
product's ingest where they are not kept yet), publishes their patches with four writers to SQLite
and to each Neo4j that `NEO4J_URI`, `NEO4J_URI_2` name, asks at most 200 questions of each set in a
process of its own, drops what it made, and writes `bench/out/backends.json`.

`ingest_chunks_s` is what the product does with a text: split, embed, extract, publish, four at a
time, over the first 300 passages. What publishing alone does is printed beside it.
"""

from __future__ import annotations

import asyncio
import gc
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from retrieval_bases import OWNER, SETS, cache_folder, embedding, opened, questions, tools

from weft.adapters.neo4j.database import Address, Neo4jDatabase
from weft.adapters.neo4j.servers import Credentials, Neo4jServers
from weft.adapters.neo4j.stores import Neo4jStores
from weft.adapters.onnx.encoder import open_embedder
from weft.adapters.sqlite.stores import SqliteStores
from weft.domain.acl import EVERYONE
from weft.domain.document import Document
from weft.domain.patch import Patch
from weft.domain.record import Record
from weft.domain.target import ServerTarget
from weft.ingest.pipeline import Memory, derive, document_of
from weft.ingest.sources.folder import FoundFile
from weft.ingest.sources.plan import FileNeed, FileTask, Source
from weft.ingest.tools import Tools
from weft.ports.store import Base, Recipe, Store
from weft.retrieval.hits import Query
from weft.retrieval.search import search

OUT = Path(__file__).parent / "out" / "backends.json"
QUESTIONS = 200
INGESTED = 300
ROUNDS = 2
WRITERS = 4
WARM = 5
SHOWN = 10
# What may be dropped without asking: what this bench and the tests publish.
OURS = ("set", "world")
SQLITE = "sqlite"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the result; `equal_evidence` is the share of questions answered as by SQLite."""

    backend: str
    dataset: str
    n: int
    equal_evidence: float
    p50_ms: float
    p95_ms: float
    ingest_chunks_s: float
    cold_open_s: float
    rss_mb: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """Where a knowledge base goes: its name in the result, and its target."""

    name: str
    target: str
    number: str = ""

    def credentials(self) -> Credentials:
        """Return who opens the server of that number."""
        return Credentials(
            user=os.environ.get(f"NEO4J_USER{self.number}", "neo4j"),
            password=os.environ.get(f"NEO4J_PASSWORD{self.number}", ""),
            secret=lambda name: name,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """A set: all of its patches, what its index is made with, and its first passages as texts."""

    name: str
    patches: Sequence[Patch]
    recipe: Recipe
    passages: Sequence[tuple[Record, Document]]


async def backends() -> list[Backend]:
    """Return SQLite and every server that the environment names."""
    found = [Backend(name=SQLITE, target="sqlite:base.db")]
    for number in ("", "_2"):
        target = os.environ.get(f"NEO4J_URI{number}")
        if target:
            one = Backend(name="", target=target, number=number)
            seen = await Neo4jServers(one.credentials()).databases(OWNER, target)
            found.append(Backend(name=f"neo4j {seen.version}", target=target, number=number))
    return found


@asynccontextmanager
async def open_base(backend: Backend, folder: Path, recipe: Recipe | None) -> AsyncIterator[Store]:
    """Open a backend's knowledge base, made by the recipe where it is not there."""
    stores = SqliteStores(folder) if backend.name == SQLITE else Neo4jStores(backend.credentials())
    store = await stores.open(OWNER, "Bench", target=backend.target, recipe=recipe)
    try:
        yield store
    finally:
        await store.lifetime.close()


async def patches_of(data: Path, name: str) -> tuple[list[Patch], Recipe]:
    """Return all patches of a set, and what its index is made with."""
    async with AsyncExitStack() as stack:
        embedder = embedding()
        kept = await opened(stack, data, name, strict=False, embedder=embedder)
        held = await kept.holdings.versions(OWNER, "set")
        patches = [await kept.holdings.patch(OWNER, key) for key in sorted(held)]
        recipe = Recipe(settings={"embedder": embedder.fingerprint}, dimensions=embedder.dimensions)
        return patches, recipe


async def emptied(backend: Backend) -> None:
    """Take out what an earlier run left on a server; refuse where it holds anything else."""
    if backend.name == SQLITE:
        return
    address: Address = backend.credentials().address(ServerTarget.parse(backend.target))
    database = Neo4jDatabase(address)
    try:
        others = await database.write(
            lambda t: t.run_text(
                "MATCH (d:Document) WHERE NOT d.source IN $ours RETURN count(d)",
                {"ours": list(OURS)},
                name="others",
            )
        )
        if others[0][0]:
            raise SystemExit(f"{backend.target} holds documents that are not this bench's.")
        for _ in range(1000):
            rows = await database.write(
                lambda t: t.run_text(
                    "MATCH (n) WITH n LIMIT 20000 DETACH DELETE n RETURN count(*)", {}, name="wipe"
                ),
                seconds=120,
            )
            if not rows or not rows[0][0]:
                return
    finally:
        await database.close()


def first_passages(data: Path, name: str) -> list[tuple[Record, Document]]:
    """Return the first passages of a set as the product reads them from a file."""
    corpus = data / name / "corpus.jsonl.gz"
    source = Source(name="set", root=corpus.parent, acl=frozenset({EVERYONE}))
    file = FoundFile(place=str(corpus), relative=corpus.name)
    task = FileTask(file=file, need=FileNeed.READING, version="1", acl=source.acl, former=None)
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in islice(lines, INGESTED)]
    records = [Record(content=r["text"], title=r["title"], fragment=r["id"]) for r in rows]
    return [(each, document_of(each, task, source=source, tools="bench")) for each in records]


async def ingest(store: Store, passages: Sequence[tuple[Record, Document]], own: Tools) -> float:
    """Bring texts in as the product does, four at a time, and return chunks a second."""
    fence = await store.publishing.issue_fence(OWNER, "source:set")
    waiting, memory, chunks = iter(passages), Memory(), 0

    async def work() -> None:
        nonlocal chunks
        for record, document in waiting:
            patch = (await derive(record, document, tools=own, memory=memory)).patch
            await store.publishing.publish(OWNER, patch, expected_version=None, fence=fence)
            chunks += len(patch.passages)

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(WRITERS)))
    return chunks / (time.perf_counter() - began)


async def publish(store: Store, patches: Sequence[Patch]) -> float:
    """Publish with four writers, and return chunks a second."""
    fence = await store.publishing.issue_fence(OWNER, "source:set")
    waiting = iter(patches)

    async def work() -> None:
        for patch in waiting:
            await store.publishing.publish(OWNER, patch, expected_version=None, fence=fence)

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(WRITERS)))
    took = time.perf_counter() - began
    return sum(len(patch.passages) for patch in patches) / took


async def ask(backend: Backend, folder: Path, texts: Sequence[str]) -> dict[str, object]:
    """Open a knowledge base cold and ask; meant for a process of its own."""
    embedder = embedding()
    await embedder.queries(["warm"])
    began = time.perf_counter()
    async with open_base(backend, folder, None) as store:
        await store.knowledge.view(OWNER)
        cold = time.perf_counter() - began
        bases = [Base(name="Bench", knowledge=store.knowledge)]
        for text in texts[:WARM]:
            await search(bases, embedder, OWNER, query=Query(text=text, top_k=SHOWN))
        took, found = [], []
        for text in texts:
            began = time.perf_counter()
            hits = (await search(bases, embedder, OWNER, query=Query(text=text, top_k=SHOWN))).hits
            took.append(1000 * (time.perf_counter() - began))
            found.append([[repr(hit.evidence), hit.score.hex()] for hit in hits])
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"cold": cold, "took": took, "found": found, "rss": rss}


def asked(backend: Backend, folder: Path, texts: Sequence[str]) -> dict[str, list[float]]:
    """Ask in a process of its own, so that memory and the first opening are its own."""
    given = json.dumps({"backend": asdict(backend), "folder": str(folder), "texts": list(texts)})
    command = [sys.executable, __file__, "--ask"]
    said = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if said.returncode:
        raise SystemExit(said.stderr)
    answer: dict[str, list[float]] = json.loads(said.stdout)
    return answer


async def measure(data: Path, split: str) -> list[Row]:
    """Return a row for each backend and set that is there."""
    rows: list[Row] = []
    for name in [name for name in SETS if (data / name / f"{split}.jsonl").exists()]:
        texts = [one.text for one in questions(data, name, split)][:QUESTIONS]
        patches, recipe = await patches_of(data, name)
        made = Corpus(
            name=name, patches=patches, recipe=recipe, passages=first_passages(data, name)
        )
        with tempfile.TemporaryDirectory() as scratch:
            rows += await _measured(made, texts, Path(scratch))
        del patches
        gc.collect()
    return rows


async def _measured(made: Corpus, texts: Sequence[str], folder: Path) -> list[Row]:
    """Fill every backend, then let them take turns with the questions."""
    own = tools(open_embedder(cache_folder() / "model"))
    found = await backends()
    rates = {backend.name: await _filled(backend, made, own, folder=folder) for backend in found}
    rounds = [
        (backend, await asyncio.to_thread(asked, backend, folder, texts))
        for _ in range(ROUNDS)
        for backend in found
    ]
    reference = rounds[0][1]["found"]
    rows: list[Row] = []
    for backend in found:
        said = [each for one, each in rounds if one == backend]
        same = [
            ours == theirs
            for each in said
            for ours, theirs in zip(each["found"], reference, strict=True)
        ]
        # The machine has other work as well: the calmer turn tells more of the backend.
        calm = min(said, key=lambda each: float(np.median(each["took"])))
        rows.append(
            Row(
                backend=backend.name,
                dataset=made.name,
                n=len(texts),
                equal_evidence=sum(same) / len(same),
                p50_ms=round(float(np.percentile(calm["took"], 50)), 1),
                p95_ms=round(float(np.percentile(calm["took"], 95)), 1),
                ingest_chunks_s=round(rates[backend.name], 1),
                cold_open_s=round(min(float(str(each["cold"])) for each in said), 2),
                rss_mb=round(float(str(calm["rss"])), 0),
            )
        )
        print(json.dumps(asdict(rows[-1])), file=sys.stderr)
        await emptied(backend)
    return rows


async def _filled(backend: Backend, made: Corpus, own: Tools, *, folder: Path) -> float:
    """Put a whole set into a backend; return how fast its first passages were brought in."""
    recipe = made.recipe
    await emptied(backend)
    async with open_base(backend, folder, recipe) as store:
        rate = await ingest(store, made.passages, own)
        await store.holdings.clear(OWNER, settings=recipe.settings, dimensions=recipe.dimensions)
    async with open_base(backend, folder, recipe) as store:
        alone = await publish(store, made.patches)
    print(f"{made.name}, {backend.name}: publishing alone {alone:.1f} chunks/s", file=sys.stderr)
    return rate


def show(rows: Sequence[Row]) -> None:
    """Print the rows, and each server's beside SQLite's."""
    print(
        f"{'':34}{'equal':>7}{'p50 ms':>9}{'p95 ms':>9}{'chunks/s':>10}{'cold s':>8}{'MB':>7}"
        f"{'p50 ×':>8}{'ingest ×':>10}"
    )
    plain = {row.dataset: row for row in rows if row.backend == SQLITE}
    for row in rows:
        own = plain[row.dataset]
        print(
            f"{row.dataset + ', ' + row.backend:34}{row.equal_evidence:7.1%}{row.p50_ms:9.1f}"
            f"{row.p95_ms:9.1f}{row.ingest_chunks_s:10.1f}{row.cold_open_s:8.2f}{row.rss_mb:7.0f}"
            f"{row.p50_ms / own.p50_ms:8.2f}{row.ingest_chunks_s / own.ingest_chunks_s:10.2f}"
        )


def main() -> None:
    """Measure, print and write; or ask, as the process that `asked` starts."""
    if sys.argv[1:] == ["--ask"]:
        given = json.load(sys.stdin)
        backend = Backend(**given["backend"])
        json.dump(asyncio.run(ask(backend, Path(given["folder"]), given["texts"])), sys.stdout)
        return
    data = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
    split = sys.argv[2] if len(sys.argv) > 2 else "dev"
    rows = asyncio.run(measure(data, split))
    if len({row.backend for row in rows}) == 1:
        print("No Neo4j was there to compare with: make up starts two.", file=sys.stderr)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")
    show(rows)


if __name__ == "__main__":
    main()
