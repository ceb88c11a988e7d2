"""What a number's format says of it, as programs for sheets write formats."""

from __future__ import annotations

import pytest

from weft.adapters.reader.grids.number_formats import amount, built_in, format_of
from weft.retrieval.tables.cells import Quantity, quantity


@pytest.mark.parametrize(
    ("code", "said", "unit"),
    [
        ("[$€-407] #,##0.00", "€1234.5", "eur"),
        ("#,##0.00\\ [$€-407]", "1234.5 €", "eur"),
        ('#,##0.00\\ "€";[Red]\\-#,##0.00\\ "€"', "1234.5 €", "eur"),
        ('_-* #,##0.00 "€"_-;\\-* #,##0.00 "€"_-;_-* "-"?? "€"_-;_-@_-', "1234.5 €", "eur"),
        ('_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)', "$1234.5", "usd"),
        ("[$$-409]#,##0.00;[Red]-[$$-409]#,##0.00", "$1234.5", "usd"),
        ("$#,##0", "$1234.5", "usd"),
        ("[$₩-412]#,##0", "₩1234.5", "krw"),
        ("[$¥-411]#,##0", "¥1234.5", "jpy"),
        ("[$¥-804]#,##0", "1234.5 CNY", "cny"),
        ("[>100][$£-809]0.00", "£1234.5", "gbp"),
        ('0.00" EUR"', "1234.5 EUR", "eur"),
        ('"EUR" 0.00', "1234.5 EUR", "eur"),
        ("[$CHF] #,##0.00", "1234.5 CHF", "chf"),
        ("#,##0.00\\ [$kr.-41D]", "1234.5 kr", "kr"),
        ("#,##0\\ \\k\\r", "1234.5 kr", "kr"),
        ("#,##0\\ [$zł-415]", "1234.5 zł", "zł"),
        ('General" USD"', "1234.5 USD", "usd"),
        ('#,##0"원"', "1234.5 원", "krw"),
        ("[$NT$-404]#,##0", "1234.5 TWD", "twd"),
        ("#,##0.00\\ [$₽-419]", "1234.5 RUB", "rub"),
    ],
)
def test_an_amount_stands_with_its_currency_and_is_read_as_such(
    code: str, said: str, unit: str
) -> None:
    shown = format_of(code)
    text = amount(1234.5, shown.unit, is_before=shown.is_before)
    assert text == said
    assert quantity(text) == Quantity(value=1234.5, unit=unit)
    below = amount(-2, shown.unit, is_before=shown.is_before)
    assert quantity(below) == Quantity(value=-2.0, unit=unit)


@pytest.mark.parametrize(
    "code", ["General", "0.00", "#,##0", '"No. "0', "0.0E+00", '0" pieces"', "@"]
)
def test_other_formats_leave_a_number_as_it_is(code: str) -> None:
    shown = format_of(code)
    assert (shown.unit, shown.moment, shown.is_share, shown.digits) == ("", "", False, 0)


def test_days_shares_and_zeros_are_told_apart() -> None:
    assert format_of("[$-409]d-mmm-yy").moment == "d-mmm-yy"
    assert format_of("0.0%").is_share
    assert format_of("00000").digits == 5
    assert built_in(44).unit == "$"
    assert built_in(14).moment
    assert built_in(3) == format_of("General")
