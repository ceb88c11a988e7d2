"""The step that finds out what the names of a question mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from weft.agents.tools.graph_manifests import FIND_ENTITIES
from weft.domain.entity import EntityOverride, NodeCandidate, QuestionEntity
from weft.domain.frozen import dataclass
from weft.domain.notes import note
from weft.flows.semantic.state import SemanticState
from weft.flows.services import Services
from weft.flows.state import changed, read
from weft.language.names import normalise
from weft.offline.graph.mentions import mentions_in
from weft.offline.graph.stated import longest
from weft.runtime.context import NodeResult, RunContext


@dataclass(frozen=True, slots=True)
class Resolve:
    """Where names become entities: candidates of each, the person's choice first."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Look up what may be a name, and put what was pinned before what is likely."""
        state, toolkit = read(SemanticState, ctx.state), self.services.toolkits.of(ctx)
        tools = toolkit.tools(ctx, question=state.question, within=state.within)
        mentions = mentions_in(state.question)
        spelt = [*mentions.spelt, *(one.question_entity for one in state.overrides)]
        names = list(mentions.names)
        reply = await tools.use(FIND_ENTITIES, names=names, spelt=list(dict.fromkeys(spelt))[:20])
        meant = [_entity(one) for one in longest(_by_length(reply.get("matches", ())))]
        titles = {base.name: base.title for base in toolkit.library.bases}
        applied = tuple(one for one in state.overrides if _pinned(one, meant, titles) is not None)
        failed = [one.question_entity for one in state.overrides if one not in applied]
        after = replace(
            state,
            matches=tuple(_chosen_first(one, applied, titles) for one in meant),
            unresolved=unresolved_in(mentions.spelt, meant),
            applied=applied,
            notes=(*state.notes, *(note("pin_unknown", name=name) for name in failed)),
        )
        return NodeResult(state_patch=changed(state, after))


def unresolved_in(spelt: Iterable[str], meant: Sequence[QuestionEntity]) -> tuple[str, ...]:
    """Return the names that nothing readable bears, no part of what something does."""
    known = [f" {normalise(one.question_entity)} " for one in meant]
    keys = {name: f" {normalise(name)} " for name in spelt}
    return tuple(
        name
        for name, key in keys.items()
        if key.strip() and not any(key in other or other in key for other in known)
    )


def _by_length(matches: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(matches, key=lambda one: -len(str(one["question_entity"])))


def _entity(match: Mapping[str, Any]) -> QuestionEntity:
    return QuestionEntity(
        question_entity=str(match["question_entity"]),
        candidates=tuple(
            NodeCandidate(
                database=one["database"],
                node_id=one["node_id"],
                display_name=one["display_name"],
                labels=tuple(one["labels"]),
                aliases=tuple(one["aliases"]),
                documents=tuple(one["documents"]),
                titles=tuple(one["titles"]),
                score_kind=one["score_kind"],
                source=one["source"],
            )
            for one in match["candidates"]
        ),
    )


def _pinned(
    override: EntityOverride, meant: Iterable[QuestionEntity], titles: Mapping[str, str]
) -> NodeCandidate | None:
    """Return the candidate that a choice names; None where there is none, or none readable."""
    for one in meant:
        if normalise(one.question_entity) != normalise(override.question_entity):
            continue
        for candidate in one.candidates:
            bases = ("", candidate.database, titles.get(candidate.database, ""))
            if candidate.node_id == override.node_id and override.database in bases:
                return candidate
    return None


def _chosen_first(
    one: QuestionEntity, applied: Iterable[EntityOverride], titles: Mapping[str, str]
) -> QuestionEntity:
    chosen = [found for each in applied if (found := _pinned(each, [one], titles)) is not None]
    others = (each for each in one.candidates if each not in chosen)
    return replace(one, candidates=(*dict.fromkeys(chosen), *others))
