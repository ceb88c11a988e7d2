"""`Weft`: a knowledge base opened inside this process, for programs without a loop."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from weft.domain.answer import Answer
from weft.domain.event import RunEvent
from weft.domain.evidence import Evidence
from weft.ingest.progress import IngestProgress
from weft.ports.holdings import BaseCounts
from weft.sdk.embedded import AsyncWeft, StrPath, Watch
from weft.sdk.loop import LoopThread
from weft.sdk.research import Research, RunOptions
from weft.sdk.runs import EndedRuns

__all__ = ["AsyncWeft", "Weft"]

if TYPE_CHECKING:
    from weft.flows.asking import FlowOutcome


class Weft(Research):
    """One knowledge base, made by `open`: each method is that of `AsyncWeft`, waited for.

    It may be used from several threads; within a running event loop use `AsyncWeft`. `name` is the
    knowledge base's; `notes` says in words what is missing here and how to mend it.
    """

    def __init__(self, inside: AsyncWeft, loop: LoopThread) -> None:
        """Take what `open` opened."""
        self._inside = inside
        self._loop = loop
        self.name = inside.name
        self.notes = inside.notes
        self.runs = EndedRuns(inside.runs, loop)

    @classmethod
    def open(
        cls, path: StrPath | None = None, *, kb: str = "", home: StrPath | None = None
    ) -> Self:
        """Open the knowledge base of a file or folder, the one named `kb`, or the default one.

        It is made where it is not there yet. `home` is the workspace ($WEFT_HOME or ~/.weft by
        default). Raises `BadInput` where there is no such path or name, or both are given.
        """
        loop = LoopThread()
        with ExitStack() as undo:
            undo.callback(loop.stop)
            opened = cls(loop.run(AsyncWeft.open(path, kb=kb, home=home)), loop)
            undo.pop_all()
        return opened

    def sync(self, watch: Watch | None = None) -> IngestProgress:
        """Bring the base in step with the path it was opened by; `watch` is called in a thread."""
        return self._loop.run(self._inside.sync(watch))

    def add(
        self, path: StrPath, *, acl: Sequence[str] = (), watch: Watch | None = None
    ) -> IngestProgress:
        """Read a further file or folder into the base; `acl` names who may read it."""
        return self._loop.run(self._inside.add(path, acl=acl, watch=watch))

    def add_text(self, name: str, text: str) -> IngestProgress:
        """Read a text into the base in place of the former one of that name."""
        return self._loop.run(self._inside.add_text(name, text))

    def remove_text(self, name: str) -> IngestProgress:
        """Remove a text that was added and all that was said from it, or raise `NotFound`."""
        return self._loop.run(self._inside.remove_text(name))

    def ask(
        self,
        question: str,
        sources: Sequence[str] | None = None,
        *,
        flow: str = "",
        budget: Mapping[str, object] | None = None,
        meaning: str = "",
    ) -> Answer:
        """Return an answer whose sentences carry checked citations, or a refusal."""
        asked = self._inside.ask(question, sources, flow=flow, budget=budget, meaning=meaning)
        return self._loop.run(asked)

    def run(
        self,
        flow: str,
        question: str,
        **options: Unpack[RunOptions],
    ) -> Iterator[RunEvent | FlowOutcome]:
        """Yield the events of a flow's run as they come, and at the end its outcome."""
        events = self._inside.run(flow, question, **options)
        try:
            while (event := self._loop.run(_next(events))) is not None:
                yield event
        finally:
            self._loop.run(events.aclose())

    def search(
        self, query: str, top_k: int | None = None, *, sources: Sequence[str] | None = None
    ) -> tuple[Evidence, ...]:
        """Return the passages that may answer a question, best first, at most `top_k`."""
        return self._loop.run(self._inside.search(query, top_k, sources=sources))

    def stats(self) -> BaseCounts:
        """Count what the base holds."""
        return self._loop.run(self._inside.stats())

    def close(self) -> None:
        """Let go of the base and of the thread behind it; a second call does nothing."""
        if self._loop.is_running:
            try:
                self._loop.run(self._inside.close())
            finally:
                self._loop.stop()

    def __enter__(self) -> Self:
        """Return this, to be closed at the end."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let go of the base."""
        self.close()


async def _next(
    events: AsyncGenerator[RunEvent | FlowOutcome, None],
) -> RunEvent | FlowOutcome | None:
    return await anext(events, None)
