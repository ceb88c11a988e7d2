"""Evaluation sets as knowledge bases: made by the product's own ingest, kept for the next run."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import pickle
import sqlite3
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt

from weft.adapters.onnx.encoder import open_embedder
from weft.adapters.reader.limits import ReaderLimits
from weft.adapters.reader.reader import ChildReader
from weft.adapters.sqlite.store import SqliteStore, open_store
from weft.bootstrap.app import SystemClock
from weft.domain.facts import Vectors
from weft.domain.ids import digest
from weft.domain.ledger import FileEntry
from weft.domain.record import Record
from weft.domain.scope import Scope
from weft.extraction.ladder.ladder import Ladder
from weft.ingest.pipeline import Memory, derive, document_of
from weft.ingest.sources.folder import FoundFile
from weft.ingest.sources.plan import FileNeed, FileTask, Source
from weft.ingest.splitting.settings import SplitSettings
from weft.ingest.tools import Tools
from weft.ontology.catalog import load_baseline
from weft.platform.identity import local_owner
from weft.ports.embedder import Embedder, PassageText

SETS = ("2wikimultihopqa", "musique", "hotpotqa")
# Where one passage answers: many questions of few articles, so the benches ask a sample.
SINGLE_PASSAGE = ("squad2", "selqa")
EVERY = (*SETS, *SINGLE_PASSAGE)
SAMPLE = 200
OWNER = local_owner()
_AT_ONCE = 4
_SEED = 20261


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question of a set, and the passages that hold its answer.

    `article` is the document that it was written for, empty where there is more than one.
    """

    id: str
    text: str
    gold: frozenset[str]
    kind: str
    article: str = ""


def questions(data: Path, name: str, split: str, *, sample: int = SAMPLE) -> list[Question]:
    """Return the questions of a set's split that have an answer.

    Of several hops, all in the order of the file; of one passage, `sample` of them at most, the
    articles in turn and each one's questions in an order that is drawn once.
    """
    lines = (data / name / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    found = [
        Question(
            id=str(row["id"]),
            text=row["question"],
            gold=frozenset(row["supporting_ids"]),
            kind=str(row.get("type", "")),
            article=str(row.get("article", "")),
        )
        for row in map(json.loads, lines)
        if row.get("answerable", True)
    ]
    return _in_turn(found)[:sample] if name in SINGLE_PASSAGE else found


def _in_turn(found: Sequence[Question]) -> list[Question]:
    drawn = Random(_SEED)
    by_article: dict[str, list[Question]] = {}
    for one in found:
        by_article.setdefault(one.article, []).append(one)
    for own in by_article.values():
        drawn.shuffle(own)
    articles = list(by_article)
    drawn.shuffle(articles)
    rounds = zip_longest(*(by_article[article] for article in articles))
    return [one for each in rounds for one in each if one is not None]


def cache_folder() -> Path:
    """Return where knowledge bases and vectors are kept between runs."""
    default = Path(__file__).parent / "out" / "cache"
    folder = Path(os.environ.get("WEFT_BENCH_CACHE", default))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def model_folder() -> Path:
    """Return where the built networks of the local model are kept between runs."""
    folder = cache_folder() / "model"
    folder.mkdir(exist_ok=True)
    return folder


class KeptVectors:
    """An embedder that keeps the vectors of passages in a file: the same text gives the same."""

    def __init__(self, embedder: Embedder, path: Path) -> None:
        """Ask `embedder` for what the file does not have."""
        self._embedder = embedder
        self._file = sqlite3.connect(path, isolation_level=None)
        self._file.execute("PRAGMA journal_mode=WAL")
        self._file.execute("PRAGMA synchronous=NORMAL")
        self._file.execute("CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value BLOB)")
        self.fingerprint = embedder.fingerprint
        self.dimensions = embedder.dimensions
        self.max_tokens = embedder.max_tokens

    def token_ends(self, text: str) -> Sequence[int]:
        """Return the end of each token."""
        return self._embedder.token_ends(text)

    async def queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed questions, always anew: their time is measured."""
        return await self._embedder.queries(texts)

    async def passages(self, texts: Sequence[PassageText]) -> list[Vectors]:
        """Return vectors from the file, or make and keep them."""
        return [await self._passage(text) for text in texts]

    async def _passage(self, text: PassageText) -> Vectors:
        spans = ",".join(f"{span.start}-{span.end}" for span in text.sentences)
        key = digest(self.fingerprint, text.title, text.text, spans)
        row = self._file.execute("SELECT value FROM kept WHERE key = ?", [key]).fetchone()
        if row is not None:
            passage, sentences = pickle.loads(row[0])
            return Vectors(passage=passage, sentences=sentences)
        made = (await self._embedder.passages([text]))[0]
        value = pickle.dumps((made.passage, made.sentences))
        self._file.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", [key, value])
        return made


def tools(embedder: Embedder) -> Tools:
    """Return the tools of ingestion with their default settings."""
    return Tools(
        reader=ChildReader(ReaderLimits()),
        embedder=embedder,
        ladder=Ladder(ontology=load_baseline(), clock=SystemClock()),
        splitting=SplitSettings(),
    )


async def opened(
    stack: AsyncExitStack, data: Path, name: str, *, strict: bool, embedder: Embedder
) -> SqliteStore:
    """Return the knowledge base of a set, made if it is not there yet; `strict` drops titles."""
    own = tools(embedder)
    corpus = data / name / "corpus.jsonl.gz"
    size = str(corpus.stat().st_size)
    key = digest(name, size, own.version, str(strict))[:10]
    folder = cache_folder() / f"{name}-{'strict' if strict else 'titled'}-{key}"
    store = await open_store(
        folder / "base.db",
        tenant=OWNER.tenant,
        settings={"embedder": embedder.fingerprint},
        dimensions=embedder.dimensions,
    )
    stack.push_async_callback(store.close)
    done = folder / "complete"
    if not done.exists():
        await _fill(store, corpus, own, strict=strict)
        await store.save()
        done.touch()
    return store


async def _fill(store: SqliteStore, corpus: Path, own: Tools, *, strict: bool) -> None:
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    source = Source(name="set", root=corpus.parent, acl=frozenset({"tenant:*"}))
    task = _task(corpus, source)
    fence = await store.publishing.issue_fence(OWNER, "source:set")
    held = await store.holdings.versions(OWNER, "set")
    waiting = iter(rows)
    memory, began, count = Memory(), time.perf_counter(), 0

    async def work() -> None:
        nonlocal count
        for row in waiting:
            title = "" if strict else row["title"]
            record = Record(content=row["text"], title=title, fragment=row["id"])
            document = document_of(record, task, source=source, tools=own.version)
            if document.id not in held:
                patch = (await derive(record, document, tools=own, memory=memory)).patch
                await store.publishing.publish(OWNER, patch, expected_version=None, fence=fence)
            count += 1
            if count % 1000 == 0:
                spent = time.perf_counter() - began
                print(f"{corpus.parent.name}: {count} in {spent:.0f} s", file=sys.stderr)

    await asyncio.gather(*(work() for _ in range(_AT_ONCE)))


def _task(corpus: Path, source: Source) -> FileTask:
    file = FoundFile(place=str(corpus), relative=corpus.name)
    former: FileEntry | None = None
    return FileTask(file=file, need=FileNeed.READING, version="1", acl=source.acl, former=former)


def passage_id(document_id: str) -> str:
    """Return the set's own id of a passage from the product's document id."""
    return document_id.rsplit("#", 1)[-1]


def embedding() -> KeptVectors:
    """Return the product's local embedder, with the vectors of earlier runs."""
    folder = cache_folder()
    return KeptVectors(open_embedder(folder / "model"), folder / "vectors.db")


async def prepare(data: Path, *, strict: bool) -> None:
    """Make the knowledge bases that are missing."""
    embedder = embedding()
    async with AsyncExitStack() as stack:
        for name in EVERY:
            await opened(stack, data, name, strict=strict, embedder=embedder)


def scope() -> Scope:
    """Return the scope that the bench asks with."""
    return OWNER


if __name__ == "__main__":
    asyncio.run(prepare(Path(sys.argv[1]), strict="strict" in sys.argv[2:]))
