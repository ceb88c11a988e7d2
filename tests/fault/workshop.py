"""A workshop for tests of ingestion: real stores and parsers, vectors made from hashes."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import numpy as np
import numpy.typing as npt

from weft.adapters.reader.reader import ChildReader
from weft.adapters.sql.records import Records, open_records
from weft.adapters.sqlite.stores import SqliteStores
from weft.bases.library import Library
from weft.domain.acl import EVERYONE
from weft.domain.facts import Vectors
from weft.domain.ledger import FileStatus
from weft.domain.record import Record
from weft.extraction.ladder.ladder import Ladder
from weft.ingest.jobs.ingestion import Ingest, IngestRecords, IngestRequest
from weft.ingest.progress import IngestProgress, Watch
from weft.ingest.splitting.settings import SplitSettings
from weft.ingest.tools import Tools
from weft.language.terms import VERSION as TERMS
from weft.ontology.catalog import load_baseline
from weft.platform.identity import local_owner
from weft.platform.people.principals import Principals
from weft.ports.embedder import PassageText
from weft.ports.reader import FileReading, Member, Reader
from weft.ports.store import Recipe, Store

OWNER = local_owner()
DIMENSIONS = 16
RECIPE = Recipe(settings={"embedder": "hash", "terms": TERMS}, dimensions=DIMENSIONS)
_WORD = re.compile(r"\S+")


class WallClock:
    """The machine's own time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def elapsed(self) -> float:
        return perf_counter()


class HashEmbedder:
    """Vectors made from the hash of a text, in `seconds`; `embedded` lists what was asked for."""

    fingerprint = "hash"
    dimensions = DIMENSIONS
    max_tokens = 256

    def __init__(self) -> None:
        self.embedded: list[str] = []
        self.seconds = 0.0

    def token_ends(self, text: str) -> Sequence[int]:
        return [found.end() for found in _WORD.finditer(text)]

    async def passages(self, texts: Sequence[PassageText]) -> list[Vectors]:
        self.embedded += [each.text for each in texts]
        await asyncio.sleep(self.seconds)
        return [_vectors(each) for each in texts]

    async def queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.stack([_unit(text) for text in texts])


class LineReader:
    """Reads text files in this process: `name.rows` a record a line, all others whole.

    A `name.pack` is JSON: the files that it holds by name, a text or such an object each.

    A line `id|acl|text` has an ACL of its own unless that is empty. `read_paths` lists what was
    asked for; a file that begins with `!` cannot be read.
    """

    version = "lines"

    def __init__(self) -> None:
        self.read_paths: list[str] = []

    async def read(
        self,
        path: Path,
        inside: Sequence[str] = (),
        *,
        columns: Mapping[str, str] | None = None,
    ) -> FileReading:
        self.read_paths.append("/".join([path.name, *inside]))
        text = await asyncio.to_thread(path.read_text, encoding="utf-8")
        if path.suffix == ".pack":
            held = json.loads(text)
            for name in inside:
                held = held[name]
            if isinstance(held, dict):
                members = [Member(name=name, size=len(held[name])) for name in held]
                return FileReading(status=FileStatus.READ, members=tuple(members))
            text = held
        if text.startswith("!"):
            return FileReading(status=FileStatus.CORRUPT, reason="it begins with !")
        if path.suffix != ".rows":
            return FileReading(
                status=FileStatus.READ, records=(Record(content=text, title=path.name),)
            )
        rows = [line.split("|", 2) for line in text.splitlines()]
        records = [
            Record(content=said, title=key, fragment=key, acl=frozenset({acl}) if acl else None)
            for key, acl, said in rows
        ]
        return FileReading(status=FileStatus.READ, records=tuple(records))

    async def close(self) -> None:
        """End nothing."""


def _vectors(asked: PassageText) -> Vectors:
    said = [asked.text[span.start : span.end] for span in asked.sentences]
    rows = [_unit(sentence) for sentence in said] or [_unit(asked.text)]
    return Vectors(passage=_unit(asked.title + asked.text), sentences=np.stack(rows[: len(said)]))


def _unit(text: str) -> npt.NDArray[np.float32]:
    raw = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIMENSIONS).digest()
    numbers = np.frombuffer(raw, dtype=np.uint8).astype(np.float32) - 127.5
    return numbers / np.linalg.norm(numbers)


@dataclass(frozen=True, kw_only=True)
class Workshop:
    """What a test of ingestion works with; `wrapped` puts something between it and the ports."""

    records: Records
    library: Library
    tools: Tools
    ingest_records: IngestRecords
    embedder: HashEmbedder

    @property
    def principals(self) -> Principals:
        """Return who may have jobs done."""
        return Principals(self.records.people.standings, secret=b"k" * 32, clock=WallClock())

    async def store(self, folder: Path) -> Store:
        """Return the knowledge base of a folder."""
        return await self.library.for_folder(OWNER, folder)

    async def bring_in(
        self,
        folder: Path,
        *,
        watch: Watch = lambda _: None,
        wrap: Callable[[Store], Store] = lambda store: store,
        prune: bool = True,
    ) -> IngestProgress:
        """Ingest a folder as the command line does."""
        request = IngestRequest(path=folder, acl=frozenset({EVERYONE}), prune=prune)
        ingest = Ingest(self.library, self.tools, records=self.ingest_records)
        store = wrap(await self.store(folder))
        return await ingest.bring_in(OWNER, store, request=request, watch=watch)

    async def export(self, folder: Path) -> list[str]:
        """Return the canonical export of a folder's knowledge base."""
        store = await self.store(folder)
        return [line async for line in store.holdings.export(OWNER)]


@asynccontextmanager
async def workshop(
    home: Path,
    *,
    reader: Reader | None = None,
    wrap_records: Callable[[IngestRecords], IngestRecords] = lambda made: made,
) -> AsyncIterator[Workshop]:
    """Open a workshop in `home`, an absolute path."""
    os.makedirs(home, exist_ok=True)
    clock = WallClock()
    url = f"sqlite:///{home / 'records.db'}"
    records = open_records(url, audit_key=b"k" * 32, clock=clock)
    reader = reader or ChildReader()
    embedder = HashEmbedder()
    tools = Tools(
        reader=reader,
        embedder=embedder,
        ladder=Ladder(ontology=load_baseline(), clock=clock),
        splitting=SplitSettings(chunk_tokens=48, overlap=8),
    )
    library = Library(records.bases, SqliteStores(home), recipe=RECIPE, audit=records.audit)
    made = IngestRecords(
        jobs=records.jobs,
        worklist=records.worklist,
        tape=records.tape,
        bases=records.bases,
        audit=records.audit,
        worker=records.worker,
    )
    try:
        yield Workshop(
            records=records,
            library=library,
            tools=tools,
            ingest_records=wrap_records(made),
            embedder=embedder,
        )
    finally:
        await library.close()
        await reader.close()
        await records.close()
