"""Which knowledge base a verb means: a name, a title, a folder, the default one, the one here."""

from __future__ import annotations

import asyncio
import os.path
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from weft.cli.bases.keeping import bring_in, folders_own
from weft.cli.invocation import tell
from weft.cli.terminal.texts import said
from weft.domain.errors import BadInput, UnknownKnowledgeBase, WeftError
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileEntry, FileStatus
from weft.platform.identity import local_owner

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.domain.scope import Scope
    from weft.ports.records.bases import RegisteredBase
    from weft.ports.store import Store

_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPlace:
    """What a call asks: a file or folder that is there, knowledge bases by name, or neither.

    What is told beside the answer is in the language of `question`.
    """

    path: Path | None
    kb: str
    verb: str
    question: str = ""


async def chosen(app: App, scope: Scope, given: str) -> Store:
    """Return the knowledge base that is meant, opened: a name, a unique title or a folder.

    Without any of them it is the default one, else that of the folder one is in.
    """
    return await app.library.named(scope, (await meant(app, scope, given)).name)


async def meant(app: App, scope: Scope, given: str) -> RegisteredBase:
    """Return the knowledge base that is meant, as `chosen` does, without opening it."""
    from weft.bases.finding import find
    from weft.bases.library import DEFAULT
    from weft.bases.naming import as_argument, path_of

    with suppress(UnknownKnowledgeBase):
        return await find(app.records.bases, scope, given or DEFAULT)
    try:
        return await find(app.records.bases, scope, given or str(Path.cwd()))
    except UnknownKnowledgeBase:
        if not given:
            raise UnknownKnowledgeBase(
                "There is no default knowledge base, and nothing was read from the folder you are "
                "in. Name one, or a folder that was read (weft kb list)."
            ) from None
        # Of `os.path`, because a name that is too long for a file is then just not there.
        if os.path.exists(path_of(given)):  # noqa: ASYNC240  # nothing else runs on this loop
            said = f"Nothing was read from '{given}' yet; run: weft ingest {as_argument(given)}"
        else:
            said = f"There is no knowledge base '{given}', and no folder of that name"
            said += "; weft kb list shows what there is."
        raise UnknownKnowledgeBase(said, name=given) from None


async def _given(app: App, scope: Scope, given: str) -> list[str]:
    """Return the knowledge bases that are named with commas; a title may have one in it."""
    names = [name.strip() for name in given.split(",") if name.strip()]
    if len(names) > 1:
        from weft.bases.finding import find

        with suppress(UnknownKnowledgeBase):
            whole = await find(app.records.bases, scope, given.strip())
            names = [whole.name]
    return names


async def names_for(app: App, scope: Scope, given: str) -> list[str]:
    """Return the names of the knowledge bases that are given with commas, opening none."""
    return [(await meant(app, scope, each)).name for each in await _given(app, scope, given)]


async def stores_for(app: App, scope: Scope, place: AskedPlace, *, quiet: bool) -> list[Store]:
    """Return the knowledge bases that a call means; a path is brought in step first.

    Unless `quiet`, how many files gave no text and what is not read to its end is told on standard
    error. Raises `BadInput` where the scope is narrowed to a source that none of them has.
    """
    if place.path is not None and place.kb:
        raise BadInput("Give a path or --kb, not both: a path has a knowledge base of its own.")
    if place.kb.strip(", "):
        names = await _given(app, scope, place.kb)
        asked = [_Asked(store=await chosen(app, scope, name)) for name in names]
    elif place.path is not None:
        asked = [await _in_step(app, scope, place.path, quiet=quiet)]
    else:
        asked = [await _default(app, scope, place, quiet=quiet)]
    for each in asked:
        app.library.check(each.store, writing=False)
        if not quiet:
            await _tell_unread(scope, each, question=place.question)
            await tell_unfinished(app, each.store.name, question=place.question)
    stores = [each.store for each in asked]
    await check_sources(scope, stores)
    return stores


async def check_sources(scope: Scope, stores: Sequence[Store]) -> None:
    """Raise `BadInput` where the scope is narrowed to a source that none of the stores has."""
    if scope.sources is None:
        return
    from weft.ingest.seen_sources import seen_sources

    seen = await seen_sources(local_owner(), stores)
    if unknown := sorted(scope.sources - seen):
        named = ", ".join(f"'{name}'" for name in unknown)
        raise BadInput(
            f"There is no source {named}; there are: {', '.join(sorted(seen))}.", sources=named
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A knowledge base that is asked, and of one that was read just now its path and ledger."""

    store: Store
    path: Path | None = None
    files: Sequence[FileEntry] | None = None


async def _default(app: App, scope: Scope, place: AskedPlace, *, quiet: bool) -> _Asked:
    """Return the default knowledge base, or where there is none that of the current folder."""
    from weft.bases.library import DEFAULT

    try:
        return _Asked(store=await app.library.named(scope, DEFAULT))
    except UnknownKnowledgeBase:
        folder = Path.cwd()
    if Path.home().is_relative_to(folder):
        question = "" if place.verb == "chat" else ' "what is ...?"'
        raise UnknownKnowledgeBase(
            f"There is no default knowledge base, and {from_home(folder)} is not read as a whole. "
            f"Name a folder (weft {place.verb} FOLDER{question}) or a knowledge base (--kb NAME)."
        )
    if not quiet:
        tell(said("here", place.question, folder=from_home(folder)))
    return await _in_step(app, scope, Path(), quiet=quiet)


def from_home(folder: Path) -> str:
    """Return a folder as people write it: one below the home folder begins with `~`."""
    home = Path.home()
    if folder == home or not folder.is_relative_to(home):
        return "~" if folder == home else str(folder)
    return f"~/{folder.relative_to(home)}"


def shown_title(title: str) -> str:
    """Return a base's title as people write it: a folder's path below the home folder with `~`."""
    return from_home(Path(title)) if title.startswith("/") else title


async def _in_step(app: App, scope: Scope, path: Path, *, quiet: bool) -> _Asked:
    """Return the knowledge base of a path after it was read; where it says nothing none is made."""
    from weft.ingest.jobs.ingestion import IngestRequest

    is_new = not await is_known(app, scope, path)
    store = await folders_own(app, scope, path, quiet=quiet)
    request = IngestRequest(path=path, prune=True)
    async with undoing(app, store, is_new=is_new):
        await bring_in(app, scope, store=store, request=request, quiet=quiet)
        files = await store.ledger.files(scope, None)
        if not any(entry.status is FileStatus.READ for entry in files):
            raise nothing_in(path, unread_of(files))
    return _Asked(store=store, path=path, files=files)


async def is_known(app: App, scope: Scope, path: Path, *, kb: str = "") -> bool:
    """Tell whether there is the knowledge base that a path goes into: its own, or the one named."""
    from weft.bases.finding import find
    from weft.bases.naming import folder_key

    try:
        if kb:
            await find(app.records.bases, scope, kb)
        else:
            await app.records.bases.of_folder(scope, folder_key(path))
    except UnknownKnowledgeBase:
        return False
    return True


def nothing_in(path: Path, unread: Sequence[FileEntry]) -> BadInput:
    """Return the error that nothing of a path can be asked, and why."""
    if not unread:
        return BadInput(f"There is nothing to read in {from_home(path.resolve())}.", path=str(path))
    named = [f"{one.path} ({_why(one)})" for one in unread[:_NAMED]]
    more = f" and {len(unread) - _NAMED} more" if len(unread) > _NAMED else ""
    return BadInput(f"Nothing could be read: {', '.join(named)}{more}.", path=str(path))


def _why(entry: FileEntry) -> str:
    return entry.reason or str(entry.status).replace("_", " ")


def unread_of(files: Sequence[FileEntry]) -> list[FileEntry]:
    """Return the files that gave no text although they were meant to be read."""
    from weft.ingest.sources.plan import is_left_out

    return [one for one in files if one.status is not FileStatus.READ and not is_left_out(one)]


async def _tell_unread(scope: Scope, asked: _Asked, *, question: str) -> None:
    """Tell how many of the files that were to be read gave no text, and what lists them."""
    files = asked.files
    if files is None:
        files = await asked.store.ledger.files(scope, None)
    if unread := unread_of(files):
        from weft.bases.naming import as_argument

        which = as_argument(asked.store.title if asked.path is None else str(asked.path))
        total = len(unread) + sum(one.status is FileStatus.READ for one in files)
        call = f"weft kb ledger {which} --unread"
        tell(said("unread", question, count=len(unread), total=total, call=call))


async def tell_unfinished(app: App, base: str, *, question: str) -> None:
    """Tell what of a knowledge base is not read to its end, and what goes on with it."""
    from weft.cli.bases.unfinished import unfinished

    for one in await unfinished(app, base):
        tell(said("unfinished", question, title=shown_title(one.title), call=one.call))


@asynccontextmanager
async def undoing(
    app: App, into: Store, *, is_new: bool, goes_on: bool = False
) -> AsyncIterator[None]:
    """Take away a knowledge base that was made for what failed before it held anything.

    Where the next call `goes_on`, what somebody stopped stays, with its job.
    """

    async def leave(kind: type[BaseException] | None, *_: object) -> None:
        stopped = kind is not None and issubclass(kind, asyncio.CancelledError)
        if is_new and kind is not None and not (stopped and goes_on):
            await _taken_away(app, into)

    async with AsyncExitStack() as undo:
        undo.push_async_exit(leave)
        yield


async def _taken_away(app: App, into: Store) -> None:
    scope = local_owner()
    with suppress(WeftError):  # what went wrong first is told
        if not await into.holdings.versions(scope, None):
            await app.library.drop(scope, into)
