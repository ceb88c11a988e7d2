"""Tables state what their rows are about; every claim stands where it says."""

from hypothesis import given
from hypothesis import strategies as st

from weft.domain.claim import Claim
from weft.domain.document import Chunk
from weft.domain.ids import ChunkId, DocumentId
from weft.extraction.rules.mentions import mentions
from weft.extraction.rules.relations import claims
from weft.extraction.rules.row_claims import MOST_ROW_CLAIMS
from weft.extraction.rules.table_rows import table_rows
from weft.ontology.catalog import load_baseline

SERVICES = """# Services

| Service | Owner | Lead | Tier |
|---------|-------|------|-----:|
| ledger | **Billing** | [Mira Okafor](people.md) | 1 |
| quay | Portal and Rails | Jonas Weidt | 2 |
"""


def chunk(text: str, start: int = 0, index: int = 0) -> Chunk:
    """Return a chunk of a document."""
    return Chunk(
        id=ChunkId(f"c{index}"),
        document_id=DocumentId("d"),
        chunk_index=index,
        text=text,
        start=start,
        end=start + len(text),
    )


def stated(text: str, *chunks: Chunk) -> list[Claim]:
    """Return the claims of a text."""
    parts = list(chunks) or [chunk(text)]
    baseline = load_baseline()
    rows = table_rows(text, baseline)
    said = mentions(parts, baseline, text=text, title="Page", rows=rows)
    return claims(parts, said, ontology=baseline, title="Page", rows=rows)


def told(found: list[Claim]) -> set[tuple[str, str, object]]:
    """Return what claims say."""
    return {(each.subject_name, each.predicate, each.object_name or each.value) for each in found}


def test_rows_state_what_their_columns_ask() -> None:
    found = stated(SERVICES)
    assert told(found) == {
        ("ledger", "owned_by", "billing"),
        ("ledger", "led_by", "mira okafor"),
        ("ledger", "tier", "1"),
        ("quay", "owned_by", "portal"),
        ("quay", "owned_by", "rails"),
        ("quay", "led_by", "jonas weidt"),
        ("quay", "tier", "2"),
    }
    assert {each.subject_class for each in found} == {"software"}
    for each in found:
        assert SERVICES[each.start : each.end].startswith(f"| {each.subject_name}")


def test_a_row_is_about_what_tells_rows_apart() -> None:
    numbered = "| # | Office | City |\n|---|---|---|\n| 1 | Yard | Berlin |\n| 2 | Quay | Oslo |\n"
    assert told(stated(numbered)) >= {
        ("yard", "located_in", "berlin"),
        ("quay", "located_in", "oslo"),
    }
    by_day = "| Day | Lunch | Price |\n|---|---|---|\n| Mon | Soup | 4 |\n| Tue | Soup | 4 |\n"
    assert not stated(by_day)


def test_what_is_no_table_states_nothing() -> None:
    assert not table_rows("| a | b |\n| c | d |\n", load_baseline())
    assert not table_rows("```\n| a | b |\n|---|---|\n| Cee | d |\n```\n", load_baseline())
    assert not table_rows("| a | b |\n|---|---|\n| Cee | d | e |\n", load_baseline())
    assert not table_rows("", load_baseline())


def test_a_row_in_two_chunks_states_once() -> None:
    half = SERVICES.index("| ledger")
    second = chunk(SERVICES[half:], half, 1)
    found = stated(SERVICES, chunk(SERVICES), second)
    assert told(found) == told(stated(SERVICES))
    assert len(found) == len(stated(SERVICES))
    apart = stated(SERVICES, chunk(SERVICES[:half]), second)
    assert told(apart) == told(found)


def test_a_long_table_states_no_more_than_is_allowed() -> None:
    head = "| Name |" + "".join(f" C{n} |" for n in range(9)) + "\n" + "|---" * 10 + "|\n"
    rows = "".join(f"| Item{n}a |" + " x |" * 9 + "\n" for n in range(199))
    assert len(stated(head + rows)) == MOST_ROW_CLAIMS


_CELL = st.one_of(
    st.sampled_from(["Ada Novak", "2024-03-01", "-", "", "`x`", "**Quay**", "[a](b)", "x | y"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=12),
)


@given(
    st.lists(st.lists(_CELL, min_size=2, max_size=4), min_size=1, max_size=6),
    st.sampled_from(["Owner", "Lead", "Part of", "Role", "Tier", "Date", "#"]),
)
def test_claims_of_any_table_stand_on_its_rows(rows: list[list[str]], column: str) -> None:
    lines = [f"| Name | {column} |", "|---|---|", *("| " + " | ".join(row) + " |" for row in rows)]
    text = "\n".join(lines)
    for each in table_rows(text, load_baseline()):
        assert text[each.span.start : each.span.end] in {line.strip() for line in lines}
        for cell in (each.subject, *each.values):
            assert text[cell.span.start : cell.span.end] == cell.text
            assert each.span.start <= cell.span.start <= cell.span.end <= each.span.end
    for claim in stated(text):
        assert 0 <= claim.start < claim.end <= len(text)
