"""A model that says what a test tells it to, reached over HTTP as any other is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from pydantic_ai.models import Model

from model_server import ModelServer, Script, model_server
from weft.adapters.llm.model import ModelChoice, build_model, close


@asynccontextmanager
async def scripted_model(
    script: Script, *, name: str = "openai:scripted", **choice: Any
) -> AsyncIterator[tuple[Model, ModelServer]]:
    """Serve a script; give the model that it is, and the server with what was asked of it.

    `choice` holds the other fields of a `ModelChoice`.
    """
    with model_server(script) as server:
        model = build_model(ModelChoice(name=name, base_url=server.base_url, **choice))
        try:
            yield model, server
        finally:
            await close(model)
