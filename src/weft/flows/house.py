"""Joining the parts of the answering flow: tools, roles, records."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pydantic_ai.models import Model

from weft.agents.model.prompts import Prompts
from weft.agents.model.runner import Runner, Terms
from weft.agents.roles import ANSWERER
from weft.agents.tools.knowledge import Library, Lookup, Search, Siblings
from weft.agents.tools.manifests import KNOWLEDGE_TOOLS
from weft.flows.desk import RagHouse
from weft.platform.manifest import ToolCatalog
from weft.platform.tools import Dispatcher, DispatcherDeps
from weft.ports.clock import Clock
from weft.ports.embedder import Embedder
from weft.ports.policy import Policy
from weft.ports.records.audit import Audit
from weft.ports.records.runs import Runs
from weft.ports.records.tape import Tape
from weft.ports.records.tool_runs import ToolRuns
from weft.ports.store import Base
from weft.verification.citations import Unsupported


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweringParts:
    """All that the flow is made from; without `model` it answers by the offline rules."""

    bases: tuple[Base, ...]
    embedder: Embedder | None
    search: Search
    policy: Policy
    runs: Runs
    tool_runs: ToolRuns
    tape: Tape
    audit: Audit
    clock: Clock
    model: Model | None
    prompts: Path
    lookup: Lookup | None = None
    siblings: Siblings | None = None
    terms: Terms = field(default_factory=Terms)
    unsupported: Unsupported = Unsupported.DROP


def build_house(parts: AnsweringParts) -> RagHouse:
    """Return the flow's house, its agent built already."""
    dispatcher = Dispatcher(
        DispatcherDeps(
            catalog=ToolCatalog(KNOWLEDGE_TOOLS),
            policy=parts.policy,
            tool_runs=parts.tool_runs,
            audit=parts.audit,
            clock=parts.clock,
        )
    )
    prompts = Prompts(parts.prompts if parts.prompts.is_dir() else None)
    runner = Runner(dispatcher, prompts, model=parts.model, terms=parts.terms)
    runner.prepare(ANSWERER)
    library = Library(
        bases=parts.bases,
        embedder=parts.embedder,
        search=parts.search,
        policy=parts.policy,
        tape=parts.tape,
        lookup=parts.lookup,
        siblings=parts.siblings,
    )
    return RagHouse(
        library=library,
        runner=runner,
        runs=parts.runs,
        audit=parts.audit,
        clock=parts.clock,
        unsupported=parts.unsupported,
    )
