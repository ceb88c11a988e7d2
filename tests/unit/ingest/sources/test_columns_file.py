"""What the columns of tables mean: by the nearest file that has a pattern for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_formats import DOCUMENTS

from unit.ingest.memory_store import Bench
from weft.adapters.reader.reader import ChildReader
from weft.domain.errors import BadInput
from weft.ingest.sources.columns_file import columns_of, read_columns
from weft.ingest.sources.folder import walk

SHEETS = """
"*.csv": {Nr: id, Text: content, Chef: led_by}
"budget.*": {Item: title, 이름: title, 직책: content, Remark: content}
"piles.*": {title: name, group: part_of}
"""


def test_the_nearest_file_with_a_pattern_decides(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "weft.columns.yaml").write_text("'*.csv': {A: id}\n'x.csv': {B: id}\n")
    (tmp_path / "in" / "weft.columns.yaml").write_text("'y.csv': {C: id}\n")
    said = columns_of(tmp_path, list(walk(tmp_path)))
    assert said("a.csv") == {"A": "id"}
    assert said("x.csv") == {"B": "id"}
    assert said("in/y.csv") == {"C": "id"}
    assert said("in/z.csv") == {"A": "id"}
    assert said("a.txt") == {}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("- a", "not a mapping of patterns"),
        ("a: [b]", "a: not a mapping of columns"),
        ("a: {b: 1}", "what 'b' means must be a plain text"),
        ("a: {b: ''}", "what 'b' means must be a plain text"),
        ("a: {", "not valid YAML"),
    ],
)
def test_a_wrong_file_is_named(text: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        read_columns(text)
    assert read_columns("") == ()


@pytest.mark.anyio
async def test_columns_mean_the_same_in_every_kind_of_table(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "docs")
    bench.root.mkdir()
    bench.parser = reader = ChildReader()
    for name in ("budget.libreoffice.xlsx", "budget.libreoffice.ods", "piles.duckdb.parquet"):
        (bench.root / name).write_bytes((DOCUMENTS / name).read_bytes())
    (bench.root / "a.csv").write_text("Nr,Text,Chef\n7,The pump is old.,Ann Lee\n")
    await bench.run()
    assert "record:docs/a.csv#1" in bench.store.documents
    columns = bench.root / "weft.columns.yaml"
    columns.write_text(SHEETS)
    await bench.run()
    found = {str(key): patch for key, patch in bench.store.documents.items()}
    row = found["record:docs/a.csv#7"]
    assert row.text == "The pump is old."
    assert row.document.metadata["led_by"] == "Ann Lee"
    for ending in ("xlsx", "ods"):
        person = found[f"record:docs/budget.libreoffice.{ending}#인력!2"]
        assert (person.document.title, person.text) == ("백도현", "조사 책임자")
    piles = found["record:docs/piles.duckdb.parquet#E-07"]
    assert piles.document.metadata["part_of"] == "East"
    assert "weft.columns.yaml" in bench.store.rows  # named, and not read as a document
    assert (await bench.run()).unchanged == 5
    await reader.close()
