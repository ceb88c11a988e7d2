"""Chat models behind an endpoint, as pydantic-ai models: OpenAI's protocol, Azure, Ollama."""

from __future__ import annotations

from openai import AsyncAzureOpenAI, AsyncOpenAI
from pydantic_ai.models import Model
from pydantic_ai.models.ollama import OllamaModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.azure import AzureProvider
from pydantic_ai.providers.ollama import OllamaProvider
from pydantic_ai.providers.openai import OpenAIProvider

from weft.adapters.llm.http_client import BoundedClient
from weft.domain.errors import ConfigurationError
from weft.domain.frozen import dataclass

ChatModel = Model  # by this name for those who may not import the framework

_OPENAI = "https://api.openai.com/v1"
_OLLAMA = "http://127.0.0.1:11434/v1"
_NO_KEY = "none"
_KINDS = ("openai", "azure", "ollama")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """A model by `openai:NAME`, `azure:NAME` or `ollama:NAME`, and how it is reached.

    `timeout_s` is for one attempt, its whole reply included, `connect_s` for connecting. A failed
    one (a reset, a timeout, 408, 409, 429, 5xx, a reply that is no JSON) is repeated `max_retries`
    times, with pauses that grow and vary, or those that the server asks for by Retry-After; a
    server that wants a longer one than a reply may take is not asked again.
    """

    name: str
    base_url: str = ""
    api_key: str = ""
    api_version: str = ""
    timeout_s: float = 30.0
    connect_s: float = 5.0
    max_retries: int = 1


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
        http_client=_patient(choice),
    )


def _patient(choice: ModelChoice) -> BoundedClient:
    return BoundedClient(timeout_s=choice.timeout_s, connect_s=choice.connect_s)


def _azure(choice: ModelChoice, name: str) -> Model:
    if not choice.base_url or not choice.api_version:
        raise ConfigurationError("an azure model needs its endpoint and its api version")
    client = AsyncAzureOpenAI(
        azure_endpoint=choice.base_url,
        api_version=choice.api_version,
        api_key=choice.api_key or _NO_KEY,
        timeout=choice.timeout_s,
        max_retries=choice.max_retries,
        http_client=_patient(choice),
    )
    return OpenAIChatModel(name, provider=AzureProvider(openai_client=client))
