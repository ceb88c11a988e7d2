"""The product, built: opens its parts side by side and closes them in the opposite order."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from weft.adapters.argon2.passwords import ArgonPasswords
from weft.adapters.limits.rates import MemoryRates
from weft.adapters.reader.ocr.ocr import TesseractOcr
from weft.adapters.reader.reader import ChildReader
from weft.adapters.sql.records import Records
from weft.bases.backends import Backends
from weft.bases.library import Library
from weft.bootstrap.fetching import fetcher_of
from weft.bootstrap.knowledge import (
    backends_of,
    ocr_of,
    originals_of,
    prepare_search,
    reader_of,
    recipe_of,
    tools_of,
)
from weft.bootstrap.models import (
    LoadedEmbedder,
    ModelFinding,
    cache_folder,
    check_models,
    close_chat_model,
    install_weights,
    open_embedder_of,
)
from weft.bootstrap.records import records_of
from weft.bootstrap.tokens import tokens_of
from weft.config import ENVIRONMENT, FILE, SECRETS, Settings, load_settings, template
from weft.ingest.jobs.ingestion import Ingest, IngestRecords
from weft.ingest.originals import Originals
from weft.ingest.removal import BaseHolders
from weft.ingest.sources.folder import GITIGNORE, IGNORE_FILES
from weft.ingest.sources.inbox import inboxes_of
from weft.platform.people.administration import Administration, administration_of
from weft.platform.people.principals import Principals
from weft.platform.people.signing_in import SigningIn
from weft.platform.secret import secret_in
from weft.platform.time import SystemClock
from weft.ports.tokens import BearerTokens

if TYPE_CHECKING:
    from weft.adapters.llm.model import ChatModel

# The faces reach the settings through here: nothing but this room imports `config`.
__all__ = [
    "ENVIRONMENT",
    "FILE",
    "SECRETS",
    "App",
    "MemoryRates",
    "ModelFinding",
    "Settings",
    "SystemClock",
    "cache_folder",
    "check_models",
    "install_weights",
    "load_settings",
    "open_app",
    "prepare_search",
    "template",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """One built product; `notes` says what is missing and how to mend it."""

    settings: Settings
    clock: SystemClock
    records: Records
    embedder: LoadedEmbedder | None
    reader: ChildReader
    ocr: TesseractOcr | None
    library: Library
    servers: Backends
    ingest: Ingest
    originals: Originals
    principals: Principals
    administration: Administration
    signing_in: SigningIn
    tokens: BearerTokens | None
    notes: tuple[str, ...]
    chat_models: list[ChatModel] = field(default_factory=list)

    @property
    def holders(self) -> BaseHolders:
        """Return all that holds something of a knowledge base."""
        return BaseHolders(library=self.library, tape=self.records.tape, originals=self.originals)

    async def close(self) -> None:
        """Let go of everything, in the order opposite to opening."""
        for model in self.chat_models:
            await close_chat_model(model)
        await self.library.close()
        await self.reader.close()
        if self.embedder is not None:
            await self.embedder.close()
        await self.records.close()


async def open_app(
    settings: Settings, *, with_models: bool = True, is_service: bool = False
) -> App:
    """Build the product; without models it opens and lists, but makes and searches nothing.

    A service reads files into several knowledge bases at a time.
    """
    clock = SystemClock()
    opening = asyncio.to_thread(records_of, settings, clock)
    loading = asyncio.to_thread(open_embedder_of, settings, with_models)
    records, (embedder, notes), ocr = await asyncio.gather(
        opening, loading, asyncio.to_thread(ocr_of, settings)
    )
    reader = reader_of(settings, is_service=is_service)
    tools = tools_of(settings, reader=reader, ocr=ocr, embedder=embedder, clock=clock)
    recipe = recipe_of(embedder) if with_models else None
    backends, originals = backends_of(settings), originals_of(settings, is_service=is_service)
    library = Library(records.bases, backends, recipe=recipe, audit=records.audit)
    keys, passwords = secret_in(settings.home / "keys.secret"), ArgonPasswords()
    principals = Principals(records.people.standings, secret=keys, clock=clock)
    return App(
        settings=settings,
        clock=clock,
        records=records,
        embedder=embedder,
        reader=reader,
        ocr=ocr,
        library=library,
        servers=backends,
        originals=originals,
        ingest=Ingest(
            library,
            tools,
            records=_ingest_records(records, originals),
            inboxes=inboxes_of(settings.home),
            ignore_files=(*IGNORE_FILES, GITIGNORE) if settings.values.gitignore else IGNORE_FILES,
        ),
        principals=principals,
        administration=administration_of(
            records.people, audit=records.audit, passwords=passwords, secret=keys
        ),
        tokens=tokens_of(settings, clock, fetcher=lambda: fetcher_of(settings, records.audit)),
        signing_in=SigningIn(principals, passwords=passwords, audit=records.audit),
        notes=tuple(notes),
    )


def _ingest_records(records: Records, originals: Originals) -> IngestRecords:
    return IngestRecords(
        jobs=records.jobs,
        worklist=records.worklist,
        tape=records.tape,
        audit=records.audit,
        worker=records.worker,
        originals=originals,
    )
