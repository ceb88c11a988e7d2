"""Random tables as organisations keep them: what is meant, and the dirty cells that say it.

A cell that is `None` was written as nobody can read it ("n/a", "tbd", nothing at all). Numbers
stand with units, thousands signs or neither, dates in several forms, within one column too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

Cell = str | float | date | None
MONTHS = (
    "January February March April May June July August September October November December"
).split()
_FIRST_DAY, _DAYS = date(2019, 1, 7), 1900
_UNREAD = ("n/a", "-", "", "tbd", "?")
_UNREAD_SHARE, _OTHER_FORM = 0.04, 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column: `kind` is key, name, category, number, date or another table's key.

    `values` are those of a category; `most` is a number's largest. `says` and `denies` put a
    category in words, `dated` a date: `{v}` is the value.
    """

    name: str
    kind: str
    values: tuple[str, ...] = ()
    most: int = 0
    unit: str = ""
    says: tuple[str, ...] = ()
    denies: str = ""
    dated: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of table: what a row of it is called, one and many, and how such things are counted.

    `refers` is the table whose keys its last column holds; `of` says whose a row is, as `{c}`.
    """

    name: str
    language: str
    thing: str
    things: str
    columns: tuple[Column, ...]
    counter: str = ""
    refers: str = ""
    of: str = ""

    def of_kind(self, kind: str) -> list[Column]:
        """Return the columns of a kind."""
        return [column for column in self.columns if column.kind == kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeTable:
    """A table as it is meant, and the file that it is written to."""

    kind: Kind
    rows: tuple[tuple[Cell, ...], ...]
    file: str
    text: str


MACHINES = Kind(
    name="machines",
    language="en",
    thing="machine",
    things="machines",
    columns=(
        Column(name="machine", kind="name", values=("Kestrel", "Osprey", "Heron", "Merlin")),
        Column(
            name="site",
            kind="category",
            values=("Harwick", "Bremen", "Port Linden", "Oslo"),
            says=("in {v}", "at the {v} site", "whose site is {v}"),
            denies="that are not in {v}",
        ),
        Column(name="power", kind="number", most=400, unit="kW"),
        Column(name="weight", kind="number", most=9000, unit="kg"),
        Column(name="installed", kind="date", dated="installed"),
    ),
)
COURSES = Kind(
    name="courses",
    language="en",
    thing="course",
    things="courses",
    columns=(
        Column(
            name="course", kind="name", values=("Welding", "First Aid", "Payroll", "Negotiation")
        ),
        Column(
            name="level",
            kind="category",
            values=("beginner", "intermediate", "expert"),
            says=("of level {v}", "for the {v} level", "whose level is {v}"),
            denies="whose level is not {v}",
        ),
        Column(name="fee", kind="number", most=2400, unit="EUR"),
        Column(name="duration", kind="number", most=180, unit="hours"),
        Column(name="starts", kind="date", dated="that start"),
    ),
)
CUSTOMERS = Kind(
    name="customers",
    language="en",
    thing="customer",
    things="customers",
    columns=(
        Column(name="code", kind="key", values=("C",)),
        Column(name="company", kind="name", values=("Bauer", "Lindholm", "Okafor", "Rossi")),
        Column(
            name="country",
            kind="category",
            values=("Germany", "Norway", "Nigeria", "Italy"),
            says=("in {v}", "from {v}", "whose country is {v}"),
            denies="outside {v}",
        ),
    ),
)
ORDERS = Kind(
    name="orders",
    language="en",
    thing="order",
    things="orders",
    columns=(
        Column(name="order", kind="key", values=("O",)),
        Column(
            name="status",
            kind="category",
            values=("paid", "open", "cancelled"),
            says=("that are {v}", "with the status {v}", "whose status is {v}"),
            denies="that are not {v}",
        ),
        Column(name="amount", kind="number", most=90000, unit="EUR"),
        Column(name="ordered", kind="date", dated="ordered"),
        Column(name="customer", kind="reference"),
    ),
    refers="customers",
    of="of customers {c}",
)
STAFF = Kind(
    name="직원",
    language="ko",
    thing="직원",
    things="직원",
    counter="명",
    columns=(
        Column(name="이름", kind="name", values=("김민수", "이서연", "박지훈", "최유진")),
        Column(
            name="부서",
            kind="category",
            values=("영업부", "연구소", "생산부", "인사부"),
            says=("{v}에서 일하는", "부서가 {v}인", "{v}의"),
            denies="부서가 {v}(이/가) 아닌",
        ),
        Column(name="연봉", kind="number", most=9800, unit="만 원"),
        Column(name="근무 시간", kind="number", most=2600, unit="시간"),
        Column(name="입사일", kind="date", dated="입사한"),
    ),
)
PLANT = Kind(
    name="설비",
    language="ko",
    thing="설비",
    things="설비",
    counter="대",
    columns=(
        Column(name="설비명", kind="name", values=("절단기", "프레스", "압축기", "건조로")),
        Column(
            name="공장",
            kind="category",
            values=("울산 공장", "구미 공장", "평택 공장"),
            says=("{v}에 있는", "공장이 {v}인"),
            denies="{v}에 없는",
        ),
        Column(name="소비 전력", kind="number", most=900, unit="kW"),
        Column(name="구입가", kind="number", most=88_000_000, unit="원"),
        Column(name="설치일", kind="date", dated="설치한"),
    ),
)
SUPPLIERS = Kind(
    name="거래처",
    language="ko",
    thing="거래처",
    things="거래처",
    counter="곳",
    columns=(
        Column(name="거래처 코드", kind="key", values=("K",)),
        Column(name="상호", kind="name", values=("한빛상사", "대성물산", "푸른유통", "신우전자")),
        Column(
            name="도시",
            kind="category",
            values=("서울", "부산", "대전", "광주"),
            says=("{v}에 있는", "도시가 {v}인"),
            denies="{v}에 없는",
        ),
    ),
)
PURCHASES = Kind(
    name="발주",
    language="ko",
    thing="발주",
    things="발주",
    counter="건",
    columns=(
        Column(name="발주번호", kind="key", values=("P",)),
        Column(
            name="상태",
            kind="category",
            values=("완료", "대기", "취소"),
            says=("상태가 {v}인", "{v} 상태인"),
            denies="상태가 {v}(이/가) 아닌",
        ),
        Column(name="금액", kind="number", most=42_000_000, unit="원"),
        Column(name="발주일", kind="date", dated="낸"),
        Column(name="거래처 코드", kind="reference"),
    ),
    refers="거래처",
    of="{c} 거래처의",
)
ALONE = (MACHINES, STAFF, COURSES, PLANT)
PAIRS = ((ORDERS, CUSTOMERS), (PURCHASES, SUPPLIERS))


def made_tables(random: Random, place: int) -> list[MadeTable]:
    """Return a table that stands alone, and a pair of which one refers to the other."""
    alone, (referring, referred) = ALONE[place % len(ALONE)], PAIRS[place % len(PAIRS)]
    first = _rows(random, referred, ())
    keys = tuple(str(row[0]) for row in first)
    return [
        _made(random, alone, _rows(random, alone, ())),
        _made(random, referring, _rows(random, referring, keys)),
        _made(random, referred, first),
    ]


def _rows(random: Random, kind: Kind, keys: Sequence[str]) -> tuple[tuple[Cell, ...], ...]:
    """Return random rows; no number of a column comes twice, so that the largest is one."""
    count = random.randint(8, 14) if not kind.of_kind("date") else random.randint(14, 60)
    columns = [_cells(random, column, count, keys) for column in kind.columns]
    return tuple(zip(*columns, strict=True))


def _cells(random: Random, column: Column, count: int, keys: Sequence[str]) -> list[Cell]:
    if column.kind == "key":
        return [f"{column.values[0]}-{1001 + at}" for at in range(count)]
    if column.kind == "name":
        return [f"{random.choice(column.values)} {at + 1}" for at in range(count)]
    if column.kind == "category":
        return [random.choice(column.values) for _ in range(count)]
    if column.kind == "reference":
        return [random.choice(keys) for _ in range(count)]
    if column.kind == "date":
        days = [_FIRST_DAY + timedelta(days=random.randrange(_DAYS)) for _ in range(count)]
        return [_or_unread(random, day) for day in days]
    step = max(1, column.most // 2000)
    drawn = random.sample(range(step, column.most, step), count)
    return [_or_unread(random, float(number)) for number in drawn]


def _or_unread(random: Random, cell: Cell) -> Cell:
    return None if random.random() < _UNREAD_SHARE else cell


def _made(random: Random, kind: Kind, rows: Sequence[Sequence[Cell]]) -> MadeTable:
    heads = [column.name for column in kind.columns]
    told = [
        [_told(random, column, cell) for column, cell in zip(kind.columns, row, strict=True)]
        for row in rows
    ]
    ending, text = _written(random, kind, heads, told)
    return MadeTable(
        kind=kind, rows=tuple(map(tuple, rows)), file=f"{kind.name}.{ending}", text=text
    )


def _told(random: Random, column: Column, cell: Cell) -> str:
    """Return a cell as somebody wrote it."""
    if cell is None:
        return random.choice(_UNREAD)
    is_other = random.random() < _OTHER_FORM
    if isinstance(cell, date):
        if is_other:
            return cell.isoformat()
        is_korean = not column.dated.isascii()
        return korean_day(cell) if is_korean else english_day(cell)
    if isinstance(cell, float):
        number = f"{cell:.0f}" if is_other else f"{cell:,.0f}"
        return f"{number} {column.unit}".strip() if random.random() < 0.8 else number
    return cell


def english_day(day: date) -> str:
    """Return `5 March 2024`."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def korean_day(day: date) -> str:
    """Return `2024년 3월 5일`."""
    return f"{day.year}년 {day.month}월 {day.day}일"


def _written(
    random: Random, kind: Kind, heads: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[str, str]:
    """Return the ending of a file's name and its text."""
    ending = random.choice(("csv", "tsv", "json", "md"))
    if ending == "json":
        records = [
            {
                head: int(cell) if cell.isdecimal() else cell
                for head, cell in zip(heads, row, strict=True)
            }
            for row in rows
        ]
        return ending, json.dumps(records, ensure_ascii=False, indent=1)
    if ending == "md":
        return ending, _prose(kind, heads, rows)
    between = "\t" if ending == "tsv" else ","
    lines = [between.join(_quoted(cell, between) for cell in row) for row in (heads, *rows)]
    return ending, "\n".join(lines) + "\n"


def _quoted(cell: str, between: str) -> str:
    return f'"{cell}"' if between in cell else cell


def _prose(kind: Kind, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a document with the table between its paragraphs."""
    lines = [f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows)]
    before, after = _AROUND[kind.language]
    return "\n".join([f"# {kind.name}", "", before, "", *lines, "", after, ""])


_AROUND: Mapping[str, tuple[str, str]] = {
    "en": ("This list is kept by the office.", "Ask the office for what is missing."),
    "ko": ("이 목록은 총무팀이 관리한다.", "빠진 내용은 총무팀에 문의한다."),
}
