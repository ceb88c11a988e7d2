"""Replays of runs: what they need besides what runs flows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from weft.agents.roles import Agents
from weft.agents.tools.catalog import EVERY_TOOL
from weft.bootstrap.app import App
from weft.bootstrap.models import chat_model, close_chat_model
from weft.domain.errors import BadInput
from weft.flows.reading_rights import ReadingRights
from weft.flows.replay.reenactment import Change, ReplayParts
from weft.flows.replay.replayer import Replayer
from weft.flows.running import FlowRunner
from weft.platform.manifest import ToolCatalog
from weft.platform.policy import OpenPolicy
from weft.platform.tools import Dispatcher

if TYPE_CHECKING:
    from weft.adapters.llm.model import ChatModel

_OFFLINE = "offline"


def build_replayer(app: App, runner: FlowRunner) -> Replayer:
    """Build what replays the runs of a `FlowRunner`."""
    parts = ReplayParts(
        models=_Models(app),
        tools=ToolCatalog(EVERY_TOOL),
        policy=OpenPolicy(),
        reading=ReadingRights(app.library, app.records.tape),
    )
    return Replayer(runner, parts)


class _Models:
    """Implements `ReplayModels` by the settings."""

    def __init__(self, app: App) -> None:
        self._settings = app.settings
        folder = app.settings.home / "prompts"
        self._folder = folder if folder.is_dir() else None

    def recorded(self, name: str, dispatcher: Dispatcher) -> Agents:
        """Return a model of that name that says nothing but what is on the tape."""
        # Here, because a run of rules needs no framework.
        from weft.agents.model.recorded import RecordedModel

        return self._agents(RecordedModel(name), dispatcher, {})

    def _agents(
        self, model: ChatModel, dispatcher: Dispatcher, instead: Mapping[str, str]
    ) -> Agents:
        from weft.agents.model.costs import read_prices
        from weft.agents.model.prompts import Prompts
        from weft.agents.model.runner import ModelAgents, ModelTerms

        values = self._settings.values
        terms = ModelTerms(deadline_s=values.model_deadline, prices=read_prices(values.model_price))
        prompts = Prompts(self._folder, instead=instead)
        return ModelAgents(model, prompts, dispatcher=dispatcher, terms=terms)

    @asynccontextmanager
    async def changed(
        self, name: str, change: Change, *, dispatcher: Dispatcher
    ) -> AsyncIterator[Agents | None]:
        """Open what fills the roles of a run of that model once something is changed."""
        from weft.agents.model.prompts import version_of

        instead = version_of(self._folder, change.prompt) if change.prompt else {}
        wanted = change.model or (self._settings.values.model if name else _OFFLINE)
        if wanted == _OFFLINE:
            if name and not change.model:
                raise BadInput("No model is configured that a changed prompt could be asked of.")
            yield None
            return
        values = replace(self._settings.values, model=wanted)
        model = await asyncio.to_thread(chat_model, replace(self._settings, values=values))
        assert model is not None, "whatever is not offline is a model or an error"
        try:
            yield self._agents(model, dispatcher, instead)
        finally:
            await close_chat_model(model)
