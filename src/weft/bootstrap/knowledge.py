"""Knowledge: where bases are kept, how they are made, what reads files into them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from weft.adapters.folder.blobs import FolderBlobs
from weft.adapters.reader.limits import ReaderLimits
from weft.adapters.reader.reader import ChildReader
from weft.adapters.sqlite.stores import SqliteStores
from weft.bases.backends import Backends, ServerBackend
from weft.config import Settings, read_secret
from weft.domain.errors import ConfigurationError
from weft.domain.patch import DocumentCaps
from weft.domain.scope import Scope
from weft.extraction.late_ladder import LateLadder
from weft.ingest.originals import Keeping, Originals
from weft.ingest.pictures import PictureReader
from weft.ingest.splitting.settings import SplitSettings
from weft.ingest.tools import Tools
from weft.language.terms import VERSION as TERMS
from weft.ontology.collection import SETTING, Ontologies, name_of
from weft.platform.time import SystemClock
from weft.ports.embedder import Embedder
from weft.ports.files.ocr import Ocr
from weft.ports.store import Base, Recipe, Store
from weft.retrieval.search import prepare

if TYPE_CHECKING:
    from weft.adapters.reader.ocr.ocr import TesseractOcr

_MEGABYTE = 1024 * 1024


def reader_of(settings: Settings, *, is_service: bool = False) -> ChildReader:
    """Return what turns files into text, in processes of its own.

    A service has one for each job that it may be at, so that no file of one base holds up another.
    """
    values = settings.values
    limits = ReaderLimits(file_bytes=values.max_file_mb * _MEGABYTE, columns=values.max_columns)
    return ChildReader(limits, processes=values.ingest_jobs if is_service else 1)


def ocr_of(settings: Settings) -> TesseractOcr | None:
    """Return what reads pictures of pages, None unless it is wanted; asks the programs."""
    values = settings.values
    if not values.ocr:
        return None
    from weft.adapters.reader.ocr.ocr import TesseractOcr
    from weft.adapters.reader.ocr.programs import found_programs

    return TesseractOcr(found_programs(), languages=values.ocr_languages, pages=values.ocr_pages)


def tools_of(
    settings: Settings,
    *,
    reader: ChildReader,
    ocr: Ocr | None,
    embedder: Embedder | None,
    ontologies: Ontologies,
) -> Tools:
    """Return what documents are made with."""
    clock, ladders = SystemClock(), dict[str, LateLadder]()

    def ladder_of(made_with: Mapping[str, str]) -> LateLadder:
        name = name_of(made_with)
        reference = ontologies.reference(name)
        if reference not in ladders:
            ladders[reference] = LateLadder(ontologies, name, clock=clock)
        return ladders[reference]

    return Tools(
        reader=reader if ocr is None else PictureReader(reader, ocr),
        pictures="" if ocr is None else ocr.version,
        embedder=embedder,
        ladder=ladder_of({SETTING: settings.values.ontology}),
        ladders=ladder_of,
        splitting=SplitSettings(
            chunk_tokens=settings.values.chunk_tokens, overlap=settings.values.chunk_overlap
        ),
        caps=DocumentCaps(
            mentions=settings.values.max_mentions,
            claims=settings.values.max_claims,
            seconds=settings.values.document_seconds,
        ),
    )


def originals_of(settings: Settings, *, is_service: bool = False) -> Originals:
    """Return what keeps the files that documents came from, in the workspace."""
    keeping = Keeping(settings.values.originals)
    return Originals(FolderBlobs(settings.home / "blobs"), keeping, is_service=is_service)


def ontologies_of(settings: Settings) -> Ontologies:
    """Return the ontologies by name: those of the workspace, and the shipped ones."""
    return Ontologies(settings.home / "ontologies")


def backends_of(settings: Settings, ontologies: Ontologies) -> Backends:
    """Return where knowledge bases are kept: in the workspace, or on servers."""
    return Backends(SqliteStores(settings.home), lambda: _on_servers(settings, ontologies))


def _on_servers(settings: Settings, ontologies: Ontologies) -> ServerBackend:
    """Return what opens knowledge bases on Neo4j; its driver comes with an extra."""
    try:
        from weft.adapters.neo4j.browsing import BrowsingIndexes
        from weft.adapters.neo4j.servers import Credentials, Neo4jServers
        from weft.adapters.neo4j.stores import Neo4jStores
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "neo4j":
            raise
        raise ConfigurationError(
            "Neo4j's driver is not installed; run: pip install 'weft[neo4j]'"
        ) from error
    values = settings.values
    credentials = Credentials(
        user=values.neo4j_user, password=values.neo4j_password, secret=read_secret
    )
    indexes = BrowsingIndexes(vectors=values.neo4j_index)
    return ServerBackend(
        stores=Neo4jStores(credentials, ontologies, indexes=indexes),
        servers=Neo4jServers(credentials),
    )


def recipe_of(embedder: Embedder | None, *, ontology: str) -> Recipe:
    """Return what an index is made with here; `ontology` is one by name and version."""
    fingerprint = "none" if embedder is None else embedder.fingerprint
    return Recipe(
        settings={"embedder": fingerprint, "terms": TERMS, SETTING: ontology},
        dimensions=0 if embedder is None else embedder.dimensions,
    )


async def prepare_search(stores: Sequence[Store], scope: Scope) -> None:
    """Make ready what the first question of a process needs, so that it waits for less."""
    await prepare(bases_of(stores), scope)


def top_k_of(settings: Settings, stores: Sequence[Store]) -> int:
    """Return how many passages a search of some bases gives where nobody says how many."""
    values = settings.values
    on_servers = bool(stores) and all(store.is_on_server for store in stores)
    return values.neo4j_top_k if on_servers and values.neo4j_top_k else values.top_k


def bases_of(stores: Sequence[Store]) -> tuple[Base, ...]:
    """Return opened knowledge bases as a search takes them."""
    return tuple(
        Base(name=store.name, knowledge=store.knowledge, links=store.links, title=store.title)
        for store in stores
    )
