"""Korean tables made of real ones, their heads, months and numbers as Koreans write them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path

from babel import Locale
from babel.core import get_global
from babel.numbers import get_territory_currencies

_SECTORS = {
    "nonfarm": "전체 고용",
    "construction": "건설업",
    "manufacturing": "제조업",
    "retail_trade": "소매업",
    "financial_activities": "금융업",
    "government": "정부",
}
_SOURCES = {"Fossil Fuels": "화석 연료", "Nuclear Energy": "원자력", "Renewables": "재생 에너지"}
# Countries with the share of people who speak the language that most speak.
_COUNTRIES = (
    "KR JP CN TW VN TH ID IN US CA MX BR AR CL GB IE FR DE ES PT IT CH AT BE NL SE NO FI DK PL CZ"
    " HU GR TR EG ZA KE NG AU NZ RU UA"
).split()


def _write(target: Path, rows: Iterable[Iterable[object]]) -> None:
    """Write the rows as CSV."""
    with target.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(rows)


def _grouped(number: str) -> str:
    """Return a number with its thousands signs: `15,351.5`."""
    return f"{Decimal(number).normalize():,f}"


def jobs(found: Path, target: Path) -> None:
    """Write jobs by month and trade, in thousands of people with thousands signs."""
    with found.open(encoding="utf-8") as source:
        records = list(csv.DictReader(source))
    rows = [["월", *(f"{name}(천 명)" for name in _SECTORS.values())]]
    for record in records:
        year, month, _ = record["month"].split("-")
        rows.append([f"{year}년 {int(month)}월", *(_grouped(record[key]) for key in _SECTORS)])
    _write(target, rows)


def countries(_found: Path, target: Path) -> None:
    """Write countries with their money and the language that most people speak there."""
    korean = Locale("ko")
    rows: list[list[str]] = [
        ["나라", "코드", "통화", "통화 코드", "가장 많이 쓰는 말", "사용 비율"]
    ]
    for code in _COUNTRIES:
        spoken = get_global("territory_languages")[code]
        language, share = max(spoken.items(), key=lambda item: item[1]["population_percent"])
        money = get_territory_currencies(code)[0]
        named = korean.languages.get(language.split("_")[0], language)
        percent = f"{share['population_percent']:g}%"
        rows.append(
            [korean.territories[code], code, korean.currencies[money], money, named, percent]
        )
    _write(target, rows)


def power(found: Path, target: Path) -> None:
    """Write what Iowa's power stations made, a row a year and source, as `35,361 GWh`."""
    rows: list[list[str]] = [["연도", "발전원", "순발전량"]]
    with found.open(encoding="utf-8") as source:
        for record in csv.DictReader(source):
            made = f"{_grouped(record['net_generation'])} GWh"
            rows.append([f"{record['year'][:4]}년", _SOURCES[record["source"]], made])
    _write(target, rows)


def wheat(found: Path, target: Path) -> None:
    """Write what wheat cost and what a week of work earned, a row a year."""
    rows: list[list[str]] = [["연도", "밀값(실링)", "주급(실링)"]]
    for record in json.loads(found.read_text(encoding="utf-8")):
        paid = f"{record['wages']}" if "wages" in record else ""
        rows.append([f"{record['year']}년", f"{record['wheat']}", paid])
    _write(target, rows)


def driving(found: Path, target: Path) -> None:
    """Write how far people drove and what petrol cost, a row a year."""
    records = json.loads(found.read_text(encoding="utf-8"))
    rows = [[f"{one['year']}년", f"{one['miles']:,}", f"{one['gas']:.2f}"] for one in records]
    _write(target, [["연도", "주행 거리(마일)", "휘발유 값(달러)"], *rows])


MAKERS: dict[str, Callable[[Path, Path], None]] = {
    "jobs": jobs,
    "countries": countries,
    "power": power,
    "wheat": wheat,
    "driving": driving,
}
