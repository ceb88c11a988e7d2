"""Questions answered by plans over one table, without an embedder."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from unit.offline.plans.read_tables import answered, plans_of
from unit.retrieval.tables.made_tables import table_of
from weft.agents.answering import Caution
from weft.domain.notes import note
from weft.retrieval.tables.table import TypedTable

LANDS = table_of(
    "lands.csv",
    ["country", "year", "lifeExp", "gdpPercap", "pop", "TZ"],
    [
        ["Albania", 1952, 55.2, 1601, 1282697, "Europe/Tirane"],
        ["Austria", 1952, 66.8, 6137, 6927772, "Europe/Vienna"],
        ["Belgium", 1957, 68, 8343, 8730405, "Europe/Brussels"],
    ],
)
YIELDS = table_of(
    "yields.csv",
    ["variety", "site", "year", "yield"],
    [
        [variety, site, year, 20 + 7 * at + len(site) + year % 10]
        for at, variety in enumerate(["Trebi", "Velvet"])
        for site in ["Waseca", "Duluth"]
        for year in (1931, 1932)
    ],
)
WEATHER = table_of(
    "weather.csv",
    ["day", "temp_max", "temp_min", "sky"],
    [[f"2013-03-{day:02}", 10 + day, day - 4, "rain" if day % 3 else "sun"] for day in range(1, 9)],
)
PRICES = table_of(
    "밀값.csv",
    ["연도", "밀값(실링)", "주급(실링)"],
    [["1590년", 47, 5.2], ["1600년", 27, 5.3], ["1810년", 99, 30]],
)
DOORS = table_of(
    "doors.csv",
    ["door", "opened", "closed", "locked by default", "keys"],
    [
        ["North", "2024-03-01", "2024-04-02", "Yes", "Ada, Ben"],
        ["South", "2025-01-05", "2025-02-06", "No (manual)", "Ada"],
        ["West", "2024-06-07", "", "no", "Cy"],
    ],
)
PORTS = table_of(
    "ports.csv",
    ["port", "promises"],
    [
        ["Knowledge", "the view, texts, names"],
        ["Holdings", "counts, settings, export"],
        ["Links", "links by people and models"],
    ],
)
FLOWERS = table_of(
    "flowers.csv",
    ["sepalLength", "sepalWidth", "petalLength", "species"],
    [[5.1, 3.5, 1.4, "setosa"], [4.9, 3, 1.4, "setosa"], [6.3, 3.3, 6, "virginica"]],
)
PLACES = table_of(
    "places.csv",
    ["place", "height"],
    [["China", 10], ["Hong Kong, China", 20], ["Bahrain", 30]],
)
SHIPS = table_of(
    "ships.csv",
    ["port", "flag", "ships"],
    [["Oslo", "NO", 4], ["Oslo", "SE", 7], ["Bergen", "NO", 2], ["Bergen", "SE", 1]],
)
ADMITTED = table_of(
    "admissions.csv",
    ["admit", "gender", "dept", "freq"],
    [
        [admit, gender, dept, 10 * at + len(gender) + ord(dept) % 7]
        for at, admit in enumerate(["Admitted", "Rejected"])
        for gender in ["Male", "Female"]
        for dept in "ABF"
    ],
)
BOATS = table_of(
    "boats.csv",
    ["boat", "side", "men", "women"],
    [["3", "port", 12, 26], ["4", "starboard", 30, 9], ["5", "port", 7, 34]],
)
FERRIES = table_of(
    "boats.csv", ["boat", "women", "lowered"], [[3, 26, "00:55"], [4, 9, "01:10"], [5, 34, "00:45"]]
)
TRIAL = table_of(
    "trial.csv",
    ["subject", "month", "disorder"],
    [[n // 4, n % 4, "present" if n % 2 else "absent"] for n in range(40)],
)
PATIENTS = table_of(
    "patients.csv",
    ["patient", "sex", "ward", "paid"],
    [[f"P{n}", "FM"[n % 2], "ABC"[n % 3], "yes" if n % 4 else "no"] for n in range(24)],
)
BRANCHES = table_of(
    "branches.csv",
    ["branch", "country", "opened", "desks"],
    [
        ["Busan", "Korea", "2013-05-06", 40],
        ["Porto", "Portugal", "2019-09-01", 25],
        ["Rotterdam", "Netherlands", "2016-02-03", 96],
    ],
)
POOLS = table_of(
    "pools.csv",
    ["Pool", "Visitors 2023", "Visitors 2024", "Income 2023", "Income 2024"],
    [
        ["North", "12,400", "13,100", "48,000", "52,500"],
        ["South", "9,800", "9,100", "39,000", "37,200"],
        ["Lido", "21,050", "24,300", "80,100", "95,000"],
    ],
)
ROOMS = table_of(
    "rooms.csv",
    ["Site", "Room", "Seats"],
    [["Mill", "Blue", 10], ["Mill", "Red", 20], ["Dock", "Grey", 15], ["Dock", "Gold", 5]],
)
LARDER = table_of(
    "recipes.csv",
    ["Recipe", "Ingredient", "Amount"],
    [
        ["Pancakes", "milk", 2],
        ["Pancakes", "eggs", 3],
        ["Omelette", "eggs", 4],
        ["Omelette", "butter", 1],
    ],
)
MACHINES = table_of(
    "machines.csv",
    ["Asset tag", "Machine", "Responsible", "Price (EUR)"],
    [
        ["M-101", "Paint booth", "L. Sommer", 48000],
        ["M-102", "Hydraulic press", "A. Sahin", 147000],
        ["M-103", "Laser cutter", "L. Sommer", 93000],
        ["M-104", "Paint booth", "D. Urban", 51000],
    ],
)
ITEMS = table_of("literals.md", ["literal", "example"], [["octal", "0o77"], ["hex", "0xff"]])


def short_of(question: str, table: TypedTable) -> str | None:
    """Return what a table answers in short; None where it does not."""
    found = answered(question, table)
    return found.short if found is not None else None


@pytest.mark.parametrize(
    ("table", "question", "short"),
    [
        (LANDS, "What was the life expectancy in Belgium?", "68"),
        (LANDS, "What is the GDP per capita of Austria?", "6137"),
        (LANDS, "Which time zone does Albania have?", "Europe/Tirane"),
        (LANDS, "Which two countries have the largest population?", "Belgium, Austria"),
        (YIELDS, "How much more did Trebi yield in Waseca than in Duluth in 1931?", "0"),
        (WEATHER, "On how many days was the sky sun?", "2"),
        (PRICES, "1600년에 밀값은 얼마였나요?", "27"),
        (PRICES, "밀값이 가장 비쌌던 해는 언제인가요?", "1810년"),
        (DOORS, "Which doors are not locked by default?", "South, West"),
        (DOORS, "Which doors opened last year?", "North, West"),
        (FLOWERS, "What is the longest sepal of a setosa?", "5.1"),
        (FLOWERS, "What is the widest sepal of a setosa?", "3.5"),
        (PLACES, "Is China higher than Bahrain?", "no"),
        (LANDS, "What is the highest life expectancy?", "68"),
        (LANDS, "Which country has the highest life expectancy?", "Belgium"),
        (ADMITTED, "How many were admitted?", "40"),
        (ADMITTED, "Which department admitted the fewest?", "F"),
        (ADMITTED, "Which department has the most applicants?", "B"),
        (YIELDS, "By how much does the average yield of Velvet exceed that of Trebi?", "7"),
        (YIELDS, "What is the median yield in Waseca?", "31"),
        (LANDS, "What is the median life expectancy?", "66.8"),
        (SHIPS, "How many ships are in Oslo?", "11"),
        (BOATS, "Were there more men than women in boat 3?", "no"),
        (BOATS, "Were there fewer men than women in boat 3?", "yes"),
        (PATIENTS, "In the patients table, how many women are in ward A?", "4"),
        (PATIENTS, "What share of those who paid are women?", "33.3333%"),
        (PATIENTS, "Of the women, how many per cent paid?", "50%"),
        (LANDS, "Three countries with the largest population in 1952", "Austria, Albania"),
        (FERRIES, "Which boat had the most women?", "5"),
        (BRANCHES, "Which branch is older, Busan or Porto?", "Busan"),
        (BRANCHES, "Which branch is newer, Busan or Porto?", "Porto"),
        (BRANCHES, "Is the Porto branch older than the Busan one?", "no"),
        (BRANCHES, "Which is the oldest branch?", "Busan"),
        (BRANCHES, "What is the newest branch?", "Porto"),
        (ROOMS, "How many seats does the Mill have?", "30"),
        (ROOMS, "How many rooms are there?", "4"),
        (MACHINES, "Which machine was the most expensive?", "Hydraulic press (M-102)"),
        (MACHINES, "Which machine is more expensive, M-101 or M-103?", "M-103"),
        (MACHINES, "What is the price of M-104?", "51000 EUR"),
        (MACHINES, "What is the average price of the machines?", "84750 EUR"),
        (TRIAL, "What share of the records in the trial had the disorder present?", "50%"),
    ],
)
def test_a_question_is_read_into_a_plan(table: TypedTable, question: str, short: str) -> None:
    dated = replace(table, as_of=date(2025, 8, 9))
    assert short_of(question, dated) == short


@pytest.mark.parametrize(
    ("table", "question"),
    [
        (DOORS, "Which doors opened last year?"),
        (DOORS, "Which doors opened last week?"),
        (DOORS, "How many doors opened in 1987?"),
        (LANDS, "How many countries were there in May 1952?"),
        (LANDS, "What is the agency of Austria?"),
        (YIELDS, "How many varieties were cancelled?"),
        (PRICES, "1600년에 쌀값은 얼마였나요?"),
        (PRICES, "1600년에 경유 값은 얼마였나요?"),
        (ITEMS, "Who wrote the octal literal?"),
        (YIELDS, "What is the average year?"),
        (BOATS, "How many?"),
        (BOATS, "how many in the data?"),
        (BOATS, "Were there more women or more men in boat 4?"),
        (PORTS, "Which settings name a model?"),
        (PORTS, "Which counts links a person?"),
    ],
)
def test_what_the_table_does_not_tell_is_no_plan(table: TypedTable, question: str) -> None:
    assert short_of(question, table) is None


def test_rows_are_counted_of_two_things_unless_a_size_is_compared() -> None:
    def counts(question: str) -> bool:
        plans = plans_of(question, MACHINES)
        return any(one.way == "group winner" and not one.measure for one in plans)

    assert counts("Does the customer have more Paint booth or Laser cutter machines?")
    assert not counts("Which machine is more expensive, Paint booth or Laser cutter?")
    assert not counts("Which machine is older, Paint booth or Laser cutter?")


def test_how_many_ports_is_no_sum_of_what_they_count() -> None:
    assert short_of("How many ports have SE ships?", SHIPS) in (None, "2")


def test_what_a_question_names_is_no_answer_to_it() -> None:
    assert short_of("Busan or Porto?", BRANCHES) is None
    assert short_of("Is the Porto branch larger than the Busan one?", BRANCHES) != "no"


def test_which_of_two_is_never_answered_by_yes_or_no() -> None:
    assert short_of("Is China or Bahrain higher?", PLACES) in ("Bahrain", None)


def test_who_is_cautious_is_told_no_more() -> None:
    for question in ("Which doors opened last year?", "What was the life expectancy in Belgium?"):
        table = LANDS if "life" in question else replace(DOORS, as_of=date(2025, 8, 9))
        open_one = answered(question, table)
        cautious = answered(question, table, caution=Caution.CAUTIOUS)
        assert open_one is not None
        assert cautious is None or cautious.short == open_one.short


def test_a_plan_and_its_rows_are_told_with_the_answer() -> None:
    found = answered("What was the life expectancy in Belgium?", LANDS)
    assert found is not None
    assert [one.text for one in found.quotes] == [
        "Belgium · 1957 · 68 · 8343 · 8730405 · Europe/Brussels"
    ]
    assert "lands.csv · country = Belgium · → lifeExp" in found.notes[0]


@pytest.mark.parametrize(
    "question",
    [
        "between 1 and 2 " * 100,
        "Austria, Belgium and Albania or " * 40,
        "how many most " * 25,
        "1952 " * 60,
        "country year pop TZ " * 15,
        "Which country is not not not without no pop of Austria, 12%, 3 or 4?",
        "\u0000 ( [ % \\ ' \" ; drop table",
    ],
)
def test_a_hostile_question_ends_without_an_error_or_an_answer(question: str) -> None:
    told = [short_of(question, table) for table in (LANDS, WEATHER)]
    assert told == [None, None]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is metric 3 of node1?", "103"),
        ("What is the total of metric 3?", "203"),
        ("What is metric 47 of node1?", "147"),
        ("What is the total of metric 47?", "247"),
    ],
)
def test_of_more_columns_than_are_told_those_that_a_question_names_are(
    question: str, answer: str
) -> None:
    wide = table_of(
        "nodes.csv",
        [*(f"metric {at}" for at in range(1, 48)), "id"],
        [[*range(101, 148), "node1"], [*([100] * 47), "node2"]],
    )
    found = answered(question, wide)
    assert found is not None
    assert found.short == answer


@pytest.mark.parametrize(
    ("column", "cells", "short", "bare"),
    [
        ("amount", ["1200", "€900", "300", "100"], "2500", 3),
        ("amount", ["€1200", "€900", "€300", "€100"], "2500 EUR", 0),
        ("amount (EUR)", ["1200", "€900", "300", "100"], "2500 EUR", 0),
        ("amount", ["1200", "900", "300", "100"], "2500", 0),
    ],
)
def test_a_figure_has_the_unit_that_all_its_cells_have(
    column: str, cells: list[str], short: str, bare: int
) -> None:
    rows = [[f"Item {at}", cell] for at, cell in enumerate(cells)]
    found = answered("What is the total amount?", table_of("s.csv", ["item", column], rows))
    assert found is not None
    assert found.short == short
    said = (note("cells_without_unit", count=bare),) if bare else ()
    assert found.notes[1:] == said


@pytest.mark.parametrize("cell", ["n/a", "-", "about three"])
def test_a_figure_says_how_many_cells_were_left_out_of_it(cell: str) -> None:
    rows = [["North", "1200"], ["South", cell], ["West", "300"], ["East", "500"]]
    found = answered("What is the average amount?", table_of("s.csv", ["region", "amount"], rows))
    assert found is not None
    assert found.short == "666.6667"
    assert found.notes[1:] == (note("cells_left_out", count=1),)


STAFF = table_of(
    "staff.csv",
    ["name", "team", "office", "joined", "reports_to"],
    [
        ["Ada Bell", "People", "Porto", "2019-02-04", "Cleo Dahl"],
        ["Ben Frost", "Data", "Porto", "2021-05-10", "Ada Bell"],
        ["Cleo Dahl", "Executive", "Hull", "2014-05-06", ""],
        ["Dan Ewing", "Data", "Porto", "2020-01-08", "Ada Bell"],
        ["Eve Gray", "People", "Hull", "2023-09-01", "Cleo Dahl"],
        ["Finn Hart", "Data", "Hull", "2018-07-02", "Ben Frost"],
    ],
)


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("How many people work in the Porto office?", "3"),
        ("How many people report to Ada Bell?", "2"),
        ("Who reports to Ada Bell?", "Ben Frost, Dan Ewing"),
        ("Who joined most recently?", "Eve Gray"),
    ],
)
def test_people_are_rows_and_no_team(question: str, short: str) -> None:
    found = answered(question, STAFF)
    assert found is not None
    assert found.short == short


def test_a_column_named_before_of_is_still_shown() -> None:
    units = table_of(
        "units.csv",
        ["unit", "head of unit", "floor"],
        [["Sales", "Ada Bell", 1], ["Legal", "Ben Frost", 2], ["Stores", "Cleo Dahl", 3]],
    )
    found = answered("Who is the head of Legal?", units)
    assert found is not None
    assert found.short == "Ben Frost"


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Which people work in the Porto office?", False),
        ("Who works in the people team?", True),
        ("How many of the People team are in Hull?", True),
    ],
)
def test_a_team_is_named_people_where_it_is_not_asked_which(question: str, named: bool) -> None:
    plans = plans_of(question, STAFF)
    assert plans
    assert named is any(one.column == "team" for plan in plans for one in plan.plan.filters)


def test_the_last_name_is_not_the_last_of_the_rows() -> None:
    crew = table_of(
        "crew.csv",
        ["first_name", "last_name", "age"],
        [["Ada", "Bell", 41], ["Ben", "Frost", 63], ["Cleo", "Dahl", 29]],
    )
    found = answered("What is the last name of the oldest?", crew)
    assert found is not None
    assert found.short == "Frost"


def worked_out(question: str, table: TypedTable) -> set[str]:
    """Return what the plans for a question work out over all rows that are meant."""
    plans = plans_of(question, table)
    alone = [one.plan.aggregates[0] for one in plans if one.way in ("count", "sum")]
    return {f"{one.function.value} {one.column}".strip() for one in alone}


@pytest.mark.parametrize(
    ("table", "question", "worked"),
    [
        (ROOMS, "How many rooms are there?", {"count"}),
        (ROOMS, "How many sites are there?", {"count_distinct Site"}),
        (ROOMS, "How many seats does the Mill have?", {"sum Seats"}),
        (LARDER, "How many eggs does an omelette need?", {"sum Amount"}),
        (LARDER, "How many recipes have eggs?", {"count_distinct Recipe"}),
        (POOLS, "How many visitors by pool in 2024?", set()),
    ],
)
def test_what_a_column_tells_is_no_count_of_rows(
    table: TypedTable, question: str, worked: set[str]
) -> None:
    assert worked_out(question, table) == worked
