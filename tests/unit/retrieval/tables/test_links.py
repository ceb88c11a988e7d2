"""Words of a question that are values: letters and numerals where they are meant."""

from __future__ import annotations

from collections.abc import Sequence

from unit.retrieval.tables.made_tables import table_of
from weft.retrieval.tables.kinship import kin_of_values
from weft.retrieval.tables.links import ValueIndex, value_links, words_of
from weft.retrieval.tables.table import TypedTable


def values_of(question: str, table: TypedTable) -> list[tuple[str, tuple[str, ...]]]:
    """Return the columns and cells that a question names, as they are or otherwise."""
    words, index = words_of(question), ValueIndex(table)
    told = [(one.column, one.values) for one in value_links(words, table, index=index)]
    meant = [(one.column, one.values) for one in kin_of_values(words, table, index=index)]
    return sorted((*told, *meant))


def people(column: str, codes: Sequence[str]) -> TypedTable:
    """Return a table of people with a column of codes of one letter."""
    return table_of(
        "people.csv", ["name", column], [[f"n{at}", one] for at, one in enumerate(codes)]
    )


def test_a_letter_stands_for_a_thing_beside_one_or_two_others() -> None:
    assert values_of("how many women are there", people("sex", "FMFM")) == [("sex", ("F",))]
    assert values_of("how many women are there", people("dept", "ABCDEF")) == []


def test_a_single_i_is_a_number_behind_what_a_column_is_called() -> None:
    ranks = people("rank", ["I", "II", "III", "I"])
    assert values_of("how many of rank I are there", ranks) == [("rank", ("I",))]
    assert values_of("how many do I have", ranks) == []


def test_a_sentence_is_not_what_one_of_its_words_means() -> None:
    rows = [["a", "The keeper is Berta Lind."], ["b", "Smith and Sons Ltd."], ["c", "Mill House"]]
    table = table_of("notes.csv", ["note", "said"], rows)
    assert values_of("who is the keeper", table) == []
    assert values_of("what is of Smith", table) == [("said", ("Smith and Sons Ltd.",))]
    assert values_of("who said Smith and Sons Ltd", table) == [("said", ("Smith and Sons Ltd.",))]


def test_an_ordinal_is_one_in_figures_and_in_words() -> None:
    classes = people("class", ["1st", "2nd", "3rd", "12th"])
    assert values_of("who travelled in second class", classes) == [("class", ("2nd",))]
    assert values_of("who was in the twelfth", classes) == [("class", ("12th",))]
    assert values_of("who was 3rd", people("class", ["First", "Third"])) == [("class", ("Third",))]
