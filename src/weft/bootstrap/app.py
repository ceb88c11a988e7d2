"""The product, built: opens its parts side by side and closes them in the opposite order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from weft.adapters.sql.records import Records
from weft.bases.backends import Backends
from weft.bases.library import Library, with_ontology
from weft.bootstrap.knowledge import (
    backends_of,
    ocr_of,
    ontologies_of,
    originals_of,
    prepare_search,
    reader_of,
    recipe_of,
    tools_of,
)
from weft.bootstrap.models import (
    LoadedEmbedder,
    ModelFinding,
    OpenedEmbedder,
    cache_folder,
    check_models,
    close_chat_model,
    cross_reader_of,
    install_weights,
    open_embedder_of,
)
from weft.bootstrap.records import records_of
from weft.config import ENVIRONMENT, FILE, SECRETS, SETTINGS, Settings, load_settings
from weft.domain.frozen import dataclass
from weft.ingest.jobs.ingestion import Ingest, IngestRecords
from weft.ingest.originals import Originals
from weft.ingest.removal import BaseHolders
from weft.ingest.sources.folder import GITIGNORE, IGNORE_FILES
from weft.ingest.sources.inbox import inboxes_of
from weft.ontology.collection import Ontologies
from weft.platform.time import SystemClock
from weft.ports.embedder import CrossReader
from weft.ports.store import Recipe
from weft.ports.telemetry.tracing import Traces
from weft.ports.tokens import BearerTokens

if TYPE_CHECKING:
    from weft.adapters.llm.model import ChatModel
    from weft.adapters.reader.ocr.ocr import TesseractOcr
    from weft.adapters.reader.reader import ChildReader
    from weft.bootstrap.people import PeopleServices
    from weft.platform.people.administration import Administration
    from weft.platform.people.principals import Principals
    from weft.platform.people.signing_in import SigningIn

# The faces reach the settings through here: nothing but this room imports `config`.
__all__ = [
    "ENVIRONMENT",
    "FILE",
    "SECRETS",
    "SETTINGS",
    "App",
    "ModelFinding",
    "Settings",
    "SystemClock",
    "cache_folder",
    "check_models",
    "install_weights",
    "load_settings",
    "open_app",
    "prepare_search",
]


@dataclass(frozen=True, kw_only=True)
class App:
    """One built product; `notes` says what is missing and how to mend it."""

    # Without slots, for what is built when it is first asked for.

    settings: Settings
    clock: SystemClock
    records: Records
    embedder: LoadedEmbedder | None
    reader: ChildReader
    ocr: TesseractOcr | None
    library: Library
    recipe: Recipe | None
    ontologies: Ontologies
    servers: Backends
    ingest: Ingest
    originals: Originals
    notes: tuple[str, ...]
    chat_models: list[ChatModel] = field(default_factory=list)
    traces: list[Traces] = field(default_factory=list)
    closing: list[Callable[[], Awaitable[None]]] = field(default_factory=list)

    @property
    def holders(self) -> BaseHolders:
        """Return all that holds something of a knowledge base."""
        return BaseHolders(library=self.library, tape=self.records.tape, originals=self.originals)

    @cached_property
    def cross_reader(self) -> CrossReader | None:
        """Return what reads a question and a text together, None without a local model."""
        return cross_reader_of(self.settings, self.embedder)

    @cached_property
    def _people(self) -> PeopleServices:
        # Here, because nobody signs in to a question on one's own machine.
        from weft.bootstrap.people import people_of

        return people_of(self.settings, self.records, clock=self.clock)

    @property
    def principals(self) -> Principals:
        """Return who people are, and what they may do now."""
        return self._people.principals

    @property
    def administration(self) -> Administration:
        """Return those who change tenants, people, groups, roles and keys."""
        return self._people.administration

    @property
    def signing_in(self) -> SigningIn:
        """Return who lets people in by their passwords."""
        return self._people.signing_in

    @property
    def tokens(self) -> BearerTokens | None:
        """Return what checks signed tokens, None where the settings name no issuer."""
        return self._people.tokens

    def recipe_with(self, ontology: str) -> Recipe:
        """Return what a knowledge base of another ontology is made with."""
        assert self.recipe is not None, "only what was opened with models makes anything"
        return with_ontology(self.recipe, self.ontologies.reference(ontology))

    async def close(self) -> None:
        """Let go of everything, in the order opposite to opening."""
        for close in self.closing:
            await close()
        for model in self.chat_models:
            await close_chat_model(model)
        await self.library.close()
        await self.reader.close()
        if self.embedder is not None:
            await self.embedder.close()
        await self.records.close()


async def open_app(
    settings: Settings,
    *,
    with_models: bool = True,
    is_service: bool = False,
    embedder: Awaitable[OpenedEmbedder] | None = None,
) -> App:
    """Build the product; without models it opens and lists, but makes and searches nothing.

    A service reads files into several knowledge bases at a time. `embedder` is one that is being
    opened already.
    """
    clock = SystemClock()
    opening = asyncio.to_thread(records_of, settings, clock)
    loading = embedder or asyncio.to_thread(open_embedder_of, settings, with_models)
    records, (model, notes), ocr = await asyncio.gather(
        opening, loading, asyncio.to_thread(ocr_of, settings)
    )
    reader = reader_of(settings, is_service=is_service)
    ontologies = ontologies_of(settings)
    tools = tools_of(settings, reader=reader, ocr=ocr, embedder=model, ontologies=ontologies)
    reference = ontologies.reference(settings.values.ontology)
    recipe = recipe_of(model, ontology=reference) if with_models else None
    backends = backends_of(settings, ontologies)
    originals = originals_of(settings, is_service=is_service)
    library = Library(
        records.bases, backends, recipe=recipe, audit=records.audit, ontologies=ontologies
    )
    return App(
        settings=settings,
        clock=clock,
        records=records,
        embedder=model,
        reader=reader,
        ocr=ocr,
        library=library,
        recipe=recipe,
        ontologies=ontologies,
        servers=backends,
        originals=originals,
        ingest=Ingest(
            library,
            tools,
            records=_ingest_records(records, originals),
            inboxes=inboxes_of(settings.home),
            ignore_files=(*IGNORE_FILES, GITIGNORE) if settings.values.gitignore else IGNORE_FILES,
        ),
        notes=tuple(notes),
    )


def _ingest_records(records: Records, originals: Originals) -> IngestRecords:
    return IngestRecords(
        jobs=records.jobs,
        worklist=records.worklist,
        tape=records.tape,
        bases=records.bases,
        audit=records.audit,
        worker=records.worker,
        originals=originals,
    )
