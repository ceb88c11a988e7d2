"""Data of other programs: a row of a parquet file, a subject of an RDF graph, is a record."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_formats import DOCUMENTS

from unit.adapters.reader.samples import parsed, refusal
from weft.adapters.reader.reader import ChildReader
from weft.domain.ledger import FileStatus
from weft.domain.record import Record

PARQUET = "piles.duckdb.parquet"
GRAPHS = ["crew.turtle.ttl", "crew.rapper.rdf", "crew.rapper.nt"]


def records(folder: Path, name: str) -> dict[str, Record]:
    found = parsed(folder, name, (DOCUMENTS / name).read_bytes())
    return {record.fragment: record for record in found.records}


def test_a_row_of_a_parquet_file_is_a_record(tmp_path: Path) -> None:
    found = records(tmp_path, PARQUET)
    assert list(found) == ["E-07", "동-12", "E-33"]
    assert found["E-07"].content.startswith("Pile E-07 lost 31 percent")
    assert found["E-07"].acl == frozenset({"group:board"})
    assert found["동-12"].acl is None
    assert found["동-12"].metadata == {"group": "동쪽", "hours": 8.0, "started": "2026-10-01"}


@pytest.mark.anyio
async def test_a_parquet_file_is_read_within_the_limits_of_a_parser() -> None:
    reader = ChildReader()
    assert (await reader.read(DOCUMENTS / PARQUET)).status is FileStatus.READ
    await reader.close()


@pytest.mark.parametrize("name", GRAPHS)
def test_a_subject_of_a_graph_is_a_record(tmp_path: Path, name: str) -> None:
    found = records(tmp_path, name)
    place = "https://example.org/harbour/"
    assert set(found) == {f"{place}brandt", f"{place}board", f"{place}baek"}
    person = found[f"{place}brandt"]
    assert (person.title, person.category) == ("Tomasz Brandt", "Person")
    assert {"job title: Surveyor", "works for: Harbour Board"} < set(person.content.splitlines())
    assert "address: address locality Port Lindow, postal code 4410" in person.content
    assert person.metadata["works for"] == "Harbour Board"
    assert f"{place}board" in person.links
    assert found[f"{place}baek"].title == "백도현"
    assert found[f"{place}board"].metadata["number of employees"] == 12


def test_linked_data_in_json_is_read_under_either_name(tmp_path: Path) -> None:
    text = """{"@context": {"s": "https://schema.org/"}, "@id": "urn:a", "@type": "s:Person",
        "s:name": "Ada", "s:knows": {"@id": "urn:b", "s:name": "Grace"}}"""
    for name in ("a.jsonld", "a.json"):
        found = {record.fragment: record for record in parsed(tmp_path, name, text).records}
        assert found["urn:a"].title == "Ada"
        assert "knows: Grace" in found["urn:a"].content.splitlines()


def test_a_context_elsewhere_is_not_fetched(tmp_path: Path) -> None:
    text = '{"@context": "https://example.org/context", "@id": "urn:a", "name": "Ada"}'
    status, reason = refusal(tmp_path, "a.jsonld", text)
    assert status is FileStatus.CORRUPT
    assert "not readable RDF" in reason


def graph(declared: str, said: str) -> str:
    return (
        f"<?xml version='1.0'?><!DOCTYPE r [{declared}]>"
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:s='urn:s#'>"
        f"<rdf:Description rdf:about='urn:a'><s:n>{said}</s:n></rdf:Description></rdf:RDF>"
    )


def test_entities_of_a_graph_do_not_grow(tmp_path: Path) -> None:
    for declared in (
        '<!ENTITY a "ha"><!ENTITY i "&a;&a;&a;">',
        "<!ENTITY i SYSTEM 'file:///etc/hostname'>",
        "<!ENTITY % p 'x'><!ENTITY i '%p;'>",
        f"<!ENTITY i '{'x' * 1000}'>",
    ):
        status, reason = refusal(tmp_path, "a.rdf", graph(declared, "&i;"))
        assert status is FileStatus.HOSTILE
        assert "no plain abbreviations" in reason
    plain = graph('<!ENTITY i "https://example.org/">', "&i;a")
    (record,) = parsed(tmp_path, "a.owl", plain).records
    assert record.content == "n: https://example.org/a"


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.parquet", b"PAR1 and nothing else", "parquet"),
        ("a.parquet", b"text", "content is not parquet"),
        ("a.ttl", b"<urn:a> <urn:b> .", "not readable RDF"),
        ("a.nt", b'<urn:a> <urn:b> "c', "not readable RDF"),
        ("a.rtf", b"text", "content is not rtf"),
    ],
)
def test_what_is_broken_is_named(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    status, said = refusal(tmp_path, name, data)
    assert status is FileStatus.CORRUPT
    assert reason in said
