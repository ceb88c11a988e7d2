"""Tables as organisations keep them, made up: what `learn_plans.py` learns of besides real ones.

`questions-office.jsonl` asks about them; the same tables come out each time.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

Row = Sequence[object]
FIRST = (
    "Anna Boris Chloe Daniel Elena Farid Grace Hugo Ines Jonas Kira Liam Mona Nils Olga Paul "
    "Quinn Rosa Samir Tara Ugo Vera Wim Xenia Yusuf Zoe Amir Bella Carl Dora"
).split()
LAST = (
    "Novak Berg Silva Okafor Tanaka Meyer Rossi Dubois Kowalski Haddad Lindgren Costa Moreau "
    "Petrov Evans Fischer Gruber Hansen Ivanov Jansen Keller Larsen Marino Nagy Olsen Peters "
    "Quist Romano Sato Toth"
).split()
ITEMS = (
    "hammer;cordless drill;wood screw box;paint brush;ladder;tape measure;safety goggles;"
    "work gloves;chisel set;spirit level;angle grinder;hand saw;wrench;pliers;socket set;"
    "nail gun;sandpaper pack;extension cord;tool belt;wheelbarrow;shovel;rake;garden hose;"
    "pressure washer;paint roller"
).split(";")
PROJECTS = (
    "Atlas Beacon Comet Delta Echo Falcon Granite Harbor Iris Jade Kestrel Lumen Meridian "
    "Nova Onyx Pioneer"
).split()
COURSES = (
    "Linear Algebra;Organic Chemistry;Roman Law;Microeconomics;Databases;Genetics;"
    "Medieval History;Thermodynamics;Statistics;Phonetics;Robotics;Ethics;Optics;Botany"
).split(";")
KOREANS = (
    "김민수 이서연 박지훈 최유진 정하늘 강도윤 조수빈 윤재호 장미래 임하준 한소희 오태양 "
    "서지민 신예은 권민재 황보라"
).split()


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficeTable:
    """A table: its file, its columns and rows, and the text that stands before it in Markdown."""

    file: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    before: str = ""

    def write(self, folder: Path) -> None:
        """Write it as its file's name says."""
        path = folder / self.file
        if path.suffix == ".md":
            lines = [f"| {' | '.join(map(str, row))} |" for row in (self.columns, *self.rows)]
            lines.insert(1, f"|{'---|' * len(self.columns)}")
            path.write_text(f"{self.before}\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
            return
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",")
            writer.writerow(self.columns)
            writer.writerows(self.rows)


def office_tables() -> Iterator[OfficeTable]:
    """Yield the tables."""
    random = Random(7)
    yield _staff(random)
    yield _incidents(random)
    yield _stock(random)
    yield _projects(random)
    yield _fleet(random)
    yield _sales(random)
    yield _invoices(random)
    yield _courses(random)
    yield _koreans()
    yield _shops()


def _day(random: Random, year: int | str) -> str:
    return f"{year}-{random.randrange(1, 13):02}-{random.randrange(1, 28):02}"


def _staff(random: Random) -> OfficeTable:
    columns = ("Name", "Department", "Job title", "Salary", "Start date", "Office", "Remote")
    rows = tuple(
        (
            f"{FIRST[at]} {LAST[at]}",
            random.choice(["Engineering", "Finance", "Sales", "Support", "Legal"]),
            random.choice(["Manager", "Analyst", "Engineer", "Assistant"]),
            random.randrange(38, 120) * 1000 + at * 10,
            _day(random, 2000 + random.randrange(9, 25)),
            random.choice(["Lisbon", "Vienna", "Oslo", "Prague"]),
            random.choice(["yes", "no"]),
            random.randrange(0, 31),
        )
        for at in range(30)
    )
    return OfficeTable(file="staff.csv", columns=(*columns, "Vacation days left"), rows=rows)


def _incidents(random: Random) -> OfficeTable:
    columns = ("ID", "Service", "Severity", "Opened", "Minutes down", "Root cause", "On call")
    rows = tuple(
        (
            f"INC-{400 + at}",
            random.choice(["Checkout", "Search", "Login", "Payments", "Email"]),
            random.choice(["critical", "major", "minor"]),
            _day(random, 2025),
            5 + at * 7 % 311 + at,
            random.choice(["config error", "hardware failure", "bad deploy", "third party"]),
            random.choice(FIRST[:6]),
        )
        for at in range(34)
    )
    before = "# Incident log 2025\n\nEvery outage of the platform is listed here by operations."
    return OfficeTable(file="incidents.md", columns=columns, rows=rows, before=before)


def _stock(random: Random) -> OfficeTable:
    columns = ("SKU", "Item", "Qty", "Reorder level", "Unit price EUR", "Supplier", "Warehouse")
    rows = tuple(
        (
            f"SKU{100 + at}",
            item,
            random.randrange(0, 900) + at,
            random.choice([20, 50, 100]),
            round(1.5 + at * 3.37 % 80, 2),
            random.choice(["Acme Tools", "Nordic Parts", "Baltic Trade"]),
            random.choice(["A", "B", "C"]),
        )
        for at, item in enumerate(ITEMS)
    )
    return OfficeTable(file="stock.csv", columns=columns, rows=rows)


def _projects(random: Random) -> OfficeTable:
    columns = ("Project", "Lead", "Status", "Budget ($)", "Spent ($)", "Deadline", "Team size")
    rows = tuple(
        (
            name,
            f"{random.choice(FIRST[:9])} {random.choice(LAST[:4])}",
            random.choice(["on track", "delayed", "finished", "cancelled"]),
            random.randrange(20, 400) * 1000 + at * 500,
            random.randrange(10, 390) * 1000 + at * 300,
            _day(random, 2026),
            random.randrange(2, 15),
        )
        for at, name in enumerate(PROJECTS)
    )
    before = "# Portfolio\n\nAll projects that the board looks at every quarter."
    return OfficeTable(file="projects.md", columns=columns, rows=rows, before=before)


def _fleet(random: Random) -> OfficeTable:
    columns = ("Plate", "Vehicle", "Built", "Mileage (km)", "Fuel", "Driver", "Last service")
    vans = ["Ford Transit", "VW Crafter", "Renault Kangoo", "Mercedes Sprinter"]
    rows = tuple(
        (
            f"W-{1000 + at * 37}",
            random.choice(vans),
            2012 + at % 13,
            12000 + at * 7919 % 180000,
            random.choice(["diesel", "electric", "petrol"]),
            f"{FIRST[at]} {LAST[29 - at]}",
            _day(random, 2025),
        )
        for at in range(22)
    )
    return OfficeTable(file="fleet.csv", columns=columns, rows=rows)


def _sales(random: Random) -> OfficeTable:
    prices = {"Espresso": 12, "Filter": 9, "Decaf": 11}
    months = [f"2025-{month:02}" for month in range(1, 7)]
    parts = [(m, r, p) for m in months for r in ("North", "South", "West") for p in prices]
    bags = [random.randrange(10, 500) + at for at in range(len(parts))]
    rows = tuple(
        (*part, count, count * prices[part[2]]) for part, count in zip(parts, bags, strict=True)
    )
    columns = ("Month", "Region", "Product", "Bags sold", "Revenue")
    return OfficeTable(file="coffee_sales.csv", columns=columns, rows=rows)


def _invoices(random: Random) -> OfficeTable:
    columns = ("Invoice no", "Customer", "Net amount EUR", "Issued", "State")
    rows = tuple(
        (
            f"F-{2200 + at}",
            random.choice(["Globex", "Initech", "Umbrella", "Hooli", "Stark Ltd"]),
            f"{random.randrange(200, 9000) + at:,}.{random.randrange(10, 99)}",
            f"{random.randrange(1, 28):02}.{random.randrange(1, 13):02}.2025",
            random.choice(["paid", "open", "overdue"]),
        )
        for at in range(40)
    )
    return OfficeTable(file="invoices.csv", columns=columns, rows=rows)


def _courses(random: Random) -> OfficeTable:
    columns = ("Course", "Lecturer", "ECTS", "Enrolled", "Term", "Weekday")
    rows = tuple(
        (
            course,
            random.choice(["Dr. Adler", "Prof. Chen", "Dr. Weiss", "Prof. Ito"]),
            random.choice([3, 5, 6, 8]),
            random.randrange(12, 240),
            random.choice(["winter", "summer"]),
            random.choice(["Monday", "Tuesday", "Friday"]),
        )
        for course in COURSES
    )
    return OfficeTable(file="courses.tsv", columns=columns, rows=rows)


def _koreans() -> OfficeTable:
    columns = ("이름", "부서", "직급", "연봉(만원)", "입사일", "근무지", "나이")
    rows = tuple(
        (
            name,
            ["개발팀", "영업팀", "인사팀"][at % 3],
            ["사원", "대리", "과장", "부장"][at * 7 % 4],
            2800 + at * 173 % 4200,
            f"20{10 + at % 14}-{1 + at % 12:02}-{1 + at * 3 % 27:02}",
            ["서울", "부산", "대전"][at * 5 % 3],
            24 + at * 3 % 31,
        )
        for at, name in enumerate(KOREANS)
    )
    return OfficeTable(file="직원명부.csv", columns=columns, rows=rows)


def _shops() -> OfficeTable:
    prices = {"커피": 4500, "케이크": 6800}
    rows: list[Row] = []
    for month in range(1, 7):
        for shop in ("강남점", "홍대점", "해운대점"):
            for item, price in prices.items():
                count = 20 + (month * 13 + len(shop) * 7 + len(item) * 29) % 180
                rows.append((f"{month}월", shop, item, count, count * price + count % 7))
    columns = ("월", "매장", "품목", "판매량", "매출액")
    return OfficeTable(file="매장매출.csv", columns=columns, rows=tuple(rows))
