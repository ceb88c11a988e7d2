"""Evaluation sets as knowledge bases of a workspace, each gold passage with readers of its own.

A question's gold passages are taken away by asking with a scope that leaves their groups out.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from retrieval_bases import cache_folder, embedding, model_folder, tools

from weft.bootstrap.app import App, load_settings, open_app
from weft.bootstrap.flows import build_flows
from weft.domain.answer import Answer
from weft.domain.ids import digest
from weft.domain.record import Record
from weft.domain.scope import Scope
from weft.flows.asking import Asking
from weft.ingest.pipeline import Memory, derive, document_of
from weft.ingest.sources.folder import FoundFile
from weft.ingest.sources.plan import FileNeed, FileTask, Source
from weft.ingest.tools import Tools
from weft.platform.identity import LOCAL_TENANT, OWNER_PERMISSIONS, principal_scope
from weft.ports.store import Store

_ACTOR = "user:bench"
_AT_ONCE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """A set's passages by its own ids, and those that are gold of any question."""

    path: Path
    rows: Sequence[dict[str, str]]
    gold: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledBase:
    """An opened workspace with one set's knowledge base, asked as its users ask."""

    app: App
    store: Store
    gold: frozenset[str]

    def scope(self, without: Iterable[str] = ()) -> Scope:
        """Return the scope that may read all passages but these, which must be gold."""
        left = self.gold - frozenset(without)
        return principal_scope(
            tenant=LOCAL_TENANT,
            actor=_ACTOR,
            groups=[f"group:{one}" for one in sorted(left)],
            permissions=OWNER_PERMISSIONS,
        )


def read_corpus(data: Path, name: str, gold: Iterable[str]) -> Corpus:
    """Return a set's corpus."""
    path = data / name / "corpus.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return Corpus(path=path, rows=[json.loads(line) for line in lines], gold=frozenset(gold))


@asynccontextmanager
async def asking(name: str, corpus: Corpus) -> AsyncIterator[FilledBase]:
    """Open the workspace of a set, made by the product's ingest if it is not there yet."""
    own = tools(embedding())
    key = digest(name, str(corpus.path.stat().st_size), own.version, *sorted(corpus.gold))[:10]
    home = cache_folder() / f"answers-{name}-{key}"
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "cache").exists():
        (home / "cache").symlink_to(model_folder().resolve())
    app = await open_app(load_settings(home))
    try:
        found = FilledBase(
            app=app, store=await app.library.ensured(_owner(corpus), "Set"), gold=corpus.gold
        )
        if not (home / "complete").exists():
            await _fill(found, corpus, own)
            (home / "complete").touch()
        yield found
    finally:
        await app.close()


def _owner(corpus: Corpus) -> Scope:
    groups = [f"group:{one}" for one in sorted(corpus.gold)]
    return principal_scope(
        tenant=LOCAL_TENANT, actor=_ACTOR, groups=groups, permissions=OWNER_PERMISSIONS
    )


async def _fill(found: FilledBase, corpus: Corpus, own: Tools) -> None:
    source = Source(name="set", root=corpus.path.parent, acl=frozenset({"tenant:*"}))
    file = FoundFile(place=str(corpus.path), relative=corpus.path.name)
    task = FileTask(file=file, need=FileNeed.READING, version="1", acl=source.acl, former=None)
    scope, publishing = found.scope(), found.store.publishing
    fence = await publishing.issue_fence(scope, "source:set")
    held = await found.store.holdings.versions(scope, "set")
    waiting, memory = iter(enumerate(corpus.rows, start=1)), Memory()

    async def work() -> None:
        for count, row in waiting:
            own_readers = frozenset({f"group:{row['id']}"}) if row["id"] in corpus.gold else None
            record = Record(
                content=row["text"], title=row["title"], fragment=row["id"], acl=own_readers
            )
            document = document_of(record, task, source=source, tools=own.version)
            if document.id not in held:
                patch = (await derive(record, document, tools=own, memory=memory)).patch
                await publishing.publish(scope, patch, expected_version=None, fence=fence)
            if count % 2000 == 0:
                print(f"{corpus.path.parent.name}: {count} passages", file=sys.stderr)

    await asyncio.gather(*(work() for _ in range(_AT_ONCE)))


class Answerer:
    """The flow that answers, with its default settings: the offline model, dropping what fails."""

    def __init__(self, found: FilledBase) -> None:
        """Build it from the workspace."""
        self._found = found
        self._flows = build_flows(found.app)

    async def ask(self, scope: Scope, question: str) -> Answer:
        """Return what the product answers."""
        await self._prepare(scope)
        asked = Asking(question=question, knowledge_bases=(self._found.store.name,))
        return (await self._flows.run(scope, asked)).answer

    async def _prepare(self, scope: Scope) -> None:
        """Let a view that is new go on from that of all passages, as after a deletion.

        What is computed is the same to the bit; from nothing it would take forty times as long,
        and each question asks with scopes of its own.
        """
        knowledge = self._found.store.knowledge
        whole, own = await knowledge.view(self._found.scope()), await knowledge.view(scope)
        if whole.kept and own is not whole and not own.kept and not own.former:
            own.former.append(whole)
