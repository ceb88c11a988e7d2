"""Questions over sheets laid out by hand: names over several rows, parts, several tables in one."""

from __future__ import annotations

import json

import pytest

from weft import Weft

FILES = {
    "nurseries.csv": (
        "Nursery,Group,Age,Children,Teacher\nSunflower,Ladybirds,2,12,Irma\n,Hedgehogs,3,14,Olav\n"
        ",Foxes,4,15,Petra\nRiverbank,Ducklings,2,9,Sana\n,Otters,3,11,Milo\nHilltop,Larks,3,13,Greta\n"
        ",Owls,4,16,Yusuf\n,Eagles,5,18,Nils\n"
    ),
    "catering_prices.csv": (
        "Dish,Price,Vegetarian\nStarters,,\nTomato soup,4.50,yes\nSmoked trout,7.20,no\nMains,,\n"
        "Lentil stew,9.80,yes\nRoast lamb,16.40,no\nMushroom pie,11.10,yes\nDesserts,,\n"
        "Apple crumble,5.30,yes\nCheese plate,8.90,yes\n"
    ),
    "travel_costs.csv": (
        "Department,Trip,Cost\nSales,Oslo,1200\nSales,Riga,800\nTotal Sales,,2000\n"
        "Research,Bonn,450\nResearch,Lund,650\nResearch,Graz,900\nTotal Research,,2000\n"
        "Grand total,,4000\n"
    ),
    "phone_plans.csv": (
        "Feature,Basic,Plus,Max\nMonthly fee,12,19,34\nData (GB),5,20,100\nRoaming,no,yes,yes\n"
        "Contract (months),1,12,24\n"
    ),
    "clubs.csv": (
        "Chess club\nPlayer,Rating,Joined\nIvo,1820,2019\nLena,1975,2021\nMarc,1610,2020\n\n"
        "Rowing club\nRower,Boat,Medals\nTess,Heron,4\nUdo,Heron,1\nVera,Plover,7\n"
    ),
    "stock.csv": (
        "Tool,Count,,Material,Metres\nHammer,14,,Pine boards,120\nSaw,6,,Copper pipe,85\n"
        "Drill,9,,Cable,400\nLevel,3,,,\n"
    ),
    "swimming_pools.csv": (
        "Municipal pools,,,,\n,Visitors,,Income,\nPool,2023,2024,2023,2024\n"
        'North,"12,400","13,100","48,000","52,500"\nSouth,"9,800","9,100","39,000","37,200"\n'
        'Lido,"21,050","24,300","80,100","95,000"\n'
    ),
    "parcels.csv": (
        "Parcel,Weight,Destination\nP1,2.5 kg,Lyon\nP2,800 g,Ghent\nP3,12 kg,Turin\n"
        "P4,450 g,Ghent\nP5,3.1 kg,Lyon\n"
    ),
    "wells.csv": (
        "Well,Depth (m),Remark\nAlder,45,ok\nBirch,62*,*re-drilled 2019\nCedar,n/a,\n"
        "Dogwood,38,closed\nElder,71,\n"
    ),
    "zoo.md": (
        "# The zoo\n\n| Animal | Count | Born |\n|---|---|---|\n| **Birds** | | |\n"
        "| Penguin | 14 | 2019 |\n| Flamingo | 32 | 2015 |\n| **Mammals** | | |\n"
        "| Otter | 5 | 2020 |\n"
        "| Seal | 8 | 2012 |\n| Tapir | 2 | 2017 |\n"
    ),
    "menu.html": (
        "<html><body><h1>Canteen menu</h1><table>"
        "<tr><th>Dish</th><th>Price</th><th>Calories</th></tr>"
        "<tr><td colspan=3>Soups</td></tr><tr><td>Leek</td><td>3.20</td><td>180</td></tr>"
        "<tr><td>Pea</td><td>2.90</td><td>240</td></tr><tr><td colspan=3>Pasta</td></tr>"
        "<tr><td>Penne</td><td>6.40</td><td>610</td></tr>"
        "<tr><td>Gnocchi</td><td>7.10</td><td>700</td></tr></table></body></html>"
    ),
    "lockers.csv": (
        "Lockers of the swimming hall 2024\nHall,Locker,Renter,Key back,Fee\n"
        "East,E1,Ola Brink,x,10\n,E2,Pia Holt,,12\n,E3,Rune Dal,x,14\n,fees East,,,36\n"
        "West,W1,Siv Moe,,11\n,W2,Tor Lie,x,13\n,fees West,,,24\n"
        "Keys are to be back by June.\n"
    ),
    "harvest_2024.csv": "Field,May,June\nNorth,11,12\nSouth,14,9\nEast,8,10\n",
    "harvest_2023.csv": "Field,May,June\nNorth,21,22\nSouth,24,19\nEast,18,20\n",
    "rowers.csv": "Rower,Boat\n"
    + "".join(
        f"Rower {name},{'Heron' if at % 2 else 'Plover'}\n"
        for at, name in enumerate("ABCDEFGHIJKL")
    )
    + "Total,12\n",
    "deals.md": (
        "# Internet deals\n\n| | Small | Middle | Large |\n|---|---|---|---|\n"
        "| Rent | £11 | £21 | £31 |\n| Speed | 50 MB | 250 MB | 1000 MB |\n"
        "| Router included | no | yes | yes |\n"
    ),
    "shifts.html": (
        "<html><body><h1>Nurses by ward</h1><table>"
        "<tr><th>Ward</th><th>Shift</th><th>Nurses</th></tr>"
        "<tr><td>Maple</td><td>early</td><td>6</td></tr><tr><td></td><td>late</td><td>4</td></tr>"
        "<tr><td>&nbsp;</td><td>night</td><td>2</td></tr>"
        "<tr><td>Cedar</td><td>early</td><td>5</td></tr>"
        "<tr><td></td><td>late</td><td>3</td></tr></table></body></html>"
    ),
    "cafe_staff.json": json.dumps(
        {
            "Alva": {"role": "cook", "hours": 32},
            "Bo": {"role": "waiter", "hours": 20},
            "Cia": {"role": "waiter", "hours": 38},
        }
    ),
    "buses.json": json.dumps(
        {
            "meta": {"updated": "2024-08-01"},
            "buses": [
                {"line": "4", "stops": ["Mill", "Dock"], "driver": {"name": "Eli Fog"}},
                {"line": "9", "stops": ["Dock", "Airport"], "driver": {"name": "Ute Lam"}},
            ],
        }
    ),
}
ASKED = [
    ("How many children are in the Sunflower nursery?", "41"),
    ("How many groups does Hilltop have?", "3"),
    ("Which nursery is the Otters group in?", "Riverbank"),
    ("How much is the cheapest main?", "9.80"),
    ("How many desserts are on the catering list?", "2"),
    ("How much was spent on trips in total?", "4000"),
    ("How many trips were there?", "5"),
    ("What does the Plus phone plan cost a month?", "19"),
    ("Which phone plan has the most data?", "Max"),
    ("Which plans include roaming?", "Plus, Max"),
    ("Who has the highest chess rating?", "Lena"),
    ("How many medals did Vera win?", "7"),
    ("How many saws do we have?", "6"),
    ("How many metres of cable are in stock?", "400"),
    ("How many visitors did the Lido have in 2024?", "24,300"),
    ("What was the income of the South pool in 2023?", "39,000"),
    ("What is the total weight of the parcels?", "18.85 kg"),
    ("How many parcels weigh more than 1 kg?", "3"),
    ("How many wells are deeper than 40 m?", "3"),
    ("How many flamingos does the zoo have?", "32"),
    ("What is the cheapest soup in the canteen?", "Pea"),
    ("How many pasta dishes are on the menu?", "2"),
    ("Who drives bus line 9?", "Ute Lam"),
    ("How many lockers have the key back?", "3"),
    ("How many lockers are there in the East hall?", "3"),
    ("How much did the South field give in May 2024?", "14"),
    ("How much did the South field give in May 2023?", "24"),
    ("How many rowers are there in rowers.csv?", "12"),
    ("What is the rent of the Middle internet deal?", "£21"),
    ("Which internet deal is the fastest?", "Large"),
    ("Which ward has 4 nurses on the late shift?", "Maple"),
    ("How many nurses work on Maple in total?", "12"),
]


@pytest.mark.parametrize(("question", "short"), ASKED)
def test_what_is_laid_out_by_hand_is_read_as_it_is_meant(
    office: Weft, question: str, short: str
) -> None:
    answer = office.ask(question)
    if answer.refused:  # not sure enough to be told: the first of what is offered is meant
        answer = office.ask(question, meaning=answer.meanings[0].id)
    assert answer.short == short
    assert answer.sentences


def test_of_two_tables_that_may_be_counted_both_are_offered(office: Weft) -> None:
    asked = "How many rowers are there?"
    answer = office.ask(asked)
    assert answer.refused
    told = {office.ask(asked, meaning=one.id).short for one in answer.meanings}
    assert told == {"12", "3"}  # the rowers, and the rows of the rowing club


def test_nothing_that_stands_beside_a_table_is_lost(office: Weft) -> None:
    for said in ("Municipal pools", "Chess club", "Rowing club", "meta.updated: 2024-08-01"):
        assert any(said in one.text for one in office.search(said)), said


def test_a_row_says_what_it_is_of(office: Weft) -> None:
    found = office.search("Otters group")
    assert any("Nursery: Riverbank" in one.text for one in found)
