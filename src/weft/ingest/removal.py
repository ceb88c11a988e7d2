"""Taking a knowledge base away with all that was handed over to it and said from it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from weft.bases.library import Library
from weft.domain.errors import StoreCorrupt
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.ingest.originals import Originals
from weft.ingest.sources.inbox import Inbox
from weft.ingest.sources.inbox_turn import lock_path
from weft.platform.access import require
from weft.platform.workspace import remove_folder
from weft.ports.records.tape import Tape
from weft.ports.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseHolders:
    """All that holds something of a knowledge base."""

    library: Library
    tape: Tape
    originals: Originals


async def droppable(library: Library, scope: Scope, name: str) -> Store | str:
    """Return the knowledge base that is to be dropped, opened; the name of a damaged one."""
    try:
        return await library.named(scope, name)
    except StoreCorrupt:
        return name


async def drop_base(
    holders: BaseHolders, scope: Scope, *, store: Store | str, inbox: Inbox
) -> None:
    """Remove a knowledge base, its inbox and what runs wrote from it; folders stay as they are.

    One that is given by its name is damaged. Raises `Forbidden`, before anything is gone, where it
    is not the caller's to drop.
    """
    name = store if isinstance(store, str) else store.name
    for base in await holders.library.listed(scope):
        if base.name == name:
            require(scope, "kb.drop", base.guard)
    # Before and after: what a killed process leaves undone is not what was said from it.
    await holders.tape.forget(scope, name, documents=None)
    await asyncio.to_thread(_remove, inbox)
    await holders.originals.drop(scope, name)
    await holders.library.drop(scope, store, is_damaged=isinstance(store, str))
    await holders.tape.forget(scope, name, documents=None)


def _remove(inbox: Inbox) -> None:
    """Remove an inbox, and the folder above it that bears the base's name."""
    remove_folder(inbox.path)
    lock_path(inbox).unlink(missing_ok=True)
    with suppress(OSError):  # something else may lie there
        inbox.path.parent.rmdir()
