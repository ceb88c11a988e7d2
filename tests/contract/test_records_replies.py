"""The contract of replies: kept for a day, each the caller's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract.records_world import ANN, ANN_ELSEWHERE, BOB, each_database, world
from weft.ports.records.replies import StoredReply

pytestmark = pytest.mark.anyio
FIRST = StoredReply(request_hash="a1", status=201, body={"name": "Docs", "n": [1, None]})
OTHER = StoredReply(request_hash="b2", status=202, body={})
A_DAY = 24 * 3600.0


@each_database
async def test_a_reply_is_the_callers_own_and_stays_as_it_is(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        replies = w.records.replies
        assert await replies.find(ANN, "k") is None
        await replies.keep(ANN, "k", FIRST)
        await replies.keep(ANN, "k", OTHER)
        assert await replies.find(ANN, "k") == FIRST
        for stranger in (BOB, ANN_ELSEWHERE):
            assert await replies.find(stranger, "k") is None
        await replies.keep(BOB, "k", OTHER)
        assert await replies.find(BOB, "k") == OTHER


@each_database
async def test_a_reply_goes_after_a_day(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        await w.records.replies.keep(ANN, "k", FIRST)
        w.clock.move(A_DAY - 1)
        assert await w.records.replies.find(ANN, "k") == FIRST
        w.clock.move(2)
        assert await w.records.replies.find(ANN, "k") is None
        await w.records.replies.keep(ANN, "k", OTHER)
        assert await w.records.replies.find(ANN, "k") == OTHER
