"""The product for one call of the command line: its model loads while the rest is imported."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from weft.bootstrap.models import open_embedder_of
from weft.config import load_settings

if TYPE_CHECKING:
    from weft.bootstrap.app import App


async def start(*, with_models: bool = True, is_service: bool = False) -> App:
    """Build the product by the settings of this machine, as `open_app` does."""
    settings = load_settings()
    loop = asyncio.get_running_loop()
    embedder = loop.run_in_executor(None, open_embedder_of, settings, with_models)
    # Here, because the network is opened by threads that need no Python: it is ready by the time
    # that all of this is imported.
    from weft.bootstrap.app import open_app

    return await open_app(
        settings, with_models=with_models, is_service=is_service, embedder=embedder
    )
