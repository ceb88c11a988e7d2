"""`AsyncWeft`: a knowledge base opened inside this process, for programs that run a loop."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from weft.bases.library import DEFAULT
from weft.bootstrap.app import App, load_settings, open_app
from weft.bootstrap.knowledge import top_k_of
from weft.domain.answer import Answer
from weft.domain.errors import BadInput
from weft.domain.event import RunEvent
from weft.domain.evidence import Evidence
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ingest.jobs.ingestion import IngestRequest
from weft.ingest.progress import IngestProgress
from weft.ingest.sources.inbox import texts_of
from weft.platform.access import require
from weft.platform.audit import audited, found_ids
from weft.platform.identity import local_owner, narrow, readers
from weft.ports.holdings import BaseCounts
from weft.ports.records.audit import Deed
from weft.ports.store import Base, Store
from weft.retrieval.hits import Query
from weft.retrieval.search import search
from weft.runtime.live_runs import LiveRuns, told
from weft.sdk.research import AsyncResearch, RunOptions
from weft.sdk.runs import AsyncRuns
from weft.sdk.texts import TextFolder

if TYPE_CHECKING:
    from weft.flows.asking import FlowOutcome
    from weft.flows.running import FlowRunner

StrPath = str | os.PathLike[str]
Watch = Callable[[IngestProgress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """What stays open: the product, the knowledge base, the folder it was opened by."""

    app: App
    store: Store
    path: Path | None


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked, of which sources and bases, by which flow, in which budget, names pinned."""

    text: str
    sources: Sequence[str] | None
    flow: str
    budget: Mapping[str, object] | None
    kb: Sequence[str] = ()
    pins: Mapping[str, str] = field(default_factory=dict)
    mode: str = ""
    meaning: str = ""


class AsyncWeft(AsyncResearch):
    """One knowledge base, opened by the owner of this machine; made by `open`.

    `name` is the knowledge base's, as `weft kb` verbs take it; `notes` says in words what is
    missing here and how to mend it. `runs` are those that have ended.
    """

    def __init__(self, held: _Held) -> None:
        """Take what `open` opened."""
        self._app = held.app
        self._store = held.store
        self._path = held.path
        self._scope = local_owner()
        self._flows: FlowRunner | None = None
        self.name = held.store.name
        self.notes = held.app.notes
        self._in_step = held.path is None
        self._turn = asyncio.Lock()
        self._building = asyncio.Lock()
        self._live = LiveRuns(held.app.records.runs)
        self.runs = AsyncRuns(held.app, self._runner)

    @classmethod
    async def open(
        cls, path: StrPath | None = None, *, kb: str = "", home: StrPath | None = None
    ) -> Self:
        """Open the knowledge base of a file or folder, the one named `kb`, or the default one.

        It is made where it is not there yet. `home` is the workspace ($WEFT_HOME or ~/.weft by
        default). Raises `BadInput` where there is no such path or name, or both are given.
        """
        found = None if path is None else _path(path)
        if found is not None and kb:
            raise BadInput("Give a path or a name, not both: a path has a base of its own.")
        if found is not None and not await asyncio.to_thread(found.exists):
            raise BadInput(f"there is no file or folder '{path}'", path=str(path))
        app = await open_app(load_settings(None if home is None else Path(home)))
        async with AsyncExitStack() as undo:
            undo.push_async_callback(app.close)
            library, scope = app.library, local_owner()
            if found is None:
                store = await library.ensured(scope, kb or DEFAULT)
            else:
                store = await library.for_folder(scope, found)
            library.check(store, writing=False)
            undo.pop_all()
        return cls(_Held(app=app, store=store, path=found))

    async def sync(self, watch: Watch | None = None) -> IngestProgress:
        """Bring the base in step with the path it was opened by: additions, changes, removals.

        Raises `BadInput` for a base opened by name: it has no path of its own; `add` again.
        """
        if self._path is None:
            raise BadInput(f"'{self.name}' was opened by name, not by a path; add its paths again.")
        async with self._turn:
            return await self._step(self._path, watch)

    async def add(
        self, path: StrPath, *, acl: Sequence[str] = (), watch: Watch | None = None
    ) -> IngestProgress:
        """Read a further file or folder into the base; unchanged files are left alone.

        `acl` names who may read it (`user:NAME`, `group:NAME`). When empty the readers stay who
        they were; what was not known yet is for everyone.
        """
        return await self._bring(_path(path), acl=acl, prune=False, watch=watch)

    async def add_text(self, name: str, text: str) -> IngestProgress:
        """Read a text into the base in place of the former one of that name.

        The text is kept as a file in the workspace, so that the base can be made anew from it.
        """
        folder = self._texts()
        await asyncio.to_thread(folder.put, name, text)
        return await self._bring(folder.path, prune=True)

    async def remove_text(self, name: str) -> IngestProgress:
        """Remove a text that was added and all that was said from it, or raise `NotFound`."""
        folder = self._texts()
        await asyncio.to_thread(folder.remove, name)
        return await self._bring(folder.path, prune=True)

    async def ask(
        self,
        question: str,
        sources: Sequence[str] | None = None,
        *,
        flow: str = "",
        budget: Mapping[str, object] | None = None,
        meaning: str = "",
    ) -> Answer:
        """Return an answer, each of its sentences with a citation that was checked, or a refusal.

        `sources` are the names or types of the sources that may be cited; None means all. `flow`
        names what answers (`rag` by default), `budget` the most that may be spent (`tokens`,
        `money` in dollars, `time` in seconds, `iterations`, `tool_calls`), `meaning` the id of one
        of an answer's `meanings`, to be told. The first question
        brings the base in step with its path; later ones do not look again: `sync` does.
        """
        asked = _Question(question, sources, flow, budget, meaning=meaning)
        return (await self._asked(asked)).answer

    async def run(
        self,
        flow: str,
        question: str,
        **options: Unpack[RunOptions],
    ) -> AsyncGenerator[RunEvent | FlowOutcome, None]:
        """Yield the events of a flow's run as they come, and at the end its outcome.

        Whoever stops reading ends the run. Raises `NotFound` for a flow that there is not, and
        `UnknownKnowledgeBase`.
        """
        run_id = RunId(secrets.token_hex(8))
        with self._live.watching(run_id) as feed:
            asked = _Question(
                question,
                options.get("sources"),
                flow,
                options.get("budget"),
                options.get("kb", ()),
                options.get("pins", {}),
                options.get("mode", ""),
            )
            task = asyncio.ensure_future(self._asked(asked, run_id=run_id))
            try:
                async for event in told(feed, task):
                    yield event
                yield task.result()
            finally:
                task.cancel()
                await asyncio.wait({task})

    async def _asked(self, asked: _Question, *, run_id: RunId | None = None) -> FlowOutcome:
        from weft.domain.entity import EntityOverride
        from weft.flows.asking import Asking, checked_question, limits_of

        question = checked_question(asked.text)
        runner, _ = await asyncio.gather(self._runner(), self._ready())
        asking = Asking(
            question=question,
            knowledge_bases=await self._named(asked.kb),
            flow=asked.flow,
            limits=None if asked.budget is None else limits_of(asked.budget),
            run_id=run_id,
            mode=asked.mode,
            meaning=asked.meaning,
            overrides=tuple(
                EntityOverride(question_entity=name, node_id=node)
                for name, node in asked.pins.items()
            ),
        )
        return await runner.run(self._narrowed(asked.sources), asking)

    async def _named(self, given: Sequence[str]) -> tuple[str, ...]:
        from weft.bases.finding import find

        found = [await find(self._app.records.bases, self._scope, one) for one in given]
        return tuple(dict.fromkeys(one.name for one in found)) or (self.name,)

    async def _runner(self) -> FlowRunner:
        async with self._building:
            if self._flows is None:
                from weft.bootstrap.flows import build_flows

                self._flows = await asyncio.to_thread(build_flows, self._app, runs=self._live)
        return self._flows

    async def search(
        self, query: str, top_k: int | None = None, *, sources: Sequence[str] | None = None
    ) -> tuple[Evidence, ...]:
        """Return the passages that may answer a question, best first, at most `top_k`.

        Where it is not given, the setting says how many.
        """
        if not query.strip() or (top_k is not None and top_k < 1):
            raise BadInput("A search needs words, and room for at least one passage.")
        from weft.flows.asking import checked_question

        text = checked_question(query)
        await self._ready()
        most = top_k or top_k_of(self._app.settings, [self._store])
        scope, target = self._narrowed(sources), f"kb:{self.name}"
        bases = [Base(name=self.name, knowledge=self._store.knowledge, title=self._store.title)]
        deed = Deed(action="search", target=target)
        async with audited(self._app.records.audit, scope, deed) as act:
            require(scope, "kb.read", target)
            wanted = Query(text=text, top_k=most)
            found = await search(bases, self._app.embedder, scope, query=wanted)
            shown = tuple(hit.evidence for hit in found.hits[:most])
            act.note(**found_ids(shown))
        return shown

    async def stats(self) -> BaseCounts:
        """Count what the base holds."""
        deed = Deed(action="kb.read", target=f"kb:{self.name}")
        async with audited(self._app.records.audit, self._scope, deed):
            return await self._store.holdings.counts(self._scope)

    async def close(self) -> None:
        """Let go of the base; what was acknowledged is stored."""
        await self._app.close()

    async def __aenter__(self) -> Self:
        """Return this, to be closed at the end."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let go of the base."""
        await self.close()

    async def _ready(self) -> None:
        """Bring the base in step with its path once, whoever asks first.

        While it is brought in step again, questions go on.
        """
        if self._in_step:
            return
        async with self._turn:
            if self._path is not None and not self._in_step:
                await self._step(self._path, None)

    async def _step(self, path: Path, watch: Watch | None) -> IngestProgress:
        done = await self._bring(path, prune=True, watch=watch)
        self._in_step = True
        return done

    async def _bring(
        self, path: Path, *, prune: bool, acl: Sequence[str] = (), watch: Watch | None = None
    ) -> IngestProgress:
        named = readers(acl, self._scope) if acl else None
        request = IngestRequest(path=path, acl=named, prune=prune)
        ignore = watch or _unwatched
        return await self._app.ingest.bring_in(
            self._scope, self._store, request=request, watch=ignore
        )

    def _texts(self) -> TextFolder:
        return TextFolder(path=texts_of(self._app.settings.home, self.name))

    def _narrowed(self, sources: Sequence[str] | None) -> Scope:
        return self._scope if sources is None else narrow(self._scope, sources)


def _path(given: StrPath) -> Path:
    return Path(given).expanduser()


def _unwatched(report: IngestProgress) -> None:
    """Let a report pass."""
