"""Roles: what an agent is told, what it may use, what it hands in, and its rule without a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from weft.agents.drafts import DraftAnswer
from weft.agents.tools.manifests import FETCH_NEIGHBORS, FILTER_DOCS, GRAPH_QUERY, RAG_SEARCH
from weft.agents.turn import Rule
from weft.offline.answerer import answer_offline

Out = TypeVar("Out", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSettings:
    """How a model is asked.

    `timeout_s` is for the whole role (None: the runner's own deadline), `max_turns` counts its
    replies, and `max_tokens` is the most that it may spend in all of them.
    """

    temperature: float = 0.0
    timeout_s: float | None = None
    max_turns: int = 8
    max_tokens: int = 60_000
    retries: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Role(Generic[Out]):
    """An agent by name: `prompt` names its template, `tools` those it may call."""

    name: str
    prompt: str
    output: type[Out]
    tools: tuple[str, ...]
    rule: Rule
    settings: RoleSettings = RoleSettings()


ANSWERER = Role(
    name="answerer",
    prompt="answer",
    output=DraftAnswer,
    tools=(RAG_SEARCH, GRAPH_QUERY, FETCH_NEIGHBORS, FILTER_DOCS),
    rule=answer_offline,
)
