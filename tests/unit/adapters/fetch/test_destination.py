"""Where a URL leads, and which spellings lead nowhere."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weft.adapters.fetch.destination import destination, host_name, onward
from weft.domain.errors import BadInput


@pytest.mark.parametrize(
    ("url", "same"),
    [
        ("https://Example.ORG", "https://example.org/"),
        ("https://example.org.:443/a?b=c#d", "https://example.org/a?b=c"),
        ("http://example.org:80/", "http://example.org/"),
        ("http://example.org:8080", "http://example.org:8080/"),
        ("https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
        ("https://[2606:4700:0:0::1]:8443/", "https://[2606:4700::1]:8443/"),
        ("https://1.2.3.4/", "https://1.2.3.4/"),
        ("https://1。2。3。4/", "https://1.2.3.4/"),
        ("https://a_b.example/", "https://a_b.example/"),
    ],
)
def test_a_url_is_read_and_written(url: str, same: str) -> None:
    assert destination(url).url == same
    assert destination(same).url == same


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://example.org/", "file:///etc/passwd", "gopher://example.org/", "javascript:1"),
        *("//example.org/", "example.org", "", "https://", "https:///path", "data:text/plain,x"),
        *("https://user@example.org/", "https://user:word@example.org/", "https://:x@example.org"),
        *("http://0x7f.1/", "http://2130706433/", "http://127.1/", "http://0x7f000001/"),
        *("http://0177.0.0.1/", "http://1.2.3.4.5/", "http://a.0x1/", "http://0/", "http://1.2.3/"),
        *("http://[fe80::1%25eth0]/", "http://[::1%0]/", "http://[::g]/", "http://[v1.x]/"),
        *("http://１２７.0.0.1/", "http://ⓔxample.org/", "http://a..b/"),
        *("http://example.org:0/", "http://example.org:65536/", "http://example.org:x/"),
        *("http://evil.example\\@good.example/", "http://good.example \r\nHost: x/", "http://a b/"),
        *("http://-a.example/", "http://a-.example/", f"http://{'a' * 64}.example/"),
        *(
            "http://%31%32%37.0.0.1/",
            "http://a%2eb/",
            f"https://a.example/{'a' * 9000}",
            "http://a\0b/",
        ),
    ],
)
def test_what_is_spelled_oddly_leads_nowhere(url: str) -> None:
    with pytest.raises(BadInput):
        destination(url)


@given(st.text(max_size=60))
@example("[")
@example("https://[")
@example("https://xn--a/")
@example("_")
@example("a.1-2")
def test_any_text_is_a_destination_or_bad_input(text: str) -> None:
    for url in (text, f"https://{text}", f"https://example.org{text}"):
        try:
            there = destination(url)
        except BadInput:
            continue
        assert there.url == destination(there.url).url
        assert there.host == host_name(there.host)
        assert there.address is not None or any(c.isalpha() for c in there.host.split(".")[-1])


HERE = destination("https://a.example/one/two?x=1")


@pytest.mark.parametrize(
    ("location", "there"),
    [
        ("three", "https://a.example/one/three"),
        ("/three#part", "https://a.example/three"),
        ("//b.example/", "https://b.example/"),
        ("http://b.example:8080/x", "http://b.example:8080/x"),
        ("?y=2", "https://a.example/one/two?y=2"),
    ],
)
def test_a_redirect_is_relative_to_where_it_was_given(location: str, there: str) -> None:
    assert onward(HERE, location).url == there


@given(st.text(max_size=40))
@example("http://[")
def test_any_location_leads_somewhere_or_is_bad_input(location: str) -> None:
    try:
        there = onward(HERE, location)
    except BadInput:
        return
    assert there.url == destination(there.url).url
