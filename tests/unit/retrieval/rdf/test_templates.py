"""Typed questions to RDF: nobody's words become a part of a query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.domain.errors import BadInput
from weft.ontology.catalog import load_baseline
from weft.retrieval.rdf.templates import Needs, RdfQuestion, Template, needs, sparql_of

OF = {
    Needs.NOTHING: "",
    Needs.CLASS: "person",
    Needs.RELATION: "reports_to",
    Needs.TERM: "reports_to",
    Needs.THING: "urn:weft:thing:a.md%23person%3Aann",
}


@pytest.mark.parametrize("template", Template)
def test_each_template_is_a_query(template: Template) -> None:
    pyoxigraph = pytest.importorskip("pyoxigraph")
    query = sparql_of(RdfQuestion(template=template, of=OF[needs(template)]), load_baseline())
    assert pyoxigraph.Store().query(query).variables


@given(of=st.text(max_size=60), template=st.sampled_from(Template))
def test_what_the_ontology_does_not_know_is_refused_and_never_asked(
    of: str, template: Template
) -> None:
    ontology = load_baseline()
    known = ontology.entity_class(of) or ontology.relation(of)
    if needs(template) is Needs.NOTHING or known is not None:
        return
    if needs(template) is Needs.THING and of.startswith("urn:weft:thing:"):
        return
    with pytest.raises(BadInput):
        sparql_of(RdfQuestion(template=template, of=of), ontology)


@pytest.mark.parametrize("sign", ["> . ?s ?p ?o", '"', "{", "\n", " "])
def test_an_address_that_would_end_early_is_refused(sign: str) -> None:
    asked = RdfQuestion(template=Template.FACTS_OF, of=f"urn:weft:thing:{sign}")
    with pytest.raises(BadInput):
        sparql_of(asked, load_baseline())
