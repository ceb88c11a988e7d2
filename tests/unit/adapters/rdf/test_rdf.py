"""Files of RDF become statements; nothing is fetched, and what grows without end is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.adapters.rdf.rdf import MAX_BYTES, OxigraphFiles
from weft.domain.errors import BadInput
from weft.ports.files.rdf import Term, TermKind

READER = OxigraphFiles()
TURTLE = b'<http://x/a> <http://x/p> "b"@en .'
N_TRIPLES = b'<http://x/a> <http://x/p> "b"@en .\n'
RDF_XML = b"""<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x/">
<rdf:Description rdf:about="http://x/a"><x:p xml:lang="en">b</x:p></rdf:Description></rdf:RDF>"""
JSON_LD = b'{"@id": "http://x/a", "http://x/p": {"@value": "b", "@language": "en"}}'
BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>"""
OUTSIDE = BOMB.replace(b'"&a;&a;&a;&a;&a;&a;&a;&a;"', b'SYSTEM "file:///etc/passwd"')


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (TURTLE, "a.ttl"),
        (N_TRIPLES, "a.nt"),
        (RDF_XML, "a.rdf"),
        (RDF_XML, "a.owl"),
        (TURTLE, "a.owl"),
        (JSON_LD, "a.jsonld"),
        (JSON_LD, "a.json"),
        (b"\xef\xbb\xbf" + TURTLE, "a.ttl"),
    ],
)
def test_every_notation_says_the_same(data: bytes, name: str) -> None:
    (one,) = READER.statements(data, name)
    assert one.subject == Term(value="http://x/a")
    assert one.predicate == "http://x/p"
    assert (one.object.value, one.object.kind, one.object.language) == (
        "b",
        TermKind.LITERAL,
        "en",
    )


@pytest.mark.parametrize("data", [BOMB, OUTSIDE, BOMB.decode().encode("utf-16")])
def test_entities_that_grow_or_lead_outside_are_refused(data: bytes) -> None:
    with pytest.raises(BadInput, match=r"bomb\.rdf"):
        READER.statements(data, "bomb.rdf")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"@context": "https://schema.org/", "name": "b"}', "remote"),
        (b"<http://x/a> <http://x/p>", "Turtle"),
        (b"\xff\xfe\x00", "wrong"),
        (b"Prefix(:=<http://x/>)\nOntology(<http://x/>)", "another syntax"),
        (b" " * (MAX_BYTES + 1), "bytes"),
    ],
)
def test_what_cannot_be_read_is_named(data: bytes, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        READER.statements(data, "wrong.ttl" if b"@context" not in data else "wrong.jsonld")


def test_nodes_without_an_address_are_apart_in_each_file() -> None:
    data = b"_:b <http://x/p> _:b ."
    first, second = (READER.statements(data, "a.ttl")[0] for _ in range(2))
    assert first.subject == first.object
    assert first.subject != second.subject


@given(st.binary(max_size=300), st.sampled_from(["a.ttl", "a.rdf", "a.jsonld", "a.nt", "a.owl"]))
def test_any_bytes_are_statements_or_bad_input(data: bytes, name: str) -> None:
    try:
        found = READER.statements(data, name)
    except BadInput:
        return
    assert all(each.predicate for each in found)
