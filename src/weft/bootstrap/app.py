"""The house, built: picks the adapters and hands them to the rooms; no logic."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from weft.adapters.reader.limits import ReaderLimits
from weft.adapters.reader.reader import ChildReader
from weft.adapters.sql.records import Records, open_records
from weft.adapters.sql.retention import Retention
from weft.adapters.sqlite.stores import SqliteStores
from weft.bases.backends import Backends, ServerBackend
from weft.bases.library import Library
from weft.config import ENVIRONMENT, FILE, SECRETS, Settings, load_settings, read_secret, template
from weft.domain.errors import ConfigurationError, WeftError, WeightsMissing
from weft.domain.scope import Scope
from weft.extraction.ladder.ladder import Ladder
from weft.ingest.jobs.ingestion import Ingest, IngestRecords
from weft.ingest.pipeline import Tools
from weft.ingest.sources.inbox import inboxes_of
from weft.ingest.splitting.split import SplitSettings
from weft.language.terms import VERSION as TERMS
from weft.ontology.catalog import load_baseline
from weft.platform.policy import OpenPolicy
from weft.platform.secret import secret_in
from weft.platform.time import SystemClock
from weft.ports.embedder import Embedder
from weft.ports.records.runs import Runs
from weft.ports.store import Base, Recipe, Store
from weft.retrieval.families import siblings
from weft.retrieval.lookup import lookup
from weft.retrieval.search import prepare, search

if TYPE_CHECKING:
    from weft.adapters.llm.model import ChatModel
    from weft.agents.model.runner import Terms
    from weft.flows.rag.flow import RagHouse

# The faces reach the settings through here: nothing but this module imports `config`.
__all__ = [
    "ENVIRONMENT",
    "FILE",
    "SECRETS",
    "App",
    "ModelFinding",
    "Settings",
    "SystemClock",
    "build_answering",
    "cache_folder",
    "check_models",
    "install_weights",
    "load_agents",
    "load_settings",
    "open_app",
    "prepare_search",
    "template",
]

_MEGABYTE = 1024 * 1024
_OPENAI = "https://api.openai.com/v1"


class LoadedEmbedder(Embedder, Protocol):
    """An embedder that holds threads or connections."""

    async def close(self) -> None:
        """Let go of them."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """One built house; `notes` says what is missing and how to mend it."""

    settings: Settings
    clock: SystemClock
    records: Records
    embedder: LoadedEmbedder | None
    reader: ChildReader
    library: Library
    servers: Backends
    ingest: Ingest
    notes: tuple[str, ...]
    chat_models: list[ChatModel] = field(default_factory=list)

    async def close(self) -> None:
        """Let go of everything, in the order opposite to opening."""
        for model in self.chat_models:
            await _close_chat_model(model)
        await self.library.close()
        await self.reader.close()
        if self.embedder is not None:
            await self.embedder.close()
        await self.records.close()


async def open_app(
    settings: Settings, *, with_models: bool = True, is_service: bool = False
) -> App:
    """Build the house; without models it opens and lists, but makes and searches nothing.

    Unless the settings say where history is kept, a service keeps it in memory.
    """
    clock = SystemClock()
    opening = asyncio.to_thread(_open_records, settings, clock, is_service=is_service)
    loading = asyncio.to_thread(_open_embedder, settings, with_models)
    records, (embedder, notes) = await asyncio.gather(opening, loading)
    reader = ChildReader(ReaderLimits(file_bytes=settings.values.max_file_mb * _MEGABYTE))
    tools = Tools(
        reader=reader,
        embedder=embedder,
        ladder=Ladder(ontology=load_baseline(), clock=clock),
        splitting=SplitSettings(
            chunk_tokens=settings.values.chunk_tokens, overlap=settings.values.chunk_overlap
        ),
    )
    recipe = _recipe(embedder) if with_models else None
    backends = Backends(SqliteStores(settings.home), lambda: _on_servers(settings))
    library = Library(records.bases, backends, recipe=recipe)
    ingest_records = IngestRecords(
        jobs=records.jobs, worklist=records.worklist, tape=records.tape, worker=records.worker
    )
    return App(
        settings=settings,
        clock=clock,
        records=records,
        embedder=embedder,
        reader=reader,
        library=library,
        servers=backends,
        ingest=Ingest(library, tools, records=ingest_records, inboxes=inboxes_of(settings.home)),
        notes=tuple(notes),
    )


def _on_servers(settings: Settings) -> ServerBackend:
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
        stores=Neo4jStores(credentials, indexes=indexes), servers=Neo4jServers(credentials)
    )


def load_agents() -> None:
    """Bring in the agent framework, which nothing else needs: a second, best spent in a thread."""
    import weft.flows.house  # noqa: F401  # the import is the point


def build_answering(app: App, stores: Sequence[Store], *, runs: Runs | None = None) -> RagHouse:
    """Build the flow that answers from some knowledge bases; `runs` keeps its runs, if given.

    It blocks for a second the first time, unless `load_agents` was called before.
    """
    from weft.flows.house import AnsweringParts, build_house
    from weft.verification.citations import Unsupported

    model = _chat_model(app.settings)
    if model is not None:
        app.chat_models.append(model)
    return build_house(
        AnsweringParts(
            bases=bases_of(stores),
            embedder=app.embedder,
            search=search,
            lookup=lookup,
            siblings=siblings,
            policy=OpenPolicy(),
            runs=runs or app.records.runs,
            tool_runs=app.records.tool_runs,
            tape=app.records.tape,
            audit=app.records.audit,
            clock=app.clock,
            model=model,
            prompts=app.settings.home / "prompts",
            terms=_terms(app.settings),
            unsupported=Unsupported(app.settings.values.unsupported),
        )
    )


def _terms(settings: Settings) -> Terms:
    from weft.agents.model.costs import read_tariff
    from weft.agents.model.runner import Terms

    values = settings.values
    return Terms(deadline_s=values.model_deadline, tariff=read_tariff(values.model_price))


async def prepare_search(stores: Sequence[Store], scope: Scope) -> None:
    """Make ready what the first question of a process needs, so that it waits for less."""
    await prepare(bases_of(stores), scope)


def bases_of(stores: Sequence[Store]) -> tuple[Base, ...]:
    """Return opened knowledge bases as a search takes them."""
    return tuple(
        Base(name=store.name, knowledge=store.knowledge, links=store.links) for store in stores
    )


async def _close_chat_model(model: ChatModel) -> None:
    from weft.adapters.llm.model import close

    await close(model)


def _chat_model(settings: Settings) -> ChatModel | None:
    values = settings.values
    if values.model == "offline":
        return None
    from weft.adapters.llm.model import ModelChoice, build_model

    reached = _endpoint(settings, values.model)
    return build_model(
        ModelChoice(
            name=values.model,
            base_url=reached.base_url,
            api_key=reached.api_key,
            api_version=reached.api_version,
            timeout_s=values.model_timeout,
            connect_s=values.model_connect_timeout,
            max_retries=values.model_retries,
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Endpoint:
    base_url: str
    api_key: str = ""
    api_version: str = ""


def _endpoint(settings: Settings, model: str) -> _Endpoint:
    """Return how the provider of a model is reached."""
    values = settings.values
    match model.partition(":")[0]:
        case "azure":
            return _Endpoint(
                base_url=values.azure_openai_endpoint,
                api_key=values.azure_openai_api_key,
                api_version=values.azure_openai_api_version,
            )
        case "ollama":
            return _Endpoint(base_url=values.ollama_base_url)
        case _:
            return _Endpoint(base_url=values.openai_base_url, api_key=values.openai_api_key)


def _open_embedder(settings: Settings, wanted: bool) -> tuple[LoadedEmbedder | None, list[str]]:
    """Return the embedder that the settings name, or none and why."""
    values = settings.values
    if not wanted or values.embedder == "none":
        return None, []
    if values.embedder == "local":
        return _open_local(settings)
    from weft.adapters.llm.embedder import EndpointEmbedder, EndpointModel

    provider, _, name = values.embedder.partition(":")
    if provider not in {"openai", "ollama"} or not name:
        raise ConfigurationError(
            f"'{values.embedder}' names no embedder; write local, none, openai:NAME or ollama:NAME."
        )
    if values.embedding_dimension is None:
        raise ConfigurationError(f"EMBEDDING_DIMENSION is needed for '{values.embedder}'.")
    reached = _endpoint(settings, values.embedder)
    model = EndpointModel(
        provider=provider,
        name=name,
        base_url=reached.base_url or _OPENAI,
        dimensions=values.embedding_dimension,
        api_key=reached.api_key,
    )
    return EndpointEmbedder(model), []


def _open_local(settings: Settings) -> tuple[LoadedEmbedder | None, list[str]]:
    # Here, because it brings in the network's runtime, which `kb list` and its like do not need.
    from weft.adapters.onnx.encoder import open_embedder

    try:
        found = open_embedder(cache_folder(settings))
    except WeightsMissing as error:
        return None, [f"{error.message} Until then Weft searches by full text alone."]
    if settings.values.embedding_dimension not in (None, found.dimensions):
        raise ConfigurationError(
            f"EMBEDDING_DIMENSION is {settings.values.embedding_dimension}, but the local model "
            f"gives {found.dimensions}."
        )
    return found, []


def cache_folder(settings: Settings) -> Path:
    """Return where the local model's files are kept."""
    return settings.home / "cache"


def _recipe(embedder: Embedder | None) -> Recipe:
    fingerprint = "none" if embedder is None else embedder.fingerprint
    return Recipe(
        settings={"embedder": fingerprint, "terms": TERMS},
        dimensions=0 if embedder is None else embedder.dimensions,
    )


def _open_records(settings: Settings, clock: SystemClock, *, is_service: bool) -> Records:
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    url = settings.values.database_url or f"sqlite:///{settings.home / 'records.db'}"
    values = settings.values
    retention = Retention(
        stored=(values.history or ("memory" if is_service else "stored")) == "stored",
        limit=values.history_limit,
        hours=values.history_hours,
    )
    key = secret_in(settings.home / "audit.key")
    return open_records(url, audit_key=key, clock=clock, retention=retention)


def install_weights(settings: Settings) -> Path:
    """Fetch the local model's weights into the workspace and return their folder."""
    from weft.adapters.onnx.weights import install

    return install(cache_folder(settings)).folder


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFinding:
    """What trying a model showed, in words."""

    role: str
    ok: bool
    said: str

    def as_json(self) -> dict[str, object]:
        """Return the finding as JSON."""
        return {"role": self.role, "ok": self.ok, "said": self.said}


async def check_models(settings: Settings) -> list[ModelFinding]:
    """Try the embedder and the answering model with one short text each."""
    clock = SystemClock()
    began = clock.elapsed()
    embedder, notes = await asyncio.to_thread(_open_embedder, settings, True)
    if embedder is None:
        said = " ".join(notes) or "none, by choice"
        findings = [ModelFinding(role="embedder", ok=not notes, said=said)]
    else:
        try:
            await embedder.queries(["ready?"])
            ms = (clock.elapsed() - began) * 1000
            said = f"{embedder.fingerprint}, {embedder.dimensions} numbers, {ms:.0f} ms"
            findings = [ModelFinding(role="embedder", ok=True, said=said)]
        except WeftError as error:
            findings = [ModelFinding(role="embedder", ok=False, said=error.message)]
        finally:
            await embedder.close()
    model = _chat_model(settings)
    if model is None:
        said = "offline: answers are quotations chosen by rule, at no cost"
        return [*findings, ModelFinding(role="model", ok=True, said=said)]
    from weft.adapters.llm.model_check import check

    try:
        seen = await check(model, timeout_s=settings.values.model_deadline)
    finally:
        await _close_chat_model(model)
    cost = "price unknown" if seen.money is None else f"${seen.money:.6f}"
    words = [f"{a.name} {a.ms:.0f} ms" if a.ok else f"{a.name}: {a.error}" for a in seen.abilities]
    said = f"{seen.model}: {', '.join(words)}; {seen.tokens} tokens, {cost}"
    return [*findings, ModelFinding(role="model", ok=seen.ok, said=said)]
