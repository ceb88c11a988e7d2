"""The RDF tools on every backend: a hidden document changes no row of any question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract.stores import Opener, Store, sqlite
from contract.test_graph_tools import tools
from contract.test_patterns import PERSON, WORLD, Page, fill, opener, worlds
from weft.adapters.rdf.dataset import OxigraphDataset
from weft.agents.evidence import EvidenceBook
from weft.agents.tools.rdf import RdfTools
from weft.agents.tools.rdf_manifests import RDF_TOOL
from weft.domain.scope import Scope
from weft.platform.manifest import Schema
from weft.ports.files.rdf import RdfStatement
from weft.retrieval.rdf.projection import projected
from weft.retrieval.rdf.templates import Needs, Template, needs
from worlds import PRINCIPALS, WRITER, scope_of

TAKES, GIVES = Schema(RDF_TOOL.input_schema), Schema(RDF_TOOL.output_schema)
# What a question is asked of, where it is of no thing.
OF = {Needs.CLASS: PERSON, Needs.RELATION: "works_for", Needs.TERM: "leads", Needs.NOTHING: ""}


class Datasets:
    def dataset(self, statements: Iterable[RdfStatement]) -> OxigraphDataset:
        return OxigraphDataset(statements)


def rdf_tools(store: Store, scope: Scope) -> RdfTools:
    graph = tools(store, scope)
    library = replace(graph._library, rdf=Datasets())
    return RdfTools(library, graph._reader, book=EvidenceBook())


async def things(rdf: RdfTools, scope: Scope) -> list[str]:
    """Return the ids of all things that there are for a caller."""
    (base,) = rdf._library.bases
    found = await projected(base, scope, rdf._library.ontology_of(base.name))
    return sorted(one.id for one in found.things.values())


async def answers(rdf: RdfTools, template: Template, of: str) -> Any:
    """Return the reply to one question; it fits the tool's schema."""
    args = {"template": str(template), **({"of": of} if of else {})}
    assert not TAKES.complaint(args)
    reply = await rdf.rdf_query(args)
    assert not GIVES.complaint(reply)
    return reply


async def every_answer(store: Store, scope: Scope) -> list[object]:
    """Return the replies to all questions that there are, of all things that there are."""
    rdf, said = rdf_tools(store, scope), list[object]()
    found = await things(rdf, scope)
    said.append(found)
    for template in Template:
        need = needs(template)
        for of in found if need is Needs.THING else [OF[need]]:
            said.append((template, of, await answers(rdf, template, of)))
    return said


async def unchanged(opener: Opener, pages: list[Page], groups: set[str]) -> None:
    """Check that a base with hidden pages answers as one that never held them."""
    scope = scope_of(*sorted(groups))
    shown = [page for page in pages if page.acl & scope.principals]
    said: list[list[object]] = []
    for world in (shown, pages):
        async with opener() as store:
            await fill(store, world)
            said.append(await every_answer(store, scope))
    assert said[0] == said[1]


@settings(max_examples=25, deadline=None)
@given(pages=worlds, groups=st.sets(st.sampled_from(PRINCIPALS)))
def test_hidden_documents_change_no_row(pages: list[Page], groups: set[str]) -> None:
    anyio.run(unchanged, sqlite, pages, groups)


@opener
@pytest.mark.anyio
async def test_a_hidden_document_changes_no_row(opener: Opener) -> None:
    await unchanged(opener, list(WORLD), {"tenant:*"})


@pytest.mark.anyio
async def test_every_question_is_answered_of_a_world() -> None:
    async with sqlite() as store:
        await fill(store, WORLD)
        rdf = rdf_tools(store, WRITER)
        (people,) = (await answers(rdf, Template.INSTANCES, PERSON))["answers"]
        assert ["Li Wei"] in [row[:1] for row in people["rows"]]
        assert len(await every_answer(store, WRITER)) > len(Template)
