"""Questions read into plans over one table, without an embedder: the plan in its one line."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import date

import pytest

from unit.retrieval.tables.made_tables import table_of
from weft.offline.plans.planning import planned
from weft.offline.plans.sketch import sketch_of
from weft.retrieval.tables.describing import Describer
from weft.retrieval.tables.plan import said
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
ITEMS = table_of("literals.md", ["literal", "example"], [["octal", "0o77"], ["hex", "0xff"]])


def plan_of(question: str, table: TypedTable) -> str | None:
    """Return the line of the plan that a question is read into; None where it is none."""
    [item] = asyncio.run(Describer().described(question, [table], embedder=None))
    found = planned(question, sketch_of(item))
    return said(found.plan, [table.title]) if found is not None else None


@pytest.mark.parametrize(
    ("table", "question", "plan"),
    [
        (LANDS, "What was the life expectancy in Belgium?", "country = Belgium · → lifeExp"),
        (LANDS, "What is the GDP per capita of Austria?", "country = Austria · → gdpPercap"),
        (LANDS, "Which time zone does Albania have?", "country = Albania · → TZ"),
        (
            LANDS,
            "Which two countries have the largest population?",
            "↓ pop · first 2 · → country, pop",
        ),
        (YIELDS, "How many varieties are there?", "count_distinct(variety)"),
        (
            YIELDS,
            "How much more did Trebi yield in Waseca than in Duluth in 1931?",
            "year = 1931 · site ∈ {Waseca, Duluth} · variety = Trebi · → site, yield",
        ),
        (WEATHER, "On how many days was the sky sun?", "sky = sun · count()"),
        (WEATHER, "How cold was it on 3 March 2013?", "day = 3 March 2013 · → temp_min"),
        (
            WEATHER,
            "On how many days did it reach 15 degrees or more?",
            "temp_max ≥ 15 · count()",
        ),
        (PRICES, "1600년에 밀값은 얼마였나요?", "연도 = 1600 · → 밀값(실링)"),
        (
            PRICES,
            "밀값이 가장 비쌌던 해는 언제인가요?",
            "↓ 밀값(실링) · first 1 · → 연도, 밀값(실링)",
        ),
        (PRICES, "주급이 10실링을 넘은 해는 몇 번인가요?", "주급(실링) > 10 · count()"),
        (
            PRICES,
            "1590년에서 1600년 사이에 밀값은 얼마나 줄었나요?",
            "연도 ∈ {1590, 1600} · → 연도, 밀값(실링)",
        ),
        (DOORS, "Which doors are not locked by default?", "locked by default = no · → door"),
        (DOORS, "Which doors opened last year?", "opened = 2024 · → door"),
        (DOORS, "Which doors opened this month?", "opened = 2025-08 · → door"),
        (
            FLOWERS,
            "What is the longest sepal of a setosa?",
            "species = setosa · ↓ sepalLength · first 1 · → sepalLength",
        ),
        (
            FLOWERS,
            "What is the widest sepal of a setosa?",
            "species = setosa · ↓ sepalWidth · first 1 · → sepalWidth",
        ),
        (
            PLACES,
            "Is China higher than Bahrain?",
            "place ∈ {China, Bahrain} · ↓ height · → place, height",
        ),
        (ITEMS, "What does the octal literal look like?", "literal = octal · → example"),
    ],
)
def test_a_question_is_read_into_a_plan(table: TypedTable, question: str, plan: str) -> None:
    dated = replace(table, as_of=date(2025, 8, 9))
    assert plan_of(question, dated) == f"{table.title} · {plan}"


@pytest.mark.parametrize(
    ("table", "question"),
    [
        (DOORS, "Which doors opened last year?"),
        (DOORS, "Which doors opened last week?"),
        (DOORS, "How many doors has Ada the keys of?"),
        (LANDS, "How many countries were there in May 1952?"),
        (LANDS, "What is the wholesale pop of Austria?"),
        (LANDS, "What is the agency of Austria?"),
        (YIELDS, "How many varieties were cancelled?"),
        (YIELDS, "Which site did Trebi leave?"),
        (PRICES, "1600년에 쌀값은 얼마였나요?"),
        (PRICES, "1600년에 경유 값은 얼마였나요?"),
        (ITEMS, "Who wrote the octal literal?"),
        (PORTS, "Which settings name a model?"),
        (PORTS, "Which counts links a person?"),
    ],
)
def test_what_the_table_does_not_tell_is_no_plan(table: TypedTable, question: str) -> None:
    assert plan_of(question, table) is None
