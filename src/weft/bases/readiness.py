"""How every knowledge base of a workspace stands at this moment."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from contextlib import nullcontext

from weft.bases.library import Library
from weft.bases.naming import as_argument
from weft.domain.errors import (
    Forbidden,
    IndexMismatch,
    StoreCorrupt,
    StoreUnavailable,
    UnknownKnowledgeBase,
    WeftError,
)
from weft.domain.readiness import Readiness, State
from weft.domain.scope import Scope
from weft.domain.target import ServerTarget, is_server_target
from weft.platform.access import reads
from weft.ports.records.bases import RegisteredBase
from weft.ports.store import Store

# Whoever asks how things are is not kept waiting by a server that hangs.
LOOK_SECONDS = 2.0
# A file of this machine does not hang, but where much is done at once the first look takes longer.
FILE_SECONDS = 20.0
# What to do about a server, by why it does not answer; any other is started.
_TO_DO = {
    "timeout": "its server, {}, is slow, starting or hangs: ask again, then look after it",
    "busy": "its server, {}, has too much to do: ask again",
    "credentials": "give the password that its server, {}, takes (NEO4J_PASSWORD, or where its "
    "--password is)",
    "database": "make the database again at its server, {}, or start it there",
    "too_old": "upgrade its server, {}",
}
# Files of this machine share its disk and processors: all at once, each would wait for all others.
_FILES_AT_ONCE = 8


async def readiness(
    library: Library, scope: Scope, names: Collection[str] | None = None
) -> list[Readiness]:
    """Return the state of every knowledge base that the caller may read, ordered by name.

    With `names` it is those, whether they may be read or only managed; raises
    `UnknownKnowledgeBase` for one that the caller does not see. Without, one that is dropped or
    closed to the caller meanwhile is left out.

    Each is looked at by itself, on a server within `LOOK_SECONDS`, in a file within
    `FILE_SECONDS`: one whose file is damaged or whose server is gone is blocked, and keeps none
    of the others from being looked at.
    """
    files = asyncio.Semaphore(_FILES_AT_ONCE)

    async def look(base: RegisteredBase) -> Readiness | None:
        async with nullcontext() if is_server_target(base.target) else files:
            try:
                return await _look_at(library, scope, base)
            except (UnknownKnowledgeBase, Forbidden) as error:
                return None if names is None else _blocked(base, error)

    listed = await library.listed(scope)
    if names is None:
        bases = [base for base in listed if reads(scope, base.guard)]
    else:
        _check_seen(names, listed)
        bases = [base for base in listed if base.name in names]
    found = await asyncio.gather(*map(look, bases))
    return [each for each in found if each is not None]


def _check_seen(names: Collection[str], listed: Iterable[RegisteredBase]) -> None:
    for name in sorted(set(names) - {base.name for base in listed}):
        raise UnknownKnowledgeBase(f"There is no knowledge base '{name}'.", name=name)


async def _look_at(library: Library, scope: Scope, base: RegisteredBase) -> Readiness:
    """Return how one stands; raises `UnknownKnowledgeBase`, `Forbidden` if it was closed since."""
    seconds = LOOK_SECONDS if is_server_target(base.target) else FILE_SECONDS
    try:
        async with asyncio.timeout(seconds):
            store = await library.named(scope, base.name)
            await store.holdings.settings(scope)
    except (UnknownKnowledgeBase, Forbidden):
        raise
    except TimeoutError:
        said = f"It did not answer within {seconds:g} s."
        return _blocked(base, StoreUnavailable(said, reason="timeout"))
    except WeftError as error:
        return _blocked(base, error)
    return _fitting(library, store, base)


def _fitting(library: Library, store: Store, base: RegisteredBase) -> Readiness:
    """Return the state of a knowledge base that answers, by what it was made with."""
    refused = _refused(library, store, writing=False)
    state = State.BLOCKED if refused else State.DEGRADED
    refused = refused or _refused(library, store, writing=True)
    if refused is None:
        return Readiness(name=base.name, title=base.title, state=State.READY)
    return Readiness(
        name=base.name,
        title=base.title,
        state=state,
        reasons=(refused.message,),
        codes=(refused.code,),
        mend=f"weft kb reindex {as_argument(base.title)}",
    )


def _refused(library: Library, store: Store, *, writing: bool) -> IndexMismatch | None:
    try:
        library.check(store, writing=writing)
    except IndexMismatch as error:
        return error
    return None


def _blocked(base: RegisteredBase, error: WeftError) -> Readiness:
    drop = f"weft kb drop {as_argument(base.title)}"
    mend = f"{drop} --forget takes it off the list"
    if isinstance(error, StoreCorrupt):
        mend = f"{drop} removes it; then weft ingest"
    if is_server_target(base.target):
        address = ServerTarget.parse(base.target).address
        todo = _TO_DO.get(str(error.fields.get("reason")), "start its server, {}")
        mend = f"{todo.format(address)}; or {mend}"
    return Readiness(
        name=base.name,
        title=base.title,
        state=State.BLOCKED,
        reasons=(error.message,),
        codes=(error.code,),
        mend=mend,
    )
