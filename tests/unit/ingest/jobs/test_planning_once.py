"""What is to be done is worked out once, unless the ledger or the line has moved in between."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest

from fault.workshop import OWNER, LineReader, Workshop, workshop
from weft.adapters.sql.jobs import SqlJobs
from weft.ingest.jobs import ingestion
from weft.ingest.jobs.ingestion import Ingest, IngestRequest
from weft.ingest.jobs.made_plan import MadePlan, made_plan
from weft.ports.store import Store

pytestmark = pytest.mark.anyio


@dataclass(kw_only=True)
class Desk:
    """A base, its folder, and the plans that were made of it."""

    shop: Workshop
    ingest: Ingest
    store: Store
    folder: Path
    made: list[MadePlan]

    @property
    def request(self) -> IngestRequest:
        return IngestRequest(path=self.folder, prune=True)

    async def bring_in(self) -> int:
        """Bring the folder in and return how often its files were compared."""
        self.made.clear()
        await self.ingest.bring_in(OWNER, self.store, request=self.request, watch=lambda _: None)
        return len(self.made)


@asynccontextmanager
async def desk(place: Path) -> AsyncIterator[Desk]:
    folder = place / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("Ada lives in London.")
    made: list[MadePlan] = []

    def counted(*args: object, **named: object) -> MadePlan:
        made.append(made_plan(*args, **named))  # type: ignore[arg-type]  # as they came
        return made[-1]

    async with workshop(place / "home", reader=LineReader()) as shop:
        ingest = Ingest(shop.library, shop.tools, records=shop.ingest_records)
        store = await shop.store(folder)
        with patch.object(ingestion, "made_plan", counted):
            yield Desk(shop=shop, ingest=ingest, store=store, folder=folder, made=made)


async def test_the_files_are_compared_once(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        assert await at.bring_in() == 1
        assert await at.bring_in() == 1
        (at.folder / "b.txt").write_text("Grace lives in Oslo.")
        assert await at.bring_in() == 1
        (at.folder / "a.txt").unlink()
        assert await at.bring_in() == 1
        assert [e.path for e in await at.store.ledger.standing(OWNER, "docs")] == ["b.txt"]


async def test_behind_another_job_they_are_compared_again(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        other = tmp_path / "other"
        other.mkdir()
        (other / "c.txt").write_text("Mary lives in Paris.")
        await at.ingest.submit(OWNER, at.store, request=IngestRequest(path=other))
        assert await at.bring_in() == 3
        assert len(await at.store.ledger.standing(OWNER, "docs")) == 1
        assert len(await at.store.ledger.standing(OWNER, "other")) == 1


async def test_where_the_ledger_has_moved_they_are_compared_again(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.bring_in()
        (entry,) = await at.store.ledger.standing(OWNER, "docs")
        (at.folder / "b.txt").write_text("Grace lives in Oslo.")
        enqueue = SqlJobs.enqueue

        async def between(*args: object, **named: object) -> object:
            await at.store.ledger.forget(OWNER, "docs", [entry.path])
            return await enqueue(*args, **named)  # type: ignore[arg-type]  # as they came

        with patch.object(SqlJobs, "enqueue", between):
            assert await at.bring_in() == 2
        assert len(await at.store.ledger.standing(OWNER, "docs")) == 2
