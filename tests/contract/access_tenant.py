"""A tenant of an open product: who somebody is there, what they are shown, what waits is done."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import cached_property

from contract.records_world import SetClock
from weft.adapters.argon2.passwords import ArgonPasswords
from weft.bootstrap.app import App
from weft.domain.errors import Forbidden, NotFound, UnknownKnowledgeBase
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.ingest.inbox_documents import InboxDocuments
from weft.ingest.jobs.worker import IngestJobs
from weft.ingest.sources.inbox import inbox_of
from weft.platform.identity import operator
from weft.platform.people.administration import Administration, administration_of
from weft.platform.people.principals import Principals
from weft.platform.worker import Worker
from weft.ports.records.jobs import JobStatus

SECRET = b"s" * 32
_UNDER_WAY = {JobStatus.QUEUED, JobStatus.RUNNING}


@dataclass(kw_only=True)
class Tenant:
    """A tenant by name; `texts` are the keys that were made in it."""

    app: App
    name: str
    clock: SetClock = field(default_factory=SetClock)
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def boss(self) -> Scope:
        """Return the scope of who manages the tenant."""
        return operator(self.name)

    @cached_property
    def principals(self) -> Principals:
        """Return who people are, remembered as a service remembers it."""
        return Principals(self.app.records.people.standings, secret=SECRET, clock=self.clock)

    @cached_property
    def administration(self) -> Administration:
        """Return what changes people."""
        return administration_of(
            self.app.records.people,
            audit=self.app.records.audit,
            passwords=ArgonPasswords(),
            secret=SECRET,
        )

    async def scope_of(self, who: str) -> Scope | None:
        """Return the scope of a user or of who holds a key; None: the door is shut."""
        if who not in self.texts:
            return await self.principals.of_user(self.name, who)
        caller = await self.principals.of_key(self.texts[who])
        return None if caller is None else caller.scope

    async def inbox(self, scope: Scope, name: str) -> InboxDocuments:
        """Return the documents of a base that the caller may fill."""
        store = await self.app.library.named(scope, name, to_fill=True)
        inbox = inbox_of(self.app.settings.home, scope, name)
        audit = self.app.records.audit
        return InboxDocuments(store=store, inbox=inbox, ingest=self.app.ingest, audit=audit)

    async def id_of(self, scope: Scope, name: str, paper: str) -> DocumentId:
        """Return the id of a document that is shown to the caller."""
        store = await self.app.library.named(scope, name)
        for one in await store.documents.page(scope, after=None, limit=99):
            if one.title == paper:
                return one.id
        raise NotFound("It is not shown.")

    async def shown(self, scope: Scope, name: str) -> object:
        """Return what somebody is shown of a knowledge base: its documents, or why not."""
        try:
            store = await self.app.library.named(scope, name)
        except (Forbidden, UnknownKnowledgeBase) as error:
            return type(error).__name__
        return {one.title for one in await store.documents.page(scope, after=None, limit=99)}

    async def work(self) -> None:
        """Do all that waits in line, under what its owners may do now."""
        app = self.app
        handler = IngestJobs(
            app.library, app.ingest, principals=self.principals, clock=app.clock, lanes=1
        )
        worker = Worker(app.records.worklist, worker=app.records.worker, handlers=[handler])
        working = asyncio.create_task(worker.work())
        for _ in range(10_000):
            if not _UNDER_WAY & (await app.records.jobs.counts(self.boss)).statuses.keys():
                break
            await asyncio.sleep(0.002)
        else:
            raise AssertionError("what waits in line is not done")
        working.cancel()
        await asyncio.wait({working})
