"""Chat models behind an endpoint, as pydantic-ai models: OpenAI's protocol, Azure, Ollama."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from time import perf_counter

from openai import AsyncAzureOpenAI, AsyncOpenAI
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models import Model
from pydantic_ai.models.ollama import OllamaModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.azure import AzureProvider
from pydantic_ai.providers.ollama import OllamaProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings

from weft.domain.errors import ConfigurationError

ChatModel = Model  # by this name for those who may not import the framework

_OPENAI = "https://api.openai.com/v1"
_OLLAMA = "http://127.0.0.1:11434/v1"
_NO_KEY = "none"
_KINDS = ("openai", "azure", "ollama")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """A model by `openai:NAME`, `azure:NAME` or `ollama:NAME`, and how it is reached.

    `timeout_s` is for one attempt; a failed one is repeated `max_retries` times.
    """

    name: str
    base_url: str = ""
    api_key: str = ""
    api_version: str = ""
    timeout_s: float = 30.0
    max_retries: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCheck:
    """What a tiny request showed: how long it took and what it cost, or what went wrong."""

    model: str
    ok: bool
    latency_ms: float
    tokens: int = 0
    error: str = ""


def build_model(choice: ModelChoice) -> Model:
    """Return the model of a choice, or raise `ConfigurationError` saying what is wrong with it."""
    kind, _, name = choice.name.partition(":")
    if kind not in _KINDS or not name:
        raise ConfigurationError(
            f"'{choice.name}' names no model; write openai:NAME, azure:NAME or ollama:NAME"
        )
    if kind == "azure":
        return _azure(choice, name)
    if kind == "ollama":
        client = _client(choice, choice.base_url or _OLLAMA)
        return OllamaModel(name, provider=OllamaProvider(openai_client=client))
    client = _client(choice, choice.base_url or _OPENAI)
    return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client))


async def check(model: Model, *, timeout_s: float = 30.0) -> ModelCheck:
    """Ask a model for one word and return what came of it; a failure is an outcome."""
    began = perf_counter()
    request = ModelRequest.user_text_prompt("Reply with the word ready.")
    try:
        async with asyncio.timeout(timeout_s):
            reply = await model_request(
                model, [request], model_settings=ModelSettings(max_tokens=16)
            )
    except TimeoutError:
        error = f"no reply within {timeout_s:g} s"
    except AgentRunError as raised:
        error = str(raised)
    else:
        return ModelCheck(
            model=model.model_name,
            ok=True,
            latency_ms=_ms_since(began),
            tokens=reply.usage.total_tokens,
        )
    return ModelCheck(model=model.model_name, ok=False, latency_ms=_ms_since(began), error=error)


async def close(model: Model) -> None:
    """Close a model's connections; to be called in the event loop that used them."""
    if isinstance(model, OpenAIChatModel):
        await model.client.close()


def _client(choice: ModelChoice, base_url: str) -> AsyncOpenAI:
    return AsyncOpenAI(
        base_url=base_url,
        api_key=choice.api_key or _NO_KEY,
        timeout=choice.timeout_s,
        max_retries=choice.max_retries,
    )


def _azure(choice: ModelChoice, name: str) -> Model:
    if not choice.base_url or not choice.api_version:
        raise ConfigurationError("an azure model needs its endpoint and its api version")
    client = AsyncAzureOpenAI(
        azure_endpoint=choice.base_url,
        api_version=choice.api_version,
        api_key=choice.api_key or _NO_KEY,
        timeout=choice.timeout_s,
        max_retries=choice.max_retries,
    )
    return OpenAIChatModel(name, provider=AzureProvider(openai_client=client))


def _ms_since(began: float) -> float:
    return (perf_counter() - began) * 1000
