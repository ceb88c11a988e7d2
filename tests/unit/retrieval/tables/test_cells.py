"""What cells spell: numbers of several languages with their units, days, yes and no."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.retrieval.tables.made_tables import table_of
from weft.retrieval.tables.cells import (
    Quantity,
    day,
    days_of,
    has_comma_decimals,
    is_empty,
    quantity,
    truth,
    worth_of,
)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("4,200 EUR", 4200, "eur"),
        ("€49", 49, "eur"),
        ("12 %", 12, "%"),
        ("(123)", -123, ""),
        ("−5 °C", -5, "°c"),
        ("3.5M", 3_500_000, ""),
        ("1 234 567", 1_234_567, ""),
        ("1'234.5", 1234.5, ""),
        ("$1.2 billion", 1_200_000_000, "usd"),
        ("3,500만원", 35_000_000, "krw"),
        ("1억 2천만원", 120_000_000, "krw"),
        ("₩1억 2천만", 120_000_000, "krw"),
        ("￦5,000", 5_000, "krw"),
        ("1,200천원", 1_200_000, "krw"),
        ("3만 5천 명", 35_000, "명"),
        ("120톤", 120, "톤"),
        ("7 days", 7, "day"),
        ("62*", 62, ""),
        ("6 mm (1)", 6, "mm"),
        ("5.5 [a]", 5.5, ""),
        ("1,204[12]", 1204, ""),
        ("3 kilograms", 3, "kg"),
        ("1h 20m", 80, "min"),
        ("2 hours", 2, "h"),
        ("50 m", 50, "m"),
        ("~300", 300, ""),
        ("1e5", 100_000, ""),
    ],
)
def test_a_number_is_read_with_its_unit(text: str, value: float, unit: str) -> None:
    found = quantity(text)
    assert found is not None
    assert (found.value, found.unit) == (value, unit)


@pytest.mark.parametrize(
    "text", ["A-12", "1.2.3", "12-15", "10:30", "n/a", "", "v2", "(0) Draft", "§ 12"]
)
def test_a_code_a_range_and_a_grade_are_no_numbers(text: str) -> None:
    assert quantity(text) is None


def test_a_column_tells_which_sign_parts_decimals() -> None:
    assert has_comma_decimals(["1.234,50", "99,90", "1.000"])
    assert not has_comma_decimals(["1,234.50", "99.90"])
    assert quantity("1.000", comma=True) == Quantity(value=1000.0)
    assert quantity("1.5", comma=False) == Quantity(value=1.5)


def test_the_columns_beside_tell_what_a_point_is_where_a_column_leaves_it_open() -> None:
    open_to_both = ["1.200", "16.500"]
    assert not has_comma_decimals(open_to_both)
    assert has_comma_decimals(open_to_both, beside=["A", "3,50", "4,20"])
    assert not has_comma_decimals(open_to_both, beside=["3,50", "4.25"])
    assert not has_comma_decimals(["1.25", "16.500"], beside=["3,50", "4,20"])


def test_sums_of_money_have_no_three_decimals_and_prices_of_fuel_do() -> None:
    assert has_comma_decimals(["1.200 €", "950 €", "12.500 €"])
    assert has_comma_decimals(["€ 1.200", "€ 950"])
    assert not has_comma_decimals(["1.789 €", "1.839 €"])


@given(st.integers(0, 10**12))
def test_thousands_signs_change_nothing(number: int) -> None:
    found = quantity(f"{number:,}")
    assert found is not None
    assert found.value == number


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2020-03-01", 20200301),
        ("2020-03-01T10:00:00Z", 20200301),
        ("2020-03", 20200300),
        ("3 March 2020", 20200303),
        ("March 2020", 20200300),
        ("Mar 3, 2020", 20200303),
        ("2020년 3월 1일", 20200301),
        ("2020년", 20200000),
        ("2020. 3. 1.", 20200301),
        ("31/12/2020", 20201231),
    ],
)
def test_a_day_is_read(text: str, found: int) -> None:
    assert day(text) == found


@pytest.mark.parametrize("text", ["5606.4", "2020", "13.5.6", "March", "2020-13-01", "9999-01-01"])
def test_what_only_looks_like_a_day_is_none(text: str) -> None:
    assert day(text) is None


def test_yes_and_no_may_have_a_remark() -> None:
    assert truth("Yes") is True
    assert truth("no (planned)") is False
    assert truth("✓") is True
    assert truth("예") is True
    assert truth("nowhere") is None


def test_what_says_that_there_is_nothing_is_empty() -> None:
    assert all(map(is_empty, ("", " - ", "N/A", "없음", "unknown")))
    assert not is_empty("0")


def test_units_of_one_kind_are_one_column() -> None:
    table = table_of("parcels.csv", ["weight"], [["2.5 kg"], ["800 g"], ["12 kg"], ["3 km"]])
    (weight,) = table.columns
    assert (weight.unit, weight.dirty) == ("kg", 1)
    assert weight.values[0] == 2.5
    assert weight.values[1] == pytest.approx(0.8)
    assert weight.values[2:] == (12.0, None)
    assert worth_of("g", other="km") is None


def test_a_unit_of_another_kind_than_the_name_has_is_not_the_columns() -> None:
    rows = [("Cakes", "412.60"), ("Sponsors", "7 new sponsors"), *[("Raffle", "529.00")] * 3]
    _, took = table_of("stalls", ("Stall", "Took £"), rows).columns
    assert (took.unit, took.dirty, took.high, took.bare) == ("", 1, 529.0, ())
    rows = [("Cakes", "60p"), ("Raffle", "529.00"), ("Books", "£3")]
    _, took = table_of("stalls", ("Stall", "Took £"), rows).columns
    assert (took.unit, took.dirty, took.low) == ("gbp", 0, 0.6)


@pytest.mark.parametrize(
    ("prices", "unit", "value"),
    [(["£2.50", "60p", "£1"], "gbp", 0.6), (["4 €", "80 cents", "3 €"], "eur", 0.8)],
)
def test_small_coins_are_parts_of_the_large(prices: list[str], unit: str, value: float) -> None:
    (price,) = table_of("shop.csv", ["price"], [[one] for one in prices]).columns
    assert (price.unit, price.dirty) == (unit, 0)
    assert price.values[1] == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [("12.03.21", 20210312), ("01/11/69", 19691101), ("1.2.21", None), ("12-03-21", None)],
)
def test_a_day_may_have_a_year_of_two_figures(text: str, value: int | None) -> None:
    assert day(text) == value


def test_a_day_without_a_year_is_of_the_one_that_is_known() -> None:
    texts = ["1 July", "Mon 3rd July", "Tue July 4", "12/8", "not yet"]
    assert days_of(texts, year=2023) == {
        "1 July": 20230701,
        "Mon 3rd July": 20230703,
        "Tue July 4": 20230704,
        "12/8": 20230812,
        "not yet": None,
    }
    assert days_of(["4/3/2024", "6 March", "8.3.24"])["6 March"] == 20240306
    assert set(days_of(["4/3/2024", "4/3/2023", "6 March"]).values()) == {20240304, 20230304, None}


def test_figures_are_no_days_though_a_year_is_known() -> None:
    assert set(days_of(["1/2", "3/4", "12.5"], year=2023).values()) == {None}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2024년 3월 5일(화)", 20240305),
        ("2024-03-05 (화)", 20240305),
        ("2024. 3. 5.(화)", 20240305),
        ("2024-12-15(일) 14:00", 20241215),
        ("2024년 3월 5일 화요일 오후 2시 30분", 20240305),
        ("24년 3월 5일", 20240305),
        ("2024年10月3日", 20241003),
    ],
)
def test_a_day_may_have_its_weekday_and_time_behind_it(text: str, found: int) -> None:
    assert day(text) == found


def test_in_a_korean_column_the_year_is_first_and_the_month_before_the_day() -> None:
    assert [*days_of(["24.3.5", "'24.12.31", "98-01-02"], korean=True).values()] == [
        20240305,
        20241231,
        19980102,
    ]
    assert [*days_of(["24.12.31"]).values()] == [20311224]
    said = ["3월 5일", "4/12(금)", "3/2"]
    assert [*days_of(said, year=2024, korean=True).values()] == [20240305, 20240412, 20240302]
    assert [*days_of(["12/6(금)"], year=2024, korean=True).values()] == [20241206]
    assert [*days_of(["2024.10", "2024.3"], korean=True).values()] == [20241000, 20240300]
    assert [*days_of(["2024.10", "12.5"], korean=True).values()] == [None, None]
    assert [*days_of(["10.0.1", "24.13.1"], korean=True).values()] == [None, None]


def test_a_name_tells_the_size_of_the_figures_below_it() -> None:
    [named, _] = table_of("t", ["금액(만원)", "이름"], [["2,160", "가"], ["840", "나"]]).columns
    assert (named.unit, named.scale, named.values) == ("krw", 10_000, (21_600_000, 8_400_000))
    [mixed, _] = table_of("t", ["금액(천원)", "이름"], [["5", "가"], ["2만원", "나"]]).columns
    assert mixed.values == (5_000, 20_000)
    assert mixed.bare == ()
