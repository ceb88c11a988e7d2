"""The models: who makes vectors, who writes answers, and whether they answer."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from weft.config import Settings
from weft.domain.errors import ConfigurationError, WeftError, WeightsMissing
from weft.domain.frozen import dataclass
from weft.platform.time import SystemClock
from weft.ports.embedder import CrossReader, Embedder

if TYPE_CHECKING:
    from weft.adapters.llm.model import ChatModel

_OPENAI = "https://api.openai.com/v1"


class LoadedEmbedder(Embedder, Protocol):
    """An embedder that holds threads or connections."""

    async def close(self) -> None:
        """Let go of them."""
        ...


def chat_model(settings: Settings) -> ChatModel | None:
    """Return the configured model, None to answer by rules alone."""
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


async def close_chat_model(model: ChatModel) -> None:
    """Let go of a model's connections."""
    from weft.adapters.llm.model import close

    await close(model)


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


# An embedder, or none and why.
OpenedEmbedder: TypeAlias = tuple[LoadedEmbedder | None, list[str]]


def open_embedder_of(settings: Settings, wanted: bool) -> OpenedEmbedder:
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


def _open_local(settings: Settings) -> OpenedEmbedder:
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
    return found, [found.note] if found.note else []


def cross_reader_of(settings: Settings, embedder: LoadedEmbedder | None) -> CrossReader | None:
    """Return what reads a question and a text together, None where no local model is open."""
    if embedder is None or settings.values.embedder != "local":
        return None
    from weft.adapters.onnx.cross_reader import MiniLmReader
    from weft.adapters.onnx.encoder import MiniLm

    return MiniLmReader(cache_folder(settings), embedder) if isinstance(embedder, MiniLm) else None


def cache_folder(settings: Settings) -> Path:
    """Return where the local model's files are kept."""
    return settings.home / "cache"


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
    embedder, notes = await asyncio.to_thread(open_embedder_of, settings, True)
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
    model = chat_model(settings)
    if model is None:
        said = "offline: answers are quotations chosen by rule, at no cost"
        return [*findings, ModelFinding(role="model", ok=True, said=said)]
    from weft.adapters.llm.model_check import CheckTerms, check
    from weft.agents.model.costs import read_prices
    from weft.agents.model.failures import reason_of

    values = settings.values
    prices = read_prices(values.model_price)
    terms = CheckTerms(timeout_s=values.model_deadline, price=prices.cost, said=reason_of)
    try:
        seen = await check(model, terms=terms)
    finally:
        await close_chat_model(model)
    cost = "price unknown" if seen.money is None else f"${seen.money:.6f}"
    words = [f"{a.name} {a.ms:.0f} ms" if a.ok else f"{a.name}: {a.error}" for a in seen.abilities]
    said = f"{seen.model}: {', '.join(words)}; {seen.tokens} tokens, {cost}"
    return [*findings, ModelFinding(role="model", ok=seen.ok, said=said)]
