"""Questions over tables as people keep them: the first line does not always name the columns."""

from __future__ import annotations

import pytest

from weft import Weft

FILES = {
    "sales.csv": (
        "Sales report 2024,,,\n,,,\nRegion,Q1,Q2,Manager\n"
        'North,"1,200","1,300",Ida Berg\nSouth,900,"1,000",Tom Lund\nEast,400,650,Eva Moe\n'
        'Total,"2,500","2,950",\n'
    ),
    "stations.csv": (
        "Station,Temp,Rain,,\n,(C),(mm),,\nAlta,-3.5,12,,\nBodo,2.1,30,,\nVadso,-7,4,,\n"
    ),
    "rooms.csv": "Room,Capacity,\n,seated,standing\nBlue,40,80\nRed,25,50\nGreen,30,90\n",
    "hours.csv": (
        "Employee,Jan 2024,Feb 2024,Mar 2024\nAda,160,152,149\nBen,140,150,161\nCleo,155,0,80\n"
    ),
    "population_millions.csv": (
        "country,2018,2019,2020\nKenya,51.4,52.6,53.8\nGhana,29.8,30.4,31.1\nUganda,42.7,44.3,45.7\n"
    ),
    "teams.md": (
        "# Teams\n\nTeam | Budget | Spent\n--- | --- | ---\n"
        "Ops | $12.5k | 80%\nWeb | $9k | 45%\nLab | $30k | 101%\n"
    ),
    "fleet.md": (
        "# Fleet report\n\n| Vehicle | Km driven | Serviced |\n|---|---:|:---:|\n"
        "| Van 1 | 12 400 | ✓ |\n| Van 2 | 9 800 | ✗ |\n| Truck | 30 150 | ✓ |\n"
        "| **Total** | **52 350** | |\n\nNumbers are for 2024.\n"
    ),
    "branches.html": (
        "<html><body><h1>Branches</h1><table>"
        "<tr><th rowspan=2>Branch</th><th colspan=2>Visitors</th><th rowspan=2>Head</th></tr>"
        "<tr><th>adults</th><th>children</th></tr>"
        "<tr><td>Mill Lane</td><td>310</td><td>120</td><td>Ada Bell</td></tr>"
        "<tr><td>Station</td><td>290</td><td>150</td><td>Ben Frost</td></tr>"
        "<tr><td>Harbour</td><td>80</td><td>35</td><td>Cleo Dahl</td></tr></table></body></html>"
    ),
}
ASKED = [
    ("What were total sales in Q1?", "2500"),
    ("Which region sold the most in Q2?", "North"),
    ("How many regions are there?", "3"),
    ("Who manages the South region?", "Tom Lund"),
    ("How many stations are there?", "3"),
    ("Which station is the coldest?", "Vadso"),
    ("How much rain fell in Bodo?", "30 mm"),
    ("Which room has the largest standing capacity?", "Green"),
    ("How many rooms are there?", "3"),
    ("Who worked the most in January 2024?", "Ada"),
    ("What was the population of Kenya in 2020?", "53.8"),
    ("Which country had the largest population in 2019?", "Kenya"),
    ("total population 2018", "123.9"),
    ("Which team has the biggest budget?", "Lab"),
    ("How many vehicles are there?", "3"),
    ("How many km were driven in total?", "52350"),
    ("Which vehicles were not serviced?", "Van 2"),
    ("Which branch had the most children as visitors?", "Station"),
    ("Who is the head of the Harbour branch?", "Cleo Dahl"),
]


@pytest.mark.parametrize(("question", "short"), ASKED)
def test_a_table_is_read_as_it_is_kept(office: Weft, question: str, short: str) -> None:
    answer = office.ask(question)
    assert answer.short == short
    assert answer.sentences


def test_what_stands_above_a_table_is_kept(office: Weft) -> None:
    found = office.search("Sales report 2024")
    assert any(one.text == "Sales report 2024" for one in found)
