"""The graph tools on every backend: typed patterns, and what there is to ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract.stores import Opener, Store, sqlite
from contract.test_patterns import (
    OPEN,
    SAME,
    WORLD,
    Page,
    few,
    fill,
    join,
    local,
    opener,
    worlds,
)
from rag_world import (
    MemoryRuns,
    NoTables,
    no_names,
    no_namesakes,
    plain_search,
    whole_documents,
)
from weft.agents.evidence import EvidenceBook
from weft.agents.tools.graph import GraphTools
from weft.agents.tools.graph_manifests import DESCRIBE_GRAPH, GRAPH_PATTERN, GRAPH_TOOLS
from weft.agents.tools.library import Retrieval, RunLibrary, RunReader
from weft.domain.claim import LinkKind
from weft.domain.errors import BadInput, PolicyViolation
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.platform.manifest import Schema
from weft.platform.policy import OpenPolicy
from weft.ports.knowledge import DocumentFilter
from weft.ports.policy import Place, Policy, Verdict
from weft.ports.records.tape import Tape
from weft.ports.store import Base
from worlds import PRINCIPALS, WRITER, scope_of

CHECKED = {
    each.name: (Schema(each.input_schema), Schema(each.output_schema)) for each in GRAPH_TOOLS
}
TO_PLACE = {
    "start": {"names": ["Li Wei"]},
    "hops": [{"relations": ["works_for"]}, {"relations": ["located_in"]}],
}


def tools(
    store: Store,
    scope: Scope = WRITER,
    *,
    policy: Policy | None = None,
    within: DocumentFilter | None = None,
) -> GraphTools:
    """Return the graph tools over one store."""
    library = RunLibrary(
        bases=(Base(name="docs", knowledge=store.knowledge, links=store.links),),
        embedder=None,
        retrieval=Retrieval(
            search=plain_search,
            lookup=no_names,
            namesakes=no_namesakes,
            pages=whole_documents,
        ),
        tables=NoTables(),
        policy=policy or OpenPolicy(),
        tape=cast(Tape, MemoryRuns()),
    )
    reader = RunReader(
        run_id=RunId("r"),
        scope=scope,
        question="",
        emit=lambda kind, data: None,
        within=within or DocumentFilter(),
    )
    return GraphTools(library, reader, book=EvidenceBook())


async def called(graph: GraphTools, tool: str, args: Mapping[str, Any]) -> Any:
    """Return a tool's reply; arguments and reply fit the tool's schemas."""
    takes, gives = CHECKED[tool]
    assert not takes.complaint(args)
    reply = await graph.handlers()[tool](args)
    assert not gives.complaint(reply)
    return reply


def names(reply: Any) -> list[tuple[object, ...]]:
    """Return what stands along each way."""
    return [
        tuple(node.get("name", node.get("value")) for node in each["nodes"])
        for each in reply["matches"]
    ]


@opener
@pytest.mark.anyio
async def test_a_pattern_comes_with_the_passages_that_state_it(opener: Opener) -> None:
    async with opener() as store:
        await fill(store, WORLD)
        reply = await called(tools(store), GRAPH_PATTERN, TO_PLACE)
        assert names(reply) == [("Li Wei", "Acme", "Seoul")]
        (found,) = reply["matches"]
        assert [step["relations"] for step in found["steps"]] == [["works_for"], ["located_in"]]
        cited = {one["id"] for step in found["steps"] for one in step["cites"]}
        assert cited == {item["id"] for item in reply["evidence"]}
        assert len(cited) == 2
        assert reply["is_cut"] is False
        limited = await called(
            tools(store), GRAPH_PATTERN, {"start": {"classes": ["person"]}, "limit": 1}
        )
        assert len(limited["matches"]) == 1
        assert limited["is_cut"] is True


@opener
@pytest.mark.anyio
async def test_links_and_values_are_followed(opener: Opener) -> None:
    async with opener() as store:
        await fill(store, WORLD)
        (one, left), (other, right) = SAME
        await join(store, local(one, left), local(other, right), LinkKind.SAME_AS)
        where = {"property": "founded_in", "comparison": "at_most", "value": 2000}
        asked = {
            "start": {"where": [where]},
            "hops": [{"relations": ["leads"], "toward": "subject"}],
        }
        reply = await called(tools(store), GRAPH_PATTERN, asked)
        assert [each[-1] for each in names(reply)] == ["김철수"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    "args",
    [
        {"start": {}},
        {"start": {"classes": ["company"]}},
        {"start": {"names": ["acme"]}, "hops": [{"relations": ["works for"]}]},
        {"start": {"names": ["acme"]}, "hops": [{"relations": ["x` DETACH DELETE n"]}]},
    ],
)
async def test_other_words_than_the_ontologys_are_refused(args: Mapping[str, Any]) -> None:
    async with sqlite() as store:
        await fill(store, WORLD)
        with pytest.raises(BadInput):
            await called(tools(store), GRAPH_PATTERN, args)


@pytest.mark.anyio
async def test_only_what_the_run_is_about_is_told() -> None:
    async with sqlite() as store:
        await fill(store, WORLD)
        only = DocumentFilter(documents=frozenset({"file:pages/a"}))
        graph = tools(store, within=only)
        assert not (await called(graph, GRAPH_PATTERN, TO_PLACE))["matches"]
        one = {"start": {"names": ["li wei"]}, "hops": [{"relations": ["works_for"]}]}
        assert names(await called(graph, GRAPH_PATTERN, one)) == [("Li Wei", "Acme")]


class Hiding(OpenPolicy):
    """Lets no text pass that has a word."""

    def __init__(self, word: str) -> None:
        self.word = word

    async def check(self, scope: Scope, place: Place, text: str) -> Verdict:
        if self.word in text.casefold():
            raise PolicyViolation("hidden")
        return await super().check(scope, place, text)


@pytest.mark.anyio
async def test_what_the_policy_holds_back_is_told_by_no_match() -> None:
    async with sqlite() as store:
        await fill(store, WORLD)
        reply = await called(tools(store, policy=Hiding("seoul")), GRAPH_PATTERN, TO_PLACE)
        assert reply == {"matches": [], "is_cut": False, "evidence": []}


@opener
@pytest.mark.anyio
async def test_the_summary_counts_what_is_readable(opener: Opener) -> None:
    async with opener() as store:
        await fill(store, WORLD)
        (graph,) = (await called(tools(store), DESCRIBE_GRAPH, {}))["graphs"]
        assert graph["relations"]["works_for"] == 2
        assert graph["classes"]["person"] == 3
        assert "person works_for organization (2)" in graph["summary"]
        (part,) = (await called(tools(store, scope_of("tenant:*")), DESCRIBE_GRAPH, {}))["graphs"]
        assert part["relations"].get("works_for", 0) <= 1


@opener
@few
@given(pages=worlds, groups=st.sets(st.sampled_from(PRINCIPALS)))
def test_hidden_documents_change_no_reply(
    opener: Opener, pages: list[Page], groups: set[str]
) -> None:
    scope = scope_of(*sorted(groups))
    shown = [page for page in pages if page.acl & scope.principals]
    asked = [TO_PLACE, {"start": {"classes": ["person"]}, "hops": [{"toward": "either"}]}]

    async def replies(world: list[Page]) -> list[object]:
        async with opener() as store:
            await fill(store, world)
            graph = tools(store, scope)
            return [
                await called(graph, DESCRIBE_GRAPH, {}),
                *[await called(graph, GRAPH_PATTERN, each) for each in asked],
            ]

    async def check() -> None:
        assert await replies(shown) == await replies(pages)

    anyio.run(check)


def test_the_world_has_what_everybody_may_read() -> None:
    assert any(page.acl == OPEN for page in WORLD)
