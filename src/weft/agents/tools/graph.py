"""The graph tools at work: what there is to ask for, and typed patterns over the claims."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from weft.agents.evidence import EvidenceBook, evidence_item
from weft.agents.tools.graph_manifests import DESCRIBE_GRAPH, FIND_ENTITIES, GRAPH_PATTERN
from weft.agents.tools.library import RunLibrary, RunReader
from weft.agents.tools.passing import Passing
from weft.domain.entity import Entity
from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId
from weft.domain.pattern import (
    MAX_MATCHES,
    Comparison,
    GraphPattern,
    LocalClaim,
    Match,
    MatchedLiteral,
    PatternHop,
    PropertyFilter,
    Shape,
    Toward,
)
from weft.language.names import normalise
from weft.ontology.hints import hints_of
from weft.platform.manifest import Handler
from weft.ports.knowledge import DocumentFilter
from weft.ports.store import Base
from weft.retrieval.entities import EntityPorts
from weft.retrieval.entity_candidates import EntityCandidate, NamesAsked, candidates
from weft.retrieval.graph_schema import graph_schema
from weft.retrieval.hits import Hit
from weft.retrieval.pattern import match
from weft.retrieval.search import matching

_LIMIT = 20
# So many statements of a step are cited.
_CITED = 3
_TITLES = 2


class GraphTools:
    """The handlers of one run's graph tools."""

    def __init__(self, library: RunLibrary, reader: RunReader, *, book: EvidenceBook) -> None:
        """Take what is read, who reads, and what the run was given so far."""
        self._library = library
        self._reader = reader
        self._book = book
        self._passing = Passing(library, reader)

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by tool name."""
        return {
            DESCRIBE_GRAPH: self.describe_graph,
            GRAPH_PATTERN: self.graph_pattern,
            FIND_ENTITIES: self.find_entities,
        }

    async def describe_graph(self, args: Mapping[str, Any]) -> object:
        """Return which classes and relations may be asked for, counted over what is readable."""
        found = [
            await graph_schema(
                base, self._reader.scope, ontology=self._library.ontology_of(base.name)
            )
            for base in self._library.bases
        ]
        return {
            "graphs": [
                {
                    "knowledge_base": each.knowledge_base,
                    "summary": each.text,
                    "classes": {one.name: one.names for one in each.classes},
                    "relations": {one.name: one.claims for one in each.relations},
                    "words": {one.name: list(one.words) for one in each.relations},
                    "is_cut": each.is_cut,
                }
                for each in found
            ]
        }

    async def find_entities(self, args: Mapping[str, Any]) -> object:
        """Return for each name the things that it may mean, each once, the likeliest first."""
        question = self._reader.question

        def boost(base: str, classes: Collection[str]) -> float:
            return hints_of(self._library.ontology_of(base)).boost(question, classes)

        spelt = tuple(args.get("spelt", ()))
        names = tuple(dict.fromkeys((*args["names"], *spelt)))
        found = await candidates(
            self._library.bases,
            self._reader.scope,
            NamesAsked(names=names, spelt=frozenset(spelt), boost=boost),
        )
        return {
            "matches": [
                {
                    "question_entity": name,
                    "candidates": [one for each in found[name] for one in await self._shown(each)],
                }
                for name in names
            ]
        }

    async def _shown(self, found: EntityCandidate) -> list[dict[str, Any]]:
        """Return a candidate as a reply has it; none where the policy hides its names."""
        entity, base = found.entity, found.knowledge_base
        if not await self._passing.is_open((entity.name, *entity.aliases)):
            return []
        await self._passing.read((base, document) for document in found.documents)
        titles = await self._titles(found)
        return [
            {
                "database": base,
                "node_id": entity.id,
                "display_name": entity.name,
                "labels": list(found.labels),
                "aliases": list(entity.aliases),
                "documents": list(found.documents[:MAX_MATCHES]),
                "titles": titles,
                "score_kind": "ranked",
                "source": str(found.found_by),
            }
        ]

    async def _titles(self, found: EntityCandidate) -> list[str]:
        """Return the titles of the first documents that name a candidate, records first."""
        (base,) = (one for one in self._library.bases if one.name == found.knowledge_base)
        # What a row says of a thing tells it apart better than what a text calls itself.
        ordered = sorted(found.documents, key=lambda one: not one.startswith("record:"))
        first = DocumentFilter(documents=frozenset(ordered[:_TITLES]))
        listed = await base.knowledge.find(self._reader.scope, first, _TITLES)
        titles = [one.title for one in listed if one.title]
        return titles if await self._passing.is_open(titles) else []

    async def graph_pattern(self, args: Mapping[str, Any]) -> object:
        """Return the ways that fit a pattern, with the passages that state their steps."""
        pattern = pattern_of(args)
        answer = _Answer()
        refused: list[BadInput] = []
        bases = [base for base in self._library.bases if base.links is not None]
        for base in bases:
            try:
                await self._ask(base, pattern, answer)
            except BadInput as error:  # another base may have another ontology
                refused.append(error)
        if refused and len(refused) == len(bases):
            raise refused[0]
        is_cut = answer.is_cut or len(answer.matches) > pattern.limit
        cited = {
            one["id"]
            for each in answer.matches[: pattern.limit]
            for step in each["steps"]
            for one in step["cites"]
        }
        return {
            "matches": answer.matches[: pattern.limit],
            "is_cut": is_cut,
            "evidence": [item for key, item in answer.evidence.items() if key in cited],
        }

    async def _ask(self, base: Base, pattern: GraphPattern, answer: _Answer) -> None:
        assert base.links is not None
        scope = self._reader.scope
        found = await match(
            EntityPorts(knowledge=base.knowledge, links=base.links),
            scope,
            pattern=pattern,
            ontology=self._library.ontology_of(base.name),
        )
        answer.is_cut |= found.is_cut
        among = await matching(base, scope, self._reader.within)
        kept = [one for each in found.found if (one := _within(each, among)) is not None]
        hits = await self._stated(base, kept)
        for each in kept:
            told = await self._told(base, each, hits=hits)
            if told is not None:
                answer.matches.append(told)
        answer.evidence |= {
            name: evidence_item(hit.evidence, name)
            for hit in hits.values()
            for name in [self._book.id_of(base.name, hit.evidence.chunk_id)]
        }

    async def _stated(self, base: Base, found: Sequence[Match]) -> dict[ChunkId, Hit]:
        """Return the passages that state the steps, as far as the policy lets them pass unchanged.

        Of one that it changes nothing is told: a claim might say what was taken out of it.
        """
        claims = [claim for each in found for step in each.steps for claim in step[:_CITED]]
        wanted = list(dict.fromkeys(claim.claim.chunk_id for claim in claims))
        hits = [
            Hit(
                evidence=one.evidence(f"{base.name}/{one.chunk.id}", knowledge_base=base.name),
                score=0.0,
                cosine=0.0,
                cosines=(),
            )
            for one in await base.knowledge.chunks(self._reader.scope, wanted)
        ]
        texts = {hit.evidence.chunk_id: hit.evidence.text for hit in hits}
        passed = await self._passing.let_pass(hits)
        return {
            hit.evidence.chunk_id: hit
            for hit in passed
            if hit.evidence.text == texts[hit.evidence.chunk_id]
        }

    async def _told(
        self, base: Base, found: Match, *, hits: Mapping[ChunkId, Hit]
    ) -> dict[str, Any] | None:
        """Return a match as a reply has it; None where a part of it may not be told."""
        steps = [[claim for claim in step if claim.claim.chunk_id in hits] for step in found.steps]
        entities = [each for each in found.nodes if isinstance(each, Entity)]
        if not all(steps) or not await self._passing.is_open(each.name for each in entities):
            return None
        await self._passing.read(
            (base.name, member.document_id) for each in entities for member in each.members
        )
        return {
            "knowledge_base": base.name,
            "nodes": [_node(each) for each in found.nodes],
            "steps": [
                {
                    "relations": sorted({claim.claim.predicate for claim in step}),
                    "cites": [
                        {
                            "id": self._book.id_of(base.name, claim.claim.chunk_id),
                            "start": claim.claim.start,
                            "end": claim.claim.end,
                        }
                        for claim in step[:_CITED]
                    ],
                }
                for step in steps
            ],
        }


@dataclass(slots=True)
class _Answer:
    """What is found while one base after the other is asked."""

    matches: list[dict[str, Any]] = field(default_factory=list)
    evidence: dict[str, dict[str, Any]] = field(default_factory=dict)
    is_cut: bool = False


def pattern_of(args: Mapping[str, Any]) -> GraphPattern:
    """Return the pattern that arguments of the tool's schema mean; names as they are kept."""
    return GraphPattern(
        start=_shape(args["start"]),
        hops=tuple(
            PatternHop(
                relations=frozenset(hop.get("relations", ())),
                toward=Toward(hop.get("toward", Toward.OBJECT)),
                reaches=_shape(hop.get("reaches", {})),
            )
            for hop in args.get("hops", ())
        ),
        limit=args.get("limit", _LIMIT),
    )


def _shape(args: Mapping[str, Any]) -> Shape:
    return Shape(
        classes=frozenset(args.get("classes", ())),
        names=frozenset(name for each in args.get("names", ()) if (name := normalise(each))),
        where=tuple(
            PropertyFilter(
                name=each["property"],
                comparison=Comparison(each.get("comparison", Comparison.EQUALS)),
                value=each["value"],
            )
            for each in args.get("where", ())
        ),
    )


def _within(found: Match, among: frozenset[str] | None) -> Match | None:
    """Return a match by what some documents state; None where they do not state all of it."""
    if among is None:
        return found
    steps = tuple(_of(step, among) for step in found.steps)
    if not all(steps) or not _is_named(found.nodes[0], among):
        return None
    return replace(found, steps=steps)


def _of(step: Iterable[LocalClaim], among: frozenset[str]) -> tuple[LocalClaim, ...]:
    return tuple(claim for claim in step if claim.document_id in among)


def _is_named(node: Entity | MatchedLiteral, among: frozenset[str]) -> bool:
    members = node.members if isinstance(node, Entity) else ()
    return any(member.document_id in among for member in members)


def _node(node: Entity | MatchedLiteral) -> dict[str, Any]:
    if isinstance(node, MatchedLiteral):
        return {"value": node.value}
    return {"id": node.id, "name": node.name, "class": node.entity_class}
