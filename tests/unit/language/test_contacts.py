"""What counts as an address, and what does not."""

from __future__ import annotations

import pytest

from weft.language.contacts import without_contacts


@pytest.mark.parametrize(
    "address",
    [
        "http://evil.example/?q=secret",
        "HTTPS://EVIL.example",
        "ftp://evil.example/a",
        "www.evil.example",
        "evil.example/pay",
        "javascript:alert(1)",
        "mailto:eve@evil.example",
        "eve.smith+x@evil.example",
        "+44 20 7946 0000",
        "+1 (555) 010-0199",
    ],
)
def test_an_address_is_taken_out_unless_it_is_known(address: str) -> None:
    text = f"Write to {address} today"
    assert without_contacts(text, known="Who?") == "Write to … today"
    assert without_contacts(text, known=f"What is {address} for?") == text


@pytest.mark.parametrize(
    "text",
    [
        "When was the Harbour Bridge opened?",
        "14 March 1932, 2019-2020, 10 000 000 000 crowns",
        "Input/output of version 1.2.3 and/or node.js",
        "+5 degrees, C++ and 12:30",
        "다리는 언제 열렸습니까?",
    ],
)
def test_other_text_stays(text: str) -> None:
    assert without_contacts(text, known="") == text
