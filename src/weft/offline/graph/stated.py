"""What is stated along the claims: a pattern made of a question's names and relations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from weft.agents.toolbox import RuleTools
from weft.agents.tools.graph_manifests import DESCRIBE_GRAPH, FIND_ENTITIES, GRAPH_PATTERN
from weft.domain.frozen import dataclass
from weft.language.terms import terms
from weft.offline.answering import Chosen, Reply
from weft.offline.graph.mentions import mentions_in

_MOST_SHOWN = 8
_MOST_STARTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """Matches of a pattern, as the tool gives them, and the pattern as it was asked."""

    pattern: Mapping[str, Any]
    matches: Sequence[Mapping[str, Any]]
    sentences: tuple[Chosen, ...]


async def stated_by(question: str, tools: RuleTools) -> Reply | None:
    """Return the sentences that state what a question asks of something it names, or None."""
    mentions = mentions_in(question)
    told = await tools.use(FIND_ENTITIES, names=list(mentions.names), spelt=list(mentions.spelt))
    nodes = [one for each in longest(told.get("matches", ())) for one in each["candidates"][:1]]
    found = await follow(question, nodes, tools=tools)
    return Reply(sentences=found.sentences) if found is not None and found.sentences else None


def longest(matches: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the matches that mean something, without those whose words a longer one has."""
    kept: list[Mapping[str, Any]] = []
    for each in matches:
        name = f" {str(each['question_entity']).casefold()} "
        held = (f" {str(one['question_entity']).casefold()} " for one in kept)
        if each["candidates"] and not any(name in other for other in held):
            kept.append(each)
    return kept


async def follow(
    question: str, nodes: Sequence[Mapping[str, Any]], *, tools: RuleTools
) -> Stated | None:
    """Return what the claims state of some things in the relations that a question names."""
    if not nodes:
        return None
    relations = relations_in(question, await tools.use(DESCRIBE_GRAPH))
    if not relations:
        return None
    names = list(dict.fromkeys(str(one["display_name"]) for one in nodes[:_MOST_STARTS]))
    meant = {str(one["node_id"]) for one in nodes}
    asked = {
        "start": {"names": names},
        "hops": [{"relations": sorted(relations), "toward": "either"}],
        "limit": 50,
    }
    reply = await tools.use(GRAPH_PATTERN, **asked)
    matches = [one for one in reply.get("matches", ()) if one["nodes"][0].get("id") in meant]
    return Stated(pattern=asked, matches=matches, sentences=_sentences(matches, reply))


def relations_in(question: str, described: Mapping[str, Any]) -> frozenset[str]:
    """Return the relations of the graph all of whose words stand in a question, whatever ending."""
    said = set(terms(question))
    graphs = described.get("graphs", ())
    spelt: dict[str, list[str]] = {}
    for graph in graphs:
        for name in graph["relations"]:
            spelt.setdefault(name, [name, *graph.get("words", {}).get(name, ())])
    return frozenset(
        name for name, phrases in spelt.items() if any(_stands(one, said) for one in phrases)
    )


def _stands(phrase: str, said: Collection[str]) -> bool:
    own = set(terms(phrase.replace("_", " ")))
    return bool(own) and own <= set(said)


def _sentences(
    matches: Iterable[Mapping[str, Any]], reply: Mapping[str, Any]
) -> tuple[Chosen, ...]:
    """Return the whole sentences that state the steps, each once."""
    items = {str(one["id"]): one for one in reply.get("evidence", ())}
    found: dict[tuple[str, str], Chosen] = {}
    for step in (step for each in matches for step in each["steps"]):
        for cite in step["cites"][:1]:
            item = items.get(str(cite["id"]))
            text = None if item is None else _whole(item, cite)
            if text:
                found.setdefault((str(cite["id"]), text), Chosen(text=text, evidence_id=cite["id"]))
    return tuple(found.values())[:_MOST_SHOWN]


def _whole(item: Mapping[str, Any], cite: Mapping[str, Any]) -> str:
    """Return the sentence that has the words of a claim, or these alone."""
    text, at = str(item["text"]), int(cite["start"]) - int(item.get("start", 0))
    end = int(cite["end"]) - int(item.get("start", 0))
    for start, stop in item.get("sentences", ()):
        if start <= at and end <= stop:
            return text[start:stop].strip()
    return text[max(at, 0) : end].strip()
