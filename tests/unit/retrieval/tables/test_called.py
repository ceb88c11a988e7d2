"""What says in words what a row is called whose key is a code."""

from __future__ import annotations

from unit.retrieval.tables.made_tables import table_of


def test_a_code_has_what_it_is_called_beside_it() -> None:
    rows = [[f"M-{at}", f"Press {'ABCD'[at]}", "Hall"] for at in range(4)]
    rows[3][1] = "Press A"
    table = table_of("machines.csv", ["tag", "machine", "place"], rows)
    assert table.columns[table.key].name == "tag"
    assert table.called is not None
    assert table.columns[table.called].name == "machine"


def test_what_is_called_by_its_key_has_nothing_beside_it() -> None:
    named = table_of("lands.csv", ["land", "capital"], [["Mali", "Bamako"], ["Peru", "Lima"]])
    coded = table_of("lots.csv", ["lot", "state"], [[f"L{at}", "open"] for at in range(8)])
    days = [[f"2024-03-{at:02}", f"weather {'abcdef'[at % 6]}"] for at in range(1, 9)]
    dated = table_of("days.csv", ["day", "sky"], days)
    payers = [[one, f"Person {at}"] for at, one in enumerate(["AOK", "AOK", "TK", "TK", "BKK"])]
    shared = table_of("bills.csv", ["payer", "patient"], [[a, b] for a, b in payers])
    assert [one.called for one in (named, coded, dated, shared)] == [None] * 4
