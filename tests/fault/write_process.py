"""A process that writes and deletes documents of its own in one file: HOME NUMBER SECONDS.

It prints how often it wrote. In the end its documents are those of `last`.
"""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path
from time import monotonic

from fault.workshop import OWNER, RECIPE
from weft.adapters.sqlite.stores import SqliteStores
from weft.ports.publishing import Fence
from weft.ports.store import Store
from worlds import ACLS, SENTENCES, Draft, patch_of

TARGET = "sqlite:kb/Shared.db"
DOCUMENTS = 6


def last(number: int) -> list[Draft]:
    """Return what a writer leaves behind: every other one of its documents."""
    return [_draft(number, at, 0) for at in range(0, DOCUMENTS, 2)]


def _draft(number: int, at: int, seed: int) -> Draft:
    sizes = random.Random(seed * 100 + at)
    chunks = [tuple(sizes.randrange(len(SENTENCES)) for _ in range(3)) for _ in range(1 + seed % 5)]
    return Draft(f"w{number}-{at}", ACLS[-1], tuple(chunks))


async def put(store: Store, draft: Draft, fence: Fence) -> None:
    """Publish a document in place of what there is of it."""
    patch = patch_of(draft)
    held = (await store.holdings.versions(OWNER, "world")).get(patch.document.id)
    await store.publishing.publish(OWNER, patch, expected_version=held, fence=fence)


async def _write(home: Path, number: int, seconds: float) -> int:
    store = await SqliteStores(home).open(OWNER, "Shared", target=TARGET, recipe=RECIPE)
    fence = await store.publishing.issue_fence(OWNER, f"writer-{number}")
    chance = random.Random(number)
    writes, end = 0, monotonic() + seconds
    while monotonic() < end:
        draft = _draft(number, chance.randrange(DOCUMENTS), chance.randrange(1, 50))
        if chance.random() < 0.3:
            await store.publishing.delete(OWNER, patch_of(draft).document.id, fence=fence)
        else:
            await put(store, draft, fence)
        if chance.random() < 0.1:
            await store.lifetime.save()
        writes += 1
    for at in range(1, DOCUMENTS, 2):
        key = patch_of(_draft(number, at, 0)).document.id
        await store.publishing.delete(OWNER, key, fence=fence)
    for draft in last(number):
        await put(store, draft, fence)
    await store.lifetime.close()
    return writes


if __name__ == "__main__":
    done = asyncio.run(_write(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
    sys.stdout.write(f"{done}")
