"""Questions to a public ontology and what is claimed: the rows are those of SPARQL over a dump.

The dump has what the caller may read, as N-Triples; the queries here are written by hand.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from fastapi.testclient import TestClient

from flow.command import Command
from flow.http_world import served
from weft.bootstrap.app import load_settings, open_app
from weft.bootstrap.knowledge import bases_of
from weft.platform.identity import local_owner
from weft.ports.files.rdf import RdfStatement, TermKind
from weft.retrieval.rdf.projection import projected
from weft.sdk.weft import Weft

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("WEFT_TEST_DATA", ROOT.parent / "shared/data"))
ORG = DATA / "ontologies/w3c/org.ttl"
PEOPLE = """# People

Mr Karel Novotny works for the Harbour Institute. Nordwerk University was founded by Ada Novak.
The Harbour Institute was founded in 1999 by Mrs Berta Lind. Ada Novak was born in 1970.
"""
_PREFIXES = """
PREFIX t: <urn:weft:term:> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX owl: <http://www.w3.org/2002/07/owl#> PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
"""


def _below(name: str) -> str:
    return f"SELECT DISTINCT ?l {{ ?c rdfs:subClassOf+ t:{name} ; rdfs:label ?l }}"


def _above(name: str) -> str:
    return f"SELECT DISTINCT ?l {{ t:{name} rdfs:subClassOf+ ?c . ?c rdfs:label ?l }}"


def _end(name: str, end: str) -> str:
    return f"SELECT DISTINCT ?l {{ t:{name} rdfs:{end} ?c . ?c rdfs:label ?l }}"


def _properties(name: str, end: str = "domain") -> str:
    return (
        f"SELECT DISTINCT ?l {{ t:{name} rdfs:subClassOf* ?c . ?p rdfs:{end} ?c ; rdfs:label ?l }}"
    )


def _instances(name: str) -> str:
    return f"SELECT DISTINCT ?l {{ ?x a/rdfs:subClassOf* t:{name} ; rdfs:label ?l }}"


def _kind(name: str) -> str:
    return f"SELECT DISTINCT ?l {{ ?p a owl:{name} ; rdfs:label ?l }}"


QUESTIONS = {
    "subclasses of Organization": _below("organization"),
    "Which classes are narrower than agent in the ontology?": _below("agent"),
    "child classes of formal organization": _below("formal_organization"),
    "the class hierarchy below activity": _below("activity"),
    "superclasses of BusinessEntity": _above("business_entity"),
    "parent class of organizational unit": _above("organizational_unit"),
    "superclasses of ChangeEvent in the ontology": _above("change_event"),
    "superclasses of organizational collaboration": _above("organizational_collaboration"),
    "domain of hasMember": _end("has_member", "domain"),
    "What is the domain of hasUnit?": _end("has_unit", "domain"),
    "domain of headOf": _end("head_of", "domain"),
    "domain of siteOf": _end("site_of", "domain"),
    "domain of memberOf": _end("member_of", "domain"),
    "domain of the property held by": _end("held_by", "domain"),
    "range of hasMember": _end("has_member", "range"),
    "What is the range of basedAt?": _end("based_at", "range"),
    "range of unitOf": _end("unit_of", "range"),
    "range of reportsTo": _end("reports_to", "range"),
    "range of resultedFrom": _end("resulted_from", "range"),
    "range of the property has post": _end("has_post", "range"),
    "What properties does the class Membership have?": _properties("membership"),
    "What properties does Site have in the ontology?": _properties("site"),
    "properties of BusinessEntity": _properties("business_entity"),
    "attributes of ChangeEvent in the schema": _properties("change_event"),
    "ontology properties whose range is Site": _properties("site", "range"),
    "properties with range ChangeEvent": _properties("change_event", "range"),
    "What classes are in the ontology?": _kind("Class"),
    "list the object properties": _kind("ObjectProperty"),
    "list the datatype properties": _kind("DatatypeProperty"),
    "Which are functional properties?": _kind("FunctionalProperty"),
    "Which classes have a subclass?": "SELECT DISTINCT ?l ?m { ?s rdfs:subClassOf ?c ; "
    "rdfs:label ?m . ?c rdfs:label ?l }",
    "top-level classes of the ontology": "SELECT ?l { ?c a owl:Class ; rdfs:label ?l "
    "MINUS { ?c rdfs:subClassOf ?a } }",
    "leaf classes of the ontology": "SELECT ?l { ?c a owl:Class ; rdfs:label ?l "
    "MINUS { ?s rdfs:subClassOf ?c } }",
    "How many classes does the ontology define?": "SELECT (COUNT(?c) AS ?n) { ?c a owl:Class }",
    "How many triples are stored?": "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
    "classes without instances in the ontology": "SELECT ?l { ?c a owl:Class ; rdfs:label ?l "
    "MINUS { ?x a ?c } }",
    "instances of the class organization": _instances("organization"),
    "list the individuals of the class Person": _instances("person"),
    "How is the class ChangeEvent defined?": "SELECT ?d { t:change_event rdfs:comment ?d }",
    "all triples with predicate founded_by": "SELECT DISTINCT ?l ?m { ?x t:founded_by ?y . "
    "?x rdfs:label ?l . ?y rdfs:label ?m }",
}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A service over the world, and the dump of what its caller may read."""

    client: TestClient
    dump: pyoxigraph.Store


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    if not ORG.is_file():
        pytest.skip(f"no public ontology at {ORG}")
    home = tmp_path_factory.mktemp("rdf")
    (home / "weft.yaml").write_text("embedder: none\nontology: org\n")
    (home / "ontologies").mkdir()
    notes = home / "notes"
    notes.mkdir()
    (notes / "people.md").write_text(PEOPLE)
    brought = Command(home=home, folder=home)("ontology", "import", str(ORG))
    assert brought.code == 0, brought.err
    with Weft.open(notes, home=home) as opened:
        opened.sync()
    dump = pyoxigraph.Store()
    lines = "\n".join(map(_line, asyncio.run(_statements(home))))
    dump.load(input=lines, format=pyoxigraph.RdfFormat.N_TRIPLES)
    with served(home) as client:
        yield Asked(client=client, dump=dump)


async def _statements(home: Path) -> tuple[RdfStatement, ...]:
    app, scope = await open_app(load_settings(home)), local_owner()
    try:
        (listed,) = await app.library.listed(scope)
        store = await app.library.named(scope, listed.name)
        (base,) = bases_of([store])
        made = await projected(base, scope, app.ontologies.of(store.made_with))
    finally:
        await app.close()
    return made.statements


def _line(one: RdfStatement) -> str:
    said = one.object.value
    if one.object.kind is TermKind.LITERAL:
        escaped = said.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        told = f'"{escaped}"'
    else:
        told = f"<{said}>"
    return f"<{one.subject.value}> <{one.predicate}> {told} ."


def _rows(dump: pyoxigraph.Store, query: str) -> list[tuple[str, ...]]:
    # Its solutions must not outlive the call: they belong to this thread.
    found: Any = dump.query(_PREFIXES + query)
    return sorted(tuple(one.value for one in row) for row in found)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_gives_the_rows_of_the_query(asked: Asked, question: str) -> None:
    wanted = _rows(asked.dump, QUESTIONS[question])
    reply = asked.client.post("/run_agent_semantic", json={"query": question}).json()
    assert reply["route"] == "rdf", reply["response"]
    answers = reply["rdf_result"]["answers"]
    assert [sorted(map(tuple, one["rows"])) for one in answers[:1]] == [wanted]
    # A sum of all statements stands on no sentence of its own.
    if wanted and "triples are" not in question:
        assert reply["outcome"] == "answered"


def test_there_are_forty() -> None:
    assert len(QUESTIONS) >= 40
